// Where two e-mails lead: the one that proves an address, and the one that stops the removal of a
// second factor.

import { useState } from 'react'
import type {
  EmailVerified,
  PostAuthEmailVerifyData,
  PostAuthEmailVerifyResponse,
  PostAuthTotpKeepData,
  PostAuthTotpKeepResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readSession, useSession } from '../../data/session.ts'
import { useEmailToken } from '../../parts/email-token.ts'
import { useAct } from '../../ui/act.tsx'
import { Button, errorAt, Form, secretIn, TextField } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../words/translate.ts'
import { DeadLink, Done, EntrancePage, isDead } from './entrance-page.tsx'

export function VerifyEmail() {
  const token = useEmailToken()
  const session = useSession()
  const { failure, isBusy, run } = useAct()
  const [done, setDone] = useState<EmailVerified>()
  const submit = (form: FormData) =>
    run(async () => {
      const password = secretIn(form)
      const verified = await call<PostAuthEmailVerifyData, PostAuthEmailVerifyResponse>({
        ...{ method: 'POST', url: '/auth/email/verify/' },
        body: { token, ...(password !== '' && { password }) },
      })
      // By then it is known where it leads: on, for whoever is signed in, else to the sign-in.
      await readSession()
      setDone(verified)
    })
  const isIn = session.is === 'in'
  if (done !== undefined) {
    return (
      <EntrancePage title={t('verify_title')}>
        <Done>
          <p>{t('verify_done')}</p>
          {done.must_choose_password === true && <p>{t('verify_choose')}</p>}
          {isIn && (
            <Link className="button act" href="/">
              {t('verify_go_on')}
            </Link>
          )}
        </Done>
      </EntrancePage>
    )
  }
  const again = isIn ? <Link href="/me">{t('verify_again_in')}</Link> : t('verify_again')
  return (
    <EntrancePage title={t('verify_title')}>
      <DeadLink failure={failure} token={token} next={again} />
      {!isDead(failure, token) && (
        <Form name={t('verify_title')} failure={failure} fields={['password']} onSubmit={submit}>
          <p>{t('verify_how')}</p>
          <TextField
            label={t('password')}
            hint={t('verify_password_hint')}
            error={errorAt(failure, 'password')}
            name="password"
            type="password"
            autoComplete="current-password"
            maxLength={1000}
          />
          <Button type="submit" busy={isBusy}>
            {t('verify_act')}
          </Button>
        </Form>
      )}
    </EntrancePage>
  )
}

export function KeepFactor() {
  const token = useEmailToken()
  const { failure, isBusy, run } = useAct()
  const [isKept, setIsKept] = useState(false)
  const keep = () =>
    run(async () => {
      await call<PostAuthTotpKeepData, PostAuthTotpKeepResponse>({
        ...{ method: 'POST', url: '/auth/totp/keep/', body: { token } },
      })
      setIsKept(true)
    })
  if (isKept) {
    return (
      <EntrancePage title={t('keep_title')}>
        <Done>
          <p>{t('keep_done')}</p>
          <p>
            <Link href="/forgot-password">{t('forgot_title')}</Link>
          </p>
        </Done>
      </EntrancePage>
    )
  }
  return (
    <EntrancePage title={t('keep_title')}>
      <DeadLink failure={failure} token={token} next={t('keep_again')} />
      {!isDead(failure, token) && (
        <Form name={t('keep_title')} failure={failure} fields={[]} onSubmit={keep}>
          <p>{t('keep_how')}</p>
          <Button type="submit" busy={isBusy}>
            {t('keep_act')}
          </Button>
        </Form>
      )}
    </EntrancePage>
  )
}

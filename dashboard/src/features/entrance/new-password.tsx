// A new password: asked for by e-mail, then chosen with the link in it.

import { useState } from 'react'
import type {
  PostAuthPasswordForgotData,
  PostAuthPasswordForgotResponse,
  PostAuthPasswordResetData,
  PostAuthPasswordResetResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { useEmailToken } from '../../parts/email-token.ts'
import { useAct } from '../../ui/act.tsx'
import { Button, errorAt, Form, secretIn, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../words/translate.ts'
import { DeadLink, Done, EntrancePage, isDead } from './entrance-page.tsx'

export function Forgot() {
  const { failure, isBusy, run } = useAct()
  const [said, setSaid] = useState<string>()
  const submit = (form: FormData) =>
    run(async () => {
      const { message } = await call<PostAuthPasswordForgotData, PostAuthPasswordForgotResponse>({
        ...{
          method: 'POST',
          url: '/auth/password/forgot/',
          body: { email: textIn(form, 'email') },
        },
      })
      setSaid(message)
    })
  return (
    <EntrancePage title={t('forgot_title')}>
      {said === undefined ? (
        <Form name={t('forgot_title')} failure={failure} fields={['email']} onSubmit={submit}>
          <p>{t('forgot_how')}</p>
          <TextField
            label={t('email')}
            error={errorAt(failure, 'email')}
            name="email"
            type="email"
            autoComplete="username"
            maxLength={254}
            required
          />
          <Button type="submit" busy={isBusy}>
            {t('forgot_send')}
          </Button>
        </Form>
      ) : (
        <Done>
          <p>{said}</p>
          <p>{t('email_where')}</p>
        </Done>
      )}
    </EntrancePage>
  )
}

export function Reset() {
  const token = useEmailToken()
  const { failure, isBusy, run } = useAct()
  const [isDone, setIsDone] = useState(false)
  const submit = (form: FormData) =>
    run(async () => {
      await call<PostAuthPasswordResetData, PostAuthPasswordResetResponse>({
        ...{ method: 'POST', url: '/auth/password/reset/' },
        body: { token, password: secretIn(form) },
      })
      setIsDone(true)
    })
  if (isDone) {
    return (
      <EntrancePage title={t('reset_title')}>
        <Done>
          <p>{t('reset_done')}</p>
        </Done>
      </EntrancePage>
    )
  }
  const again = <Link href="/forgot-password">{t('forgot_title')}</Link>
  return (
    <EntrancePage title={t('reset_title')}>
      <DeadLink failure={failure} token={token} next={again} />
      {!isDead(failure, token) && (
        <Form name={t('reset_title')} failure={failure} fields={['password']} onSubmit={submit}>
          <p>{t('reset_how')}</p>
          <NewPassword error={errorAt(failure, 'password')} />
          <Button type="submit" busy={isBusy}>
            {t('reset_act')}
          </Button>
        </Form>
      )}
    </EntrancePage>
  )
}

type Props = Readonly<{ error: string | undefined; isFirst?: boolean }>

/** `isFirst`: of an account that is being made. */
export const NewPassword = ({ error, isFirst = false }: Props) => (
  <TextField
    label={t(isFirst ? 'password_first' : 'password_new')}
    hint={t('password_hint')}
    error={error}
    name="password"
    type="password"
    autoComplete="new-password"
    minLength={8}
    maxLength={128}
    required
  />
)

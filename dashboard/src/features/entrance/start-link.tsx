// Where the link leads that a demo's start prints: it signs the demo's owner in, once, and goes on
// to Home. Law: its token has left the address bar before it is sent, and is kept nowhere.

import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { PostAuthLoginLinkData, PostAuthLoginLinkResponse } from '../../api/types.gen.ts'
import { CallFailed, call, failureIn } from '../../data/call.ts'
import { meet, readSession, useSession } from '../../data/session.ts'
import { CodeField } from '../../parts/code-field.tsx'
import { useEmailToken } from '../../parts/email-token.ts'
import { useAct } from '../../ui/act.tsx'
import { Button, Form, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { Asked, DeadLink, EntrancePage, isDead } from './entrance-page.tsx'

export function StartLink() {
  const token = useEmailToken()
  const { failure, isBusy, wantsCode, signIn } = useLink(token)
  const tried = useRef('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each link
  useEffect(() => {
    if (token === tried.current) return
    tried.current = token
    signIn()
  }, [token])
  return (
    <EntrancePage title={t('start_link_title')}>
      <DeadLink failure={failure} token={token} cut={t('start_link_cut')} />
      {!isDead(failure, token) &&
        (wantsCode ? (
          <Form
            name={t('start_link_title')}
            failure={failure}
            fields={['totp']}
            onSubmit={(form) => signIn(textIn(form, 'totp'))}
          >
            <CodeField name="totp" failure={failure} takesFocus />
            <Button type="submit" busy={isBusy}>
              {t('sign_in')}
            </Button>
          </Form>
        ) : (
          <Asked failure={failure} again={() => signIn()} />
        ))}
    </EntrancePage>
  )
}

function useLink(token: string) {
  const [, navigate] = useLocation()
  const session = useSession()
  const { failure, isBusy, run } = useAct()
  const [wantsCode, setWantsCode] = useState(false)
  const isIn = useRef(false)
  const isUnanswered = failure?.is === 'unreached' && session.is !== 'in'
  const signIn = (totp = '') =>
    run(async () => {
      // An answer that was lost may have signed them in: the link works no second time.
      if (isUnanswered && (await readSession()) !== undefined) isIn.current = true
      try {
        if (!isIn.current) await exchange(token, totp)
      } catch (error) {
        if (!isCodeWanted(error)) throw error
        setWantsCode(true)
        if (totp === '') return
        throw new CallFailed({ is: 'fields', fields: { totp: [t('code_wrong')] } })
      }
      isIn.current = true
      await meet()
      navigate('/', { replace: true })
    })
  return { failure, isBusy, wantsCode, signIn }
}

const exchange = (token: string, totp: string): Promise<unknown> =>
  call<PostAuthLoginLinkData, PostAuthLoginLinkResponse>({
    ...{ method: 'POST', url: '/auth/login/link/' },
    body: { token, cookie: true, ...(totp !== '' && { totp }) },
  })

const isCodeWanted = (error: unknown): boolean => {
  const failure = failureIn(error)
  return failure?.is === 'refused' && failure.code === 'totp_required'
}

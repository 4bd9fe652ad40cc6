// Signing out. Law: it is shown as done once the service has ended the session, and not before:
// until then its cookie opens it to whoever sits here next.

import { useState } from 'react'
import type { PostAuthLogoutData } from '../api/types.gen.ts'
import { call, failureIn } from '../data/call.ts'
import { sessionLeft } from '../data/session.ts'
import { t } from '../words/translate.ts'

/** Whether the session is over: one that had ended before is. */
async function signOut(): Promise<boolean> {
  try {
    await call<PostAuthLogoutData, undefined>({ method: 'POST', url: '/auth/logout/' })
  } catch (error) {
    const failure = failureIn(error)
    if (failure?.is !== 'refused' || failure.status !== 401) return false
  }
  sessionLeft()
  return true
}

/** `said`: that it was tried and is not done. */
export function useSignOut(onSignedOut: () => void) {
  const [isStuck, setIsStuck] = useState(false)
  const leave = async () => ((await signOut()) ? onSignedOut() : setIsStuck(true))
  const said = isStuck && (
    <p className="alert" role="alert">
      {t('still_signed_in')}
    </p>
  )
  return { said, leave }
}

// Signing in over the page, when a session ends under the reader's hands.

import { useEffect, useRef } from 'react'
import { useSession } from '../data/session.ts'
import { t } from '../words/translate.ts'
import { SignInForm, type SignInProps } from './sign-in.tsx'

/** Over the page, whose begun form stays below it. */
export function SessionOver({ onSignedIn }: Required<Pick<SignInProps, 'onSignedIn'>>) {
  const session = useSession()
  const dialog = useRef<HTMLDialogElement>(null)
  const isOver = session.is === 'over'
  useEffect(() => {
    if (isOver) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOver])
  return (
    <dialog
      ref={dialog}
      className="over"
      aria-labelledby="over-title"
      closedby="none"
      onCancel={(event) => event.preventDefault()}
      // Chromium, from the second Esc on, lets nobody prevent it; some know no `closedby`.
      onClose={() => isOver && dialog.current?.showModal()}
    >
      {isOver && (
        <>
          <h2 id="over-title">{t('session_over')}</h2>
          <p>{t('session_over_how')}</p>
          <SignInForm email={session.me.member.email} onSignedIn={onSignedIn} />
        </>
      )}
    </dialog>
  )
}

// Says that the session is about to end while it can still be kept, and asks nobody who has used it
// in another tab. How long it lives is the API's to say: it is asked without using the session.

import { useEffect, useRef, useState } from 'react'
import { serviceNow } from '../data/clock.ts'
import { lookAtSession, type Session, useSession } from '../data/session.ts'
import { Dialog, Refused, useAct } from '../ui/act.tsx'
import { Button } from '../ui/form.tsx'
import { t } from '../words/translate.ts'
import { useSignOut } from './sign-out.tsx'

/** So long before its end the reader is warned. */
const warned_ms = 120_000

/** Where the answer does not come, the session's end is learnt from the next call that does. */
const lookQuietly = (): void => {
  lookAtSession({ isBackground: true }).catch(() => undefined)
}

type End = Readonly<{ at_ms: number; isForGood: boolean }>

function endOf(session: Session): End | undefined {
  if (session.is !== 'in') return undefined
  const { expires_at, idle_at } = session.me.session
  const [last_ms, idle_ms] = [Date.parse(expires_at), Date.parse(idle_at)]
  return last_ms < idle_ms
    ? { at_ms: last_ms, isForGood: true }
    : { at_ms: idle_ms, isForGood: false }
}

/** Calls back once it is seen so near; a page that is not looked at waits until it is. */
function whenNear(at_ms: number, near: () => void): () => void {
  const look = () => {
    if (document.visibilityState === 'visible' && at_ms - serviceNow() <= warned_ms) near()
  }
  const timer = setTimeout(look, at_ms - warned_ms - serviceNow())
  document.addEventListener('visibilitychange', look)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', look)
  }
}

export function SessionEnd({ onSignedOut }: { onSignedOut: () => void }) {
  const session = useSession()
  const end = endOf(session)
  const at_ms = end?.at_ms
  const [shown_ms, show] = useState<number>()
  const asked_ms = useRef<number>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the API has answered it anew
  useEffect(() => {
    if (at_ms === undefined) return
    return whenNear(at_ms, () => {
      if (asked_ms.current === at_ms) return show(at_ms)
      asked_ms.current = at_ms
      lookQuietly()
    })
  }, [session, at_ms])
  if (end === undefined || shown_ms !== end.at_ms) return null
  return <EndsSoon end={end} onSignedOut={onSignedOut} />
}

type SoonProps = Readonly<{ end: End; onSignedOut: () => void }>

function EndsSoon({ end: { at_ms, isForGood }, onSignedOut }: SoonProps) {
  const { failure, isBusy, run } = useAct()
  const stay = () => run(() => lookAtSession({ isBackground: false }))
  const { said, leave } = useSignOut(onSignedOut)
  const [isRead, setIsRead] = useState(false)
  // What ends for good cannot be kept: it is known now, and the reader goes on.
  const goOn = () => (isForGood ? setIsRead(true) : stay())
  useEffect(() => {
    // Another tab may have used it; else this one learns that it is over.
    const wait_ms = at_ms - serviceNow() + 1_000
    const timer = setTimeout(lookQuietly, wait_ms)
    return () => clearTimeout(timer)
  }, [at_ms])
  if (isRead) return null
  return (
    <Dialog title={t('session_ends')} onClose={goOn}>
      <p>{t(isForGood ? 'session_ends_for_good' : 'session_ends_idle')}</p>
      <Left until_ms={at_ms} />
      <Refused failure={failure} />
      {said}
      <div className="acts">
        <Button busy={isBusy} onClick={goOn}>
          {t(isForGood ? 'continue' : 'session_stay')}
        </Button>
        <Button look="plain" onClick={leave}>
          {t('sign_out')}
        </Button>
      </div>
    </Dialog>
  )
}

/** Not announced second by second. */
function Left({ until_ms }: { until_ms: number }) {
  const [left_ms, setLeft] = useState(() => until_ms - serviceNow())
  useEffect(() => {
    const timer = setInterval(() => setLeft(until_ms - serviceNow()), 1_000)
    return () => clearInterval(timer)
  }, [until_ms])
  const seconds = left_ms > 0 ? (left_ms / 1_000).toFixed(0) : '0'
  return <p role="timer">{t('session_left', { seconds })}</p>
}

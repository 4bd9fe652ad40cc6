// A secret that is shown once: hidden until asked for, copied, and left only by whoever says that
// they have kept it, or that they go without it. Law: it lives in the screen that made it, so going
// back or loading the page anew does not bring it again.

import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { t } from '../words/translate.ts'
import { Dialog } from './act.tsx'
import { Copy } from './copy.tsx'
import { Button } from './form.tsx'

type Props = Readonly<{
  name: string
  secret: string
  onKept: () => void
}>

type AskedProps = Props &
  Readonly<{
    isKept: boolean
    onTick: (isKept: boolean) => void
  }>

type AskedFirstProps = Readonly<{
  isKept: boolean
  onKept: () => void
  /** Over a page that may stay: what is left unkept is put away. */
  onLeft?: () => void
  children: (keep: () => void, ask: () => void) => ReactNode
}>

/** On a page: every way from it is asked about, as long as the box is not ticked. */
export function AskedFirst({ isKept, onKept, onLeft, children }: AskedFirstProps) {
  const { leaving, ask, stay, release } = useLeaving(isKept)
  const leave = async (go: () => void) => {
    stay()
    await release()
    go()
    onLeft?.()
  }
  return (
    <>
      {children(
        () => void release().then(onKept),
        () => ask(onKept),
      )}
      {leaving && <Leaving leave={() => void leave(leaving)} stay={stay} />}
    </>
  )
}

export function Secret(props: Props) {
  const [isKept, setIsKept] = useState(false)
  return (
    <AskedFirst isKept={isKept} onKept={props.onKept}>
      {(keep) => <Shown {...props} isKept={isKept} onTick={setIsKept} onKept={keep} />}
    </AskedFirst>
  )
}

/** The same over the page; whoever closes it without having kept it is asked. */
export function SecretDialog(props: Props) {
  const [isKept, setIsKept] = useState(false)
  return (
    <AskedFirst isKept={isKept} onKept={props.onKept} onLeft={props.onKept}>
      {(keep, ask) => (
        <Dialog title={props.name} onClose={isKept ? keep : ask}>
          <Shown {...props} isKept={isKept} onTick={setIsKept} onKept={keep} />
        </Dialog>
      )}
    </AskedFirst>
  )
}

const Leaving = ({ leave, stay }: Readonly<{ leave: () => void; stay: () => void }>) => (
  <Dialog title={t('secret_leave')} onClose={stay}>
    <p>{t('secret_leave_how')}</p>
    <div className="acts">
      <Button onClick={stay}>{t('secret_stay')}</Button>
      <Button look="plain" className="plain grave" onClick={leave}>
        {t('secret_leave')}
      </Button>
    </div>
  </Dialog>
)

/** What leads from a screen: links; in the frame what ends the session, changes words or shop. */
export const ways = 'a[href], .person-menu button, button.way'

/**
 * Stops whoever goes: by a link, by the browser's Back, by closing or loading the page anew (there
 * the browser asks, in its own words). Back cannot be refused, so a second entry for the same
 * address lies above the screen's own: going back from it changes nothing that is seen.
 */
function useLeaving(isKept: boolean) {
  const [leaving, setLeaving] = useState<() => void>()
  const isFree = useRef(false)
  const isReleased = useRef(false)
  const isAbove = useRef(false)
  isFree.current = isKept || isReleased.current
  // Before it is seen: nobody can go in between.
  useLayoutEffect(() => {
    const above = () => {
      history.pushState(history.state, '')
      isAbove.current = true
    }
    const onClick = (event: MouseEvent) => {
      const way = event.target instanceof Element ? event.target.closest(ways) : null
      if (isFree.current || !(way instanceof HTMLElement)) return
      event.preventDefault()
      event.stopPropagation()
      setLeaving(() => () => way.click())
    }
    const onBack = () => {
      if (!isAbove.current) return
      isAbove.current = false
      if (isFree.current) return history.back()
      above()
      setLeaving(() => () => history.back())
    }
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!isFree.current) event.preventDefault()
    }
    above()
    document.addEventListener('click', onClick, true)
    addEventListener('popstate', onBack)
    addEventListener('beforeunload', onUnload)
    return () => {
      document.removeEventListener('click', onClick, true)
      removeEventListener('popstate', onBack)
      removeEventListener('beforeunload', onUnload)
    }
  }, [])
  /** Back on the screen's own entry, from where it may be left. */
  const release = async (): Promise<void> => {
    isReleased.current = true
    isFree.current = true
    if (!isAbove.current) return
    isAbove.current = false
    const isBack = new Promise((done) => addEventListener('popstate', done, { once: true }))
    history.back()
    await isBack
  }
  const ask = (go: () => void) => setLeaving(() => go)
  return { leaving, ask, stay: () => setLeaving(undefined), release }
}

function Shown({ name, secret, onKept, isKept, onTick }: AskedProps) {
  const [isShown, setIsShown] = useState(false)
  const [isMissed, setIsMissed] = useState(false)
  const said = useRef<HTMLParagraphElement>(null)
  // The form that made it is gone, and the focus with it.
  useEffect(() => said.current?.focus(), [])
  return (
    <section className="outcome" aria-label={name}>
      <p className="said" ref={said} tabIndex={-1}>
        {t('secret_once', { name })}
      </p>
      <p>{t('secret_once_how')}</p>
      <p className="secret">
        <code>{isShown ? secret : '•'.repeat(24)}</code>
      </p>
      <div className="acts">
        <Button look="plain" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          {t(isShown ? 'hide' : 'show')}
        </Button>
        <Copy text={secret} name={t('copy')} />
      </div>
      <label className="choice">
        <input
          type="checkbox"
          checked={isKept}
          onChange={({ currentTarget: { checked } }) => onTick(checked)}
        />
        {t('secret_kept')}
      </label>
      {isMissed && !isKept && (
        <p className="wrong" role="alert">
          {t('secret_keep_first')}
        </p>
      )}
      <Button onClick={() => (isKept ? onKept() : setIsMissed(true))}>{t('continue')}</Button>
    </section>
  )
}

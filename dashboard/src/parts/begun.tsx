// A form that was begun is not left without a question, by whichever way its reader goes: a link,
// the other language, signing out; Back where the browser lets a page ask; for closing and loading
// anew the browser asks in its own words. Secrets have their own (ui/secret.tsx).

import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { Dialog } from '../ui/act.tsx'
import { Button } from '../ui/form.tsx'
import { ways } from '../ui/secret.tsx'
import { t } from '../words/translate.ts'

const typed = 'input:not([type=search], [type=date], [type=checkbox], [type=radio]), textarea'

/** Where something was typed that is lost with the page: what a list is narrowed by is not. */
const formOf = (target: EventTarget | null): HTMLFormElement | null =>
  target instanceof Element && target.matches(typed)
    ? target.closest<HTMLFormElement>('main form:not(search form, dialog form)')
    : null

type Begun = Readonly<{ form: HTMLFormElement; at: string; isSent: boolean }>

/** Under way, or its answer lost: that outlives its page, and may have been done. */
const underWay = '[role=alert], [aria-disabled=true]'

/** Sent and not refused is done; a second step stands for what is not sent until it is pressed. */
function isUnsent(begun: Begun | undefined): boolean {
  if (begun === undefined || begun.at !== location.pathname) return false
  if (!begun.form.isConnected) {
    const step = document.querySelector('main .confirm form')
    return step !== null && step.querySelector(underWay) === null
  }
  return !begun.isSent || begun.form.querySelector('[role=alert]') !== null
}

/** Chromium's and newer ones: the others leave by Back without a question. */
type Leaving = Event & Readonly<{ navigationType: string; destination: { url: string } }>
const going = (): EventTarget | undefined => Reflect.get(window, 'navigation')
const isLeaving = (event: Event): event is Leaving => 'navigationType' in event

export default function LeavingBegun({ first }: Readonly<{ first: EventTarget | null }>) {
  const [leave, setLeave] = useState<() => void>()
  const [path] = useLocation()
  // What was under way has led on meanwhile: there is nothing left to ask.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the address is another one
  useEffect(() => setLeave(undefined), [path])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it watches from here on
  useEffect(() => {
    const begin = (form: HTMLFormElement | null): Begun | undefined =>
      form === null ? undefined : { form, at: location.pathname, isSent: false }
    const state: { begun: Begun | undefined; isReleased: boolean } = {
      begun: begin(formOf(first)),
      isReleased: false,
    }
    const isKept = () => !state.isReleased && isUnsent(state.begun)
    const ask = (go: () => void) =>
      setLeave(() => () => {
        state.isReleased = true
        setLeave(undefined)
        go()
        state.begun = undefined
        state.isReleased = false
      })
    const onInput = ({ target }: Event) => {
      state.begun = begin(formOf(target)) ?? state.begun
    }
    const onSubmit = ({ target }: Event) => {
      if (state.begun?.form === target) state.begun = { ...state.begun, isSent: true }
    }
    const onClick = (event: MouseEvent) => {
      const way = event.target instanceof Element ? event.target.closest(ways) : null
      if (!(way instanceof HTMLElement) || !isAway(event, way) || !isKept()) return
      event.preventDefault()
      event.stopPropagation()
      ask(() => way.click())
    }
    const onGoing = (event: Event) => {
      if (!isLeaving(event)) return
      const { navigationType, destination, cancelable } = event
      const isBack = navigationType === 'traverse' && cancelable && isKept()
      if (!isBack || new URL(destination.url).pathname === location.pathname) return
      event.preventDefault()
      ask(() => history.back())
    }
    const onUnload = (event: BeforeUnloadEvent) => {
      if (isKept()) event.preventDefault()
    }
    const listening = new AbortController()
    const { signal } = listening
    document.addEventListener('input', onInput, { signal })
    document.addEventListener('submit', onSubmit, { signal, capture: true })
    document.addEventListener('click', onClick, { signal, capture: true })
    going()?.addEventListener('navigate', onGoing, { signal })
    addEventListener('beforeunload', onUnload, { signal })
    return () => listening.abort()
  }, [])
  if (leave === undefined) return null
  const stay = () => setLeave(undefined)
  return (
    <Dialog title={t('begun_title')} onClose={stay}>
      <p>{t('begun_leave_how')}</p>
      <div className="acts">
        <Button onClick={stay}>{t('secret_stay')}</Button>
        <Button look="plain" className="plain grave" onClick={leave}>
          {t('begun_leave')}
        </Button>
      </div>
    </Dialog>
  )
}

/** Another tab leaves this one as it is, and so does a place of the same screen. */
function isAway({ ctrlKey, metaKey, shiftKey }: MouseEvent, way: HTMLElement): boolean {
  if (!(way instanceof HTMLAnchorElement)) return true
  const isElsewhere = way.target === '_blank' || ctrlKey || metaKey || shiftKey
  return !isElsewhere && !way.hasAttribute('download') && way.pathname !== location.pathname
}

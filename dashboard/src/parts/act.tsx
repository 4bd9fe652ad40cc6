// Acts of consequence: checked first, then confirmed by a button that says what it does; six digits
// where the API asks for them; whoever may not is shown why. An answer that was lost is asked about
// with the same key, so nothing is done twice.

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { CallFailed, type Failure, failureIn } from '../data/call.ts'
import { isOnline } from '../data/connection.ts'
import { begun, isOther, isUnsure, keyOf, settled, wasBegun } from '../data/once.ts'
import { useSession } from '../data/session.ts'
import { readTyped, sumIn } from '../format/amount.ts'
import { useAct } from '../ui/act.tsx'
import { Button, Form, textIn } from '../ui/form.tsx'
import { Link } from '../ui/link.tsx'
import { t } from '../words/translate.ts'
import { WhatElse } from './allowed.tsx'
import { CodeField } from './code-field.tsx'
import { type Reason, useHere } from './place.tsx'

/** By the path of a list. */
const listWords = {
  payments: 'payments',
  'payments/refunds': 'refunds',
  payouts: 'payouts',
} as const

type ConfirmProps = Readonly<{
  title: string
  /** On the button: what happens, with its sum. */
  act: string
  /** `key`: the deed's, for this press; `''` without a deed. */
  doing: (form: FormData, key: string) => Promise<unknown>
  onBack: () => void
  fields?: readonly string[]
  /** With it, asking again after a lost answer can never do it twice. */
  deed?: object
  /** Where what it makes is listed. */
  list?: keyof typeof listWords
  /** It was there when the page came: the reader begins at the page's own heading. */
  isThereFirst?: boolean
  children: ReactNode | ((failure: Failure | undefined) => ReactNode)
}>

/** The second step: what will happen, and the button that does it. */
export function Confirm(props: ConfirmProps) {
  const { title, act, doing, onBack, fields = [], deed, children } = props
  const { list = 'payments', isThereFirst = false } = props
  const { isBusy, failure, wantsCode, run } = useAct({ asksInPlace: true })
  const session = useSession()
  const lacksFactor = wantsCode && session.is === 'in' && !session.me.member.totp_enabled
  const { isLost, follow, forget } = useAnswer(deed)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!isThereFirst) heading.current?.focus()
  }, [isThereFirst])
  return (
    <section className="confirm">
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <Form
        name={title}
        failure={isLost && failure && isUnsure(failure, false) ? undefined : failure}
        fields={fields}
        onSubmit={(form) => run(() => follow((key) => doing(form, key)), textIn(form, 'totp'))}
      >
        {isLost && !isOther(failure) && (
          <p className="alert" role="alert">
            {t('answer_lost')}
          </p>
        )}
        {typeof children === 'function' ? children(failure) : children}
        {lacksFactor ? (
          <NotEnrolled />
        ) : (
          wantsCode && (
            <CodeField name="totp" failure={failure} hint={t('code_for_act')} takesFocus />
          )
        )}
        {isOther(failure) && <LookFirst list={list} onLeft={forget} />}
        {!isOther(failure) && !lacksFactor && (
          <Button type="submit" busy={isBusy}>
            {isLost ? t('ask_again') : act}
          </Button>
        )}
        {!isLost && !isBusy && (
          <Button look="plain" onClick={onBack}>
            {t('back')}
          </Button>
        )}
      </Form>
    </section>
  )
}

/** Whether the deed was sent and may have been done, and nobody has said so to this reader. */
function useAnswer(deed: object | undefined) {
  const { place } = useHere()
  const keyNow = (kept?: string) => (deed === undefined ? '' : keyOf(place, deed, kept))
  // Its key, kept here: the screen that sent it first may have its answer after it was left, and
  // asking again with another key would then do it twice.
  const [lost, setLost] = useState(() => [keyNow()].find(wasBegun))
  const follow = async (doing: (key: string) => Promise<unknown>) => {
    // At each press: after a refusal it is another deed.
    const key = keyNow(lost)
    try {
      if (isOnline()) begun(key)
      await doing(key)
      settled(key)
    } catch (error) {
      const failure = failureIn(error)
      if (deed === undefined || failure === undefined) throw error
      const isOpen = isUnsure(failure, lost !== undefined)
      if (!isOpen) settled(key)
      setLost(isOpen ? key : undefined)
      throw error
    }
  }
  /** Whoever goes to look what came of it knows, and may ask anew. */
  return { isLost: lost !== undefined, follow, forget: () => settled(keyNow(lost)) }
}

type Typed = Readonly<Record<string, string>>

/**
 * As the API writes it, so that what is shown before it is done is what will be done. With it what
 * else must be filled in, by field: whoever left several empty sees all of them at once.
 */
export function sumOf(typed: string, field: string, needed: Typed = {}): string {
  const sum = sumIn(readTyped(typed))
  const empty = Object.entries(needed).filter(([, value]) => value === '')
  const faults = empty.map(([name]) => [name, [t('fill_in')]] as const)
  if (sum === '') faults.unshift([field, [t('not_a_sum')]])
  if (faults.length === 0) return sum
  throw new CallFailed({ is: 'fields', fields: Object.fromEntries(faults) })
}

/** Leads to what was made, unless the reader has gone elsewhere while it was being made. */
export function useGo() {
  const { to } = useHere()
  const [, navigate] = useLocation()
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  return (path: string) => {
    if (!isGone.current) navigate(to(path), { replace: true })
  }
}

type LookProps = Required<Pick<ConfirmProps, 'list'>> & Readonly<{ onLeft: () => void }>

/** It was asked for otherwise before. Whoever leaves, by whatever way, has read it. */
function LookFirst({ list, onLeft }: LookProps) {
  const { to } = useHere()
  const way = useRef<HTMLAnchorElement>(null)
  const left = useRef(onLeft)
  const id = useId()
  useEffect(() => {
    way.current?.focus()
    return () => left.current()
  }, [])
  return (
    <>
      <p className="alert" id={id} role="alert">
        {t('answer_other')}
      </p>
      <Link ref={way} className="button act" href={to(`/${list}`)} aria-describedby={id}>
        {t(listWords[list])}
      </Link>
    </>
  )
}

/** Whoever has no second factor is led to where it is turned on: no code of theirs would do. */
function NotEnrolled() {
  const way = useRef<HTMLAnchorElement>(null)
  const id = useId()
  useEffect(() => way.current?.focus(), [])
  return (
    <>
      <p id={id}>{t('code_not_enrolled')}</p>
      <Link ref={way} className="button act" href="/me/security" aria-describedby={id}>
        {t('code_enrol')}
      </Link>
    </>
  )
}

/** Of a change that waits: its moment when this form opened. Whoever confirms has read that one. */
export function ChangeRead({ at }: { at: string }) {
  const [read] = useState(at)
  return <input type="hidden" name="effective_at" value={read} />
}

type OfferProps = Omit<ConfirmProps, 'onBack' | 'isThereFirst'> &
  Readonly<{
    /** On the button that leads to the second step. */
    name: string
    /** Why it cannot be done by this person, or now. */
    whyNot?: Reason | undefined
    /** The reader came for this: its second step is there at once. */
    isOpenAtFirst?: boolean
  }>

/** A button that opens its second step in its place; its reason where it may not be pressed. */
export function Offer({ name, whyNot, isOpenAtFirst = false, ...confirm }: OfferProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst)
  const [isThereFirst, setIsThereFirst] = useState(isOpenAtFirst)
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  if (isOpen && whyNot === undefined) {
    const doing = async (form: FormData, key: string) => {
      await confirm.doing(form, key)
      setIsOpen(false)
    }
    const back = () => {
      setIsOpen(false)
      setIsThereFirst(false)
    }
    return <Confirm {...confirm} isThereFirst={isThereFirst} doing={doing} onBack={back} />
  }
  return <GuardedButton ref={opener} name={name} whyNot={whyNot} onClick={() => setIsOpen(true)} />
}

type GuardedProps = Readonly<{
  name: string
  whyNot: Reason | undefined
  onClick: () => void
  busy?: boolean
  ref?: React.Ref<HTMLButtonElement>
}>

/** Not allowed: shown, with its reason beside it, and nothing happens when it is pressed. */
export const GuardedButton = ({ name, whyNot, onClick, busy = false, ref }: GuardedProps) => (
  <span className="guarded">
    <Button
      {...(ref && { ref })}
      look="plain"
      busy={busy}
      {...(whyNot !== undefined && { 'aria-disabled': true })}
      onClick={whyNot === undefined ? onClick : undefined}
    >
      {name}
    </Button>
    {whyNot !== undefined && <span className="mute small line">{whyNot.text}</span>}
    {whyNot !== undefined && <WhatElse of={whyNot} />}
  </span>
)

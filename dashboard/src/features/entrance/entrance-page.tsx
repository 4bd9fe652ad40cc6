// What the entrances have in common: a heading that names the page, what is said when it is done,
// and a link that is used, over, or cut.

import { type ReactNode, useEffect, useRef } from 'react'
import type { Failure } from '../../data/call.ts'
import { Refused } from '../../ui/act.tsx'
import { Button, errorAt } from '../../ui/form.tsx'
import { Loading } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

type Props = Readonly<{ title: string; children: ReactNode }>

export function EntrancePage({ title, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Pirogue`
    heading.current?.focus()
  }, [title])
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {unbroken(title)}
      </h1>
      {children}
    </>
  )
}

/** A heading in large letters is short of room: within this word is no place to break it. */
const unbroken = (text: string): ReactNode[] =>
  text.split(/(e-mail)/i).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text
      <span key={at} className="unbroken">
        {part}
      </span>
    ),
  )

/** It takes the focus, so that it is read out. */
export function Done({ children }: { children: ReactNode }) {
  const note = useRef<HTMLDivElement>(null)
  useEffect(() => note.current?.focus(), [])
  return (
    <div className="outcome" role="status" ref={note} tabIndex={-1}>
      {children}
    </div>
  )
}

type DeadProps = Readonly<{
  failure: Failure | undefined
  token: string
  /** Where the link is from, as whoever has only a part of it is reminded. */
  cut?: string
  next?: ReactNode
}>

/** Why the link does nothing, and what to do instead; nothing while it is good. */
export function DeadLink({ failure, token, cut = t('email_without_token'), next }: DeadProps) {
  const refused = errorAt(failure, 'token')
  const why = token === '' ? cut : refused
  if (why === undefined) return null
  return (
    <div className="alert" role="alert">
      <p>{why}</p>
      {next !== undefined && <p>{next}</p>}
    </div>
  )
}

export const isDead = (failure: Failure | undefined, token: string): boolean =>
  token === '' || errorAt(failure, 'token') !== undefined

type AskedProps = Readonly<{ failure: Failure | undefined; again: () => unknown }>

/** An answer that did not come is asked for again by its reader: the link is good. */
export const Asked = ({ failure, again }: AskedProps) =>
  failure === undefined ? (
    <Loading />
  ) : (
    <>
      <Refused failure={failure} />
      <Button look="plain" onClick={again}>
        {t('again')}
      </Button>
    </>
  )

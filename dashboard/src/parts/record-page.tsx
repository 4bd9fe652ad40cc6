// The page of one record, under the list that it comes from; it says so where there is no such one.

import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { zoneName } from '../format/moment.ts'
import { type FactRow, Facts } from '../ui/facts.tsx'
import { Link } from '../ui/link.tsx'
import type { Reading } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { Found } from './allowed.tsx'
import { Calls } from './as-curl.tsx'
import { useHere } from './place.tsx'
import { Page } from './shell.tsx'

type RecordPageProps<T> = Readonly<{
  title: string
  /** Where one came from. */
  back: Readonly<{ path: string; name: string }>
  reading: Reading<T>
  /** The record, where the audit log lists what was done to it. */
  acted?: string
  children: (content: T) => ReactNode
}>

export function RecordPage<T>({ title, back, reading, acted, children }: RecordPageProps<T>) {
  const { to, clock } = useHere()
  return (
    <Page title={title}>
      <p>
        <Link href={to(back.path)}>{back.name}</Link>
      </p>
      <Found of={reading}>
        {(content) => (
          <>
            {children(content)}
            {acted !== undefined && <ToAudit of={acted} />}
            <p className="mute small times">{t('times_of', { zone: zoneName(clock.zone) })}</p>
          </>
        )}
      </Found>
      <Calls />
    </Page>
  )
}

type ToAuditProps = Readonly<{
  of: string
  /** Of one of several on a screen: what it is called there. */
  name?: string
}>

/** The way to what was done to a record, for whoever may read that. */
export function ToAudit({ of, name }: ToAuditProps) {
  const { to, may } = useHere()
  const [here] = useLocation()
  if (!may('audit')) return null
  const at = here.slice(to('').length)
  const path = to(`/audit?target_id=${of}&at=${at}`)
  if (name === undefined) {
    return (
      <p>
        <Link href={path}>{t('audit_of_this')}</Link>
      </p>
    )
  }
  return (
    <Link className="again" href={path} aria-label={`${t('history')}${t('colon')} ${name}`}>
      {t('history')}
    </Link>
  )
}

type Data = Readonly<Record<string, unknown>>

const isData = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const rowsOf = (of: Data): FactRow[] =>
  Object.entries(of).map(([name, value]) => [name, textOf(value)])

/**
 * What the payer has answered to the questions of a link; and what the merchant's own program has
 * written, as it was sent.
 */
export function OwnData({ of: { custom_fields, ...own } }: { of: Data }) {
  const isAnswered = isData(custom_fields)
  const others = isAnswered || custom_fields === undefined ? own : { ...own, custom_fields }
  return (
    <>
      {isAnswered && <Section name={t('answers_given')} of={custom_fields} />}
      <Section name={t('own_data')} of={others} />
    </>
  )
}

const Section = ({ name, of }: Readonly<{ name: string; of: Data }>) =>
  Object.keys(of).length === 0 ? null : (
    <>
      <h3>{name}</h3>
      <Facts of={rowsOf(of)} />
    </>
  )

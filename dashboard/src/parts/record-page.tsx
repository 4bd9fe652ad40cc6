// The page of one record, under the list that it comes from; it says so where there is no such one.

import type { ReactNode } from 'react'
import { zoneName } from '../format/moment.ts'
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
  if (!may('audit')) return null
  const path = to(`/audit?target_id=${of}`)
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

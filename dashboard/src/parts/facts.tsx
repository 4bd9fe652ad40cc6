// What a record says of itself: names and values in two columns, those without a value left out;
// and the frame of its page, which says so where there is no such record.

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { failureIn } from '../data/call.ts'
import { zoneName } from '../format/moment.ts'
import { Empty, Read } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'
import { Page } from './shell.tsx'

export type FactRow = readonly [name: string, value: ReactNode]

export const Facts = ({ of }: { of: readonly FactRow[] }) => (
  <dl>
    {of
      .filter(
        ([, value]) => value !== '' && value !== null && value !== undefined && value !== false,
      )
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
  </dl>
)

type Reading<T> = Readonly<{
  data: T | undefined
  error: unknown
  isPlaceholderData: boolean
  refetch: () => unknown
}>

type RecordPageProps<T> = Readonly<{
  title: string
  /** Where one came from. */
  back: Readonly<{ path: string; name: string }>
  reading: Reading<T>
  children: (content: T) => ReactNode
}>

export function RecordPage<T>({ title, back, reading, children }: RecordPageProps<T>) {
  const { to, clock } = useHere()
  const failure = failureIn(reading.error)
  const isMissing = failure?.is === 'refused' && [403, 404].includes(failure.status)
  return (
    <Page title={title}>
      <p>
        <Link href={to(back.path)}>{back.name}</Link>
      </p>
      {isMissing ? (
        <Empty>
          <p>{t('not_here')}</p>
        </Empty>
      ) : (
        <Read of={reading}>
          {(content) => (
            <>
              {children(content)}
              <p className="mute small">{t('times_of', { zone: zoneName(clock.zone) })}</p>
            </>
          )}
        </Read>
      )}
    </Page>
  )
}

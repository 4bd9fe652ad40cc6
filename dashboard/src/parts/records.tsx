// Records as a list: a table where there is room, cards on a telephone, one link a row; pages as
// the API's own links name them.

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Button } from '../ui/form.tsx'
import { Empty, Read, useIsWide } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'

export type Column<Row> = Readonly<{
  name: string
  of: (row: Row) => ReactNode
  is?: 'figure' | 'whole'
}>

export type Card = Readonly<{
  head: ReactNode
  status?: ReactNode
  left?: ReactNode
  right?: ReactNode
}>

export type RecordsProps<Row> = Readonly<{
  caption: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The address of a row's own page; without it a row leads nowhere. */
  to?: (row: Row) => string | undefined
  /** The first one names the row, and is its link. */
  columns: readonly Column<Row>[]
  card: (row: Row) => Card
}>

export const Records = <Row,>(props: RecordsProps<Row>) =>
  useIsWide() ? <Table {...props} /> : <Cards {...props} />

function Table<Row>({ caption, rows, keyOf, to, columns }: RecordsProps<Row>) {
  const here = useHere()
  const [first, ...others] = columns
  const named = (row: Row) => {
    const path = to?.(row)
    return path === undefined ? first?.of(row) : <Link href={here.to(path)}>{first?.of(row)}</Link>
  }
  return (
    <div className="scroll">
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, is }) => (
              <th key={name} scope="col" className={is}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row" className={first?.is}>
                {named(row)}
              </th>
              {others.map(({ name, of, is }) => (
                <td key={name} className={is}>
                  {of(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cards<Row>({ caption, rows, keyOf, to, card }: RecordsProps<Row>) {
  const here = useHere()
  return (
    <ul className="cards" aria-label={caption}>
      {rows.map((row) => {
        const path = to?.(row)
        const content = <CardLines {...card(row)} />
        return (
          <li key={keyOf(row)}>
            {path === undefined ? (
              <div className="balance">{content}</div>
            ) : (
              <Link href={here.to(path)}>{content}</Link>
            )}
          </li>
        )
      })}
    </ul>
  )
}

const CardLines = ({ head, status, left, right }: Card) => (
  <>
    <span className="card-line">
      <b>
        <bdi>{head}</bdi>
      </b>
      {status}
    </span>
    {(left || right) && (
      <span className="card-line mute small">
        <bdi>{left}</bdi>
        <span>{right}</span>
      </span>
    )}
  </>
)

type Links = Readonly<{ next: string | null; previous: string | null }>
export type PageOf = Readonly<Partial<Record<'cursor' | 'page', string>>>

/** What of the API's own link names the page. */
function pageIn(link: string): PageOf {
  const { searchParams } = new URL(link)
  const cursor = searchParams.get('cursor')
  const page = searchParams.get('page')
  return { ...(cursor && { cursor }), ...(page && { page }) }
}

type PagerProps = Links & Readonly<{ go: (page: PageOf) => void }>

export function Pager({ next, previous, go }: PagerProps) {
  if (next === null && previous === null) return null
  const step = (link: string | null, word: 'newer' | 'older') =>
    link !== null && (
      <Button look="plain" onClick={() => go(pageIn(link))}>
        {t(word)}
      </Button>
    )
  return (
    <nav className="pager" aria-label={t('pages')}>
      {step(previous, 'newer')}
      {step(next, 'older')}
    </nav>
  )
}

type Reading<T> = Readonly<{
  data: T | undefined
  error: unknown
  isPlaceholderData: boolean
  refetch: () => unknown
}>

type ListProps<Row> = Omit<RecordsProps<Row>, 'rows'> &
  Readonly<{
    of: Reading<Links & { results: readonly Row[] }>
    empty: string
    go: (page: PageOf) => void
  }>

/** A list that was read, with its pages; `empty` is said where there is nothing. */
export const RecordList = <Row,>({ of, empty, go, ...records }: ListProps<Row>) => (
  <Read of={of}>
    {({ results, next, previous }) =>
      results.length === 0 && previous === null ? (
        <Empty>
          <p>{empty}</p>
        </Empty>
      ) : (
        <>
          <Records {...records} rows={results} />
          <Pager next={next} previous={previous} go={go} />
        </>
      )
    }
  </Read>
)

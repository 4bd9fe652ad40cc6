// Records as a list: a table where there is room, cards on a telephone, one link a row; pages as
// the API's own links name them.

import type { ReactNode } from 'react'
import { Button, SelectField } from '../ui/form.tsx'
import { Link } from '../ui/link.tsx'
import { Empty, Read, type Reading } from '../ui/state.tsx'
import { useIsWide } from '../ui/wide.ts'
import { type Key, t } from '../words/translate.ts'
import { Arrange, useLeftOut, useOrdered, useRowsClose } from './arrange.tsx'
import { useHere } from './place.tsx'
import { Scrolled } from './scrolled.tsx'
import { Head, type Sort } from './sort-head.tsx'

export type Column<Row> = Readonly<{
  name: Key
  of: (row: Row) => ReactNode
  /** Of the first: below what names the row, and no part of its link. */
  below?: (row: Row) => ReactNode
  /** The field that the API sorts the list by; its head then does so. */
  order?: string
  is?: 'figure' | 'whole' | 'wide'
  /** Where a card has no lines of its own: beside its head, or below with its name, '' left out. */
  at?: 'side'
}>

export type Card = Readonly<{
  head: ReactNode
  status?: ReactNode
  left?: ReactNode
  right?: ReactNode
  below?: ReactNode
}>

export type RecordsProps<Row> = Readonly<{
  caption: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The address of a row's own page; without it a row leads nowhere. */
  to?: (row: Row) => string | undefined
  /** The first one names the row, and is its link. */
  columns: readonly Column<Row>[]
  /** On a telephone; without it a card has the columns, each with its name. */
  card?: (row: Row) => Card
  /** The whole list on a telephone, where another one has its cards already. */
  cards?: ReactNode
  acts?: ((row: Row) => ReactNode) | undefined
  sort?: Sort
  /** The reader arranges this list: what they choose is kept under this name. */
  kept?: string
  /** Payers' numbers stand in it, which a press hides. */
  hasNumbers?: boolean
}>

export function Records<Row>(props: RecordsProps<Row>) {
  const { kept, cards, hasNumbers = false } = props
  const isWide = useIsWide()
  const leftOut = useLeftOut(kept)
  const [first, ...rest] = props.columns
  const others = useOrdered(kept, rest)
  const names = others.map(({ name }) => name)
  const columns = [...(first ? [first] : []), ...others]
  const shown = columns.filter((one) => one === first || !leftOut.includes(one.name))
  return (
    <>
      {kept !== undefined && <Arrange list={kept} columns={names} hasNumbers={hasNumbers} />}
      {isWide ? <Table {...props} columns={shown} /> : (cards ?? <Cards {...props} />)}
    </>
  )
}

function Table<Row>({ caption, rows, keyOf, to, columns, acts, sort }: RecordsProps<Row>) {
  const here = useHere()
  const isClose = useRowsClose()
  const [first, ...others] = columns
  const named = (row: Row) => {
    const path = to?.(row)
    return path === undefined ? first?.of(row) : <Link href={here.to(path)}>{first?.of(row)}</Link>
  }
  return (
    <Scrolled name={caption} isClose={isClose}>
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, is, order }) => (
              <Head key={name} {...{ name, is, order, sort }} />
            ))}
            {acts && <td />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row" className={first?.is}>
                {named(row)}
                {first?.below?.(row)}
              </th>
              {others.map(({ name, of, is }) => (
                <td key={name} className={is}>
                  {of(row)}
                </td>
              ))}
              {acts && <td className="row-acts">{acts(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

function Cards<Row>({ caption, rows, keyOf, to, columns, card, acts }: RecordsProps<Row>) {
  const here = useHere()
  return (
    <ul className="cards" aria-label={caption}>
      {rows.map((row) => {
        const path = to?.(row)
        const content =
          card === undefined ? (
            <ColumnLines columns={columns} row={row} />
          ) : (
            <CardLines {...card(row)} />
          )
        return (
          <li key={keyOf(row)}>
            {path === undefined ? (
              <div className="card">{content}</div>
            ) : (
              <Link href={here.to(path)}>{content}</Link>
            )}
            {acts && <div className="row-acts">{acts(row)}</div>}
          </li>
        )
      })}
    </ul>
  )
}

type ColumnLinesProps<Row> = Pick<RecordsProps<Row>, 'columns'> & Readonly<{ row: Row }>

function ColumnLines<Row>({ columns: [first, ...others], row }: ColumnLinesProps<Row>) {
  return (
    <>
      <span className="card-line">
        <b>{first?.of(row)}</b>
        {others
          .filter(({ at }) => at === 'side')
          .map(({ name, of }) => (
            <span key={name}>{of(row)}</span>
          ))}
      </span>
      {others
        .filter(({ at }) => at !== 'side')
        .map(({ name, of }) => ({ name, value: of(row) }))
        .filter(({ value }) => value !== '')
        .map(({ name, value }) => (
          <span key={name} className="mute small line">
            {t(name)}
            {t('colon')} {value}
          </span>
        ))}
    </>
  )
}

const CardLines = ({ head, status, left, right, below }: Card) => (
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
    {below && <span className="mute small line">{below}</span>}
  </>
)

type Links = Readonly<{ next: string | null; previous: string | null }>
/** `size`: how many rows a page has, where that is not the fewest; another size begins anew. */
export type PageOf = Readonly<Partial<Record<'cursor' | 'page' | 'size', string | undefined>>>

export const sizes = ['25', '50', '100'] as const

/** How many rows the address asks for; the fewest where it does not say. */
export const sizeOf = (size = ''): number => Number(sizes.find((one) => one === size) ?? sizes[0])

/** What of the API's own link names the page. */
function pageIn(link: string): PageOf {
  const { searchParams } = new URL(link)
  const cursor = searchParams.get('cursor')
  const page = searchParams.get('page')
  return { ...(cursor && { cursor }), ...(page && { page }) }
}

/** The API's own links, and where they lead: what of the address names the page. */
type PagerProps = Readonly<{
  newer: string | null
  older: string | null
  /** Where the oldest come first, what leads back to them is called otherwise. */
  names?: Readonly<{ newer: Key; older: Key }>
  go: (page: PageOf) => void
  /** How many rows the page has, where its reader may choose that. */
  size?: number | undefined
  /** Which page it is and how many rows all have, where the API counts them. */
  page?: number | undefined
  count?: number | null | undefined
  /** Of its rows, not of its pages. */
  sort?: Sort
}>

const newest_first = { newer: 'newer', older: 'older' } as const

export function Pager(props: PagerProps) {
  const { newer, older, names = newest_first, go, size, page, count } = props
  const isAll = newer === null && older === null
  if (isAll && (size === undefined || size === sizeOf())) return null
  const step = (link: string | null, word: 'newer' | 'older') =>
    link !== null && (
      <Button look="plain" onClick={() => go({ ...sized(size), ...pageIn(link) })}>
        {t(names[word])}
      </Button>
    )
  return (
    <nav className="pager" aria-label={t('pages')}>
      {step(newer, 'newer')}
      {typeof count === 'number' && (
        <span className="mute small">
          {page === undefined ? t('count_of', { count }) : t('page_of', { page, count })}
        </span>
      )}
      {step(older, 'older')}
      {size !== undefined && <Sizes size={size} go={go} />}
    </nav>
  )
}

/** In the address only where it is not the one that a list begins with. */
const sized = (size?: number): PageOf =>
  size === undefined || size === sizeOf() ? {} : { size: `${size}` }

const Sizes = ({ size, go }: Required<Pick<PagerProps, 'go'>> & { size: number }) => (
  <SelectField
    label={t('page_size')}
    value={`${size}`}
    onChange={({ currentTarget: { value } }) => go(sized(Number(value)))}
    options={sizes.map((one) => [one, one] as const)}
  />
)

type ContentWith<Row> = Links & { results: readonly Row[]; count?: number | null | undefined }

type ListProps<Row> = Omit<RecordsProps<Row>, 'rows'> &
  Readonly<{
    of: Reading<ContentWith<Row>>
    /** What stands over the rows, while they are the ones that were asked for. */
    above?: (content: ContentWith<Row>) => ReactNode
    /** A sentence; with what to do first, where there is nothing yet. */
    empty: ReactNode
  }> &
  Pick<PagerProps, 'go' | 'size' | 'page'> &
  Pick<CutShortProps, 'isStart'>

type CutShortProps = Readonly<{
  of: ContentWith<unknown>
  size?: number | undefined
  /** Of a list that is looked through: whether this is its first page. */
  isStart?: boolean | undefined
}>

/**
 * Of a page that looking did not fill: what else there is comes with the next. One that leads to
 * nothing newer has been come to from below, and has reached the top.
 */
export function CutShort({ of, size = 0, isStart }: CutShortProps) {
  const { results, next, previous, count = null } = of
  if (isStart === undefined || count !== null || next === null) return null
  if (results.length >= size || (previous === null && !isStart)) return null
  return <p>{t('looked_so_far')}</p>
}

/** A list that was read, with its pages; `empty` is said where there is nothing. */
export const RecordList = <Row,>(props: ListProps<Row>) => {
  const { of, above, empty, go, size, page, isStart, ...records } = props
  return (
    <Read of={of}>
      {(content) => {
        const { results, next, previous, count } = content
        return (
          <>
            {!of.isPlaceholderData && above?.(content)}
            {results.length === 0 && previous === null && next === null ? (
              <Empty>{typeof empty === 'string' ? <p>{empty}</p> : empty}</Empty>
            ) : (
              <>
                {results.length > 0 && <Records {...records} rows={results} />}
                <CutShort of={content} {...{ isStart, size }} />
                <Pager newer={previous} older={next} {...{ go, size, page, count }} />
              </>
            )}
          </>
        )
      }}
    </Read>
  )
}

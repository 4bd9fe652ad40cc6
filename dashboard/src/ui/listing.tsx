// A list of one kind of record: a table where there is room for one, cards elsewhere; and the facts
// of one record.

import { type ReactNode, useId } from 'react'
import { Link } from 'wouter'
import { t } from '../words/translate.ts'
import { Button } from './form.tsx'
import { useIsWide } from './state.tsx'

export type Column<Row> = Readonly<{
  name: string
  of: (row: Row) => ReactNode
  /** Where it stands on a card: beside the title, or below (the default), where '' is left out. */
  at?: 'side' | 'below'
  isWhole?: boolean
}>

type ListingProps<Row> = Readonly<{
  caption: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  title: Column<Row>
  columns: readonly Column<Row>[]
  href?: (row: Row) => string
  acts?: (row: Row) => ReactNode
}>

export const Listing = <Row,>(props: ListingProps<Row>) =>
  useIsWide() ? <Table {...props} /> : <Cards {...props} />

function Table<Row>({ caption, rows, keyOf, title, columns, href, acts }: ListingProps<Row>) {
  return (
    <div className="scroll">
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {[title, ...columns].map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            {acts && <td />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">
                {href === undefined ? title.of(row) : <Link href={href(row)}>{title.of(row)}</Link>}
              </th>
              {columns.map(({ name, of, isWhole }) => (
                <td key={name} className={isWhole ? 'whole' : undefined}>
                  {of(row)}
                </td>
              ))}
              {acts && <td className="row-acts">{acts(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cards<Row>({ caption, rows, keyOf, title, columns, href, acts }: ListingProps<Row>) {
  const side = columns.filter(({ at }) => at === 'side')
  const below = columns.filter(({ at }) => at !== 'side')
  const bodyOf = (row: Row) => (
    <>
      <span className="card-line">
        <b>{title.of(row)}</b>
        {side.map(({ name, of }) => (
          <span key={name}>{of(row)}</span>
        ))}
      </span>
      {below
        .map(({ name, of }) => ({ name, value: of(row) }))
        .filter(({ value }) => value !== '')
        .map(({ name, value }) => (
          <span key={name} className="mute small line">
            {name}
            {t('colon')} {value}
          </span>
        ))}
    </>
  )
  return (
    <ul className="cards" aria-label={caption}>
      {rows.map((row) => (
        <li key={keyOf(row)}>
          {href === undefined ? (
            <div className="card">{bodyOf(row)}</div>
          ) : (
            <Link href={href(row)}>{bodyOf(row)}</Link>
          )}
          {acts && <div className="row-acts">{acts(row)}</div>}
        </li>
      ))}
    </ul>
  )
}

type StepsProps = Readonly<{
  newer: string | null
  older: string | null
  /** What the next page's address says of itself. */
  by: 'cursor' | 'page'
  go: (to: string) => void
}>

export function Steps({ newer, older, by, go }: StepsProps) {
  const step = (link: string | null, word: 'newer' | 'older') =>
    link !== null && (
      <Button look="plain" onClick={() => go(new URL(link).searchParams.get(by) ?? '')}>
        {t(word)}
      </Button>
    )
  if (newer === null && older === null) return null
  return (
    <nav className="pager" aria-label={t('pages')}>
      {step(newer, 'newer')}
      {step(older, 'older')}
    </nav>
  )
}

export type NamedFact = readonly [name: string, value: ReactNode]

/** What is empty is left out. */
export const Facts = ({ of }: { of: readonly NamedFact[] }) => (
  <dl>
    {of
      .filter(([, value]) => value !== '' && value !== null && value !== undefined)
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

type CodeProps = Readonly<{ name: string; text: string; isFolded?: boolean }>

/** Text as it is on the wire; what is wide scrolls in a region of its own. */
export function Code({ name, text, isFolded = false }: CodeProps) {
  const id = useId()
  const block = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className="code" aria-label={name} id={id} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  )
  if (!isFolded) return block
  return (
    <details>
      <summary>{name}</summary>
      {block}
    </details>
  )
}

// The head of a column, by which the list is sorted where the API has an order of it; the address
// holds it, so that what is shown can be sent to a colleague.

import { type Key, t } from '../words/translate.ts'

/** `now`: the field that rows are sorted by, `-` before it for the highest first; '': none. */
export type Sort = Readonly<{ now: string; set: (order: string) => void }>

type HeadProps = Readonly<{
  name: Key
  is?: string | undefined
  /** The field of the API that this column is sorted by. */
  order?: string | undefined
  sort?: Sort | undefined
}>

/** Sums and moments begin with the highest, words with the first letter. */
const isHighestFirst = (order: string): boolean => /_at$|amount|count/.test(order)

const signs = { ascending: 'trend', descending: 'trend less' } as const

export function Head({ name, is, order, sort }: HeadProps) {
  if (order === undefined || sort === undefined) {
    return (
      <th scope="col" className={is}>
        {t(name)}
      </th>
    )
  }
  const high = `-${order}`
  const now = { [order]: 'ascending', [high]: 'descending' } as const
  const direction = now[sort.now]
  const first = isHighestFirst(order) ? high : order
  const other = sort.now === high ? order : high
  return (
    <th scope="col" className={is} aria-sort={direction}>
      <button
        type="button"
        className="as-link"
        onClick={() => sort.set(direction === undefined ? first : other)}
      >
        {t(name)}
        {direction !== undefined && <span className={signs[direction]} aria-hidden="true" />}
      </button>
    </th>
  )
}

// Whom the last payments came from, or the last payouts went to: at a counter the same people come
// again, and a number that is chosen is not mistyped.

import type {
  GetTransactionsData,
  GetTransactionsResponse,
  ListedTransaction,
} from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { useHere } from './place.tsx'
import { lastOfEach } from './recent-numbers.ts'

/** `PAIEMENT`: who paid; `RETRAIT`: who was paid out to. */
type Kind = 'PAIEMENT' | 'RETRAIT'

/** The last of them: asked for by the screen already, beside the prices. */
export function useRecents(transaction_type: Kind) {
  const { place } = useHere()
  return useRead<GetTransactionsData, GetTransactionsResponse>(place, {
    url: '/transactions/',
    query: { transaction_type, page_size: 25 },
  })
}

type RecentsProps = Readonly<{
  legend: string
  rows: readonly ListedTransaction[]
  onChoose: (of: ListedTransaction) => void
}>

/** Each number once, with whose it is. */
export function Recents({ legend, rows, onChoose }: RecentsProps) {
  const { phone } = useHere()
  const recents = lastOfEach(rows)
  if (recents.length === 0) return null
  return (
    <fieldset>
      <legend>{legend}</legend>
      <ul className="chips">
        {recents.map((row) => (
          <li key={row.operation_msisdn}>
            <button type="button" onClick={() => onChoose(row)}>
              <bdi>
                {[row.customer_name, phone(row.operation_msisdn)].filter(Boolean).join(' · ')}
              </bdi>
            </button>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

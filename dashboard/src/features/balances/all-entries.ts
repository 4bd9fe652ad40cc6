// All movements of a month, page after page: a printed statement is whole, or is not printed.

import { useState } from 'react'
import type {
  GetMerchantLedgerEntriesData,
  GetMerchantLedgerEntriesResponse,
} from '../../api/types.gen.ts'
import { type ContentOf, call } from '../../data/call.ts'
import { useHere } from '../../parts/place.tsx'
import { useAct } from '../../ui/act.tsx'

export type Entries = ContentOf<GetMerchantLedgerEntriesResponse>
export type Asked = NonNullable<GetMerchantLedgerEntriesData['query']>

/** As many as one page of the API has. */
export const page_max = 200
/** Two months of a shop with eighty payments a day; what is more is a matter for a file. */
const statement_max = 5_000

const cursorIn = ({ next }: Entries): string | null =>
  next === null ? null : new URL(next).searchParams.get('cursor')

/**
 * `first`: the first page, newest first. The others are read when somebody asks for them.
 */
export function useAllEntries(first: Entries, bounds: Asked) {
  const { place } = useHere()
  const { isBusy, failure, run } = useAct()
  const [kept, setKept] = useState<readonly Entries[]>([])
  const all = kept.length === 0 ? [first] : kept
  // Then the first page ends elsewhere, and the others no longer follow it.
  const hasMoved = all[0]?.results[0]?.id !== first.results[0]?.id
  const latest = all.at(-1) ?? first
  const rows = all.flatMap(({ results }) => results)
  const isTooMany = latest.next !== null && rows.length >= statement_max
  const readOn = () =>
    run(async () => {
      const begun = hasMoved ? [first] : all
      let read = begun
      let count = read.flatMap(({ results }) => results).length
      let cursor = cursorIn(read.at(-1) ?? first)
      while (cursor !== null && count < statement_max) {
        const page = await call<GetMerchantLedgerEntriesData, GetMerchantLedgerEntriesResponse>({
          ...{ method: 'GET', url: '/merchant-ledger-entries/', place },
          query: { ...bounds, page_size: page_max, cursor },
        })
        read = [...read, page]
        setKept(read)
        count += page.results.length
        cursor = cursorIn(page)
      }
    })
  return { rows, hasMoved, isWhole: latest.next === null, isTooMany, isBusy, failure, readOn }
}

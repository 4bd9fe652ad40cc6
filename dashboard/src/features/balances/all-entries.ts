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
  // Where something moved since, the first page ends elsewhere: the others no longer follow it.
  const pages = kept[0]?.results[0]?.id === first.results[0]?.id ? kept : []
  const all = pages.length === 0 ? [first] : pages
  const latest = all.at(-1) ?? first
  const rows = all.flatMap(({ results }) => results)
  const isTooMany = latest.next !== null && rows.length >= statement_max
  const readOn = () =>
    run(async () => {
      let [read, count, cursor] = [all, rows.length, cursorIn(latest)]
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
  return { rows, isWhole: latest.next === null, isTooMany, isBusy, failure, readOn }
}

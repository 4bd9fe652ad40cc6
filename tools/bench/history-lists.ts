// The lists of a long history as their reader calls them, and how long the reader waits for a page.

import { median } from './phases.ts'

export type Reader = Readonly<{ merchant_id: string; key: string; url: string }>

/** Milliseconds of whole calls. */
export type Took = Readonly<{ p50_ms: number; worst_ms: number }>

const page = 'page_size=50'
/** Histories are spread over more than a year: nine tenths of one lie after this day. */
const deep_at = () => new Date(Date.now() - 360 * 24 * 3600_000).toISOString().slice(0, 10)
const deep = `created_at__lte=${deep_at()}`

type Call = Readonly<{ is: 'list' | 'search'; name: string; path: string }>

export const listCalls: readonly Call[] = [
  { is: 'list', name: 'first page', path: `/transactions/?${page}` },
  { is: 'list', name: 'deep page', path: `/transactions/?${page}&${deep}` },
  { is: 'list', name: 'status=FAILED', path: `/transactions/?${page}&status=FAILED` },
  { is: 'list', name: 'status=FAILED, deep', path: `/transactions/?${page}&status=FAILED&${deep}` },
  {
    is: 'list',
    name: 'status, country, type',
    path: `/transactions/?${page}&status=FAILED&country=GH&transaction_type=RETRAIT`,
  },
  {
    is: 'list',
    name: 'type, status: 1 in 300',
    path: `/transactions/?${page}&transaction_type=RECHARGE&status=FAILED`,
  },
  { is: 'list', name: 'a status that none has', path: `/transactions/?${page}&status=CANCELLED` },
  { is: 'search', name: 'search: a name', path: `/transactions/?${page}&search=aminata` },
  {
    is: 'search',
    name: 'search: a name, deep',
    path: `/transactions/?${page}&search=aminata&${deep}`,
  },
  {
    is: 'search',
    name: 'search: one customer',
    path: `/transactions/?${page}&search=customer.77%40example`,
  },
  { is: 'search', name: 'search: part of a phone', path: `/transactions/?${page}&search=0000077` },
  {
    is: 'search',
    name: 'search: nothing is found',
    path: `/transactions/?${page}&search=nobodyisthis`,
  },
  { is: 'list', name: 'attempts', path: `/transaction-attempts/?${page}` },
  { is: 'list', name: 'status moves', path: `/transaction-status-logs/?${page}` },
  {
    is: 'list',
    name: 'moves to FAILED',
    path: `/transaction-status-logs/?${page}&to_status=FAILED`,
  },
  { is: 'list', name: 'ledger entries', path: `/merchant-ledger-entries/?${page}` },
  { is: 'list', name: 'balances', path: '/merchant-balances/' },
]

const times = 9

/** One call to warm up, then the page that follows where there is one: a cursor is as deep. */
export async function timeCall({ url, key }: Reader, path: string): Promise<Took> {
  const took: number[] = []
  let at = `${url}${path}`
  for (let nth = 0; nth <= times; nth += 1) {
    const began = performance.now()
    const reply = await fetch(at, { headers: { authorization: `Bearer ${key}` } })
    const text = await reply.text()
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`)
    if (nth > 0) took.push(performance.now() - began)
    at = JSON.parse(text).data.next ?? at
  }
  return { p50_ms: median(took), worst_ms: Math.max(...took) }
}

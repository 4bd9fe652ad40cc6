// The lists of a long history as their reader calls them, and how long the reader waits for a page.

import { median } from './phases.ts'

export type Reader = Readonly<{ merchant_id: string; key: string; url: string }>

/** Milliseconds of whole calls. */
export type Took = Readonly<{ p50_ms: number; worst_ms: number }>

const page = 'page_size=50'
/** Histories are spread over more than a year: nine tenths of one lie after this day. */
const backed = (days: number) =>
  new Date(Date.now() - days * 24 * 3600_000).toISOString().slice(0, 10)
const span = (days: number) => `from=${backed(days)}&to=${backed(0)}`
const deep = `created_at__lte=${backed(360)}`

/** `{customer}`, `{link}`: the newest of its list. */
type Call = Readonly<{ is: 'list' | 'search'; name: string; path: string }>

/** Lists of a merchant's records, by number: as the API has them, and a screen that is sorted. */
const numberedCalls: readonly Call[] = [
  { is: 'list', name: 'customers', path: `/customers/?${page}` },
  { is: 'search', name: 'customers: a name', path: `/customers/?${page}&search=aminata` },
  {
    is: 'search',
    name: 'customers: one address',
    path: `/customers/?${page}&search=customer.77%40example`,
  },
  { is: 'list', name: 'links', path: `/payment-links/?${page}&taken=true` },
  { is: 'search', name: 'links: a name', path: `/payment-links/?${page}&search=Lien+TXN` },
  { is: 'list', name: 'settlements', path: `/settlements/?${page}` },
  { is: 'list', name: 'settlements, FAILED', path: `/settlements/?${page}&status=FAILED` },
  { is: 'search', name: 'settlements: a reference', path: `/settlements/?${page}&search=nobody` },
  { is: 'list', name: 'refunds', path: `/refunds/?${page}` },
  { is: 'list', name: 'refunds, FAILED', path: `/refunds/?${page}&status=FAILED` },
  {
    is: 'list',
    name: 'refunds of a month',
    path: `/refunds/?${page}&created_at__gte=${backed(30)}`,
  },
  { is: 'search', name: 'refunds: a reference', path: `/refunds/?${page}&search=nobody` },
  { is: 'list', name: 'sessions', path: `/checkout-sessions/?${page}` },
  { is: 'list', name: 'sessions, PAID', path: `/checkout-sessions/?${page}&status=PAID` },
  { is: 'list', name: 'sessions, EXPIRED', path: `/checkout-sessions/?${page}&status=EXPIRED` },
  {
    is: 'list',
    name: 'sessions of a month',
    path: `/checkout-sessions/?${page}&created_at__gte=${backed(30)}`,
  },
  {
    is: 'list',
    name: 'a link’s sessions',
    path: `/checkout-sessions/?${page}&payment_link={link}`,
  },
  { is: 'search', name: 'sessions: a name', path: `/checkout-sessions/?${page}&search=aminata` },
  { is: 'search', name: 'sessions: none', path: `/checkout-sessions/?${page}&search=nobodyisthis` },
]

/** The same as screens ask while the newest come first (docs/decisions/0233). */
const cursorCalls = numberedCalls.map(
  ({ is, name, path }): Call => ({
    ...{ is, name: `${name}, by cursor` },
    path: `${path}&pagination=cursor`,
  }),
)

/** What screens ask for besides the lists of payments and movements. */
const screenCalls: readonly Call[] = [
  { is: 'list', name: 'today at a glance', path: '/overview/' },
  { is: 'list', name: 'what waits, on Home', path: '/transactions/?status=PENDING&page_size=5' },
  { is: 'list', name: 'payouts counted', path: '/payouts/counts/' },
  { is: 'list', name: 'a month by day', path: `/stats/transactions/?${span(30)}` },
  {
    is: 'list',
    name: 'a year by month',
    path: `/stats/transactions/?${span(360)}&step=month`,
  },
  {
    is: 'list',
    name: 'a month by link',
    path: `/stats/transactions/?${span(30)}&group_by=payment_link`,
  },
  { is: 'list', name: 'a week by hour', path: `/stats/transactions/?${span(6)}&step=hour` },
  {
    is: 'list',
    name: 'a customer’s payments',
    path: `/customers/{customer}/transactions/?${page}`,
  },
  { is: 'list', name: 'a link’s payments', path: `/transactions/?${page}&payment_link={link}` },
  { is: 'list', name: 'what a link brought', path: '/payment-links/{link}/stats/' },
  { is: 'list', name: 'customers by name', path: `/customers/?${page}&ordering=last_name` },
  { is: 'search', name: 'all: a name', path: '/search/?q=aminata' },
  { is: 'search', name: 'all: a number', path: '/search/?q=0000077' },
  { is: 'search', name: 'all: nothing is found', path: '/search/?q=nobodyisthis' },
  ...cursorCalls,
  ...numberedCalls,
]

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
  ...screenCalls,
]

const times = 9

/** One call to warm up, then the page that follows where there is one: a cursor is as deep. */
export async function timeCall(reader: Reader, path: string): Promise<Took> {
  const took: number[] = []
  let at = `${reader.url}${await fillPath(reader, path)}`
  for (let nth = 0; nth <= times; nth += 1) {
    const began = performance.now()
    const text = await read(reader, at)
    if (nth > 0) took.push(performance.now() - began)
    at = JSON.parse(text).data.next ?? at
  }
  return { p50_ms: median(took), worst_ms: Math.max(...took) }
}

async function read({ key }: Reader, at: string): Promise<string> {
  const reply = await fetch(at, { headers: { authorization: `Bearer ${key}` } })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${at}: ${reply.status} ${text}`)
  return text
}

const named = { customer: '/customers/', link: '/payment-links/' } as const

export async function fillPath(reader: Reader, path: string): Promise<string> {
  let filled = path
  for (const [name, list] of Object.entries(named)) {
    if (!path.includes(`{${name}}`)) continue
    const { data } = JSON.parse(await read(reader, `${reader.url}${list}?page_size=1`))
    filled = filled.replace(`{${name}}`, data.results[0].id)
  }
  return filled
}

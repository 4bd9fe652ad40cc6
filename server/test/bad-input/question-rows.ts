// What is refused of questions whose answer is no list: prices beforehand, a search, a series.

import { query, type Row, wrong } from './row.ts'

const payin = '/quotes/?kind=PAYIN&country=BJ&network=mtn_bj'
const quotes: Row[] = [
  ...['-5', 'abc', '10.001', '%00'].map((amount) =>
    query(`${payin}&currency=XOF&amount=${amount}`, wrong('amount')),
  ),
  query(`${payin}&currency=XOFF&amount=1000`, wrong('currency')),
  query('/quotes/?kind=PRICE&country=BJ&network=mtn_bj&amount=1000', wrong('kind')),
  query('/quotes/?kind=TRANSFER&country=BJ&to_country=bj&amount=1000', wrong('to_country')),
]

const searches: Row[] = [
  query('/search/', wrong('q')),
  ...['', 'a', '%20%20a%20', '%00%00', 'x'.repeat(201)].map((q) =>
    query(`/search/?q=${q}`, wrong('q')),
  ),
]

const series = '/stats/transactions/?'
const stats: Row[] = [
  query('/stats/transactions/', wrong('from', 'to')),
  query(`${series}from=2026-02-30&to=yesterday`, wrong('from', 'to')),
  query(`${series}from=9999-12-31&to=9999-12-31`, wrong('from')),
  query(`${series}from=2026-01-02&to=2026-01-01`, wrong('to')),
  query(`${series}from=2020-01-01&to=2026-01-01`, wrong('to')),
  query(`${series}from=2026-01-01&to=2026-01-08&step=hour`, wrong('to')),
  ...['step=minute', 'group_by=customer', 'transaction_type=TRANSFERT', 'format=xml'].map((text) =>
    query(`${series}from=2026-01-01&to=2026-01-02&${text}`, wrong(text.replace(/=.*/, ''))),
  ),
  query(`${series}from=2026-01-01&to=2026-01-02&country=BEN`, wrong('country')),
]

const hook = '/merchant-webhooks/{webhook}/stats/?'
const deliveries: Row[] = [
  query(
    `${hook}created_at__gte=soon&created_at__lte=2026-02-30`,
    wrong('created_at__gte', 'created_at__lte'),
  ),
  query(`${hook}created_at__gte=2026-01-01&created_at__lte=2026-01-09`, wrong('created_at__gte')),
  query(`${hook}created_at__gte=2020-01-01`, wrong('created_at__gte')),
  query(`${hook}created_at__gte=2999-01-01`, wrong('created_at__gte')),
  query(`${hook}created_at__gte=2026-01-02&created_at__lte=2026-01-01`, wrong('created_at__lte')),
]

export const questionRows: readonly Row[] = [...quotes, ...searches, ...stats, ...deliveries]

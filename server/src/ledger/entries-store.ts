// Movements of `available`, read: the nearest of the list, and those of one kind or of one thing,
// each by an index that there is. What a movement was for is read beside it, to name it, from
// tables of other folders too.

import type { Fragment, Sql } from '../platform/db.ts'
import type { Cursor } from '../platform/http/pages.ts'
import type { Environment } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { boundIn, madeWithin } from '../platform/sql.ts'
import type { CauseKind } from './statements.ts'

/** What a movement was for, in a merchant’s words. */
export const entryKinds = [
  ...(['PAYMENT', 'TOP_UP', 'PAYOUT', 'REFUND', 'SETTLEMENT', 'TRANSFER'] as const),
  ...(['INCIDENT', 'FREEZE', 'ADJUSTMENT', 'SANDBOX'] as const),
] as const

export type EntryKind = (typeof entryKinds)[number]

export type LedgerEntry = Readonly<{
  id: string
  country: string
  currency: string
  amount: bigint
  available_change: bigint
  balance_after: bigint
  cause_kind: CauseKind
  cause_id: string
  /** What a hold was for; null where it is no hold’s. */
  hold_kind: string | null
  transaction_type: string | null
  settlement_id: string | null
  wallet_transfer_id: string | null
  transaction_id: string | null
  /** The reference of what it was for; null where that has none. */
  reference: string | null
  created_at: Date
  /** `created_at` as PostgreSQL prints it: the entry's place in the list. */
  place: string
}>

/** What an entry may be asked for by: the ids of what it was for, or the reference of that. */
export type Things = Readonly<{
  transaction: string | undefined
  settlement: string | undefined
  wallet_transfer: string | undefined
  reference: string | undefined
}>

/** Which movements. */
export type EntriesSought = Readonly<{ merchant_id: string; environment: Environment }> &
  Partial<Things> &
  Readonly<{
    country: string | undefined
    currency: string | undefined
    direction: 'CREDIT' | 'DEBIT' | undefined
    kind?: EntryKind | undefined
    /** In UTC with microseconds, as text. */
    created_at__gte: string | undefined
    created_at__lte: string | undefined
  }>

export type EntriesQuery = EntriesSought &
  Readonly<{
    cursor: Cursor | undefined
    /** The number of rows to read, one more than the page shows. */
    limit: number
  }>

type Rows = LedgerEntry[]

const entryColumns = (sql: Sql): Fragment => sql`
  e.id, e.country, e.currency, e.amount, e.available_change, e.balance_after, e.cause_kind,
  e.cause_id, e.created_at`

/**
 * The nearest `steps` movements, newest first; before a `prev` cursor the nearest first. It is the
 * newest part of a page of each country, a range of the index. Of a kind: those among them.
 */
export async function listEntries(sql: Sql, query: EntriesQuery, steps?: number): Promise<Rows> {
  const { merchant_id, kind, limit } = query
  const order = way(sql, query)
  return homeOf(sql, merchant_id)<Rows>`
    with page as (
      select ${entryColumns(sql)}
        from (${nearest(sql, query, steps ?? limit)}) as e
       where true ${kind === undefined ? sql`` : isOfKind(sql, query, kind)}
       order by e.created_at ${order}, e.id ${order}
       limit ${limit}
    )
    ${shown(sql, query)}`
}

/** Where a walk of so many steps ended; nothing when it reached the end of the list. */
export async function findWalked(
  sql: Sql,
  query: EntriesQuery,
  steps: number,
): Promise<Cursor | undefined> {
  const [row] = await homeOf(sql, query.merchant_id)<{ created_at: string; id: string }[]>`
    select e.created_at::text as created_at, e.id
      from (${nearest(sql, query, steps)}) as e
     offset ${steps - 1} limit 1`
  return row && { ...row, dir: query.cursor?.dir ?? 'next' }
}

const way = (sql: Sql, { cursor }: EntriesQuery): Fragment =>
  cursor?.dir === 'prev' ? sql`asc` : sql`desc`

function nearest(sql: Sql, query: EntriesQuery, steps: number): Fragment {
  const { merchant_id, environment, country } = query
  const order = way(sql, query)
  return sql`
    select ${entryColumns(sql)}
      from (select b.country from balances b
             where b.merchant_id = ${merchant_id} and b.environment = ${environment}
                   ${country === undefined ? sql`` : sql`and b.country = ${country}`}) as b
     cross join lateral (
           select ${entryColumns(sql)}
             from ledger_entries e
            where e.merchant_id = ${merchant_id} and e.environment = ${environment}
              and e.country = b.country and e.entry_no is not null ${entryFilters(sql, query)}
            order by e.created_at ${order}, e.id ${order}
            limit ${steps}) as e
     order by e.created_at ${order}, e.id ${order}
     limit ${steps}`
}

/** Of one kind, wherever in the history: by what there is of the kind. */
export const listOfKind = (sql: Sql, query: EntriesQuery, kind: EntryKind): Promise<Rows> =>
  listCaused(sql, query, causesOfKind(sql, query, kind))

/** Of these things: by the keys of their causes, however long the history. */
export function listOfThings(sql: Sql, query: EntriesQuery): Promise<Rows> {
  const { transaction, settlement, wallet_transfer, reference } = query
  const asked = [
    transaction === undefined ? [] : [causesOfTransaction(sql, query, sql`${transaction}::uuid`)],
    settlement === undefined ? [] : [ofSettlement(sql, query, sql`${settlement}::uuid`)],
    wallet_transfer === undefined ? [] : [ofTransfer(sql, query, sql`${wallet_transfer}::uuid`)],
    reference === undefined ? [] : [ofReference(sql, query, reference)],
  ].flat()
  const causes = asked.reduce((some, others) => sql`(${some}) intersect (${others})`)
  return listCaused(sql, query, causes)
}

/** `causes`: a relation of `cause_kind` and `cause_id`, each looked up by the key of causes. */
function listCaused(sql: Sql, query: EntriesQuery, causes: Fragment): Promise<Rows> {
  const { merchant_id, environment, country, kind, limit } = query
  const order = way(sql, query)
  return homeOf(sql, merchant_id)<Rows>`
    with causes as materialized (${causes}),
    page as (
      select ${entryColumns(sql)}
        from (select distinct cause_kind, cause_id from causes) as c
       cross join lateral (
             select ${entryColumns(sql)}, e.environment, e.entry_no
               from ledger_entries e
              where e.merchant_id = ${merchant_id} and e.cause_kind = c.cause_kind
                and e.cause_id = c.cause_id
             offset 0) as e
       where e.environment = ${environment} and e.entry_no is not null
         ${country === undefined ? sql`` : sql`and e.country = ${country}`}
         ${entryFilters(sql, query)} ${kind === undefined ? sql`` : isOfKind(sql, query, kind)}
       order by e.created_at ${order}, e.id ${order}
       limit ${limit}
    )
    ${shown(sql, query)}`
}

/** The rows of `page`, with what each was for. */
const shown = (sql: Sql, query: EntriesQuery): Fragment => sql`
  select p.id, p.country, p.currency, p.amount, p.available_change, p.balance_after,
         p.cause_kind, p.cause_id, h.cause_kind as hold_kind, t.id as transaction_id,
         t.transaction_type, s.id as settlement_id, w.id as wallet_transfer_id,
         coalesce(t.reference, s.reference, w.reference, a.reference) as reference,
         p.created_at, p.created_at::text as place
    from page p ${whatFor(sql, sql`${query.merchant_id}`)}
   order by p.created_at ${way(sql, query)}, p.id ${way(sql, query)}`

/**
 * For a `page p` of entries: the transaction, settlement, transfer or adjustment that each was for,
 * be it by a hold or by an incident; for a refund, the payment that it gives back. A transfer that
 * has succeeded has a transaction of its own id.
 */
export const whatFor = (sql: Sql, merchant_id: Fragment): Fragment => sql`
  left join holds h
    on h.merchant_id = ${merchant_id} and h.id = p.cause_id
   and p.cause_kind in ('HOLD', 'HOLD_END')
  left join incidents i
    on i.merchant_id = ${merchant_id} and i.id = p.cause_id
   and p.cause_kind in ('INCIDENT', 'RESOLUTION')
  left join refunds r
    on r.merchant_id = ${merchant_id} and r.id = h.cause_id and h.cause_kind = 'REFUND'
  left join transactions t
    on t.merchant_id = ${merchant_id}
   and t.id = case when p.cause_kind in ('TRANSACTION', 'TRANSFER', 'RETURN') then p.cause_id
                   when h.cause_kind in ('PAYOUT', 'TRANSFER') then h.cause_id
                   when h.cause_kind = 'REFUND' then r.payment_id
                   else i.transaction_id end
  left join settlements s
    on s.merchant_id = ${merchant_id}
   and s.id = case when h.cause_kind = 'SETTLEMENT' then h.cause_id else i.settlement_id end
  left join wallet_transfers w
    on w.merchant_id = ${merchant_id} and w.id = h.cause_id and h.cause_kind = 'TRANSFER'
  left join adjustments a
    on a.merchant_id = ${merchant_id} and a.id = p.cause_id and p.cause_kind = 'ADJUSTMENT'`

function entryFilters(sql: Sql, query: EntriesQuery): Fragment {
  const { cursor } = query
  return sql`
    ${entriesFiltered(sql, query)} ${cursor === undefined ? sql`` : beyond(sql, cursor)}`
}

/** What of a query the entry `e` itself can say. */
export function entriesFiltered(sql: Sql, sought: EntriesSought, bind = boundIn(sql)): Fragment {
  const { currency, direction } = sought
  return sql`
    ${currency === undefined ? sql`` : sql`and e.currency = ${bind(currency)}`}
    ${madeWithin(sql, sought, sql`e.created_at`, bind)}
    ${direction === 'CREDIT' ? sql`and e.available_change > 0` : sql``}
    ${direction === 'DEBIT' ? sql`and e.available_change < 0` : sql``}`
}

const beyond = (sql: Sql, { dir, created_at, id }: Cursor): Fragment =>
  dir === 'prev'
    ? sql`and (e.created_at, e.id) > (${created_at}::timestamptz, ${id}::uuid)`
    : sql`and (e.created_at, e.id) < (${created_at}::timestamptz, ${id}::uuid)`

// Kinds. What an act of people books has its own kind of cause; what has a hold before it leaves
// has that of its hold; a payment and a top-up are distinguished by their transaction.

type Owner = Pick<EntriesQuery, 'merchant_id' | 'environment'>

/** Causes that mean one kind whatever else is known of them. */
const causesOf: Readonly<Record<EntryKind, readonly CauseKind[]>> = {
  PAYMENT: [],
  TOP_UP: [],
  PAYOUT: ['RETURN'],
  REFUND: ['REFUND'],
  SETTLEMENT: ['SETTLEMENT'],
  TRANSFER: ['TRANSFER'],
  INCIDENT: ['INCIDENT', 'RESOLUTION'],
  FREEZE: ['FREEZE'],
  ADJUSTMENT: ['ADJUSTMENT'],
  SANDBOX: ['SANDBOX'],
}

const typeOf: Partial<Record<EntryKind, string>> = { PAYMENT: 'PAIEMENT', TOP_UP: 'RECHARGE' }

/** Kinds that are acts of people: there are few of them, and all stand by their cause. */
export const isOfPeople = (kind: EntryKind): boolean =>
  ['INCIDENT', 'FREEZE', 'ADJUSTMENT', 'SANDBOX'].includes(kind)

function isOfKind(sql: Sql, { merchant_id }: Owner, kind: EntryKind): Fragment {
  const causes = [...causesOf[kind]]
  if (isOfPeople(kind)) return sql`and e.cause_kind = any(${causes}::text[])`
  const type = typeOf[kind]
  if (type !== undefined) {
    return sql`
      and e.cause_kind = 'TRANSACTION'
      and exists (select 1 from transactions t
                   where t.merchant_id = ${merchant_id} and t.id = e.cause_id
                     and t.transaction_type = ${type})`
  }
  return sql`
    and (e.cause_kind = any(${causes}::text[])
         or e.cause_kind in ('HOLD', 'HOLD_END')
            and exists (select 1 from holds h
                         where h.merchant_id = ${merchant_id} and h.id = e.cause_id
                           and h.cause_kind = ${kind}))`
}

/**
 * Payments and top-ups are found by their search rows, which are made after the commit: what has
 * none yet is so new that the walk has met it.
 */
function causesOfKind(sql: Sql, { merchant_id, environment }: Owner, kind: EntryKind): Fragment {
  const type = typeOf[kind]
  if (type !== undefined) {
    return sql`
      select 'TRANSACTION' as cause_kind, unnest(coalesce(t.members, array[t.id])) as cause_id
        from transaction_search t
       where t.merchant_id = ${merchant_id} and t.environment = ${environment}
         and t.transaction_type = ${type} and t.status = 'SUCCESS'`
  }
  const ofActs = sql`
    select e.cause_kind, e.cause_id from ledger_entries e
     where e.merchant_id = ${merchant_id} and e.cause_kind = any(${[...causesOf[kind]]}::text[])`
  if (isOfPeople(kind)) return ofActs
  const ofHold = sql`h.environment = ${environment} and h.cause_kind = ${kind}`
  return sql`${ofActs} union all ${holdsWhere(sql, merchant_id, ofHold)}`
}

// Things.

const holdsWhere = (sql: Sql, merchant_id: string, which: Fragment): Fragment => sql`
  select k.kind as cause_kind, h.id as cause_id
    from holds h cross join (values ('HOLD'), ('HOLD_END')) as k (kind)
   where h.merchant_id = ${merchant_id} and ${which}`

const incidentsWhere = (sql: Sql, merchant_id: string, which: Fragment): Fragment => sql`
  select k.kind as cause_kind, i.id as cause_id
    from incidents i cross join (values ('INCIDENT'), ('RESOLUTION')) as k (kind)
   where i.merchant_id = ${merchant_id} and ${which}`

/** Booked by its own id, by a hold for it or for its refunds, or by an incident about it. */
export const causesOfTransaction = (
  sql: Sql,
  { merchant_id }: Pick<Owner, 'merchant_id'>,
  id: Fragment,
): Fragment => sql`
  select k.kind as cause_kind, t.id as cause_id
    from transactions t cross join (values ('TRANSACTION'), ('TRANSFER'), ('RETURN')) as k (kind)
   where t.merchant_id = ${merchant_id} and t.id = ${id}
  union all ${holdsWhere(sql, merchant_id, sql`h.cause_kind = 'PAYOUT' and h.cause_id = ${id}`)}
  union all ${holdsWhere(
    sql,
    merchant_id,
    sql`h.cause_kind = 'TRANSFER' and h.cause_id = (
          select t.id from transactions t where t.merchant_id = ${merchant_id} and t.id = ${id})`,
  )}
  union all ${holdsWhere(
    sql,
    merchant_id,
    sql`h.cause_kind = 'REFUND' and h.cause_id = any(array(
          select r.id from refunds r where r.merchant_id = ${merchant_id}
             and r.payment_id = ${id}))`,
  )}
  union all ${incidentsWhere(sql, merchant_id, sql`i.transaction_id = ${id}`)}`

const ofSettlement = (sql: Sql, { merchant_id }: Owner, id: Fragment): Fragment => sql`
  ${holdsWhere(sql, merchant_id, sql`h.cause_kind = 'SETTLEMENT' and h.cause_id = ${id}`)}
  union all ${incidentsWhere(sql, merchant_id, sql`i.settlement_id = ${id}`)}`

const ofTransfer = (sql: Sql, { merchant_id }: Owner, id: Fragment): Fragment => sql`
  ${holdsWhere(sql, merchant_id, sql`h.cause_kind = 'TRANSFER' and h.cause_id = ${id}`)}
  union all select 'TRANSFER', ${id}`

/** Of whatever bears the reference; nothing bears the same as another thing. */
function ofReference(sql: Sql, owner: Owner, reference: string): Fragment {
  const { merchant_id, environment } = owner
  const borne = sql`merchant_id = ${merchant_id} and environment = ${environment}
    and reference = ${reference.toUpperCase()}`
  return sql`
    ${causesOfTransaction(sql, owner, sql`(select id from transactions where ${borne})`)}
    union all ${ofSettlement(sql, owner, sql`(select id from settlements where ${borne})`)}
    union all ${ofTransfer(sql, owner, sql`(select id from wallet_transfers where ${borne})`)}
    union all select 'ADJUSTMENT', (select id from adjustments where ${borne})`
}

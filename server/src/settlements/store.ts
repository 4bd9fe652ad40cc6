// The statements about settlements that are not part of a composed one. Nothing here moves one.
// Destinations are read beside them: a payout method that was removed since keeps its row for that.

import type { Room } from '../gateways/read-balances.ts'
import {
  fitsRoom,
  hasUndecidedOf,
  lookedAtAgain,
  mayBePaidOf,
  putOff,
} from '../incidents/sent-again-statements.ts'
import { lockAvailable } from '../ledger/statements.ts'
import { shareIsFrozen } from '../ledger/store.ts'
import { isStoppedIn } from '../merchants/store.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { SortBy } from '../platform/http/filters.ts'
import type { Had, Wanted } from '../platform/http/lists.ts'
import { listOwn, madeBy } from '../platform/http/own-list-store.ts'
import { ownershipOf } from '../platform/http/ownership.ts'
import type { Environment } from '../platform/http/route.ts'
import { inOrder, pageOfAll } from '../platform/places/page-of-all.ts'
import { allGroups, eachGroup, homeOf, oneOfAll } from '../platform/places/places.ts'
import { boundIn, type Created, madeWithin } from '../platform/sql.ts'
import type { Destination, Settlement, SettlementKey } from './settlement.ts'
import { settlementColumns } from './statements.ts'
import type { SettlementStatus } from './states.ts'

/** The database's time, in the precision of a row. */
export async function findNow(sql: Sql): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select now()::timestamptz(3) as now`
  return row?.now ?? new Date()
}

export async function findSettlement(
  sql: Sql,
  key: SettlementKey,
): Promise<Settlement | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<Settlement[]>`
    select ${settlementColumns(sql)}
      from settlements s
     where s.merchant_id = ${key.merchant_id} and s.id = ${key.id}`
  return row
}

export const requireOwnSettlement = ownershipOf('settlements')

/** As those who decide about it see it, with the database's time. */
export type Seen = Readonly<{
  settlement: Settlement
  destination: Destination
  merchant_name: string
  /** Staff have frozen the balance it would leave. */
  is_frozen: boolean
  is_suspended: boolean
  /** The same, or LIVE is closed to its merchant: nothing more is sent for it by itself. */
  is_stopped: boolean
  catalogue_version: bigint
  now: Date
}>

type SeenRow = Settlement & Omit<Seen, 'settlement' | 'destination'> & Destination

const seenColumns = (sql: Sql): Fragment => sql`
  ${settlementColumns(sql)}, now()::timestamptz(3) as now, m.name as merchant_name,
  m.status = 'SUSPENDED' as is_suspended,
  ${isStoppedIn(sql, sql`s.environment`)} as is_stopped,
  coalesce((select b.is_frozen from balances b
             where b.merchant_id = s.merchant_id and b.environment = s.environment
               and b.country = s.country), false) as is_frozen,
  (select v.version from catalogue_version v) as catalogue_version,
  p.type, (select n.code from networks n where n.id = p.network_id) as network_code, p.msisdn,
  p.bank_name, p.account_number, p.account_name
    from settlements s
    join merchants m on m.id = s.merchant_id
    join payout_methods p on p.merchant_id = s.merchant_id and p.id = s.payout_method`

function seenOf(row: SeenRow): Seen {
  const { now, merchant_name, is_frozen, is_suspended, is_stopped, catalogue_version, ...of } = row
  const { type, network_code, msisdn, bank_name, account_number, account_name, ...settlement } = of
  const destination = { type, network_code, msisdn, bank_name, account_number, account_name }
  const seen = { settlement, destination, merchant_name, is_frozen, is_suspended, is_stopped }
  return { ...seen, catalogue_version, now }
}

export type OfAny = Readonly<{ id: string; environment: Environment }>

/** By its id alone: staff act over all merchants, in the environment that they look at. */
export async function findSeen(sql: Sql, { id, environment }: OfAny): Promise<Seen | undefined> {
  const row = await oneOfAll(
    sql,
    (at) => at<SeenRow[]>`
    select ${seenColumns(sql)}
     where s.id = ${id} and s.environment = ${environment}`,
  )
  return row && seenOf(row)
}

/**
 * The same, under the settlement's lock: it does not move before the transaction ends. Locked by a
 * statement of its own: one that waits for a lock sees all else as it was before it waited, a
 * balance that was frozen meanwhile too.
 */
export async function lockSeen(tx: Tx, { id, environment }: OfAny): Promise<Seen | undefined> {
  const [, [row]] = await Promise.all([
    tx`select 1 from settlements where id = ${id} and environment = ${environment} for update`,
    tx<SeenRow[]>`
      select ${seenColumns(tx)}
       where s.id = ${id} and s.environment = ${environment}`,
  ])
  return row && seenOf(row)
}

/**
 * The same for what is about to leave, under its balance's lock too: a freeze under way is waited
 * for, and whether its merchant is suspended is read after that (docs/decisions/0094). `writes`:
 * the transaction takes from the balance, and two that share its lock could not both do so.
 */
export async function lockToLeave(
  tx: Tx,
  of: OfAny,
  { writes }: Readonly<{ writes: boolean }>,
): Promise<Seen | undefined> {
  const before = await lockSeen(tx, of)
  if (before === undefined) return undefined
  await (writes ? lockAvailable(tx, before.settlement) : shareIsFrozen(tx, before.settlement))
  return lockSeen(tx, of)
}

export type Unsent = OfAny & Readonly<{ merchant_id: string }>

/**
 * Approved, and no gateway has it yet: those that go to a phone and that nothing stops, by id after
 * the one named.
 */
export async function listUnsent(sql: Sql, after: string, limit: number): Promise<Unsent[]> {
  const rows = await eachGroup(
    sql,
    (at) => at<Unsent[]>`
  select s.merchant_id, s.id, s.environment
    from settlements s
    join merchants m on m.id = s.merchant_id and not ${isStoppedIn(at, at`s.environment`)}
    join payout_methods p on p.merchant_id = s.merchant_id and p.id = s.payout_method
   where s.status = 'APPROVED' and s.id > ${after} and p.type = 'MOBILE_MONEY'
     and not exists (select 1 from balances b
                      where b.merchant_id = s.merchant_id and b.environment = s.environment
                        and b.country = s.country and b.is_frozen)
   order by s.id
   limit ${limit}`,
  )
  return inOrder(rows, [{ field: 'id', descending: false }]).slice(0, limit)
}

export type SentAgain = Unsent &
  Readonly<{
    /** It has waited for as long as any may. */
    is_over: boolean
  }>

/**
 * Claims those that wait for a float and are due, and may leave, or end; each is looked at again a
 * little later, and what may do neither later than that.
 */
export const claimSentAgain = (sql: Sql, limit: number): Promise<SentAgain[]> =>
  eachGroup(
    sql,
    (at) => at<SentAgain[]>`
  with due as (
    select s.merchant_id, s.id, s.send_again_at, s.waits_until <= now() as is_over,
           not (${isStopped(sql)}) as may_leave
      from settlements s
     where s.waits_until is not null and s.send_again_at <= now()
     order by s.send_again_at
     limit ${putOff.at_once}
       for update of s skip locked
  ), taken as (
    select merchant_id, id from due where may_leave order by send_again_at limit ${limit}
  ), seen as (
    update settlements s
       set send_again_at = ${lookedAtAgain(sql)}
      from due
     where s.merchant_id = due.merchant_id and s.id = due.id
       and (not due.may_leave or (due.merchant_id, due.id) in (select merchant_id, id from taken))
    returning s.merchant_id, s.id, s.environment, due.is_over, due.may_leave
  )
  select merchant_id, id, environment, is_over from seen where may_leave`,
  )

/** Of a settlement `s`: one whose time is over ends, whatever staff have stopped. */
const isStopped = (sql: Sql): Fragment => sql`
  case when s.waits_until <= now() then ${hasUndecidedOf(sql, 'settlement_id', 's')}
       else exists (select 1 from merchants m
                     where m.id = s.merchant_id and ${isStoppedIn(sql, sql`s.environment`)})
            or exists (select 1 from balances b
                        where b.merchant_id = s.merchant_id and b.environment = s.environment
                          and b.country = s.country and b.is_frozen)
            or ${mayBePaidOf(sql, 'settlement_id', 's')} end`

const waiting = { by: 'settlement_id', of: 's', country: 'country', sum: 'net_amount' } as const

/**
 * What waits for that float is due now, however far off its next look was; how many. One that is
 * being looked at is left to who looks.
 */
export async function hastenSentAgain(sql: Sql, room: Room): Promise<number> {
  const due = await eachGroup(
    sql,
    (at) => at<SettlementKey[]>`
  with waiting as (
    select s.merchant_id, s.id
      from settlements s
     where s.waits_until > now() and s.environment = ${room.environment}
       and s.send_again_at > now() and ${fitsRoom(at, room, waiting)}
       for update of s skip locked
  )
  update settlements s
     set send_again_at = now()
    from waiting
   where s.merchant_id = waiting.merchant_id and s.id = waiting.id
  returning s.merchant_id, s.id`,
  )
  return due.length
}

/** As `sumAutomatic`; other callers queue up until the transaction ends. */
export async function lockAutomatic(tx: Tx, settlement: Settlement): Promise<bigint> {
  const { merchant_id, environment } = settlement
  const name = `automatic settlements ${merchant_id} ${environment}`
  await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
  return sumAutomatic(tx, settlement)
}

type Leaving = Pick<Settlement, 'merchant_id' | 'environment' | 'currency'>

/**
 * What was approved automatically in this currency within 24 hours, in hundredths. Automatic:
 * approved as it was made, by nobody.
 */
export async function sumAutomatic(sql: Sql, leaving: Leaving): Promise<bigint> {
  const { merchant_id, environment, currency } = leaving
  const [row] = await homeOf(sql, merchant_id)<{ sum: bigint }[]>`
    select coalesce(sum(requested_amount), 0)::bigint as sum from settlements
     where merchant_id = ${merchant_id} and environment = ${environment}
       and currency = ${currency} and approved_at = created_at
       and status not in ('FAILED', 'CANCELLED')
       and created_at > now() - interval '24 hours'`
  return row?.sum ?? 0n
}

export type Locked = Readonly<{ settlement: Settlement; now: Date }>

export async function lockSettlement(tx: Tx, key: SettlementKey): Promise<Locked | undefined> {
  const [row] = await tx<(Settlement & { now: Date })[]>`
    select ${settlementColumns(tx)}, now()::timestamptz(3) as now
      from settlements s
     where s.merchant_id = ${key.merchant_id} and s.id = ${key.id}
       for update of s`
  if (row === undefined) return undefined
  const { now, ...settlement } = row
  return { settlement, now }
}

export const settlementSortFields = ['created_at', 'updated_at', 'requested_amount'] as const
export type SettlementSortField = (typeof settlementSortFields)[number]

/** The order of `settlements s`. */
export function orderBy(sql: Sql, { field, descending }: SortBy<SettlementSortField>): Fragment {
  const direction = descending ? sql`desc` : sql`asc`
  return sql`s.${sql(field)} ${direction}, s.id ${direction}`
}

/** Which settlements. */
export type SettlementsSought = Readonly<{
  merchant_id: string
  environment: Environment
  status: SettlementStatus | undefined
  country: string | undefined
  /** Part of the reference. */
  search: string | undefined
}> &
  Created

/** Of `settlements s`. */
export function settlementsWhere(
  sql: Sql,
  sought: SettlementsSought,
  bind = boundIn(sql),
): Fragment {
  const { merchant_id, environment, status, country, search } = sought
  return sql`
    s.merchant_id = ${bind(merchant_id)}::uuid and s.environment = ${bind(environment)}
    ${status === undefined ? sql`` : sql`and s.status = ${bind(status)}`}
    ${country === undefined ? sql`` : sql`and s.country = ${bind(country)}`}
    ${search === undefined ? sql`` : sql`and strpos(s.reference, upper(${bind(search)})) > 0`}
    ${madeWithin(sql, sought, sql`s.created_at`, bind)}`
}

/** A page of a merchant's settlements. */
export const listSettlements = (
  sql: Sql,
  sought: SettlementsSought,
  wanted: Wanted<SettlementSortField>,
): Promise<Had<Settlement>> =>
  listOwn<Settlement>(
    { sql, at: homeOf(sql, sought.merchant_id) },
    {
      ...{ table: 'settlements', as: 's', columns: settlementColumns(sql) },
      owned: madeBy(sql, sought, 's'),
      where: settlementsWhere(sql, sought),
    },
    wanted,
  )

export type Proof = Readonly<{ proof_url: string; proof_key: string; proof_type: string }>

/** The storage keys of all proofs, and by the audit log of those that a later one replaced. */
export const listProofKeys = (sql: Sql): Promise<{ proof_key: string }[]> =>
  allGroups(
    sql,
    (at) => at<{ proof_key: string }[]>`
  select proof_key from settlements where proof_key <> ''
   union
  select after ->> 'proof_key' from audit_logs where action = 'settlement.proof_added'`,
  )

/** The file that staff uploaded, under the settlement's lock; no move. */
export async function updateProof(tx: Tx, key: SettlementKey, proof: Proof): Promise<void> {
  await tx`
    update settlements
       set proof_url = ${proof.proof_url}, proof_key = ${proof.proof_key},
           proof_type = ${proof.proof_type}, updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id}`
}

/** Who has approved it, so that the same person does not pay it too. */
export async function updateApprover(
  tx: Tx,
  { merchant_id, id }: Pick<Settlement, 'merchant_id' | 'id'>,
  person_id: string,
): Promise<void> {
  await tx`
    update settlements set approved_by = ${person_id}
     where merchant_id = ${merchant_id} and id = ${id}`
}

/** Null when it needed no approval. */
export async function findApprover(
  tx: Tx,
  { merchant_id, id }: Pick<Settlement, 'merchant_id' | 'id'>,
): Promise<string | null> {
  const [row] = await tx<{ approved_by: string | null }[]>`
    select approved_by from settlements where merchant_id = ${merchant_id} and id = ${id}`
  return row?.approved_by ?? null
}

// The statements about settlements as staff see them: over all merchants of one environment.

export type MerchantsSettlement = Settlement & Readonly<{ merchant_name: string }>

export type AllSettlementsQuery = Readonly<{
  environment: Environment
  merchant_id: string | undefined
  status: SettlementStatus | undefined
  country: string | undefined
  order: SortBy<SettlementSortField>
  limit: number
  offset: number
}>

/** A page of all merchants' settlements and how many there are in all. */
export async function listAllSettlements(
  sql: Sql,
  query: AllSettlementsQuery,
): Promise<{ count: number; rows: MerchantsSettlement[] }> {
  const { environment, merchant_id, status, country } = query
  const found = sql`
    from settlements s
    join merchants m on m.id = s.merchant_id
   where s.environment = ${environment}
     ${merchant_id === undefined ? sql`` : sql`and s.merchant_id = ${merchant_id}`}
     ${status === undefined ? sql`` : sql`and s.status = ${status}`}
     ${country === undefined ? sql`` : sql`and s.country = ${country}`}`
  const order = [query.order, { field: 'id' as const, descending: query.order.descending }]
  return pageOfAll<MerchantsSettlement>(sql, { ...query, order }, async (at, own) => {
    const [rows, [total]] = await Promise.all([
      at<MerchantsSettlement[]>`
        select ${settlementColumns(sql)}, m.name as merchant_name ${found}
         order by ${orderBy(sql, query.order)}
         limit ${own.limit} offset ${own.offset}`,
      at<{ count: number }[]>`select count(*)::int as count ${found}`,
    ])
    return { count: total?.count ?? 0, rows }
  })
}

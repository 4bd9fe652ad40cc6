// The incidents' part of a statement. Its unique key makes it the gate for its own postings: what
// is written down once is booked once.

import type { Attempt } from '../attempts/attempt.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { type OptionalGate, type Part, part } from '../platform/sql.ts'
import type { BorneBy, IncidentType, NewIncident } from './incident.ts'

/** `opened as (…)`: one row if this incident was not known yet. */
export function openIncident(sql: Sql, incident: NewIncident, { when }: OptionalGate = {}): Part {
  const opened = sql`opened as (
    insert into incidents (merchant_id, id, environment, type, attempt_id, transaction_id,
      settlement_id, callback_id, gateway_id, country, currency, amount, suspense_side, detail,
      follows, refund_id)
    select ${incident.merchant_id}, ${incident.id}, ${incident.environment}, ${incident.type},
      ${incident.attempt_id}, ${incident.transaction_id}, ${incident.settlement_id},
      ${incident.callback_id}, ${incident.gateway_id}, ${incident.country},
      ${incident.currency}, ${incident.amount}, ${incident.suspense_side},
      ${JSON.stringify(incident.detail)}::text::jsonb, ${incident.follows ?? null},
      ${incident.refund_id ?? null}
     where ${when === undefined ? sql`true` : sql`exists (select 1 from ${sql(when.name)})`}
    on conflict do nothing
    returning id)`
  return part('opened', opened)
}

/** What incidents have of an attempt: what came back of it, and the last one it may follow. */
export type TakenBack = Readonly<{ amount: bigint; is_known: boolean; last: string }>

/**
 * What came back of an attempt as far as incidents have it, in hundredths, without what was there
 * again (RECOVERED): it may be taken a second time. What people have booked of one that they settle
 * is in its measure already. And the last of them, or of other amounts, whatever became of it: what
 * is new follows that one.
 */
export async function findTakenBack(
  sql: Sql,
  attempt: Pick<Attempt, 'merchant_id' | 'id' | 'direction' | 'booked_by'>,
): Promise<TakenBack | undefined> {
  const side = attempt.direction === 'COLLECT' ? 'DEBIT' : 'CREDIT'
  const is_booked = attempt.booked_by !== null
  const rows = await homeOf(sql, attempt.merchant_id)<
    { id: string; amount: bigint; is_back: boolean }[]
  >`
    select id, suspense_side is not distinct from ${side} as is_back,
           case when suspense_side is distinct from ${side}
                  or (status = 'RESOLVED' and (resolution = 'RECOVERED' or ${is_booked}))
                then 0 else amount end as amount
      from incidents
     where merchant_id = ${attempt.merchant_id} and attempt_id = ${attempt.id}
       and (type = 'AMOUNT_MISMATCH'
            or (type in ('REVERSED_AFTER_SUCCESS', 'RETURNED') and suspense_side = ${side}))
     order by created_at, id`
  const last = rows.at(-1)?.id
  if (last === undefined) return undefined
  const amount = rows.reduce((sum, one) => sum + one.amount, 0n)
  return { amount, is_known: rows.some(({ is_back }) => is_back), last }
}

/**
 * Who bore what an attempt moved that was not to pay, as two people said: its merchant, we, or
 * neither (it was given back, or is there again). Of a transaction another amount that its operator
 * had named of it first counts too, unless that was none (RECOVERED). Undefined where there is no
 * such thing. The merchant is charged or credited only where all of it was the merchant's.
 */
export async function whoBoreBeside(
  sql: Sql,
  { merchant_id, id, direction, refund_id, transaction_id }: Attempt,
): Promise<BorneBy | undefined> {
  const isPayin = direction === 'COLLECT'
  const isOfTransaction = refund_id === null && transaction_id !== null
  const rows = await homeOf(sql, merchant_id)<{ resolution: string | null }[]>`
    select case when status = 'RESOLVED' then resolution end as resolution
      from incidents
     where merchant_id = ${merchant_id} and attempt_id = ${id}
       and (type in ('PAID_AFTER_RELEASE', 'DUPLICATE_CAPTURE')
            or (${isOfTransaction} and type = 'AMOUNT_MISMATCH'
                and not (status = 'RESOLVED' and resolution = 'RECOVERED')))
       and suspense_side = ${isPayin ? 'CREDIT' : 'DEBIT'}`
  if (rows.length === 0) return undefined
  const moved = rows.map(({ resolution }) => resolution).filter((one) => one !== 'RECOVERED')
  const merchants = isPayin ? 'CREDIT_MERCHANT' : 'CHARGE_MERCHANT'
  if (moved.length > 0 && moved.every((one) => one === merchants)) return 'merchant'
  if (moved.includes('WRITE_OFF')) return 'us'
  return moved.includes(null) ? 'undecided' : 'neither'
}

/** A settlement's return that was declared and was none: people said so, and nothing was booked. */
const noReturn = (sql: Sql): Fragment => sql`
  type = 'RETURNED' and status = 'RESOLVED' and resolution = 'RECOVERED' and suspense_side is null`

/**
 * The last return of a settlement, if it was none: a true one that comes later follows it.
 * Undefined where nothing was declared, or what was declared stands.
 */
export async function findNoReturn(
  sql: Sql,
  { merchant_id, settlement_id }: Readonly<{ merchant_id: string; settlement_id: string }>,
): Promise<string | undefined> {
  const [last] = await homeOf(sql, merchant_id)<{ id: string; was_none: boolean }[]>`
    select id, ${noReturn(sql)} as was_none from incidents
     where merchant_id = ${merchant_id} and settlement_id = ${settlement_id} and type = 'RETURNED'
     order by created_at desc, id desc limit 1`
  return last?.was_none === true ? last.id : undefined
}

/** Whether this incident is a return that was declared and was none. */
export async function wasNoReturn(
  sql: Sql,
  incident: Readonly<{ merchant_id: string; id: string }>,
): Promise<boolean> {
  const rows = await homeOf(sql, incident.merchant_id)`
    select 1 from incidents
     where merchant_id = ${incident.merchant_id} and id = ${incident.id} and ${noReturn(sql)}`
  return rows.count > 0
}

/** What incidents have of an attempt's captures: the references of each, and how much of what. */
export type KnownCaptures = Readonly<{
  id: string
  type: 'AMOUNT_MISMATCH' | 'DUPLICATE_CAPTURE'
  amount: bigint
  currency: string
  references: readonly string[]
}>

/**
 * Oldest first. `side`: of what is too much, for an attempt of its direction. The version before
 * named all references, the paying one too, which is not booked as too much once it has paid.
 */
export async function listKnownCaptures(
  sql: Sql,
  attempt: Readonly<{ merchant_id: string; id: string }>,
  side: 'DEBIT' | 'CREDIT',
): Promise<KnownCaptures[]> {
  return homeOf(sql, attempt.merchant_id)<KnownCaptures[]>`
    select id, type, amount, currency,
           coalesce(
             (select array_agg(one) from jsonb_array_elements_text(coalesce(
                detail -> 'captured',
                case when type = 'DUPLICATE_CAPTURE' then detail -> 'references' end)) one),
             array[detail ->> 'external_reference']) as "references"
      from incidents
     where merchant_id = ${attempt.merchant_id} and attempt_id = ${attempt.id}
       and type in ('AMOUNT_MISMATCH', 'DUPLICATE_CAPTURE') and suspense_side = ${side}
     order by created_at, id`
}

/** Whether it is known that an operator took it back: of a payout, before there were returns. */
export async function wasReversed(
  sql: Sql,
  attempt: Readonly<{ merchant_id: string; id: string }>,
): Promise<boolean> {
  const rows = await homeOf(sql, attempt.merchant_id)`
    select 1 from incidents
     where merchant_id = ${attempt.merchant_id} and attempt_id = ${attempt.id}
       and type = 'REVERSED_AFTER_SUCCESS'
     limit 1`
  return rows.count > 0
}

/**
 * What its merchant bears of what an operator took back of this attempt, in hundredths, without the
 * incident `except`.
 */
export async function sumBorne(
  sql: Sql,
  of: Readonly<{ merchant_id: string; attempt_id: string; except?: string }>,
): Promise<bigint> {
  const [row] = await homeOf(sql, of.merchant_id)<{ sum: bigint }[]>`
    select coalesce(sum(amount), 0)::bigint as sum from incidents
     where merchant_id = ${of.merchant_id} and attempt_id = ${of.attempt_id} and refund_id is null
       and type in ('AMOUNT_MISMATCH', 'REVERSED_AFTER_SUCCESS') and suspense_side = 'DEBIT'
       and resolution = 'CHARGE_MERCHANT' and status = 'RESOLVED'
       and id is distinct from ${of.except ?? null}::uuid`
  return row?.sum ?? 0n
}

export type IncidentLocked = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  type: IncidentType
  status: 'OPEN' | 'RESOLVED'
  attempt_id: string | null
  transaction_id: string | null
  settlement_id: string | null
  refund_id: string | null
  follows: string | null
  gateway_id: string
  country: string
  currency: string
  amount: bigint
  suspense_side: 'DEBIT' | 'CREDIT' | null
  resolution: string | null
  resolution_amount: bigint | null
  resolution_note: string
  proposed_by: string | null
  confirmed_by: string | null
  resolved_at: Date | null
}>

const lockedColumns = (sql: Sql): Fragment => sql`
  merchant_id, id, environment, type, status, attempt_id, transaction_id, settlement_id,
  refund_id, follows, gateway_id, country, currency, amount, suspense_side, resolution,
  resolution_amount, resolution_note, proposed_by, confirmed_by, resolved_at`

/** By its id alone: staff name no merchant. */
export async function lockIncident(tx: Tx, id: string): Promise<IncidentLocked | undefined> {
  const [row] = await tx<IncidentLocked[]>`
    select ${lockedColumns(tx)} from incidents where id = ${id} for update`
  return row
}

export type Proposal = Readonly<{ resolution: string; amount: bigint; note: string; by: string }>

/** The first person's proposal, in place of an earlier one. */
export async function proposeResolution(
  tx: Tx,
  key: { merchant_id: string; id: string },
  proposal: Proposal | null,
): Promise<void> {
  await tx`
    update incidents
       set resolution = ${proposal?.resolution ?? null},
           resolution_amount = ${proposal?.amount ?? null},
           resolution_note = ${proposal?.note ?? ''}, proposed_by = ${proposal?.by ?? null},
           proposed_at = ${proposal === null ? null : tx`now()`}, updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id} and status = 'OPEN'`
}

/** The second person's confirmation; false unless it is open and proposed by another. */
export async function resolveIncident(
  tx: Tx,
  key: { merchant_id: string; id: string },
  by: string,
): Promise<boolean> {
  const rows = await tx`
    update incidents
       set status = 'RESOLVED', confirmed_by = ${by}, resolved_at = now(), updated_at = now()
     where merchant_id = ${key.merchant_id} and id = ${key.id} and status = 'OPEN'
       and proposed_by <> ${by}`
  return rows.count === 1
}

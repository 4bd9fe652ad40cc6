// The approval's parts of a statement: it is written with the payout that waits for it, and decided
// once, under its row's lock.

import { brokenConstraint, type Fragment, type Sql, type Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import { type Gate, type Part, part } from '../platform/sql.ts'
import type { PayoutApproval } from '../transactions/transaction.ts'

export type NewApproval = Readonly<{
  merchant_id: string
  transaction_id: string
  environment: Environment
  requested_by_member: string | null
  requested_by_key: string | null
  /** The payout whose outcome was not known, which this one repeats; null: a limit asks for it. */
  after_unknown: string | null
}>

/** If it is not decided within this time, it is refused. Hours. */
const decided_within_h = 72

/** `approval_made as (…)`, when `when` has a row. */
export function insertApproval(sql: Sql, approval: NewApproval, { when }: Gate): Part<never> {
  const made = sql`approval_made as (
    insert into payout_approvals (merchant_id, transaction_id, environment, requested_by_member,
      requested_by_key, after_unknown, lapses_at)
    select ${approval.merchant_id}, ${approval.transaction_id}, ${approval.environment},
           ${approval.requested_by_member}, ${approval.requested_by_key},
           ${approval.after_unknown}::uuid,
           now() + ${decided_within_h} * interval '1 hour'
     where exists (select 1 from ${sql(when.name)}))`
  return part('approval_made', made)
}

/** What may go to one phone in 24 hours without approval. Hundredths. */
export type Unapproved = Readonly<{
  merchant_id: string
  environment: Environment
  operation_msisdn: string
  amount: bigint
  most: bigint
}>

/**
 * `apart as (…)`: the rows of `when`, unless the amount would pass the sum, which fails the whole
 * statement (`isApprovalNeeded`). Evaluated for a row of `when`, so after the lock that it took.
 */
export const limitUnapproved = (sql: Sql, of: Unapproved, { when }: Gate): Part =>
  part(
    'apart',
    sql`apart as (
    select id from ${sql(when.name)}
     where insist_unapproved_at_most(${of.merchant_id}, ${of.environment},
             ${of.operation_msisdn}, ${of.amount}::bigint, ${of.most}::bigint))`,
  )

/** Whether a statement failed because a second person must agree. It then wrote nothing. */
export const isApprovalNeeded = (error: unknown): boolean =>
  brokenConstraint(error) === 'payouts_unapproved_at_most'

/** Whether a payout would need a second person, together with what went to its phone before. */
export async function wouldNeedApproval(sql: Sql, of: Unapproved): Promise<boolean> {
  try {
    await homeOf(sql, of.merchant_id)`
      select insist_unapproved_at_most(${of.merchant_id}, ${of.environment},
               ${of.operation_msisdn}, ${of.amount}::bigint, ${of.most}::bigint)`
    return false
  } catch (error) {
    if (isApprovalNeeded(error)) return true
    throw error
  }
}

export type ApprovalDecision = Readonly<{
  merchant_id: string
  transaction_id: string
  status: 'APPROVED' | 'REJECTED' | 'LAPSED' | 'CANCELLED'
  decided_by: string | null
  reason: string
}>

/** False when it no longer waited. */
export async function decideApproval(tx: Tx, decided: ApprovalDecision): Promise<boolean> {
  const rows = await tx`
    update payout_approvals
       set status = ${decided.status}, decided_by = ${decided.decided_by}, decided_at = now(),
           reason = ${decided.reason}
     where merchant_id = ${decided.merchant_id} and transaction_id = ${decided.transaction_id}
       and status = 'REQUIRED' ${inItsTime(tx, decided.status)}`
  return rows.count === 1
}

/** It may be withdrawn at any time; it is approved or rejected before it lapses. */
function inItsTime(sql: Sql, status: ApprovalDecision['status']): Fragment {
  if (status === 'CANCELLED') return sql``
  return status === 'LAPSED' ? sql`and lapses_at <= now()` : sql`and lapses_at > now()`
}

// The statements about approvals that are not part of a composed one.

export type Approval = Readonly<{
  merchant_id: string
  transaction_id: string
  status: PayoutApproval
  requested_by_member: string | null
  requested_by_key: string | null
  after_unknown: string | null
  lapses_at: Date
  /** Its time is over, though nobody has written it down yet. */
  is_over: boolean
}>

export async function findApproval(
  sql: Sql,
  key: { merchant_id: string; transaction_id: string },
): Promise<Approval | undefined> {
  const [row] = await homeOf(sql, key.merchant_id)<Approval[]>`
    select merchant_id, transaction_id, status, requested_by_member, requested_by_key,
           after_unknown, lapses_at,
           lapses_at <= now() as is_over
      from payout_approvals
     where merchant_id = ${key.merchant_id} and transaction_id = ${key.transaction_id}`
  return row
}

export type ApprovalKey = Readonly<{ merchant_id: string; transaction_id: string }>

/** Those whose time is over, without the ones that failed a moment ago. */
export const listLapsed = (sql: Sql, limit: number): Promise<ApprovalKey[]> =>
  eachGroup(
    sql,
    (at) => at<ApprovalKey[]>`
  select merchant_id, transaction_id from payout_approvals
   where status = 'REQUIRED' and lapses_at <= now()
     and (lapse_again_at is null or lapse_again_at <= now())
   order by lapses_at
   limit ${limit}`,
  )

const lapse_again_after_min = 15

/** It could not lapse: others come first for a while. */
export async function putLapseOff(sql: Sql, key: ApprovalKey): Promise<void> {
  await homeOf(sql, key.merchant_id)`
    update payout_approvals
       set lapse_again_at = now() + ${lapse_again_after_min} * interval '1 minute'
     where merchant_id = ${key.merchant_id} and transaction_id = ${key.transaction_id}`
}

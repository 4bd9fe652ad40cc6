// What went to the same phone before: a payout that repeats one of a moment ago is worth a warning,
// and one that repeats what nobody knows the outcome of needs a second person; so does a refund, of
// its payment too. Law: no merchant switches the second off, and what is sent to an operator alone
// says what is known.

import type { Fragment, Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'

export type EarlierPayout = Readonly<{ id: string; reference: string }>

export type EarlierPayouts = Readonly<{
  /** The last one of this sum a moment ago, unless it failed. */
  repeated: EarlierPayout | undefined
  /** The last one of this sum within a day whose outcome is not known. */
  unknown: UnknownPayout | undefined
}>

/** With `is_refund` the payment that was being given back. */
export type UnknownPayout = EarlierPayout & Readonly<{ is_refund: boolean }>

/** For so long, the same payout again is worth a warning. */
const repeated_within_min = 10
/** For so long after it was sent, one whose outcome is not known guards its recipient. */
const unknown_within_h = 24
/** It may have waited for a person and then for a float before it was sent. */
const made_within_h = 24 + 72 + 72
/** What has no answer after so long may have been taken: its sender may be gone. */
const silent_s = 5

export type Recipient = Readonly<{
  merchant_id: string
  environment: Environment
  /** E.164; empty or masked where it is not known. */
  operation_msisdn: string
  /** Hundredths: what was asked for, or what is received, is the same sum. */
  requested_amount: bigint
  net_amount: bigint
}>

/** What gives a payment back: by its operator, or as a payout to its payer. */
export type GivesBack = Recipient & Readonly<{ payment_id: string; method: string }>

/**
 * Of an attempt `a`: it was sent, or is about to be, and its operator has not said that it has it.
 * A reference alone is no word of that: some make one before they are asked for money.
 */
const isUnanswered = (sql: Sql): Fragment => sql`(a.status = 'PENDING' and a.accepted_at is null)`

/** Of an attempt `a`: it may have been paid, and nobody knows. */
const isUnknown = (sql: Sql): Fragment => sql`
  (a.status = 'UNKNOWN'
   or (${isUnanswered(sql)} and a.created_at < now() - ${silent_s} * interval '1 second'))`

const isLate = (sql: Sql): Fragment =>
  sql`a.created_at > now() - ${unknown_within_h} * interval '1 hour'`

/** Payouts `t` to that number. */
const payoutsTo = (sql: Sql, to: Recipient): Fragment => sql`
  t.merchant_id = ${to.merchant_id} and t.environment = ${to.environment}
  and t.operation_msisdn = ${to.operation_msisdn} and t.transaction_type = 'RETRAIT'`

/** Refunds `r` of that sum that are under way, with their payment `p` and each attempt `a`. */
const refundsOf = (sql: Sql, to: Recipient): Fragment => sql`
  select p.id, p.reference, true, r.created_at
    from refunds r
    join attempts a on a.merchant_id = r.merchant_id and a.refund_id = r.id
    join transactions p on p.merchant_id = r.merchant_id and p.id = r.payment_id
   where r.merchant_id = ${to.merchant_id} and r.environment = ${to.environment}
     and r.amount in (${to.requested_amount}, ${to.net_amount}) and r.status = 'PENDING'`

/**
 * Of the same payment the sum counts as given back for as long as nobody knows; and by another way
 * from the moment when it is sent, because no operator knows what the other does.
 */
const unknownOfPayment = (sql: Sql, to: GivesBack): Fragment => sql`
  union all
  ${refundsOf(sql, to)} and r.payment_id = ${to.payment_id}
     and (${isUnknown(sql)} or (r.method <> ${to.method} and ${isUnanswered(sql)}))`

/** What left for that number, of that sum, and may have been paid: payouts and refunds. */
const unknownTo = (sql: Sql, to: Recipient | GivesBack): Fragment => sql`
  select jsonb_build_object('id', u.id, 'reference', u.reference, 'is_refund', u.is_refund)
    from (select t.id, t.reference, false as is_refund, t.created_at
            from transactions t
            join attempts a on a.merchant_id = t.merchant_id and a.transaction_id = t.id
           where ${payoutsTo(sql, to)}
             and t.created_at > now() - ${made_within_h} * interval '1 hour'
             and (t.requested_amount = ${to.requested_amount} or t.net_amount = ${to.net_amount})
             and t.status = 'PENDING' and ${isLate(sql)} and ${isUnknown(sql)}
           union all
          ${refundsOf(sql, to)} and r.operation_msisdn = ${to.operation_msisdn}
             and r.operation_msisdn like '+%' and ${isLate(sql)} and ${isUnknown(sql)}
          ${'payment_id' in to ? unknownOfPayment(sql, to) : sql``}) u
   order by u.created_at desc
   limit 1`

export async function findEarlier(sql: Sql, to: Recipient): Promise<EarlierPayouts> {
  const here = homeOf(sql, to.merchant_id)
  const [row] = await here<{ repeated: EarlierPayout | null; unknown: UnknownPayout | null }[]>`
    select (select jsonb_build_object('id', t.id, 'reference', t.reference)
              from transactions t
             where ${payoutsTo(here, to)}
               and t.created_at > now() - ${repeated_within_min} * interval '1 minute'
               and t.requested_amount = ${to.requested_amount} and t.status <> 'FAILED'
             order by t.created_at desc
             limit 1) as repeated,
           (${unknownTo(here, to)}) as unknown`
  return { repeated: row?.repeated ?? undefined, unknown: row?.unknown ?? undefined }
}

/** For what gives a payment back; undefined: nothing guards it. */
export async function findUnknown(sql: Sql, to: GivesBack): Promise<UnknownPayout | undefined> {
  const here = homeOf(sql, to.merchant_id)
  const [row] = await here<{ unknown: UnknownPayout | null }[]>`
    select (${unknownTo(here, to)}) as unknown`
  return row?.unknown ?? undefined
}

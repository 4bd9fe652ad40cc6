// What the audit reads from the app's database, as its owner, and the one thing it writes: what
// waits for its hour is brought forward, so that a run need not last a day.

import type { Db, Sql } from '../../server/src/platform/db.ts'
import { type Kept, keptText } from '../../server/src/platform/packed/kept.ts'

type Owned = Readonly<{ merchant_id: string }>

export type TransactionRow = Owned &
  Readonly<{
    id: string
    merchant_reference: string
    transaction_type: string
    status: string
    country_code: string
    requested_amount: bigint
    debited_amount: bigint
    net_amount: bigint
    /** What refunds have taken or may yet take of it, and what they have taken. */
    refund_reserved: bigint
    refunded_amount: bigint
    version: number
    failure_code: string
    settled_attempt: string | null
    /** Moves FAILED to PENDING: what retries have made. */
    restarts: number
  }>

export const listTransactions = (sql: Sql) => sql<TransactionRow[]>`
  select t.merchant_id, t.id, t.merchant_reference, t.transaction_type, t.status,
         t.country_code, t.requested_amount, t.debited_amount, t.net_amount, t.refund_reserved,
         t.refunded_amount, t.version, t.failure_code, t.settled_attempt,
         (select count(*)::int from transaction_status_logs l
           where l.merchant_id = t.merchant_id and l.transaction_id = t.id
             and l.from_status = 'FAILED' and l.to_status = 'PENDING') as restarts
    from transactions t`

export type RefundRow = Owned &
  Readonly<{
    id: string
    payment_id: string
    /** Its merchant's own: the key that it was asked for with. */
    reference: string
    status: string
    country_code: string
    amount: bigint
    /** What leaves the balance. */
    held_amount: bigint
    failure_code: string
  }>

export const listRefunds = (sql: Sql) => sql<RefundRow[]>`
  select merchant_id, id, payment_id, reference, status, country_code, amount, held_amount,
         failure_code
    from refunds`

/** Of a transaction or of a refund. */
export type AttemptRow = Owned &
  Readonly<{
    id: string
    transaction_id: string | null
    refund_id: string | null
    status: string
    our_key: string
    gateway_code: string
    /** What crosses the wire: a payout pays its net, a payin collects what is debited. */
    wire_amount: bigint
  }>

export const listAttempts = (sql: Sql) => sql<AttemptRow[]>`
  select merchant_id, id, transaction_id, refund_id, status, our_key, gateway_code,
         case direction when 'DISBURSE' then net_amount else debited_amount end as wire_amount
    from attempts`

export type KeyRow = Owned & Readonly<{ key: string; transaction_id: string | null }>

export const listKeys = (sql: Sql) => sql<KeyRow[]>`
  select merchant_id, key, transaction_id from idempotency_keys`

/**
 * `version` is null where the event is of no move. A refund's event is of its payment too: `about`
 * is the record that it shows.
 */
export type EventRow = Owned &
  Readonly<{
    id: string
    type: string
    transaction_id: string | null
    about: string | null
    seq: bigint | null
    version: number | null
  }>

export async function listEvents(sql: Sql): Promise<EventRow[]> {
  const rows = await sql<(Omit<EventRow, 'version' | 'about'> & Kept)[]>`
    select merchant_id, id, type, transaction_id, seq, plain::text as plain, packed from events`
  return rows.map(({ plain, packed, ...event }) => {
    const { id: about = null, version = null } = JSON.parse(keptText({ plain, packed }) ?? '{}')
    return { ...event, about, version }
  })
}

export type FeedRow = Owned & Readonly<{ last_seq: bigint }>

export const listFeeds = (sql: Sql) => sql<FeedRow[]>`
  select merchant_id, last_seq from event_feeds`

export type WebhookRow = Owned & Readonly<{ id: string; url: string }>

export const listWebhooks = (sql: Sql) => sql<WebhookRow[]>`
  select merchant_id, id, url from webhooks`

export type DeliveryRow = Owned &
  Readonly<{ id: string; event_id: string; webhook_id: string; status: string }>

export const listDeliveries = (sql: Sql) => sql<DeliveryRow[]>`
  select merchant_id, id, event_id, webhook_id, status from deliveries`

export type IncidentRow = Owned &
  Readonly<{ id: string; type: string; attempt_id: string | null; transaction_id: string | null }>

export const listIncidents = (sql: Sql) => sql<IncidentRow[]>`
  select merchant_id, id, type, attempt_id, transaction_id from incidents`

export type BalanceRow = Owned & Readonly<{ country: string; available: bigint; pending: bigint }>

export const listBalances = (sql: Sql) => sql<BalanceRow[]>`
  select merchant_id, country, available, pending from balances`

/** What a payout or a refund has promised; `ends`: how it was ended, each time. */
export type HoldRow = Owned &
  Readonly<{ id: string; cause_id: string; amount: bigint; ends: readonly string[] }>

export const listHolds = (sql: Sql) => sql<HoldRow[]>`
  select h.merchant_id, h.id, h.cause_id, h.amount,
         array(select n.how from hold_ends n
                where n.merchant_id = h.merchant_id and n.hold_id = h.id) as ends
    from holds h where h.cause_kind in ('PAYOUT', 'REFUND')`

/** Play money that was put into a balance. */
export type FundsRow = Owned & Readonly<{ country: string; amount: bigint }>

export const listFunds = (sql: Sql) => sql<FundsRow[]>`
  select e.merchant_id, a.country, sum(e.amount)::bigint as amount
    from ledger_entries e
    join accounts a on a.merchant_id = e.merchant_id and a.id = e.credit_account
   where e.cause_kind = 'SANDBOX'
   group by e.merchant_id, a.country`

/** `postings`: how often the first line of its success was booked. */
export type BookedRow = Owned & Readonly<{ cause_id: string; postings: number }>

export const listBooked = (sql: Sql) => sql<BookedRow[]>`
  select merchant_id, cause_id, (count(*) filter (where line = 1))::int as postings
    from ledger_entries where cause_kind in ('TRANSACTION', 'REFUND')
   group by merchant_id, cause_id`

const vain_sends = 3

/** Failed deliveries are due now, not in half a minute or two hours. */
export async function hurryDeliveries(db: Db): Promise<void> {
  await db`update deliveries set due_at = now() where status = 'FAILED' and due_at > now()`
  await db`
    update webhook_lanes l set due_at = now(), marks = marks + 1
     where (l.due_at is null or l.due_at > now())
       and exists (select 1 from deliveries d
                    where d.merchant_id = l.merchant_id and d.webhook_id = l.webhook_id
                      and d.due_at <= now())`
}

/**
 * Questions that wait are due now, and the time in which an operator may still come to know an
 * order (15 minutes) is over for those that may not be sent any more. That time to send (two
 * minutes) ends after some vain tries: what an operator that is always down was sent once and was
 * never heard of would be sent again until then.
 */
export async function hurryQuestions(db: Db): Promise<void> {
  await db`
    update attempts set due_at = now()
     where status in ('PENDING', 'UNKNOWN') and due_at > now()
       and (leased_until is null or leased_until <= now())`
  await db`
    update attempts set send_deadline = now() - interval '1 second'
     where status = 'UNKNOWN' and send_deadline > now() and sends > ${vain_sends}
       and (leased_until is null or leased_until <= now())`
  await db`
    update attempts set send_started_at = now() - interval '1 hour'
     where status = 'UNKNOWN' and send_deadline < now()
       and send_started_at > now() - interval '1 hour'
       and (leased_until is null or leased_until <= now())`
}

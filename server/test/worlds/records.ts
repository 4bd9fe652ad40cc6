// Everything that the database holds of one merchant, read in one statement, so that the laws of a
// world see one moment of it.

import { keptText } from '../../src/platform/packed/kept.ts'
import { homeOf } from '../../src/platform/places/places.ts'
import type { OwnerSql } from '../setup/database.ts'
import type { Scene } from './scene.ts'

export type TransactionRecord = Readonly<{
  id: string
  merchant_reference: string
  transaction_type: string
  checkout_session: string | null
  /** Of a payout that a second person decides on. */
  approval: string | null
  status: string
  failure_code: string
  /** Of the line of work that made it. */
  request_id: string
  version: number
  settled_attempt: string | null
  debited: string
  net: string
  client_fee: string
  gateway_fee: string
  platform_fee: string
  refund_reserved: string
  refunded: string
  refund_changes: number
  return_state: string | null
}>

/** Unix milliseconds, by the database's clock; time that passes in a world does not move them. */
type Began = number

export type AttemptRecord = Readonly<{
  id: string
  transaction_id: string | null
  settlement_id: string | null
  refund_id: string | null
  priority: number
  status: string
  our_key: string
  gateway_id: string
  debited: string
  net: string
  client_fee: string
  gateway_fee: string
  platform_fee: string
  excess: string
  /** By the price that charged it. */
  fee_comes_back: boolean
  created_at: string
  began_ms: Began
  finished_at: string | null
}>

type Account = Readonly<{ kind: string; gateway_id: string; purpose: string }>

export type EntryRecord = Readonly<{
  cause_kind: string
  cause_id: string
  attempt_id: string | null
  began_ms: Began
  amount: string
  debit: Account
  credit: Account
}>

export type LogRecord = Readonly<{
  transaction_id: string
  from_status: string
  to_status: string
  attempt_id: string | null
  evidence_kind: string
  evidence_id: string | null
  created_at: string
}>

export type IncidentRecord = Readonly<{
  id: string
  type: string
  attempt_id: string | null
  /** Of a refund: the payment that it gives back. */
  transaction_id: string | null
  settlement_id: string | null
  refund_id: string | null
  gateway_id: string
  amount: string
  side: string | null
  status: string
  resolution: string | null
}>

export type CallbackRecord = Readonly<{
  id: string
  attempt_id: string | null
  proof: string
  body: string
  gateway_id: string
}>

/** `ends`: how it was ended, each time. */
export type HoldRecord = Readonly<{
  id: string
  cause_kind: string
  cause_id: string
  began_ms: Began
  amount: string
  ends: readonly string[]
}>

export type SettlementRecord = Readonly<{
  id: string
  status: string
  settled_attempt: string | null
  debited: string
  net: string
  is_returned: boolean
}>

/** `debited`: what leaves the balance; `net`: what the payer gets. */
export type RefundRecord = Readonly<{
  id: string
  payment_id: string
  status: string
  settled_attempt: string | null
  method: string
  debited: string
  net: string
  /** What comes back of the payment's own fee, and whether its operator gives its part. */
  returned_gateway_fee: string
  returned_platform_fee: string
  by_operator: boolean
  is_returned: boolean
}>

/** `debited`: all that leaves the one country. */
export type TransferRecord = Readonly<{
  id: string
  status: string
  debited: string
}>

export type AdjustmentRecord = Readonly<{
  id: string
  status: string
  kind: string
  amount: string
  by_two: boolean
}>

export type SessionRecord = Readonly<{
  id: string
  status: string
  paid_by: string | null
  pending_payment: string | null
  payment_link: string | null
  /** What was told of it. */
  events: readonly string[]
}>

export type Records = Readonly<{
  sessions: readonly SessionRecord[]
  links: readonly Readonly<{ id: string; usage_count: number; reserved: number }>[]
  settlements: readonly SettlementRecord[]
  refunds: readonly RefundRecord[]
  transfers: readonly TransferRecord[]
  adjustments: readonly AdjustmentRecord[]
  transactions: readonly TransactionRecord[]
  attempts: readonly AttemptRecord[]
  entries: readonly EntryRecord[]
  logs: readonly LogRecord[]
  incidents: readonly IncidentRecord[]
  callbacks: readonly CallbackRecord[]
  keys: readonly Readonly<{ key: string; transaction_id: string | null; answer: string | null }>[]
  events: readonly Readonly<{
    type: string
    transaction_id: string | null
    subject_id: string | null
    /** What `transaction.created` has told: decimals. */
    charged: string | null
    net: string | null
  }>[]
  available: string
  /** What `available` was after each entry that touched it: the least of these. */
  lowest: string
  pending: string
  holds: readonly HoldRecord[]
}>

export async function readRecords({ stage, merchant_id }: Scene): Promise<Records> {
  const rules = await stage.owner<{ id: string }[]>`
    select id from pricing_rules where is_fee_returned`
  const returning = rules.map(({ id }) => id)
  const [row] = await homeOf(stage.owner, merchant_id)<{ records: KeptRecords }[]>`
    with own as (select ${merchant_id}::uuid as id)
    select json_build_object(
      'transactions', (select coalesce(json_agg(json_build_object('id', t.id,
          'merchant_reference', t.merchant_reference, 'transaction_type', t.transaction_type,
          'checkout_session', t.checkout_session,
          'approval', (select p.status from payout_approvals p
                        where p.merchant_id = t.merchant_id and p.transaction_id = t.id),
          'status', t.status, 'failure_code', t.failure_code, 'request_id', t.request_id,
          'version', t.version,
          'settled_attempt', t.settled_attempt, 'debited', t.debited_amount::text,
          'net', t.net_amount::text, 'client_fee', t.client_fee::text,
          'gateway_fee', t.gateway_fee::text, 'platform_fee', t.platform_fee::text,
          'refund_reserved', t.refund_reserved::text, 'refunded', t.refunded_amount::text,
          'refund_changes', t.refund_changes, 'return_state', t.return_state)), '[]')
        from transactions t where t.merchant_id = own.id),
      ${attemptsJson(stage.owner, returning)},
      'entries', (select coalesce(json_agg(json_build_object('cause_kind', e.cause_kind,
          'cause_id', e.cause_id, 'attempt_id', e.attempt_id, 'amount', e.amount::text,
          'began_ms', extract(epoch from e.began_at) * 1000,
          'debit', json_build_object('kind', d.kind, 'gateway_id', d.gateway_id,
            'purpose', d.purpose),
          'credit', json_build_object('kind', c.kind, 'gateway_id', c.gateway_id,
            'purpose', c.purpose))), '[]')
        from ledger_entries e
        join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
        join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
        where e.merchant_id = own.id),
      'logs', (select coalesce(json_agg(json_build_object('transaction_id', l.transaction_id,
          'from_status', l.from_status, 'to_status', l.to_status, 'attempt_id', l.attempt_id,
          'evidence_kind', l.evidence_kind, 'evidence_id', l.evidence_id,
          'created_at', l.created_at)), '[]')
        from transaction_status_logs l where l.merchant_id = own.id),
      'incidents', (select coalesce(json_agg(json_build_object('id', i.id, 'type', i.type,
          'attempt_id', i.attempt_id, 'settlement_id', i.settlement_id,
          'transaction_id', i.transaction_id, 'refund_id', i.refund_id,
          'gateway_id', i.gateway_id, 'amount', i.amount::text,
          'side', i.suspense_side, 'status', i.status, 'resolution', i.resolution)), '[]')
        from incidents i where i.merchant_id = own.id),
      'callbacks', (select coalesce(json_agg(json_build_object('id', k.id,
          'attempt_id', k.attempt_id, 'proof', k.proof, 'body', convert_from(k.raw, 'UTF8'),
          'gateway_id', k.gateway_id)), '[]')
        from gateway_callbacks k where k.merchant_id = own.id),
      'keys', (select coalesce(json_agg(json_build_object('key', k.key, 'plain', k.plain,
          'transaction_id', k.transaction_id, 'packed', encode(k.packed, 'base64'))), '[]')
        from idempotency_keys k where k.merchant_id = own.id),
      'events', (select coalesce(json_agg(json_build_object('type', v.type,
          'transaction_id', v.transaction_id, 'subject_id', v.subject_id,
          'plain', v.plain::text, 'packed', encode(v.packed, 'base64'))), '[]')
        from events v where v.merchant_id = own.id),
      ${movedJson(stage.owner)},
      ${sumsJson(stage.owner)},
      'holds', (select coalesce(json_agg(json_build_object('id', h.id, 'amount', h.amount::text,
          'cause_kind', h.cause_kind, 'cause_id', h.cause_id,
          'began_ms', extract(epoch from h.began_at) * 1000,
          'ends', (select coalesce(json_agg(n.how), '[]') from hold_ends n
                    where n.merchant_id = h.merchant_id and n.hold_id = h.id))), '[]')
        from holds h where h.merchant_id = own.id)) as records
      from own`
  if (row === undefined) throw new Error('a merchant has records')
  const { keys, events } = row.records
  return { ...row.records, keys: keys.map(openKey), events: events.map(openEvent) }
}

/** What is kept packed, in Base64. */
type InBase64 = Readonly<{ plain: string | null; packed: string | null }>
type KeyRecord = Records['keys'][number]
type EventRecord = Records['events'][number]
type KeptKey = Omit<KeyRecord, 'answer'> & InBase64
type KeptEvent = Omit<EventRecord, 'charged' | 'net'> & InBase64
type KeptRecords = Omit<Records, 'keys' | 'events'> &
  Readonly<{ keys: readonly KeptKey[]; events: readonly KeptEvent[] }>

const openText = ({ plain, packed }: InBase64) =>
  keptText({ plain, packed: packed === null ? null : Buffer.from(packed, 'base64') })

const openKey = ({ plain, packed, ...key }: KeptKey): KeyRecord => ({
  ...key,
  answer: openText({ plain, packed }),
})

function openEvent({ plain, packed, ...event }: KeptEvent): EventRecord {
  const { charged = null, net_amount: net = null } = JSON.parse(openText({ plain, packed }) ?? '{}')
  return { ...event, charged, net }
}

/** `returning`: the rules of prices by which a refund gives the fee back. */
const attemptsJson = (owner: OwnerSql, returning: readonly string[]) => owner`
  'attempts', (select coalesce(json_agg(json_build_object('id', a.id,
      'transaction_id', a.transaction_id, 'settlement_id', a.settlement_id,
      'refund_id', a.refund_id, 'priority', a.priority, 'status', a.status,
      'our_key', a.our_key, 'gateway_id', a.gateway_id, 'debited', a.debited_amount::text,
      'net', a.net_amount::text, 'client_fee', a.client_fee::text,
      'gateway_fee', a.gateway_fee::text, 'platform_fee', a.platform_fee::text,
      'excess', a.gateway_cost_excess::text,
      'fee_comes_back', coalesce(a.pricing_rule = any(${[...returning]}::uuid[]), false),
      'created_at', a.created_at,
      'began_ms', extract(epoch from a.began_at) * 1000, 'finished_at', a.finished_at)), '[]')
    from attempts a where a.merchant_id = own.id)`

const sumsJson = (owner: OwnerSql) => owner`
  'available', (select coalesce(sum(b.available), 0)::text
    from balances b where b.merchant_id = own.id),
  'pending', (select coalesce(sum(b.pending), 0)::text
    from balances b where b.merchant_id = own.id),
  'lowest', (select coalesce(min(e.balance_after), 0)::text
    from ledger_entries e where e.merchant_id = own.id)`

/** Of `own`: what their own money did, as pairs for `json_build_object`. */
const movedJson = (owner: OwnerSql) => owner`
  'sessions', (select coalesce(json_agg(json_build_object('id', c.id, 'status', c.status,
      'paid_by', c.paid_by, 'pending_payment', c.pending_payment, 'payment_link', c.payment_link,
      'events', (select coalesce(json_agg(v.type), '[]') from events v
                  where v.merchant_id = c.merchant_id and v.subject_id = c.id))), '[]')
    from checkout_sessions c where c.merchant_id = own.id),
  'links', (select coalesce(json_agg(json_build_object('id', p.id,
      'usage_count', p.usage_count, 'reserved', p.reserved)), '[]')
    from payment_links p where p.merchant_id = own.id),
  'settlements', (select coalesce(json_agg(json_build_object('id', s.id,
      'status', s.status, 'settled_attempt', s.settled_attempt, 'debited', s.debited_amount::text,
      'net', s.net_amount::text, 'is_returned', s.returned_at is not null)), '[]')
    from settlements s where s.merchant_id = own.id),
  'refunds', (select coalesce(json_agg(json_build_object('id', r.id, 'payment_id', r.payment_id,
      'status', r.status, 'settled_attempt', r.settled_attempt, 'method', r.method,
      'debited', r.held_amount::text, 'net', r.amount::text,
      'returned_gateway_fee', r.returned_gateway_fee::text,
      'returned_platform_fee', r.returned_platform_fee::text,
      'by_operator', r.is_returned_by_operator, 'is_returned', r.returned_at is not null)), '[]')
    from refunds r where r.merchant_id = own.id),
  'transfers', (select coalesce(json_agg(json_build_object('id', w.id,
      'status', w.status, 'debited', w.from_amount::text)), '[]')
    from wallet_transfers w where w.merchant_id = own.id),
  'adjustments', (select coalesce(json_agg(json_build_object('id', j.id,
      'status', j.status, 'kind', j.kind, 'amount', j.amount::text,
      'by_two', j.decided_by is distinct from j.asked_by)), '[]')
    from adjustments j where j.merchant_id = own.id)`

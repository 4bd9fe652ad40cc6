// The columns of `attempts`, named once: what is frozen when a route is chosen, what an attempt is
// made with, read with, accepted with and ended with.

import type { Direction, FailureCode } from '../gateways/gateway.ts'
import type { SkippedRoute } from '../gateways/routing.ts'
import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import {
  bigint,
  boolean,
  int,
  jsonb,
  orNull,
  pickColumns,
  text,
  timestamptz,
  uuid,
} from '../platform/columns.ts'
import type { Environment } from '../platform/http/route.ts'
import type { AttemptStatus } from './states.ts'

export type NextAction = 'APPROVE_ON_PHONE' | 'ENTER_OTP' | 'REDIRECT' | 'NONE'

/** What is frozen when a route is chosen; amounts in hundredths. */
export const snapshotRow = {
  direction: text<Direction>(),
  route_id: uuid(),
  gateway_id: uuid(),
  gateway_code: text(),
  network_id: uuid(),
  network_code: text(),
  country_code: text(),
  operation_msisdn: text(),
  pricing_rule: orNull(uuid()),
  merchant_pricing_rule: orNull(uuid()),
  requested_amount: bigint(),
  fee_charge_mode: text<FeeChargeMode>(),
  client_fee: bigint(),
  gateway_fee: bigint(),
  platform_fee: bigint(),
  gateway_cost_excess: bigint(),
  debited_amount: bigint(),
  net_amount: bigint(),
  currency: text(),
  otp_kind: text<'NONE' | 'PRE' | 'POST'>(),
  /** Null where it was made before routes had one: then it is its network's. */
  flow: orNull(text<'push' | 'redirect'>()),
  /** For how long its payer is waited for; null: as long as its operator usually waits. Seconds. */
  prompt_lifetime_s: orNull(int()),
}

const bornWith = {
  merchant_id: uuid(),
  id: uuid(),
  environment: text<Environment>(),
  transaction_id: orNull(uuid()),
  settlement_id: orNull(uuid()),
  refund_id: orNull(uuid()),
  /** The attempt whose payment its operator gives back; null for every other purpose. */
  refund_of: orNull(uuid()),
  priority: int(),
  our_key: text(),
}

/** What a new attempt is given, but for its times and the customer of what it is for. */
export const newAttemptRow = {
  ...snapshotRow,
  ...bornWith,
  skipped_routes: jsonb<readonly SkippedRoute[]>(),
}

/** What an attempt is read with. */
export const attemptRow = {
  ...bornWith,
  ...snapshotRow,
  customer_id: orNull(uuid()),
  status: text<AttemptStatus>(),
  /** The gateway itself has said its last word; a closing of ours leaves it false. */
  gateway_ended: boolean(),
  external_reference: text(),
  /** What its payer finds it by at the operator, where that is another. */
  operator_reference: orNull(text<string>()),
  failure_code: text<FailureCode | ''>(),
  failure_message: text(),
  next_action: text<NextAction>(),
  checkout_url: text(),
  wrong_otps: int(),
  send_deadline: timestamptz(),
  send_started_at: orNull(timestamptz()),
  accepted_at: orNull(timestamptz()),
  /** Another word of the operator said that it has it: a callback, or an answer too late. */
  acknowledged_at: orNull(timestamptz()),
  /** Since when the operator has said that it does not know it, past its time of grace. */
  not_found_at: orNull(timestamptz()),
  /** What two people have booked to the merchant for it, and by which incident. */
  booked_by: orNull(uuid()),
  booked_amount: orNull(bigint()),
  lease_no: bigint(),
  sends: int(),
  asks: int(),
  /** The operator keeps it in a queue of its own, by its last answer that said so. */
  is_queued: boolean(),
  asking_until: timestamptz(),
  started_at: timestamptz(),
  finished_at: orNull(timestamptz()),
  created_at: timestamptz(),
}

/** What a gateway's acceptance writes. */
export const acceptedRow = {
  /** The id in the gate relation that lets it through: of what the attempt carries out. */
  gate_id: uuid(),
  ...pickColumns(attemptRow, [
    'merchant_id',
    'id',
    'lease_no',
    'external_reference',
    'next_action',
    'checkout_url',
  ]),
  /** When the first query is due. Seconds. */
  ask_after_s: int(),
}

/** What an end writes. */
export const attemptEndRow = {
  /** As above. */
  gate_id: uuid(),
  ...pickColumns(attemptRow, [
    'merchant_id',
    'id',
    'status',
    'gateway_ended',
    'external_reference',
    'operator_reference',
    'failure_message',
  ]),
  failure_code: text(),
  gateway_detail: text(),
  /** When it is queried again, where we closed it ourselves; null when nothing is left to ask. */
  ask_after_s: orNull(int()),
}

// A merchant's own money on its way to the merchant (contract 5.9). Its figures and its destination
// are frozen when it is requested; what it costs has a hold under its own id until it has ended.

import type { Place } from '../ledger/account.ts'
import type { Hold } from '../ledger/holds/hold.ts'
import type { Figures } from '../ledger/postings.ts'
import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import { bigint, int, orNull, type RowOf, text, timestamptz, uuid } from '../platform/columns.ts'
import { assert } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { type SettlementStatus, settlementStates } from './states.ts'

export type SettlementKey = Readonly<{ merchant_id: string; id: string }>

/** The columns of `settlements`, said once; amounts in hundredths. */
export const settlementRow = {
  merchant_id: uuid(),
  id: uuid(),
  environment: text<Environment>(),
  reference: text(),
  payout_method: uuid(),
  country: text(),
  requested_amount: bigint(),
  fee_charge_mode: text<FeeChargeMode>(),
  client_fee: bigint(),
  gateway_fee: bigint(),
  platform_fee: bigint(),
  debited_amount: bigint(),
  net_amount: bigint(),
  currency: text(),
  status: text<SettlementStatus>(),
  /** 1 at first, one more with each move of the status. */
  version: int(),
  /** The attempt that paid it; null for one that the bank paid. */
  settled_attempt: orNull(uuid()),
  gateway_reference: text(),
  proof_url: text(),
  /** The place in the storage of the file that staff uploaded; empty when there is none. */
  proof_key: text(),
  proof_type: text(),
  failure_code: text(),
  failure_reason: text(),
  ip_address: text(),
  request_id: text(),
  api_key_id: orNull(uuid()),
  member_id: orNull(uuid()),
  /** Its operator has taken nothing for want of our float: when it ends, unless it is paid. */
  waits_until: orNull(timestamptz()),
  approved_at: orNull(timestamptz()),
  executed_at: orNull(timestamptz()),
  completed_at: orNull(timestamptz()),
  /** Its money came back after it had succeeded; the status stays. */
  returned_at: orNull(timestamptz()),
  created_at: timestamptz(),
  updated_at: timestamptz(),
}

export type Settlement = RowOf<typeof settlementRow>

/** Where it goes, read while the method could still be used; it never changes. */
export type Destination = Readonly<{
  type: 'MOBILE_MONEY' | 'BANK_ACCOUNT'
  network_code: string | null
  /** E.164. */
  msisdn: string | null
  bank_name: string | null
  /** In full, for those who pay it. */
  account_number: string | null
  account_name: string | null
}>

export const placeOf = (settlement: Settlement): Place => ({
  merchant_id: settlement.merchant_id,
  environment: settlement.environment,
  country: settlement.country,
  currency: settlement.currency,
})

/** Everything that it costs the merchant, under its own id. */
export const holdOf = (settlement: Settlement): Hold => ({
  ...placeOf(settlement),
  id: settlement.id,
  amount: settlement.debited_amount,
})

/** What the bank pays; the cost of that to us is not known here. */
export const figuresOf = (settlement: Settlement): Figures => ({
  ...settlement,
  gateway_cost_excess: 0n,
})

export type Changes = Partial<
  Pick<
    Settlement,
    | 'settled_attempt'
    | 'gateway_fee'
    | 'platform_fee'
    | 'gateway_reference'
    | 'proof_url'
    | 'failure_code'
    | 'failure_reason'
  >
>

/** Its state after these moves, one after the other, at one moment. */
export function moved(
  before: Settlement,
  path: readonly SettlementStatus[],
  now: Date,
  changes: Changes = {},
): Settlement {
  let after: Settlement = { ...before, ...changes, waits_until: null, updated_at: now }
  for (const to of path) {
    const { status, version } = after
    assert(settlementStates.allows(status, to), `settlement ${before.id} from ${status} to ${to}`)
    after = { ...after, ...timesOf(to, now), status: to, version: version + 1 }
  }
  return after
}

function timesOf(to: SettlementStatus, now: Date) {
  if (to === 'APPROVED') return { approved_at: now }
  return to === 'PROCESSING' ? { executed_at: now } : { completed_at: now }
}

/**
 * Given to a gateway at the moment of its approval: the event reports the approval, this follows
 * it.
 */
export const sent = (approved: Settlement): Settlement =>
  moved(approved, ['PROCESSING'], approved.updated_at)

/** It has not ended, and nobody has been asked to pay it. */
export const isWaiting = ({ status }: Settlement): boolean =>
  status === 'PENDING' || status === 'APPROVED'

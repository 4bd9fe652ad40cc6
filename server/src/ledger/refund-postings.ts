// What a refund books, line by line (money 3). Pure. The
// merchant's hold pays the payer; where the payment's fee is given back, its parts pay the rest.

import { assert } from '../platform/errors.ts'
import { account, gatewayAccount, type Place } from './account.ts'
import { type Line, lines, suspense } from './postings.ts'

/** Hundredths. */
export type RefundFigures = Readonly<{
  /** What the payer gets. */
  amount: bigint
  fee: bigint
  gateway_fee: bigint
  platform_fee: bigint
  /** The parts of the payment's own fee that are given back. */
  returned_gateway_fee: bigint
  returned_platform_fee: bigint
  /** The operator gives its part back too; otherwise it is our cost. */
  is_returned_by_operator: boolean
  held_amount: bigint
  /** What the payout's route costs, above the fee. */
  gateway_cost_excess: bigint
  /** Which of the gateway's accounts it leaves: by the operator itself, or as a payout. */
  by: 'COLLECT' | 'DISBURSE'
}>

/** It reached the payer: the hold is spent. */
export function refundSuccess(place: Place, gateway_id: string, figures: RefundFigures): Line[] {
  const { amount, fee, gateway_fee, platform_fee, held_amount } = figures
  const { returned_gateway_fee, returned_platform_fee, is_returned_by_operator } = figures
  const returned = returned_gateway_fee + returned_platform_fee
  assert(gateway_fee + platform_fee === fee, 'fees sum')
  assert(held_amount === amount + fee - returned, 'held = amount + fee - fees returned')
  const pending = account(place, 'pending')
  const gateway = gatewayAccount(place, gateway_id, figures.by)
  const bearer = account(place, is_returned_by_operator ? 'gateway_fees' : 'gateway_costs')
  return lines([
    [pending, gateway, amount - returned],
    [pending, account(place, 'gateway_fees'), gateway_fee],
    [pending, account(place, 'platform_fees'), platform_fee],
    [account(place, 'platform_fees'), gateway, returned_platform_fee],
    [bearer, gateway, returned_gateway_fee],
    [account(place, 'gateway_costs'), account(place, 'gateway_fees'), figures.gateway_cost_excess],
  ])
}

type ReturnedRefund = Pick<
  RefundFigures,
  'amount' | 'returned_gateway_fee' | 'returned_platform_fee' | 'is_returned_by_operator'
>

/**
 * Its money came back, through the suspense of the incident that two people resolved: what the
 * merchant had given of it is theirs again, and the fee that came with it is charged again.
 */
export function refundReturned(place: Place, incident_id: string, refund: ReturnedRefund): Line[] {
  const { amount, returned_gateway_fee, returned_platform_fee } = refund
  const from = suspense(place, incident_id)
  const bearer = account(place, refund.is_returned_by_operator ? 'gateway_fees' : 'gateway_costs')
  return lines([
    [from, account(place, 'available'), amount - returned_gateway_fee - returned_platform_fee],
    [from, account(place, 'platform_fees'), returned_platform_fee],
    [from, bearer, returned_gateway_fee],
  ])
}

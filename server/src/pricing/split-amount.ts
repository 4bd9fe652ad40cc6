// One amount split into who pays, who receives and who keeps the fee (contract 2.3, money 3).
// The law: what leaves one side is what reaches the other, plus the fee, to the last hundredth.

import type { Currency } from '../money/currency.ts'
import { smallestUnit } from '../money/currency.ts'
import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import { roundDownToStep, roundUpToStep } from '../money/round.ts'
import { assert } from '../platform/errors.ts'

/** `COLLECT`: the gateway takes `debited_amount`. `DISBURSE`: it pays out `net_amount`. */
export type Direction = 'COLLECT' | 'DISBURSE'

/** All amounts in hundredths of `currency`. */
export type SplitInput = Readonly<{
  requested: bigint
  /** From `clientFee`, before it is raised for the step. */
  client_fee: bigint
  /** From `routeCost`: what the gateway will take from us. */
  route_cost: bigint
  mode: FeeChargeMode
  direction: Direction
  currency: Currency
  /** What crosses the wire is a multiple of this (100n: whole francs; 500n: multiples of 5). */
  amount_step: bigint
}>

export type Split = Readonly<{
  is: 'split'
  client_fee: bigint
  gateway_fee: bigint
  platform_fee: bigint
  /** The part of the route's cost above the client's fee: ours, booked to `gateway_costs`. */
  gateway_cost_excess: bigint
  debited_amount: bigint
  net_amount: bigint
}>

export type SplitAnswer =
  | Split
  /** The fee eats the amount: 400 on `amount` (contract 2.3). */
  | Readonly<{ is: 'net_not_positive' }>
  /** No fee can make it fit: 400 on `amount`, which must be a multiple of `step`. */
  | Readonly<{ is: 'not_a_step'; step: bigint }>

/** Splits `requested`; the fee is raised, never lowered, to make the wire's amount a multiple. */
export function splitAmount(input: SplitInput): SplitAnswer {
  assertSound(input)
  const { requested, route_cost, mode, amount_step: step } = input

  if (!feeMovesTheWire(input) && requested % step !== 0n) return { is: 'not_a_step', step }
  if (mode === 'DEDUCTED' && input.client_fee >= requested) return { is: 'net_not_positive' }

  const client_fee = raiseToStep(input)
  const debited_amount = mode === 'ADD_ON' ? requested + client_fee : requested
  const net_amount = mode === 'ADD_ON' ? requested : requested - client_fee
  if (net_amount <= 0n) return { is: 'net_not_positive' }

  const gateway_fee = route_cost < client_fee ? route_cost : client_fee
  const platform_fee = client_fee - gateway_fee
  const gateway_cost_excess = route_cost - gateway_fee
  assert(debited_amount === net_amount + client_fee, 'debited = net + fee')
  assert(platform_fee >= 0n && gateway_cost_excess >= 0n, 'no part of a fee is negative')
  assert((input.direction === 'COLLECT' ? debited_amount : net_amount) % step === 0n, 'a multiple')
  return {
    is: 'split',
    client_fee,
    gateway_fee,
    platform_fee,
    gateway_cost_excess,
    debited_amount,
    net_amount,
  }
}

/** True where the fee is part of what the gateway moves: collected on top, or kept back. */
function feeMovesTheWire({ mode, direction }: SplitInput): boolean {
  return (mode === 'ADD_ON') === (direction === 'COLLECT')
}

function raiseToStep(input: SplitInput): bigint {
  const { requested, client_fee, mode, amount_step: step } = input
  if (!feeMovesTheWire(input)) return client_fee
  return mode === 'ADD_ON'
    ? roundUpToStep(requested + client_fee, step) - requested
    : requested - roundDownToStep(requested - client_fee, step)
}

function assertSound(input: SplitInput): void {
  const { requested, client_fee, route_cost, currency, amount_step: step } = input
  const unit = smallestUnit(currency)
  assert(requested > 0n && client_fee >= 0n && route_cost >= 0n, 'amounts to split')
  assert(
    [requested, client_fee, route_cost].every((sum) => sum % unit === 0n),
    `sums of ${currency} are whole units`,
  )
  // A step that is no multiple of the unit could raise a fee to half a franc.
  assert(step > 0n && (step % unit === 0n || unit % step === 0n), `step ${step} of ${currency}`)
}

// What each event books, line by line (the table of money 3). Pure; every line is a transfer from a
// debited to a credited account, so each posting balances by construction. A line of zero is left
// out, but the numbers of the others stay: a line's number is part of "never twice".

import { assert } from '../platform/errors.ts'
import { type Account, account, gatewayAccount, type Place } from './account.ts'

export type Line = Readonly<{ line: number; debit: Account; credit: Account; amount: bigint }>

/** The figures of the attempt that carried it out, in hundredths. */
export type Figures = Readonly<{
  requested_amount: bigint
  client_fee: bigint
  gateway_fee: bigint
  platform_fee: bigint
  gateway_cost_excess: bigint
  debited_amount: bigint
  net_amount: bigint
}>

type Spec = readonly [debit: Account, credit: Account, amount: bigint]

export function lines(specs: readonly Spec[]): Line[] {
  const made: Line[] = []
  for (const [at, [debit, credit, amount]] of specs.entries()) {
    assert(amount >= 0n, 'a posting is never negative')
    if (amount > 0n) made.push({ line: at + 1, debit, credit, amount })
  }
  return made
}

function assertFigures(figures: Figures): void {
  assert(figures.debited_amount === figures.net_amount + figures.client_fee, 'debited = net + fee')
  assert(figures.gateway_fee + figures.platform_fee === figures.client_fee, 'fees sum')
}

/** A payin or top-up succeeds: what was collected is the merchant's net and the fees. */
export function payinSuccess(place: Place, gateway_id: string, figures: Figures): Line[] {
  assertFigures(figures)
  const gateway = gatewayAccount(place, gateway_id, 'COLLECT')
  const gatewayFees = account(place, 'gateway_fees')
  return lines([
    [gateway, account(place, 'available'), figures.net_amount],
    [gateway, gatewayFees, figures.gateway_fee],
    [gateway, account(place, 'platform_fees'), figures.platform_fee],
    [account(place, 'gateway_costs'), gatewayFees, figures.gateway_cost_excess],
  ])
}

/** Money is promised: available becomes pending (payout, settlement, transfer). */
export function hold(place: Place, amount: bigint): Line[] {
  return lines([[account(place, 'available'), account(place, 'pending'), amount]])
}

/** The promise ends: all of it goes back. */
export function release(place: Place, amount: bigint): Line[] {
  return lines([[account(place, 'pending'), account(place, 'available'), amount]])
}

/** A payout or a settlement through a gateway went out: the hold is spent. */
export function payoutSuccess(place: Place, gateway_id: string, figures: Figures): Line[] {
  return spend(place, gatewayAccount(place, gateway_id, 'DISBURSE'), figures)
}

/** A settlement went out through the bank. */
export function bankSettlementSuccess(place: Place, figures: Figures): Line[] {
  return spend(place, account(place, 'bank'), figures)
}

function spend(place: Place, source: Account, figures: Figures): Line[] {
  assertFigures(figures)
  const pending = account(place, 'pending')
  const gatewayFees = account(place, 'gateway_fees')
  return lines([
    [pending, source, figures.net_amount],
    [pending, gatewayFees, figures.gateway_fee],
    [pending, account(place, 'platform_fees'), figures.platform_fee],
    [account(place, 'gateway_costs'), gatewayFees, figures.gateway_cost_excess],
  ])
}

/** A settlement's money came back after it had succeeded. */
export function settlementReturned(place: Place, source: Account, net_amount: bigint): Line[] {
  return lines([[source, account(place, 'available'), net_amount]])
}

/** Where an incident's difference waits: one suspense account for each incident. */
export const suspense = (place: Place, incident_id: string): Account =>
  account(place, 'suspense', incident_id)

type Incident = Readonly<{
  place: Place
  incident_id: string
  gateway_id: string
  /** For money that goes out: which of the gateway's accounts has it. Default `DISBURSE`. */
  float?: 'COLLECT' | 'DISBURSE'
}>

/** A second capture, or an amount other than requested: the gateway has it, nobody is credited. */
export function capturedToSuspense(incident: Incident, amount: bigint): Line[] {
  const { place, incident_id, gateway_id } = incident
  const gateway = gatewayAccount(place, gateway_id, 'COLLECT')
  return lines([[gateway, suspense(place, incident_id), amount]])
}

/** The gateway took a payin back after SUCCESS. */
export function reversedToSuspense(incident: Incident, debited_amount: bigint): Line[] {
  const { place, incident_id, gateway_id } = incident
  const gateway = gatewayAccount(place, gateway_id, 'COLLECT')
  return lines([[suspense(place, incident_id), gateway, debited_amount]])
}

/** A payout that had succeeded came back: the gateway has it again, nobody is credited. */
export function payoutReturnedToSuspense(incident: Incident, net_amount: bigint): Line[] {
  const { place, incident_id, gateway_id, float = 'DISBURSE' } = incident
  const gateway = gatewayAccount(place, gateway_id, float)
  return lines([[gateway, suspense(place, incident_id), net_amount]])
}

/** The gateway paid what no hold is spent on: after its release, twice, or another amount. */
export function paidToSuspense(incident: Incident, net_amount: bigint): Line[] {
  const { place, incident_id, gateway_id, float = 'DISBURSE' } = incident
  const gateway = gatewayAccount(place, gateway_id, float)
  return lines([[suspense(place, incident_id), gateway, net_amount]])
}

/** Resolutions of what was captured: back to the payer, or on to the merchant. */
export function refundPayer(incident: Incident, amount: bigint): Line[] {
  const { place, incident_id, gateway_id } = incident
  const gateway = gatewayAccount(place, gateway_id, 'COLLECT')
  return lines([[suspense(place, incident_id), gateway, amount]])
}

export function creditMerchant(incident: Incident, amount: bigint): Line[] {
  const { place, incident_id } = incident
  return lines([[suspense(place, incident_id), account(place, 'available'), amount]])
}

/** Another amount came and is accepted as it is: the fees stay, the merchant gets the rest. */
export function acceptMismatch(incident: Incident, came: bigint, figures: Figures): Line[] {
  assertFigures(figures)
  const { place, incident_id } = incident
  const from = suspense(place, incident_id)
  const gatewayFees = account(place, 'gateway_fees')
  assert(came > figures.client_fee, 'what came covers the fee')
  return lines([
    [from, account(place, 'available'), came - figures.client_fee],
    [from, gatewayFees, figures.gateway_fee],
    [from, account(place, 'platform_fees'), figures.platform_fee],
    [account(place, 'gateway_costs'), gatewayFees, figures.gateway_cost_excess],
  ])
}

/**
 * The merchant bears a reversal, with what it has and the rest as its debt; fees and cost are
 * undone.
 */
export function chargeMerchantForReversal(
  incident: Incident,
  figures: Figures,
  from_available: bigint,
): Line[] {
  assertFigures(figures)
  const { place, incident_id } = incident
  const to = suspense(place, incident_id)
  const gatewayFees = account(place, 'gateway_fees')
  return lines([
    [account(place, 'available'), to, from_available],
    [account(place, 'merchant_debt'), to, figures.net_amount - from_available],
    [gatewayFees, to, figures.gateway_fee],
    [account(place, 'platform_fees'), to, figures.platform_fee],
    [gatewayFees, account(place, 'gateway_costs'), figures.gateway_cost_excess],
  ])
}

/** The merchant bears a payout that was paid after its release; the fees are booked now. */
export function chargeMerchantForPayout(
  incident: Incident,
  figures: Figures,
  from_available: bigint,
): Line[] {
  assertFigures(figures)
  const { place, incident_id } = incident
  const available = account(place, 'available')
  const debt = account(place, 'merchant_debt')
  const gatewayFees = account(place, 'gateway_fees')
  const owed = figures.debited_amount
  const toSuspense = smaller(from_available, figures.net_amount)
  const rest = smaller(from_available - toSuspense, figures.gateway_fee)
  const last = from_available - toSuspense - rest
  assert(from_available <= owed, 'never more than is owed')
  return lines([
    [available, suspense(place, incident_id), toSuspense],
    [debt, suspense(place, incident_id), figures.net_amount - toSuspense],
    [available, gatewayFees, rest],
    [debt, gatewayFees, figures.gateway_fee - rest],
    [available, account(place, 'platform_fees'), last],
    [debt, account(place, 'platform_fees'), figures.platform_fee - last],
    [account(place, 'gateway_costs'), gatewayFees, figures.gateway_cost_excess],
  ])
}

/**
 * The merchant bears a sum that went out beyond what was promised, with what it has and the rest as
 * debt.
 */
export function chargeSum(incident: Incident, amount: bigint, from_available: bigint): Line[] {
  const { place, incident_id } = incident
  const to = suspense(place, incident_id)
  return lines([
    [account(place, 'available'), to, from_available],
    [account(place, 'merchant_debt'), to, amount - from_available],
  ])
}

/** We bear a shortfall; a sum that can be given to nobody reduces our losses. */
export function writeOff(incident: Incident, amount: bigint, side: 'DEBIT' | 'CREDIT'): Line[] {
  const { place, incident_id } = incident
  const losses = account(place, 'losses')
  const waiting = suspense(place, incident_id)
  return lines([side === 'DEBIT' ? [losses, waiting, amount] : [waiting, losses, amount]])
}

/** A transfer between two countries is approved: out of pending here, into available there. */
export function transferApproved(
  from: Place,
  to: Place,
  figures: { from_amount: bigint; fee_amount: bigint; to_amount: bigint },
): Line[] {
  const pending = account(from, 'pending')
  return lines([
    [pending, account(from, 'fx'), figures.from_amount - figures.fee_amount],
    [pending, account(from, 'platform_fees'), figures.fee_amount],
    [account(to, 'fx'), account(to, 'available'), figures.to_amount],
  ])
}

export const freeze = (place: Place, amount: bigint): Line[] =>
  lines([[account(place, 'available'), account(place, 'frozen'), amount]])

export const liftFreeze = (place: Place, amount: bigint): Line[] =>
  lines([[account(place, 'frozen'), account(place, 'available'), amount]])

/** By two members of staff: a credit that we bear, and its opposite (docs/decisions/0017). */
export const lossCredited = (place: Place, amount: bigint): Line[] =>
  lines([[account(place, 'losses'), account(place, 'available'), amount]])

export const lossCharged = (place: Place, amount: bigint): Line[] =>
  lines([[account(place, 'available'), account(place, 'losses'), amount]])

/** The merchant's debt falls: the merchant pays it out of its balance, or we give it up. */
export const collectDebt = (place: Place, amount: bigint): Line[] =>
  lines([[account(place, 'available'), account(place, 'merchant_debt'), amount]])

export const writeOffDebt = (place: Place, amount: bigint): Line[] =>
  lines([[account(place, 'losses'), account(place, 'merchant_debt'), amount]])

export const sandboxFunding = (place: Place, amount: bigint): Line[] =>
  lines([[account(place, 'sandbox_funding'), account(place, 'available'), amount]])

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

// What a settlement costs, and on which routes it may go. A mobile-money number is priced as a
// payout on its network, a bank account by the platform's own terms. The price is frozen when it is
// requested: later only routes are tried that pay out the same net. Pure.

import type { AttemptPlan } from '../attempts/attempt.ts'
import type { Catalogue, Country } from '../catalogue/catalogue.ts'
import type { PayoutMethod } from '../merchants/payout-methods/payout-method.ts'
import { smallestUnit } from '../money/currency.ts'
import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { sendable } from '../payouts/plan-payout.ts'
import { paymentErrors } from '../planning/errors.ts'
import { plansAsPromised, type SendFacts } from '../planning/plan-promised.ts'
import { planRoutes, type RouteFacts } from '../planning/plan-routes.ts'
import { Invalid, refuse, type Text } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { chargeOn } from '../pricing/charge.ts'
import { splitAmount } from '../pricing/split-amount.ts'
import type { Destination, Settlement } from './settlement.ts'
import { bankFeeFixed, type SettlementTerms } from './terms.ts'

export type Price = Pick<
  Settlement,
  | 'requested_amount'
  | 'fee_charge_mode'
  | 'client_fee'
  | 'gateway_fee'
  | 'platform_fee'
  | 'debited_amount'
  | 'net_amount'
>

export type SettlementRequest = Readonly<{
  environment: Environment
  country: Country
  method: Pick<PayoutMethod, 'type' | 'network_code' | 'msisdn'>
  /** Hundredths of the country's currency. */
  requested: bigint
  /** The caller's or the merchant's; undefined takes the tier's, or DEDUCTED. */
  fee_charge_mode: FeeChargeMode | undefined
  /** Nothing is sent: it is only shown what it would cost. */
  showing?: boolean
}>

export type PriceFacts = RouteFacts & Readonly<{ catalogue: Catalogue; terms: SettlementTerms }>

export function priceSettlement(facts: PriceFacts, request: SettlementRequest): Price {
  return request.method.type === 'BANK_ACCOUNT'
    ? priceAtBank(facts.terms, request)
    : priceAsPayout(facts, request)
}

function priceAtBank(terms: SettlementTerms, request: SettlementRequest): Price {
  const { requested } = request
  const currency = request.country.default_currency
  const fee_charge_mode = request.fee_charge_mode ?? 'DEDUCTED'
  const fixed = bankFeeFixed(terms, currency)
  const charge = { percent_ppm: terms.bank_fee_percent_ppm, fixed, floor: null, cap: null }
  const split = splitAmount({
    requested,
    client_fee: chargeOn(charge, requested, currency),
    route_cost: 0n,
    mode: fee_charge_mode,
    direction: 'DISBURSE',
    currency,
    amount_step: smallestUnit(currency),
  })
  if (split.is !== 'split') throw new Invalid({ requested_amount: [feeTooHigh] })
  const { client_fee, gateway_fee, platform_fee, debited_amount, net_amount } = split
  const amounts = { debited_amount, net_amount, requested_amount: requested }
  return { ...amounts, fee_charge_mode, client_fee, gateway_fee, platform_fee }
}

const feeTooHigh: Text = {
  en: 'The fee would take the whole amount.',
  fr: 'Les frais absorberaient tout le montant.',
}

function priceAsPayout(facts: PriceFacts, request: SettlementRequest): Price {
  const network = facts.catalogue.networkByCode(request.method.network_code ?? '')
  if (!network?.is_active) throw refuse(paymentErrors.invalid_method)
  if (!network.takes_payouts) throw refuse(payoutErrors.payout_not_enabled)
  // A balance has the currency of its country.
  if (network.currency !== request.country.default_currency) {
    throw refuse(payoutErrors.currency_country_mismatch)
  }
  const [plan] = onRequestedAmount(() =>
    planRoutes(facts, {
      direction: 'DISBURSE',
      environment: request.environment,
      network,
      requested: request.requested,
      operation_msisdn: request.method.msisdn ?? '',
      fee: 'TIER',
      fee_charge_mode: request.fee_charge_mode,
      preferred_gateway: '',
      showing: request.showing ?? false,
    }),
  )
  return {
    requested_amount: plan.requested_amount,
    fee_charge_mode: plan.fee_charge_mode,
    client_fee: plan.client_fee,
    gateway_fee: plan.gateway_fee,
    platform_fee: plan.platform_fee,
    debited_amount: plan.debited_amount,
    net_amount: plan.net_amount,
  }
}

/** Payouts call the field `amount`. */
function onRequestedAmount<T>(plan: () => T): T {
  try {
    return plan()
  } catch (error) {
    const faults = error instanceof Invalid ? error.fields['amount'] : undefined
    throw faults === undefined ? error : new Invalid({ requested_amount: faults })
  }
}

type Target = Pick<Destination, 'network_code' | 'msisdn'>
/**
 * The attempts that may be made now for what was priced before; none where no gateway takes it, or
 * none has a float.
 */
export function plansNow(facts: SendFacts, settlement: Settlement, to: Target): AttemptPlan[] {
  const { network_code, msisdn } = to
  if (msisdn === null) return []
  const rules = { pricing_rule: null, merchant_pricing_rule: null, preferred_gateway: '' }
  const promised = { ...settlement, ...rules, network_code, operation_msisdn: msisdn }
  return sendable(plansAsPromised(facts, promised))
}

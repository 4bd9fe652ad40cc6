// What a payment or a top-up would cost, and what would reach the balance.

import { mayTopUpFrom } from '../merchants/payout-methods/get-payout-method.ts'
import { paymentErrors } from '../planning/errors.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import { planRoutes } from '../planning/plan-routes.ts'
import {
  feeChargeMode,
  findCountryOf,
  findNetwork,
  requestedAmount,
} from '../planning/plan-softpay.ts'
import type { Caller } from '../platform/http/route.ts'
import { topUpRule } from '../pricing/rules.ts'
import { amountIn, type QuoteQuestion } from './query.ts'
import { boundsOf, type Quote, rateOf, readNumber } from './quote.ts'

export async function quotePayment(
  deps: PaymentDeps,
  caller: Caller,
  asked: QuoteQuestion,
): Promise<Quote> {
  const facts = await factsFor(deps, caller)
  const country = findCountryOf(facts.catalogue, caller, asked)
  const network = findNetwork(facts.catalogue, country, asked.network)
  const number =
    asked.msisdn === undefined ? null : readNumber(facts.catalogue, asked.msisdn, network)
  const currency = asked.currency ?? network.currency
  amountIn(asked, currency)
  const sum = requestedAmount(facts.rates, network, { amount: asked.amount, currency })
  const isTopUp = asked.kind === 'TOP_UP'
  const [plan] = planRoutes(facts, {
    direction: 'COLLECT',
    fee: isTopUp ? 'TOP_UP' : 'TIER',
    environment: caller.environment,
    network,
    requested: sum.requested,
    operation_msisdn: number?.e164 ?? '',
    fee_charge_mode: feeChargeMode(caller, isTopUp ? undefined : asked.fee_charge_mode),
    preferred_gateway: '',
    showing: true,
  })
  const rules = facts.rules
  const rule = isTopUp ? topUpRule(rules, network.id) : rules.of(network.id, 'COLLECT')
  const owned = isTopUp && number !== null ? await mayTopUpFrom(deps.db, caller, number.e164) : true
  return {
    network: network.code,
    fee_charge_mode: plan.fee_charge_mode,
    requested: plan.requested_amount,
    fee: plan.client_fee,
    charged: plan.debited_amount,
    net: plan.net_amount,
    currency: network.currency,
    net_currency: network.currency,
    original: sum.original,
    rate: sum.original && rateOf(sum.original.rate_e8, sum.rows),
    limits: boundsOf(rule),
    needs_approval: false,
    insufficient: null,
    refusals: owned ? [] : [paymentErrors.topup_number_not_owned],
    number,
    recipient: null,
  }
}

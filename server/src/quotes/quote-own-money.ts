// What moving one's own money would cost: a settlement to a payout method, a transfer between two
// countries; and whether staff would have to approve it.

import { payoutErrors } from '../payouts/errors.ts'
import { autoBelow } from '../planning/auto-below.ts'
import { paymentErrors } from '../planning/errors.ts'
import { factsFor } from '../planning/facts.ts'
import { feeChargeMode } from '../planning/plan-softpay.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import type { StoredRate } from '../rates/store.ts'
import { priceSettlement } from '../settlements/plan-settlement.ts'
import { type SettlementDeps, usableMethod } from '../settlements/request-settlement.ts'
import { sumAutomatic as sumSettled } from '../settlements/store.ts'
import { planTransfer } from '../wallets/plan-transfer.ts'
import { sumAutomatic as sumTransferred } from '../wallets/store.ts'
import type { TransferTerms } from '../wallets/terms.ts'
import { amountIn, onAmount, type QuoteQuestion } from './query.ts'
import { boundsOf, judgeBalance, noLimits, type Quote, rateOf } from './quote.ts'

export type OwnMoneyDeps = SettlementDeps & Readonly<{ transfers: TransferTerms }>

export async function quoteSettlement(
  deps: OwnMoneyDeps,
  caller: Caller,
  asked: QuoteQuestion,
): Promise<Quote> {
  const { db, terms } = deps
  const { merchant_id, environment } = caller
  const facts = { ...(await factsFor(deps, caller)), terms }
  const country = facts.catalogue.countryByCode(asked.country)
  if (country === undefined) throw refuse(paymentErrors.invalid_country)
  const { default_currency: currency, iso_code } = country
  requireOwnCurrency(asked, currency)
  const method = await usableMethod(db, caller, { id: asked.payout_method, country })
  const requested = amountIn(asked, currency)
  const fee_charge_mode = feeChargeMode(caller, asked.fee_charge_mode)
  const request = { environment, country, method, requested, fee_charge_mode, showing: true }
  const price = await onAmount('requested_amount', () => priceSettlement(facts, request))
  const [judged, settled] = await Promise.all([
    judgeBalance(db, caller, { country: iso_code, amount: price.debited_amount }),
    sumSettled(db, { merchant_id, environment, currency }),
  ])
  const network = facts.catalogue.networkByCode(method.network_code ?? '')
  return {
    network: network?.code ?? null,
    fee_charge_mode: price.fee_charge_mode,
    requested: price.requested_amount,
    fee: price.client_fee,
    charged: price.debited_amount,
    net: price.net_amount,
    currency,
    net_currency: currency,
    original: null,
    rate: null,
    limits: network === undefined ? noLimits : boundsOf(facts.rules.of(network.id, 'DISBURSE')),
    needs_approval: settled + requested >= autoBelow(terms, environment, currency),
    insufficient: judged.insufficient,
    refusals: judged.refusals,
    number: null,
    recipient: null,
  }
}

export async function quoteTransfer(
  deps: OwnMoneyDeps,
  caller: Caller,
  asked: QuoteQuestion,
): Promise<Quote> {
  const { db, transfers } = deps
  const { merchant_id, environment } = caller
  const { catalogue, rates } = await factsFor(deps, caller)
  const from = catalogue.countryByCode(asked.country)
  if (from === undefined) throw refuse(paymentErrors.invalid_country)
  const currency = from.default_currency
  requireOwnCurrency(asked, currency)
  amountIn(asked, currency)
  const { fee_percent_ppm } = transfers
  const body = {
    from_country: asked.country,
    to_country: asked.to_country,
    from_amount: asked.amount,
  }
  const plan = await onAmount('from_amount', () =>
    planTransfer({ catalogue, rates, fee_percent_ppm }, caller, body),
  )
  const leaving = { merchant_id, environment, from_currency: currency }
  const [judged, transferred] = await Promise.all([
    judgeBalance(db, caller, { country: from.iso_code, amount: plan.from_amount }),
    sumTransferred(db, leaving),
  ])
  return {
    network: null,
    // The fee is always taken from what leaves.
    fee_charge_mode: 'DEDUCTED',
    requested: plan.from_amount,
    fee: plan.fee_amount,
    charged: plan.from_amount,
    net: plan.to_amount,
    currency,
    net_currency: plan.to.default_currency,
    original: null,
    rate: rateOf(plan.exchange_rate, ratesNamed(rates, plan.rate_ids)),
    limits: noLimits,
    needs_approval: transferred + plan.from_amount >= autoBelow(transfers, environment, currency),
    insufficient: judged.insufficient,
    refusals: judged.refusals,
    number: null,
    recipient: null,
  }
}

const ratesNamed = (rates: readonly StoredRate[], ids: readonly string[]) =>
  rates.filter(({ id }) => ids.includes(id))

/** A balance has the currency of its country. */
function requireOwnCurrency({ currency }: QuoteQuestion, own: string): void {
  if (currency !== undefined && currency !== own) {
    throw refuse(payoutErrors.currency_country_mismatch)
  }
}

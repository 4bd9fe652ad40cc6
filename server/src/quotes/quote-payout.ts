// What a payout would cost and take from its balance, and whether its limits let it pass.

import { wouldNeedApproval } from '../payouts/approval-statements.ts'
import { findEarlier, type Recipient } from '../payouts/earlier-statements.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { approvedAbove, isTooLarge, needsApproval, strictest } from '../payouts/limits/limit.ts'
import { leftToday, listLimitsMet } from '../payouts/limits/store.ts'
import { findPayoutNetwork } from '../payouts/plan-payout.ts'
import { factsFor, type PaymentDeps } from '../planning/facts.ts'
import { planRoutes } from '../planning/plan-routes.ts'
import { feeChargeMode } from '../planning/plan-softpay.ts'
import type { Caller } from '../platform/http/route.ts'
import { amountIn, type QuoteQuestion } from './query.ts'
import { boundsOf, judgeBalance, type Quote, type QuoteLimits, readNumber } from './quote.ts'
import { type RecipientDeps, recipientOf } from './recipient.ts'

export async function quotePayout(
  deps: PaymentDeps & RecipientDeps,
  caller: Caller,
  asked: QuoteQuestion,
): Promise<Quote> {
  const facts = await factsFor(deps, caller)
  const { currency } = asked
  const named = { country: asked.country, method: asked.network, currency }
  const { country, network } = findPayoutNetwork(facts.catalogue, caller, named)
  const number =
    asked.msisdn === undefined ? null : readNumber(facts.catalogue, asked.msisdn, network)
  const plans = planRoutes(facts, {
    direction: 'DISBURSE',
    fee: 'TIER',
    environment: caller.environment,
    network,
    requested: amountIn(asked, network.currency),
    operation_msisdn: number?.e164 ?? '',
    fee_charge_mode: feeChargeMode(caller, asked.fee_charge_mode),
    preferred_gateway: '',
    showing: true,
  })
  const [plan] = plans
  const amount = plan.debited_amount
  const msisdn = number?.e164
  const [judged, limited] = await Promise.all([
    judgeBalance(deps.db, caller, { country: country.iso_code, amount }),
    judgeLimits(deps, caller, {
      country: country.iso_code,
      amount,
      operation_msisdn: msisdn ?? null,
      sums: plan,
    }),
  ])
  const refusals = [
    ...judged.refusals,
    ...(limited.isExceeded ? [payoutErrors.payout_limit_exceeded] : []),
  ]
  // Whom a payout would reach that is refused anyway is nobody's business.
  const isAsked = msisdn !== undefined && refusals.length === 0
  const sought = { plans, network: network.code, msisdn: msisdn ?? '' }
  const recipient = isAsked ? await recipientOf(deps, caller, sought) : null
  return {
    network: network.code,
    fee_charge_mode: plan.fee_charge_mode,
    requested: plan.requested_amount,
    fee: plan.client_fee,
    charged: amount,
    net: plan.net_amount,
    currency: network.currency,
    net_currency: network.currency,
    original: null,
    rate: null,
    limits: { ...boundsOf(facts.rules.of(network.id, 'DISBURSE')), ...limited.limits },
    needs_approval: limited.needs_approval,
    insufficient: judged.insufficient,
    refusals,
    number,
    recipient,
  }
}

type Leaving = Readonly<{
  country: string
  /** Hundredths, with its fee. */
  amount: bigint
  /** Null: to whom is not said yet. */
  operation_msisdn: string | null
  sums: Pick<Recipient, 'requested_amount' | 'net_amount'>
}>

async function judgeLimits(deps: PaymentDeps, caller: Caller, leaving: Leaving) {
  const { merchant_id, environment, api_key_id } = caller
  const { country, amount, operation_msisdn, sums } = leaving
  const place = { merchant_id, environment, country }
  const limits = await listLimitsMet(deps.db, { ...place, api_key_id })
  const left_today = await leftToday(deps.db, place, limits)
  const per_payout = strictest(limits.map((limit) => limit.per_payout))
  const isExceeded = isTooLarge(limits, amount) || (left_today !== null && amount > left_today)
  const most = approvedAbove(limits)
  const together =
    most !== null && operation_msisdn !== null && !needsApproval(limits, amount)
      ? await wouldNeedApproval(deps.db, {
          merchant_id,
          environment,
          operation_msisdn,
          amount,
          most,
        })
      : false
  const guarded =
    operation_msisdn !== null &&
    (await isGuarded(deps.db, { merchant_id, environment, operation_msisdn, ...sums }))
  const figures: Pick<QuoteLimits, 'per_payout' | 'left_today'> = { per_payout, left_today }
  return {
    limits: figures,
    isExceeded,
    needs_approval: needsApproval(limits, amount) || together || guarded,
  }
}

const isGuarded = async (db: PaymentDeps['db'], to: Recipient): Promise<boolean> =>
  (await findEarlier(db, to)).unknown !== undefined

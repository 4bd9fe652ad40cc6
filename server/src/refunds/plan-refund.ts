// What a refund would be: how much, by which way, at which cost, decided from the payment as it is
// locked. Each refusal has its own code, in the documented order (contract 8.22). Pure.

import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import type { Attempt, AttemptPlan } from '../attempts/attempt.ts'
import { readPhone } from '../customers/phone.ts'
import { type Refunds, refunds } from '../gateways/gateway.ts'
import type { SkippedRoute } from '../gateways/routing.ts'
import { amountFaultText, checkDecimal, parseAmount } from '../money/parse-amount.ts'
import { sendable } from '../payouts/plan-payout.ts'
import { planPromised, type SendFacts } from '../planning/plan-promised.ts'
import { AmountInput } from '../planning/softpay-body.ts'
import { invalid, refuse, type Text } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import { isErased, type Transaction } from '../transactions/transaction.ts'
import { refundableOf } from '../transactions/view.ts'
import { refundErrors } from './errors.ts'
import type { RefundMethod, SendingWait } from './refund.ts'

export const RefundBody = Type.Object(
  {
    amount: Type.Optional(AmountInput),
    reason: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'Why. In the sandbox `sandbox:01` and its like choose how it ends, as the magic ' +
          'numbers do.',
      }),
    ),
    reference: Type.Optional(Type.String({ maxLength: 100, description: 'Your own.' })),
    recipient: Type.Optional(
      Type.Object(
        { msisdn: Type.String({ minLength: 1, maxLength: 40 }) },
        {
          description:
            'Only where the payer’s number is not known: they paid on a page, and their operator ' +
            'gives nothing back itself.',
        },
      ),
    ),
  },
  { title: 'RefundCreate' },
)
export type RefundBody = Static<typeof RefundBody>

/** Adds an invalid amount to the same 400. */
export const checkRefund = (body: Readonly<Record<string, unknown>>) =>
  body['amount'] === undefined || body['amount'] === null ? {} : checkDecimal(body)

export type RefundFacts = SendFacts & Readonly<{ now: Date }>

/** A payment, and the attempt that collected its money. */
export type Collected = Readonly<{ payment: Transaction; attempt: Attempt }>

export type RefundPlan = Readonly<{
  /** Hundredths. */
  amount: bigint
  method: RefundMethod
  network_code: string
  /** Who is paid, for a payout; else who had paid, as far as it is known. */
  operation_msisdn: string
  is_named: boolean
  is_returned_by_operator: boolean
  /** The operator takes no other while one is under way. */
  one_at_a_time: boolean
}>

const needed: Text = {
  en: 'Give the payer’s number: they paid on a page, so it is not known.',
  fr: 'Indiquez le numéro du payeur : il a payé sur une page, il n’est donc pas connu.',
}
const notNeeded: Text = {
  en: 'Omit this field: the refund goes back to whoever paid.',
  fr: 'Omettez ce champ : le remboursement revient à celui qui a payé.',
}
const notAPhone: Text = {
  en: 'Must be a phone number of the payment’s country.',
  fr: 'Doit être un numéro de téléphone du pays du paiement.',
}

export function planRefund(facts: RefundFacts, of: Collected, body: RefundBody): RefundPlan {
  const { payment, attempt } = of
  const amount = amountOf(payment, body)
  const operator = operatorFor(facts, of, amount)
  const common = { amount, network_code: attempt.network_code }
  if (operator !== undefined) {
    if (body.recipient !== undefined) throw invalid('recipient.msisdn', notNeeded)
    const { returns_fee, one_at_a_time } = operator.refund_facts
    return {
      ...common,
      method: 'OPERATOR',
      operation_msisdn: attempt.operation_msisdn,
      is_named: false,
      is_returned_by_operator: returns_fee,
      one_at_a_time,
    }
  }
  return {
    ...common,
    method: 'PAYOUT',
    ...recipientOf(facts, of, body),
    is_returned_by_operator: false,
    one_at_a_time: false,
  }
}

function amountOf(payment: Transaction, { amount }: RefundBody): bigint {
  const left = refundableOf(payment)
  if (amount === undefined) {
    if (left === 0n) throw refuse(refundErrors.not_refundable)
    return left
  }
  if (payment.status !== 'SUCCESS' || payment.transaction_type !== 'PAIEMENT') {
    throw refuse(refundErrors.not_refundable)
  }
  const reading = parseAmount(amount, payment.currency)
  if (reading.is === 'invalid') throw invalid('amount', amountFaultText[reading.why])
  if (reading.hundredths > left) throw refuse(refundErrors.refund_too_large)
  return reading.hundredths
}

/** The gateway that collected it, where it gives such a part back and its time is not over. */
function operatorFor(
  { gateways, now }: RefundFacts,
  { payment, attempt }: Collected,
  amount: bigint,
): Refunds | undefined {
  const gateway = gateways.get(attempt.gateway_code)
  if (gateway === undefined || !refunds(gateway)) return undefined
  const { partial, window_s } = gateway.refund_facts
  const settled_at = attempt.finished_at ?? attempt.created_at
  const isInTime = now.getTime() - settled_at.getTime() <= window_s * 1000
  return isInTime && (partial || amount === payment.debited_amount) ? gateway : undefined
}

/** Only who approved on the phone is known to have paid; after a page the merchant says who did. */
function recipientOf(
  { catalogue }: RefundFacts,
  { payment, attempt }: Collected,
  { recipient }: RefundBody,
): Pick<RefundPlan, 'operation_msisdn' | 'is_named'> {
  const flow = attempt.flow ?? catalogue.networkByCode(attempt.network_code)?.flow
  const isPage = attempt.checkout_url !== '' || flow !== 'push'
  if (!isPage && !isErased(attempt)) {
    if (recipient !== undefined) throw invalid('recipient.msisdn', notNeeded)
    return { operation_msisdn: attempt.operation_msisdn, is_named: false }
  }
  if (recipient === undefined) throw invalid('recipient.msisdn', needed)
  const phone = readPhone(recipient.msisdn, payment.country_code)
  if (phone.is === 'impossible') throw invalid('recipient.msisdn', notAPhone)
  return { operation_msisdn: phone.e164, is_named: true }
}

/** The figures of a refund that its routes are planned by; amounts in hundredths. */
export type Priced = RefundPlan &
  Readonly<{ currency: string; fee: bigint; gateway_fee: bigint; platform_fee: bigint }>

export type Ways = Readonly<{
  /** The attempts that may be made, in turn; none where no operator can take it now. */
  plans: readonly AttemptPlan[]
  /** There are none, and routes are there that may be taken later: what the first waits for. */
  waits_for: SendingWait | null
  /** Each route that was put last or left out, and why. */
  passed_over: readonly SkippedRoute[]
}>

export function waysOf(facts: SendFacts, { attempt, payment }: Collected, plan: Priced): Ways {
  if (plan.method === 'OPERATOR') {
    const plans = isOn(facts, attempt) ? [atItsOperator(attempt, plan)] : []
    return { plans, waits_for: null, passed_over: [] }
  }
  return payoutWays(facts, { ...plan, environment: payment.environment })
}

/** The same of one that is paid out, which needs to know nothing else of its payment. */
export function payoutWays(
  facts: SendFacts,
  plan: Omit<Priced, 'one_at_a_time'> & Readonly<{ environment: Environment }>,
): Ways {
  const { plans: all, passed_over } = planPromised(facts, {
    environment: plan.environment,
    network_code: plan.network_code,
    operation_msisdn: plan.operation_msisdn,
    currency: plan.currency,
    ...sums(plan),
    pricing_rule: null,
    merchant_pricing_rule: null,
    preferred_gateway: '',
  })
  const plans = sendable(all)
  const [first] = plans.length === 0 ? all : []
  return { plans, waits_for: first?.held_back ?? null, passed_over }
}

/** Nothing new is sent to an account that is switched off, or that nobody here can speak to. */
function isOn({ gateways }: SendFacts, { gateway_code }: Attempt): boolean {
  const gateway = gateways.get(gateway_code)
  return gateway !== undefined && gateway.facts.asked_only !== true
}

/** As of a payout with the fee on top: the payer gets the whole amount. */
const sums = ({ amount, fee }: Pick<Priced, 'amount' | 'fee'>) => ({
  requested_amount: amount,
  fee_charge_mode: 'ADD_ON' as const,
  client_fee: fee,
  debited_amount: amount + fee,
  net_amount: amount,
})

/** The gateway that collected the money, whatever its routes are now. */
function atItsOperator(attempt: Attempt, plan: Priced): AttemptPlan {
  return {
    ...sums(plan),
    id: newId(),
    our_key: randomUUID(),
    direction: 'DISBURSE',
    route_id: attempt.route_id,
    gateway_id: attempt.gateway_id,
    gateway_code: attempt.gateway_code,
    network_id: attempt.network_id,
    network_code: attempt.network_code,
    country_code: attempt.country_code,
    operation_msisdn: plan.operation_msisdn,
    pricing_rule: null,
    merchant_pricing_rule: null,
    gateway_fee: plan.gateway_fee,
    platform_fee: plan.platform_fee,
    gateway_cost_excess: 0n,
    currency: plan.currency,
    otp_kind: 'NONE',
    flow: 'push',
    prompt_lifetime_s: null,
    breaker: false,
    skipped_routes: [],
  }
}

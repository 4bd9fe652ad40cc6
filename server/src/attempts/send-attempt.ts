// One attempt goes to its gateway. No transaction may be open here: the HTTP client asserts it.
// What comes back is an answer, also when nothing came back.

import { collects, type Gateways, type Order, pays, type Told } from '../gateways/gateway.ts'
import type { Health } from '../gateways/health.ts'
import { assert } from '../platform/errors.ts'
import { type AttemptKeyOf, type AttemptPlan, wireAmount } from './attempt.ts'
import { callbackToken, type Macs } from './callback-token.ts'

export type SendDeps = Readonly<{
  gateways: Gateways
  health: Health
  macs: Macs
  /** Where this operator reaches us, without a slash at the end. */
  callback_base: (gateway_code: string) => string
  clock: () => number
}>

export type Sending = Readonly<{
  key: AttemptKeyOf
  plan: Omit<AttemptPlan, 'id' | 'skipped_routes'>
  external_reference: string
  otp: string | undefined
  description: string
  return_url: string
}>

export function orderOf(deps: Pick<SendDeps, 'macs' | 'callback_base'>, sending: Sending): Order {
  const { key, plan } = sending
  const token = callbackToken(deps.macs, key)
  const base = deps.callback_base(plan.gateway_code)
  return {
    merchant_id: key.merchant_id,
    attempt_id: key.id,
    direction: plan.direction,
    our_key: plan.our_key,
    external_reference: sending.external_reference,
    network_code: plan.network_code,
    country_code: plan.country_code,
    amount: wireAmount(plan),
    currency: plan.currency,
    msisdn: plan.operation_msisdn,
    flow: plan.flow,
    otp_kind: plan.otp_kind,
    otp: sending.otp,
    description: sending.description,
    callback_url: `${base}/callbacks/${plan.gateway_code}/${token}`,
    return_url: sending.return_url,
  }
}

/** Sends, and measures how the route fares. */
export async function sendAttempt(deps: SendDeps, sending: Sending): Promise<Told> {
  const { plan } = sending
  const gateway = deps.gateways.get(plan.gateway_code)
  assert(gateway !== undefined, `no gateway ${plan.gateway_code}`)
  const order = orderOf(deps, sending)
  const started = deps.clock()
  const told = await (plan.direction === 'COLLECT'
    ? callCollect(gateway, order)
    : callPay(gateway, order))
  const route = { id: plan.route_id, breaker: plan.breaker }
  deps.health.record(route, deps.clock() - started, troubleOf(told))
  return told
}

function callCollect(gateway: Parameters<typeof collects>[0], order: Order): Promise<Told> {
  assert(collects(gateway), `${gateway.code} does not collect`)
  return gateway.collect(order)
}

function callPay(gateway: Parameters<typeof pays>[0], order: Order): Promise<Told> {
  assert(pays(gateway), `${gateway.code} does not pay`)
  return gateway.pay(order)
}

/**
 * Why the answer says that the route is in trouble; a payer's refusal says nothing of the route.
 */
function troubleOf({ answer }: Told): string | undefined {
  if (answer.is === 'never_sent' || answer.is === 'unknown') return `${answer.is} ${answer.because}`
  if (answer.is === 'refused' && answer.failure_code === 'GATEWAY_UNAVAILABLE') return answer.detail
  return undefined
}

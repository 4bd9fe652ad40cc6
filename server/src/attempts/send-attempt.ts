// Sends one attempt to its gateway. No transaction may be open here: the HTTP client asserts it.
// The result is always an answer, also when nothing came back.

import type { RefusedCall } from '../gateways/alarm-statements.ts'
import { type Alarm, alarmIn } from '../gateways/alarms.ts'
import {
  type Answer,
  type AttemptKey,
  collects,
  type GatewayOrder,
  type GatewayReply,
  type Gateways,
  pays,
  type RefundOrder,
  refunds,
} from '../gateways/gateway.ts'
import type { Health } from '../gateways/health.ts'
import type { Fate } from '../gateways/route-counts.ts'
import { assert } from '../platform/errors.ts'
import { type AttemptKeyOf, type AttemptPlan, wireAmount } from './attempt.ts'
import { callbackToken, type Macs } from './callback-token.ts'
import type { Seals } from './memo-statements.ts'

export type SendDeps = Readonly<{
  gateways: Gateways
  health: Health
  macs: Macs
  /** For operators that give something to remember. */
  seals?: Seals
  /** Where this operator reaches us, without a trailing slash. */
  callback_base: (gateway_code: string) => string
  clock: () => number
  /** Called for what an answer raises an alarm for; never throws. Absent: nobody is notified. */
  alarm?: (alarm: Alarm) => Promise<void>
}>

/** What an operator is asked to give back: its own payment, for this refund. */
export type RefundOf = Readonly<{ refund_id: string; of: AttemptKey }>

export type SendRequest = Readonly<{
  key: AttemptKeyOf
  plan: Omit<AttemptPlan, 'id' | 'skipped_routes'>
  external_reference: string
  otp: string | undefined
  description: string
  return_url: string
  refund?: RefundOf | undefined
}>

export function gatewayOrderOf(
  deps: Pick<SendDeps, 'macs' | 'callback_base'>,
  request: SendRequest,
): GatewayOrder {
  const { key, plan } = request
  const token = callbackToken(deps.macs, key)
  const base = deps.callback_base(plan.gateway_code)
  return {
    merchant_id: key.merchant_id,
    attempt_id: key.id,
    direction: plan.direction,
    our_key: plan.our_key,
    external_reference: request.external_reference,
    network_code: plan.network_code,
    country_code: plan.country_code,
    amount: wireAmount(plan),
    currency: plan.currency,
    msisdn: plan.operation_msisdn,
    flow: plan.flow,
    otp_kind: plan.otp_kind,
    // A code is given to nobody who does not ask for one.
    otp: plan.otp_kind === 'PRE' ? request.otp : undefined,
    description: request.description,
    callback_url: `${base}/callbacks/${plan.gateway_code}/${token}`,
    return_url: request.return_url,
  }
}

/** Sends the attempt, and measures how the route fares. */
export async function sendAttempt(deps: SendDeps, request: SendRequest): Promise<GatewayReply> {
  const { plan } = request
  const gateway = deps.gateways.get(plan.gateway_code)
  assert(gateway !== undefined, `no gateway ${plan.gateway_code}`)
  const order = gatewayOrderOf(deps, request)
  if (request.refund !== undefined) {
    const reply = await callRefund(gateway, { ...order, ...request.refund })
    await noteAlarm(deps, { ...plan, call: 'REFUND' }, reply.answer)
    return reply
  }
  const call = beginCall(deps, request)
  const reply = await (plan.direction === 'COLLECT'
    ? callCollect(gateway, order)
    : callPay(gateway, order))
  await call.end(reply)
  return reply
}

/**
 * How a route fares is measured from here to its end; one that ends nothing is withdrawn. A refusal
 * that is no payment's fault raises its alarm.
 */
export function beginCall(deps: SendDeps, { key, plan }: Pick<SendRequest, 'key' | 'plan'>) {
  const { route_id, gateway_id, our_key, breaker } = plan
  const route = { id: route_id, breaker }
  const started = deps.clock()
  deps.health.begin(route)
  const withdraw = () => deps.health.withdraw(route)
  return {
    withdraw,
    async end(reply: GatewayReply): Promise<void> {
      if (isForPace(reply.answer)) return withdraw()
      deps.health.record(route, deps.clock() - started, troubleOf(reply))
      const fate = fateOf(reply.answer)
      // What was taken before and could not be asked about is a question that was refused.
      const call = reply.answer.is === 'refused' ? 'CREATE' : 'ASK'
      await noteAlarm(deps, { gateway_id, our_key, call }, reply.answer)
      const { merchant_id } = key
      // In the minute in which it is taken back once something is known.
      const at = fate === 'unknown' ? { at_ms: started } : {}
      if (fate !== undefined) deps.health.count({ route_id, merchant_id, fate, ...at })
    },
  }
}

type AskedAbout = Readonly<{ gateway_id: string; our_key: string; external_reference?: string }>

/**
 * A refusal that is nobody's payment's fault raises its alarm, whatever was refused; and so does
 * what people must see of the money, by the reference that they find it by at the operator.
 */
export async function noteAlarm(
  { alarm }: Pick<SendDeps, 'alarm'>,
  asked: AskedAbout & Readonly<{ call: RefusedCall }>,
  answer: Answer,
): Promise<void> {
  const kind = alarmIn(answer)
  if (kind === undefined) return
  const { gateway_id, our_key, external_reference, call } = asked
  if (kind === 'CREDENTIAL' || kind === 'CONFIGURATION') {
    await alarm?.({ gateway_id, kind, call })
    return
  }
  const theirs = 'external_reference' in answer ? answer.external_reference : external_reference
  await alarm?.({ gateway_id, kind, call: 'ANY', about: theirs || our_key })
}

/** There was no room for it among the calls that its operator allows: it never left. */
export const isForPace = (answer: Answer): boolean =>
  answer.is === 'never_sent' && /\bpace$/.test(answer.because)

/** What has become of a payment by this answer; undefined while it goes on. */
export function fateOf(answer: Answer): Exclude<Fate, 'known'> | undefined {
  switch (answer.is) {
    case 'confirmed':
      return 'good'
    case 'never_sent':
      return 'bad'
    case 'unknown':
      return 'unknown'
    case 'refused':
      if (answer.by === 'float') return undefined
      if (answer.failure_code === 'EXPIRED') return 'expired'
      return answer.by === 'payer' ? 'payer' : 'bad'
    default:
      return undefined
  }
}

function callCollect(
  gateway: Parameters<typeof collects>[0],
  order: GatewayOrder,
): Promise<GatewayReply> {
  assert(collects(gateway), `${gateway.code} does not collect`)
  return gateway.collect(order)
}

function callPay(gateway: Parameters<typeof pays>[0], order: GatewayOrder): Promise<GatewayReply> {
  assert(pays(gateway), `${gateway.code} does not pay`)
  return gateway.pay(order)
}

/** How a route fares is measured by payments and payouts alone. */
function callRefund(
  gateway: Parameters<typeof refunds>[0],
  { description: reason, ...order }: GatewayOrder & RefundOf,
): Promise<GatewayReply> {
  assert(refunds(gateway), `${gateway.code} gives nothing back`)
  const { refund_id, of, amount, currency, callback_url } = order
  const { merchant_id, attempt_id, direction, our_key, external_reference } = order
  const key = { merchant_id, attempt_id, direction, our_key, external_reference, refund_id, of }
  const wanted: RefundOrder = { ...key, amount, currency, reason, callback_url }
  return gateway.refund(wanted)
}

/**
 * Why the answer shows that the route is in trouble; a payer's refusal shows nothing of the kind.
 */
function troubleOf({ answer }: GatewayReply): string | undefined {
  if (answer.is === 'never_sent' || answer.is === 'unknown') return `${answer.is} ${answer.because}`
  // An empty float is ours to fill, and the route is well.
  if (answer.is !== 'refused' || answer.by === 'float') return undefined
  // What we are known by there, or how we are set up: every other payment would fare alike.
  if (answer.failure_code === 'GATEWAY_UNAVAILABLE' || answer.alarm !== undefined) {
    return answer.detail
  }
  return undefined
}

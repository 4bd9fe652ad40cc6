// One try: the signed request, and what came of it. Whatever the network does is an outcome; a bug
// on our side is one too, so that one delivery cannot stop its lane.

import type { Logger } from 'pino'
import type { GuardedOutbound, GuardedResult } from '../platform/outbound/guard.ts'
import type { SendRequest } from '../platform/outbound/outbound.ts'
import { type DueDelivery, deliveryBody, judge, type Receiver, type Try } from './delivery.ts'
import { signatureHeaders } from './sign.ts'

export type SendDeps = Readonly<{
  outbound: GuardedOutbound
  log: Logger
  /** In [0, 1), for the jitter of the next try. */
  random: () => number
  /** The wall clock, for the timestamp that receivers check. */
  now_ms: () => number
  try_timeout_ms: number
}>

const response_bytes_max = 8 * 1024

export async function sendTry(
  deps: SendDeps,
  receiver: Receiver,
  delivery: DueDelivery,
): Promise<Try> {
  const attempt = delivery.attempt + 1
  const began_ms = performance.now()
  const known = { id: delivery.id, attempt, url: receiver.url, began_ms }
  if (delivery.data === null) {
    const lost = { http_status: null, response_body: '(the event is no longer kept)' }
    return { ...known, ...lost, status: 'EXHAUSTED', after_ms: null, took_ms: 0 }
  }
  const result = await send(deps, receiver, delivery)
  const took_ms = performance.now() - began_ms
  return { ...known, ...judge(result, attempt, deps.random), took_ms }
}

async function send(
  deps: SendDeps,
  receiver: Receiver,
  delivery: DueDelivery,
): Promise<GuardedResult> {
  try {
    return await deps.outbound.send(requestOf(deps, receiver, delivery))
  } catch (error) {
    deps.log.error({ err: error, delivery: delivery.id }, 'a webhook could not be sent')
    return { is: 'unknown', because: 'unreadable' }
  }
}

function requestOf(
  { now_ms, try_timeout_ms }: SendDeps,
  receiver: Receiver,
  delivery: DueDelivery,
): SendRequest {
  const { url, environment, secret, next_secret } = receiver
  const body = deliveryBody(delivery, environment)
  const signed = signatureHeaders({
    id: delivery.id,
    event: delivery.event_type,
    body,
    timestamp_s: Math.floor(now_ms() / 1000),
    secret,
    ...(next_secret === undefined ? {} : { next_secret }),
  })
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', 'user-agent': 'Pirogue-Webhooks', ...signed },
    body,
    timeout_ms: try_timeout_ms,
    max_bytes: response_bytes_max,
    truncate: true,
  }
}

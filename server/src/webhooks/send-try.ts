// One try: the signed request, and its outcome. Anything the network does is an outcome; a bug on
// our side is one too, so that one delivery cannot stop its queue.

import type { Logger } from 'pino'
import type { GuardedOutbound, GuardedResult } from '../platform/outbound/guard.ts'
import type { SendRequest } from '../platform/outbound/outbound.ts'
import {
  type DueDelivery,
  deliveryBody,
  type Headers,
  judge,
  type Receiver,
  type Try,
} from './delivery.ts'
import { headersOf, keptHeaders } from './request-headers.ts'

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
  const { id, schedule_from } = delivery
  const known = { id, attempt, schedule_from, url: receiver.url, began_ms }
  if (delivery.data === null) {
    const answer = { http_status: null, response_body: '(the event is no longer kept)' }
    const nothing = { ...answer, request_headers: null, response_headers: null, after_ms: null }
    return { ...known, ...nothing, status: 'EXHAUSTED', took_ms: 0 }
  }
  const body = deliveryBody(delivery, receiver.environment)
  const timestamp_s = Math.floor(deps.now_ms() / 1000)
  const headers = headersOf(receiver, { delivery, body, timestamp_s })
  const result = await sendRequest(deps, delivery, requestOf(deps, receiver, { headers, body }))
  const took_ms = performance.now() - began_ms
  const left_us = result.is === 'answered' || result.is === 'unknown'
  const request_headers = left_us ? keptHeaders(headers, delivery) : null
  const outcome = judge(result, attempt - schedule_from, deps.random)
  return { request_headers, ...known, ...outcome, took_ms }
}

async function sendRequest(
  { outbound, log }: SendDeps,
  { id }: DueDelivery,
  request: SendRequest,
): Promise<GuardedResult> {
  try {
    return await outbound.send(request)
  } catch (error) {
    log.error({ err: error, delivery: id }, 'a webhook could not be sent')
    return { is: 'unknown', because: 'unreadable' }
  }
}

const requestOf = (
  { try_timeout_ms }: SendDeps,
  { url }: Receiver,
  { headers, body }: Readonly<{ headers: Headers; body: string }>,
): SendRequest => ({
  method: 'POST',
  url,
  headers,
  body,
  timeout_ms: try_timeout_ms,
  max_bytes: response_bytes_max,
  truncate: true,
})

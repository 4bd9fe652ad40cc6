// One event on its way to one endpoint: its id, its body, and what a try's outcome makes of it.
// The id and the body are the same at every try, so that a receiver can drop repeats.

import { createHash } from 'node:crypto'
import type { EventType } from '../events/event.ts'
import type { Environment } from '../platform/http/route.ts'
import type { GuardedResult } from '../platform/outbound/guard.ts'
import { nextTry } from './retry-schedule.ts'
import type { DeliveryStatus } from './states.ts'

export type DueDelivery = Readonly<{
  id: string
  /** Tries made so far. */
  attempt: number
  event_type: EventType
  event_at: Date
  /** The event's data as JSON text; null when the event is no longer kept. */
  data: string | null
}>

/** The address and what signs for it, ready to use. */
export type Receiver = Readonly<{
  url: string
  environment: Environment
  secret: string
  /** Only while a rotation's overlap lasts. */
  next_secret?: string
}>

/** What is written of one try. */
export type Try = Readonly<{
  id: string
  /** Its number; 1 is the first. */
  attempt: number
  status: Exclude<DeliveryStatus, 'PENDING'>
  http_status: number | null
  /** At most 8 kB of what came back; when nothing did, why, in parentheses. */
  response_body: string
  /** Until the next try; null when there is none. */
  after_ms: number | null
  url: string
  /** `performance.now()` when it was sent. */
  began_ms: number
  took_ms: number
}>

/** Time bits of the event, the rest from both ids: the same event makes the same delivery. */
export function deliveryId(event_id: string, webhook_id: string): string {
  const hash = createHash('md5')
    .update(event_id + webhook_id)
    .digest('hex')
  const parts = [`7${hash.slice(0, 3)}`, `8${hash.slice(3, 6)}`, hash.slice(6, 18)]
  return [event_id.slice(0, 13), ...parts].join('-')
}

/** `{"id","event","created_at","environment","data"}` (decisions 6.6). */
export function deliveryBody(delivery: DueDelivery, environment: Environment): string {
  const head = JSON.stringify({
    id: delivery.id,
    event: delivery.event_type,
    created_at: delivery.event_at.toISOString(),
    environment,
  })
  // The data is JSON text already; read and written once more it would only cost time.
  return `${head.slice(0, -1)},"data":${delivery.data}}`
}

type Outcome = Pick<Try, 'status' | 'http_status' | 'response_body' | 'after_ms'>

/** 2xx acknowledges; all else is tried again until the schedule ends. */
export function judge(result: GuardedResult, attempt: number, random: () => number): Outcome {
  const { http_status, response_body } = saidBy(result)
  if (http_status !== null && http_status >= 200 && http_status < 300) {
    return { status: 'SUCCESS', http_status, response_body, after_ms: null }
  }
  const next = nextTry(attempt, random)
  if (next === 'exhausted') {
    return { status: 'EXHAUSTED', http_status, response_body, after_ms: null }
  }
  return { status: 'FAILED', http_status, response_body, after_ms: next.after_ms }
}

const saidBy = (result: GuardedResult): Pick<Try, 'http_status' | 'response_body'> => {
  if (result.is === 'answered') {
    // PostgreSQL's text holds every character but this one.
    const response_body = result.body.replaceAll('\0', '\uFFFD')
    return { http_status: result.status, response_body }
  }
  // The note of a refused address stays inside: it would tell what a name resolves to here.
  const why =
    result.is === 'refused_address' ? 'address not allowed' : `no answer: ${result.because}`
  return { http_status: null, response_body: `(${why})` }
}

/** The endpoint says that it wants nothing any more (decisions 6.6). */
export const isGone = ({ http_status }: Try): boolean => http_status === 410

// One event on its way to one endpoint: its body, and what a try's outcome makes of it. What is
// sent has the event's id, the same at every endpoint and try, so that a receiver can drop repeats
// (contract 8.1); the row's own id is the log's.

import { createHash } from 'node:crypto'
import type { EventType } from '../events/event.ts'
import type { Environment } from '../platform/http/route.ts'
import type { GuardedResult } from '../platform/outbound/guard.ts'
import type { DeliveryStatus } from './states.ts'

export type DueDelivery = Readonly<{
  id: string
  /** Tries made so far. */
  attempt: number
  /** How many of them were made before its schedule of retries began. */
  schedule_from: number
  event_type: EventType
  /**
   * The event's id. Where an older version began to send it under the row's own id, it keeps that
   * one to the last try: under another id a receiver would take the repeat for a new event.
   */
  sent_id: string
  event_at: Date
  /** The event's place in the feed. */
  sequence: bigint
  /** The event's data as JSON text; null when the event is no longer kept. */
  data: string | null
}>

/** The address and its signing secrets, ready to use. */
export type Receiver = Readonly<{
  url: string
  environment: Environment
  secret: string
  /** Only while a rotation's overlap lasts. */
  next_secret?: string
}>

/** By name, as sent or received. */
export type Headers = Readonly<Record<string, string>>

/** What is written about one try. */
export type Try = Readonly<{
  id: string
  /** Its number; 1 is the first. */
  attempt: number
  /** As it was when it began: another by now, the delivery has been requested again meanwhile. */
  schedule_from: number
  status: Exclude<DeliveryStatus, 'PENDING'>
  http_status: number | null
  /** At most 8 kB of the answer; where there was none, the reason, in parentheses. */
  response_body: string
  /** Until the next try; null when there is none. */
  after_ms: number | null
  url: string
  /** What is kept of those that were sent (`request-headers.ts`); null when nothing was. */
  request_headers: Headers | null
  /** As they came; null when nothing did. */
  response_headers: Headers | null
  /** `performance.now()` when it was sent. */
  began_ms: number
  took_ms: number
}>

/** The row's id: time bits of the event, the rest from both ids; an event makes it only once. */
export function deliveryId(event_id: string, webhook_id: string): string {
  const hash = createHash('md5')
    .update(event_id + webhook_id)
    .digest('hex')
  const parts = [`7${hash.slice(0, 3)}`, `8${hash.slice(3, 6)}`, hash.slice(6, 18)]
  return [event_id.slice(0, 13), ...parts].join('-')
}

type DeliveryEvent = Pick<DueDelivery, 'sent_id' | 'event_type' | 'event_at' | 'data'>

/** `{"id","event","created_at","environment","data"}` (contract 6.6). */
export function deliveryBody(delivery: DeliveryEvent, environment: Environment): string {
  const head = JSON.stringify({
    id: delivery.sent_id,
    event: delivery.event_type,
    created_at: delivery.event_at.toISOString(),
    environment,
  })
  // The data is JSON text already; parsing and printing it again would only cost time.
  return `${head.slice(0, -1)},"data":${delivery.data}}`
}

type Answer = Pick<Try, 'http_status' | 'response_headers' | 'response_body'>
type Outcome = Answer & Pick<Try, 'status' | 'after_ms'>

/**
 * 2xx acknowledges; everything else is tried again until the schedule ends. This is its `nth` try.
 */
export function judge(result: GuardedResult, nth: number, random: () => number): Outcome {
  const answer = answerOf(result)
  if (isAcknowledged(answer)) {
    return { ...answer, status: 'SUCCESS', after_ms: null }
  }
  const next = nextTry(nth, random)
  if (next === 'exhausted') return { ...answer, status: 'EXHAUSTED', after_ms: null }
  return { ...answer, status: 'FAILED', after_ms: next.after_ms }
}

const answerOf = (result: GuardedResult): Answer => {
  if (result.is === 'answered') {
    // PostgreSQL's text holds every character but this one.
    const response_body = result.body.replaceAll('\0', '\uFFFD')
    return { http_status: result.status, response_headers: bounded(result.headers), response_body }
  }
  // The note of a refused address stays inside: it would reveal what a name resolves to here.
  const why =
    result.is === 'refused_address' ? 'address not allowed' : `no answer: ${result.because}`
  return { http_status: null, response_headers: null, response_body: `(${why})` }
}

const headers_length_max = 8 * 1024

/** The first of them, as many as 8 kB hold. */
function bounded(headers: Headers): Headers {
  let length = 0
  const kept = Object.entries(headers).filter(([name, value]) => {
    length += name.length + value.length
    return length <= headers_length_max
  })
  return Object.fromEntries(kept)
}

type Answered = Pick<Try, 'http_status'>

export const isAcknowledged = ({ http_status }: Answered): boolean =>
  http_status !== null && http_status >= 200 && http_status < 300

/** The endpoint answered that it wants no more deliveries (contract 6.6). */
export const isGone = ({ http_status }: Answered): boolean => http_status === 410

// When a delivery is tried again (contract 6.6): nine tries in all, then EXHAUSTED.

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The wait after try 1, after try 2, and so on. */
const waits_ms = [
  30 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  12 * hour,
  24 * hour,
  24 * hour,
]

/** Each wait moves by up to this share, so that a crowd of failures does not return at once. */
const jitter = 0.1

/** How long to wait after try number `attempt_made` (1 is the first). `random` is in [0, 1). */
export function nextTry(
  attempt_made: number,
  random: () => number,
): { after_ms: number } | 'exhausted' {
  const wait = waits_ms[attempt_made - 1]
  if (wait === undefined) return 'exhausted'
  return { after_ms: Math.round(wait * (1 + jitter * (2 * random() - 1))) }
}

// A merchant's server: calls either API process and repeats the same call with the same key until
// it is answered for good. No answer, a 5xx and "in progress" are no such answers.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../fuzz/random.ts'
import { parsed, textAt } from './json.ts'

export type Answer = Readonly<{ status: number; text: string; json: unknown }>

export type Call = Readonly<{
  method: 'GET' | 'POST'
  /** Behind `/api/v1`. */
  path: string
  /** The merchant's API key. */
  secret: string
  idempotency_key?: string
  body?: unknown
}>

export type Caller = Readonly<{
  /** One call to a random API process; undefined when no answer came. */
  once(call: Call): Promise<Answer | undefined>
  /** Until it is answered for good; undefined when `isOver` reports so before that. */
  callUntilAnswered(call: Call, isOver: () => boolean): Promise<Answer | undefined>
  /** How often each status was answered; 0 is no answer. */
  statuses: Readonly<Record<number, number>>
}>

const give_up_ms = 5_000
const pause_ms = 250

export function createCaller(api_urls: readonly string[], random: Random): Caller {
  const statuses: Record<number, number> = {}
  const once = async (call: Call): Promise<Answer | undefined> => {
    const answer = await send(random.pick(api_urls), call)
    const status = answer?.status ?? 0
    statuses[status] = (statuses[status] ?? 0) + 1
    return answer
  }
  return {
    statuses,
    once,
    async callUntilAnswered(call, isOver) {
      for (;;) {
        const answer = await once(call)
        if (answer !== undefined && isForGood(answer)) return answer
        if (isOver()) return undefined
        await sleep(pause_ms + random.below(pause_ms))
      }
    },
  }
}

async function send(url: string, call: Call): Promise<Answer | undefined> {
  try {
    const reply = await fetch(`${url}/api/v1${call.path}`, {
      method: call.method,
      headers: {
        authorization: `Bearer ${call.secret}`,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(call.idempotency_key === undefined ? {} : { 'idempotency-key': call.idempotency_key }),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      signal: AbortSignal.timeout(give_up_ms),
    })
    const text = await reply.text()
    return { status: reply.status, text, json: parsed(text) }
  } catch {
    // Refused, reset, or silent for too long: the process is dead or asleep.
    return undefined
  }
}

export const codeOf = ({ json }: Answer): string => textAt(json, 'error', 'code')

/** The payment or refund that an answer is about, also a refusal's; empty when it made none. */
export const paymentIn = ({ json }: Answer): string =>
  textAt(json, 'data', 'id') || textAt(json, 'error', 'transaction')

/** Nothing was begun, or the call is under way elsewhere: the same call is made again. */
const unsettled = new Set(['idempotency_in_progress', 'rate_limited'])

export function isForGood(answer: Answer): boolean {
  if (answer.status >= 500) return false
  if (unsettled.has(codeOf(answer))) return false
  return codeOf(answer) !== 'no_route_available' || paymentIn(answer) !== ''
}

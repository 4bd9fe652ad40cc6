// Callbacks of this operator: a request to the address that came with the create, unsigned, with
// the body that a question would get; by PUT for one half of them and by POST for the other,
// because its documents ask for both.

import { createHash } from 'node:crypto'
import { Agent, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Chaos, faultOf } from '../chaos.ts'
import { keyOf } from './books.ts'
import { callbackTimes, type Pace, show, type Transaction } from './transaction.ts'

export type Callbacks = Readonly<{
  /** Resolves when the first one was delivered, or none is to be sent. */
  schedule(one: Transaction): Promise<void>
  /** What is still due of those that a former process had. */
  resume(all: Iterable<Transaction>): void
  stop(): void
}>

const timeoutMs = 2_000
const faults = ['dropped', 'twice', 'late', 'forged'] as const

export function openCallbacks(pace: Pace, chaos: Chaos | undefined, now: () => number): Callbacks {
  const timers = new Set<NodeJS.Timeout>()
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  let stopped = false

  const at = (time: number, work: () => Promise<void>): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          void work().finally(resolve)
        },
        Math.max(0, time - now()),
      )
      timers.add(timer)
    })

  /** `due_ms`: it shows the payment as of then at the earliest, be the timer a little early. */
  const sendOne = (one: Transaction, forged: boolean, due_ms: number): Promise<void> => {
    if (stopped) return Promise.resolve()
    const shown = show(one, pace, Math.max(now(), due_ms))
    const body = JSON.stringify(forged ? { ...shown, status: 'SUCCESSFUL' } : shown)
    return send(one.callback_url, { method: methodFor(one), body }, agent)
  }

  function planOf(one: Transaction): { times: number[]; forged: boolean } {
    const times = callbackTimes(one, pace)
    const fault = faultOf(chaos, { subject: keyOf(one), step: 'callback' }, faults)
    if (fault === 'dropped') return { times: [], forged: false }
    if (fault === 'twice') return { times: times.flatMap((time) => [time, time]), forged: false }
    if (fault === 'late') return { times: times.map((time) => time + 5_000), forged: false }
    if (fault === 'forged') return { times: [one.created_at, ...times], forged: true }
    return { times, forged: false }
  }

  return {
    async schedule(one) {
      const { times, forged } = planOf(one)
      const [first] = times.map((time, index) =>
        at(time, () => sendOne(one, forged && index === 0, time)),
      )
      await first
    },
    resume(all) {
      for (const one of all) {
        for (const time of planOf(one).times.filter((time) => time > now())) {
          void at(time, () => sendOne(one, false, time))
        }
      }
    },
    stop() {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
      agent.destroy()
    },
  }
}

const methodFor = (one: Transaction): 'POST' | 'PUT' =>
  createHash('sha256').update(one.reference).digest().readUInt8(0) % 2 === 0 ? 'PUT' : 'POST'

/** Once: this operator is not counted on to try again. */
function send(
  url: string,
  { method, body }: Readonly<{ method: string; body: string }>,
  agent: Agent,
): Promise<void> {
  return new Promise((resolve) => {
    const target = new URL(url)
    const options = {
      method,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      timeout: timeoutMs,
    }
    const isSecure = target.protocol === 'https:'
    const request = isSecure
      ? requestHttps(target, options)
      : requestHttp(target, { ...options, agent })
    request.on('response', (response) => {
      response.resume()
      response.on('close', resolve)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve())
    request.on('close', () => resolve())
    request.end(body)
  })
}

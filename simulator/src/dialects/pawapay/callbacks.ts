// Callbacks of this operator: a POST to the one address that was set for the operation, signed, and
// sent again for a quarter of an hour until it is answered 200; at the end, and for a page.

import { generateKeyPairSync } from 'node:crypto'
import { Agent, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Chaos, faultOf } from '../chaos.ts'
import type { SigningKey } from './books.ts'
import { callbackTimes, type Pace, type Payment, scenarioFor, show } from './payment.ts'
import type { Operation } from './scenarios.ts'
import { type SigningForm, signedHeaders, unsignedHeaders } from './sign.ts'

export type CallbackDeps = Readonly<{
  pace: () => Pace
  chaos: Chaos | undefined
  now: () => number
  /** Empty where none is set. */
  addressOf: (operation: Operation) => string
  key: () => SigningKey
  form: SigningForm
  signs: () => boolean
  /** The payment as it is now. */
  find: (id: string) => Payment | undefined
}>

export type Callbacks = Readonly<{
  /** What is due of its last change; resolves when the first was delivered, or none is to be. */
  schedule(one: Payment): Promise<void>
  /** At once. */
  send(one: Payment): Promise<void>
  /** What is still due of those that a former process had. */
  resume(all: Iterable<Payment>): void
  stop(): void
}>

type How = 'as_it_is' | 'forged' | 'stale' | 'old_key'

const timeoutMs = 2_000
/** Pauses before it is sent again; a quarter of an hour in all. Milliseconds, unscaled. */
const pausesMs = [5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 375_000]
const faults = ['dropped', 'twice', 'late', 'forged', 'stale', 'old_key'] as const

/** One that it published once, and shows no more. */
const former: SigningKey = {
  ...{ id: 'HTTP_EC_P256_KEY:0', public_pem: '' },
  private_key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
}

export function openCallbacks(deps: CallbackDeps): Callbacks {
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
        Math.max(0, time - deps.now()),
      )
      timers.add(timer)
    })

  /** `due_ms`: it shows the payment as of then at the earliest, be the timer a little early. */
  async function deliver(one: Payment, how: How, due_ms: number): Promise<void> {
    for (const pause_ms of [0, ...pausesMs]) {
      if (pause_ms > 0) await at(deps.now() + pause_ms / deps.pace().speed, async () => undefined)
      const address = deps.addressOf(one.operation)
      if (stopped || address === '') return
      const current = deps.find(one.id) ?? one
      const status = await post(new URL(address), messageOf(deps, current, { how, due_ms }), agent)
      if (status === 200) return
    }
  }

  function planOf(one: Payment): { times: number[]; fault: (typeof faults)[number] | undefined } {
    const times = callbackTimes(one, deps.pace())
    const fault = faultOf(deps.chaos, { subject: one.id, step: 'callback' }, faults)
    if (fault === 'dropped') return { times: [], fault }
    if (fault === 'twice') return { times: times.flatMap((time) => [time, time]), fault }
    if (fault === 'late') return { times: times.map((time) => time + 2_000), fault }
    return { times: fault === 'forged' ? [one.created_at, ...times] : times, fault }
  }

  const howOf = (fault: string | undefined, index: number): How => {
    if (fault === 'stale' || fault === 'old_key') return fault
    return fault === 'forged' && index === 0 ? 'forged' : 'as_it_is'
  }

  return {
    async schedule(one) {
      const { times, fault } = planOf(one)
      const [first] = times.map((time, index) =>
        at(time, () => deliver(one, howOf(fault, index), time)),
      )
      await first
    },
    send: (one) => deliver(one, 'as_it_is', deps.now()),
    resume(all) {
      for (const one of all) {
        for (const time of planOf(one).times.filter((time) => time > deps.now())) {
          void at(time, () => deliver(one, 'as_it_is', time))
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

type Message = Readonly<{ body: string; headersFor: (url: URL) => Record<string, string> }>

function messageOf(
  deps: CallbackDeps,
  one: Payment,
  { how, due_ms }: Readonly<{ how: How; due_ms: number }>,
): Message {
  const pace = deps.pace()
  const now_ms = Math.max(deps.now(), due_ms)
  const shown = show(one, pace, { now_ms, is_callback: true })
  const body = JSON.stringify(how === 'forged' ? { ...shown, status: 'COMPLETED' } : shown)
  const isSigned = how !== 'forged' && deps.signs() && scenarioFor(one, pace).signed === 'yes'
  const at_ms = how === 'stale' ? now_ms - 3_600_000 : now_ms
  return {
    body,
    headersFor: (url) =>
      isSigned
        ? signedHeaders(how === 'old_key' ? former : deps.key(), deps.form, { url, body, at_ms })
        : unsignedHeaders(),
  }
}

/** The status of the answer; 0 for none. */
function post(url: URL, { body, headersFor }: Message, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const headers = { ...headersFor(url), 'content-length': Buffer.byteLength(body) }
    const options = { method: 'POST', headers, timeout: timeoutMs }
    const isSecure = url.protocol === 'https:'
    const request = isSecure ? requestHttps(url, options) : requestHttp(url, { ...options, agent })
    let status = 0
    request.on('response', (response) => {
      status = response.statusCode ?? 0
      response.resume()
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(0))
    request.on('close', () => resolve(status))
    request.end(body)
  })
}

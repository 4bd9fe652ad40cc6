// Events of an operator: signed requests to every endpoint that wants them, with faults by chance.
// Each operator writes its own bytes. What is due is drawn from the records by whoever schedules.

import { Agent, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Chaos, faultOf } from './chaos.ts'

export type Event = Readonly<{
  type: string
  /** What it is about: its id is of this and the type. */
  subject: string
  /** When it leaves. Unix milliseconds. */
  at: number
  object: () => Record<string, unknown>
  how: 'once' | 'thrice' | 'never' | 'unsigned'
  /** Whether it is still so when it is due; absent: it is. */
  still?: () => boolean
}>

export type Target = Readonly<{ url: string; secret: string }>

export type Events = Readonly<{
  /** Resolves when its first delivery is over, or none is made. */
  schedule(event: Event, targets: readonly Target[]): Promise<void>
  stop(): void
}>

const timeoutMs = 5_000
const faults = ['dropped', 'twice', 'late', 'old_time', 'old_key'] as const
const lateMs = 5_000
const triesMost = 4
const againMs = 500
const oldMs = 10 * 60_000

/** The bytes of one delivery, and the headers that sign them. */
export type Delivery = Readonly<{ body: string; headers: Readonly<Record<string, string>> }>

export type EventDeps = Readonly<{
  chaos: Chaos | undefined
  now: () => number
  /** `time_s`: what the signature says it was made at, unix seconds. */
  write: (event: Event, time_s: number, secret: string) => Delivery
}>

export function openEvents({ chaos, now, write }: EventDeps): Events {
  const timers = new Set<NodeJS.Timeout>()
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  let stopped = false

  const after = (ms: number, work: () => Promise<void>): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          void (stopped ? Promise.resolve() : work()).finally(resolve)
        },
        // A timer may go off a millisecond early, and then it is not so yet.
        Math.max(0, Math.ceil(ms) + 1),
      )
      timer.unref()
      timers.add(timer)
    })

  type Wrong = 'old_time' | 'old_key' | undefined

  async function deliver(event: Event, targets: readonly Target[], wrong: Wrong): Promise<void> {
    if (event.still?.() === false) return
    const age_ms = wrong === 'old_time' ? oldMs : 0
    const time_s = Math.floor((now() - age_ms) / 1000)
    await Promise.all(
      targets.map(({ url, secret }) => {
        // One that the endpoint had before, and that is over.
        const signing = wrong === 'old_key' ? `${secret}former` : secret
        return sendUntilTaken(url, write(event, time_s, signing))
      }),
    )
  }

  /** The operator tries for three days; here a few times, soon. */
  async function sendUntilTaken(url: string, delivery: Delivery): Promise<void> {
    for (let tries = 1; tries <= triesMost && !stopped; tries += 1) {
      if (await send(url, delivery, agent)) return
      await after(againMs, () => Promise.resolve())
    }
  }

  return {
    async schedule(event, targets) {
      if (event.how === 'never') return
      const about = { subject: event.subject, step: event.type }
      const chance = faultOf(chaos, about, faults)
      if (chance === 'dropped') return
      const wait = event.at - now() + (chance === 'late' ? lateMs : 0)
      const times = event.how === 'thrice' ? 3 : chance === 'twice' ? 2 : 1
      const wrong = chance === 'old_time' || chance === 'old_key' ? chance : undefined
      const all = Array.from({ length: times }, () =>
        after(wait, () => deliver(event, targets, wrong)),
      )
      await all[0]
    },
    stop() {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
      agent.destroy()
    },
  }
}

/** Whether it was taken: answered with any 2xx. */
function send(url: string, { body, headers }: Delivery, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const target = new URL(url)
    const options = {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        ...headers,
      },
      timeout: timeoutMs,
    }
    const isSecure = target.protocol === 'https:'
    const request = isSecure
      ? requestHttps(target, options)
      : requestHttp(target, { ...options, agent })
    let isTaken = false
    request.on('response', (response) => {
      const { statusCode = 0 } = response
      isTaken = statusCode >= 200 && statusCode < 300
      response.resume()
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
    // The request may close before its response does.
    request.on('close', () => resolve(isTaken))
    request.end(body)
  })
}

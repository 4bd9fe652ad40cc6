// Events of this operator: signed requests to every endpoint that wants them. What is due is drawn
// from the records, so after a restart the rest of it is still sent.

import { createHash, createHmac } from 'node:crypto'
import { Agent, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Chaos, faultOf } from '../chaos.ts'

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
const faults = ['dropped', 'twice', 'late', 'old_time'] as const
const lateMs = 5_000
const triesMost = 4
const againMs = 500
const oldMs = 10 * 60_000

export type EventDeps = Readonly<{
  chaos: Chaos | undefined
  now: () => number
  api_version: string
}>

export function openEvents({ chaos, now, api_version }: EventDeps): Events {
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

  async function deliver(event: Event, targets: readonly Target[], age_ms: number): Promise<void> {
    if (event.still?.() === false) return
    const body = bodyOf(event, api_version, now())
    const t = Math.floor((now() - age_ms) / 1000)
    await Promise.all(
      targets.map(({ url, secret }) => {
        const mac = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
        const signature = event.how === 'unsigned' ? undefined : `t=${t},v1=${mac}`
        return sendUntilTaken(url, { body, signature })
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
      const age_ms = chance === 'old_time' ? oldMs : 0
      const all = Array.from({ length: times }, () =>
        after(wait, () => deliver(event, targets, age_ms)),
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

function bodyOf({ type, subject, object }: Event, api_version: string, now: number): string {
  const id = createHash('sha256').update(`${type} ${subject}`).digest('hex').slice(0, 24)
  return JSON.stringify({
    id: `evt_${id}`,
    object: 'event',
    api_version,
    created: Math.floor(now / 1000),
    data: { object: object() },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  })
}

type Delivery = Readonly<{ body: string; signature: string | undefined }>

/** Whether it was taken: answered with any 2xx. */
function send(url: string, { body, signature }: Delivery, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const target = new URL(url)
    const options = {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        ...(signature === undefined ? {} : { 'stripe-signature': signature }),
      },
      timeout: timeoutMs,
    }
    const isSecure = target.protocol === 'https:'
    const request = isSecure
      ? requestHttps(target, options)
      : requestHttp(target, { ...options, agent })
    request.on('response', (response) => {
      response.resume()
      const { statusCode = 0 } = response
      response.on('close', () => resolve(statusCode >= 200 && statusCode < 300))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
    request.on('close', () => resolve(false))
    request.end(body)
  })
}

// Webhooks of this operator: a request to the one address that was registered, with the event and a
// signature over the time and the body, or with the secret itself.

import { createHash, createHmac } from 'node:crypto'
import { Agent, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Chaos, faultOf } from '../chaos.ts'
import {
  type Notice,
  noticesOf,
  type Pace,
  type Session,
  scenarioOf,
  showSession,
} from './session.ts'

export type Registration = Readonly<{
  url: string
  /** Two while a secret is replaced: both sign. */
  secrets: readonly string[]
  strategy: 'SIGNING_SECRET' | 'SHARED_SECRET'
}>

export type Webhooks = Readonly<{
  register(registration: Registration): void
  /** Resolves when the first one was delivered, or none is to be sent. */
  schedule(one: Session): Promise<void>
  /** What was done just now on a page is sent. */
  notifyOf(one: Session): void
  /** A test event, as the portal sends it; the status of its answer. */
  sendTest(): Promise<number>
  stop(): void
}>

const timeoutMs = 5_000
const faults = ['dropped', 'twice', 'late', 'unsigned', 'old', 'old_key'] as const

/** `find`: a session as it is now, because what was to come may not have come. */
export type Around = Readonly<{
  chaos: Chaos | undefined
  now: () => number
  find: (id: string) => Session | undefined
}>

export function openWebhooks(pace: Pace, { chaos, now, find }: Around): Webhooks {
  const timers = new Set<NodeJS.Timeout>()
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  let registration: Registration | undefined
  let stopped = false

  const at = (time: number, work: () => Promise<unknown>): Promise<void> =>
    workAt(timers, Math.max(0, time - now()), work)

  type Event = Readonly<{ id: string; type: string; data: unknown }>

  async function send(event: Event, fault: (typeof faults)[number] | undefined): Promise<number> {
    if (registration === undefined || stopped) return 0
    const body = JSON.stringify(event)
    const sent_at = now() - (fault === 'old' ? 400_000 : 0)
    const { secrets } = registration
    // Those that it had before, and that are over.
    const former = { ...registration, secrets: secrets.map((one) => `${one}former`) }
    const signing = fault === 'old_key' ? former : registration
    const headers = fault === 'unsigned' ? {} : proofOf(signing, body, sent_at)
    return post(registration.url, { body, headers }, agent)
  }

  const eventOf = (one: Session, type: string, time: number): Event => ({
    id: `EV_${createHash('sha256').update(`${one.id} ${type} ${time}`).digest('hex').slice(0, 12)}`,
    type,
    data: showSession(one, pace, time),
  })

  async function notify(id: string, notice: Notice, fault: (typeof faults)[number] | undefined) {
    const one = find(id)
    const isSo = one !== undefined && noticesOf(one, pace).some((it) => it.at === notice.at)
    if (isSo) await send(eventOf(one, notice.type, notice.at), fault)
  }

  function plan(one: Session, all: readonly Notice[]): Promise<void>[] {
    const { webhooks_ms, unsigned } = scenarioOf(one, pace)
    return all.flatMap(({ at: time, type }) => {
      const drawn = faultOf(chaos, { subject: one.client_reference ?? one.id, step: type }, faults)
      const fault = unsigned ? 'unsigned' : drawn
      if (fault === 'dropped') return []
      const late = fault === 'late' ? 5_000 : 0
      const delays = fault === 'twice' ? [0, 0] : webhooks_ms
      return delays.map((delay) =>
        at(time + (delay + late) / pace.speed, () => notify(one.id, { at: time, type }, fault)),
      )
    })
  }

  return {
    register: (given) => {
      registration = given
    },
    schedule: async (one) => plan(one, noticesOf(one, pace))[0],
    notifyOf: (one) => {
      const last = one.acts.at(-1)
      plan(
        one,
        noticesOf(one, pace).filter((notice) => notice.at === last?.at),
      )
    },
    sendTest: () =>
      send({ id: 'EV_test', type: 'test.test_event', data: { test_key: 'value' } }, undefined),
    stop() {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
      agent.destroy()
    },
  }
}

/** After so many milliseconds; resolves when it is done. */
const workAt = (
  timers: Set<NodeJS.Timeout>,
  after_ms: number,
  work: () => Promise<unknown>,
): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      void work().finally(resolve)
    }, after_ms)
    timers.add(timer)
  })

function proofOf(
  { secrets, strategy }: Registration,
  body: string,
  sent_at: number,
): Record<string, string> {
  const [secret = ''] = secrets
  if (strategy === 'SHARED_SECRET') return { authorization: `Bearer ${secret}` }
  const timestamp = String(Math.floor(sent_at / 1000))
  const signatures = secrets.map((one) =>
    createHmac('sha256', one).update(`${timestamp}${body}`).digest('hex'),
  )
  return { 'wave-signature': [`t=${timestamp}`, ...signatures.map((v1) => `v1=${v1}`)].join(',') }
}

/** Once. The status of the answer; 0 where there is none. */
function post(
  url: string,
  { body, headers }: Readonly<{ body: string; headers: Record<string, string> }>,
  agent: Agent,
): Promise<number> {
  return new Promise((resolve) => {
    const target = new URL(url)
    const options = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...headers,
      },
      timeout: timeoutMs,
    }
    const request =
      target.protocol === 'https:'
        ? requestHttps(target, options)
        : requestHttp(target, { ...options, agent })
    let status = 0
    request.on('response', (response) => {
      status = response.statusCode ?? 0
      response.resume()
      response.on('close', () => resolve(status))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(0))
    request.on('close', () => resolve(status))
    request.end(body)
  })
}

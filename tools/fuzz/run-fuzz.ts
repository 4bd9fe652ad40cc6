// One run: many callers take the requests in turn, each outcome is judged, then the app is
// inspected. A failure is reported so that it can be repeated alone.

import { inspect } from './books.ts'
import { Caller, type Outcome } from './caller.ts'
import { isObject, type JsonObject } from './json-text.ts'
import { judge } from './judge.ts'
import { makeRequest } from './make-request.ts'
import { readContract } from './operations.ts'
import { type FuzzRequest, toBytes } from './request.ts'
import { type Ground, openWorld, type World } from './world.ts'

export type Plan = Readonly<{
  seed: number
  /** The numbers of the requests: from `first`, `count` of them. */
  first: number
  count: number
  callers: number
  document: JsonObject
  /** An answer that takes longer is a failure. Default: five seconds. */
  limit_ms?: number
  /** Called after each request. */
  onDone?: (done: number) => void
  /** Every request and answer, for a replay. */
  onCall?: (request: FuzzRequest, bytes: Buffer, outcome: Outcome) => void
}>

export type Report = Readonly<{
  requests: number
  took_ms: number
  /** How many answers of each status. */
  statuses: Readonly<Record<string, number>>
  slowest: Readonly<{ ms: number; said: string }>
  failures: readonly string[]
  /** What is wrong after the run. */
  wreckage: readonly string[]
}>

const limit_default_ms = 5_000
const failures_max = 25

export async function runFuzz(ground: Ground, plan: Plan): Promise<Report> {
  const world = await openWorld(ground)
  const run = new Run(ground, world, plan)
  await run.all()
  return { ...run.report(), wreckage: await inspect(ground, world) }
}

class Run {
  readonly #world: World
  readonly #plan: Plan
  readonly #ground: Ground
  readonly #contract: ReturnType<typeof readContract>
  readonly #limit_ms: number
  readonly #began_ms = performance.now()
  readonly #statuses: Record<string, number> = {}
  readonly #failures: string[] = []
  #slowest = { ms: 0, said: '' }
  #next = 0
  #done = 0

  constructor(ground: Ground, world: World, plan: Plan) {
    this.#ground = ground
    this.#world = world
    this.#plan = plan
    this.#limit_ms = plan.limit_ms ?? limit_default_ms
    this.#contract = readContract(plan.document)
  }

  async all(): Promise<void> {
    const callers = Array.from({ length: this.#plan.callers }, () => this.#work())
    await Promise.all(callers)
  }

  report(): Omit<Report, 'wreckage'> {
    return {
      requests: this.#done,
      took_ms: performance.now() - this.#began_ms,
      statuses: this.#statuses,
      slowest: this.#slowest,
      failures: this.#failures,
    }
  }

  async #work(): Promise<void> {
    const { hostname, port } = new URL(this.#ground.url)
    const give_up_ms = this.#limit_ms + 1_000
    const caller = new Caller({ host: hostname, port: Number(port), give_up_ms })
    const { first, count, seed, onDone } = this.#plan
    while (this.#next < count && this.#failures.length < failures_max) {
      const index = first + this.#next
      this.#next += 1
      await this.#call(caller, makeRequest(this.#contract, seed, index))
      this.#done += 1
      onDone?.(this.#done)
    }
    caller.close()
  }

  async #call(caller: Caller, request: FuzzRequest): Promise<void> {
    const sent = toBytes(request, this.#world)
    const { bytes } = sent
    const outcome = await callUntilServed(caller, {
      ...sent,
      bodiless: request.method === 'HEAD',
    })
    this.#plan.onCall?.(request, bytes, outcome)
    for (const { status } of outcome.answers) {
      this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
    }
    const label = `${this.#plan.seed}/${request.index} ${request.label}`
    if (outcome.took_ms > this.#slowest.ms) this.#slowest = { ms: outcome.took_ms, said: label }
    this.#learnFrom(request, outcome)
    const wrong = judge(request, outcome, this.#limit_ms)
    if (wrong.length > 0) this.#failures.push(describeFailure({ label, wrong, bytes, outcome }))
  }

  /** What a request made can be named by those after it. */
  #learnFrom({ method, target }: FuzzRequest, { answers }: Outcome): void {
    const [answer] = answers
    if (method !== 'POST' || answer?.status !== 201) return
    const word = target.includes('/softpay/') ? 'payment' : undefined
    const made = target.includes('/merchant-webhooks/?') || target.endsWith('/merchant-webhooks/')
    const name = made ? 'webhook' : word
    if (name === undefined) return
    const body: unknown = JSON.parse(answer.body.toString())
    const data = isObject(body) && isObject(body['data']) ? body['data'] : body
    if (isObject(data) && typeof data['id'] === 'string') this.#world.learn(name, data['id'])
  }
}

/** A machine that others use may be too slow for a statement's time. */
const busy_tries_max = 3

/** As a caller does who is told that nothing was done, and to try again. */
async function callUntilServed(
  caller: Caller,
  sent: Parameters<Caller['call']>[0],
): Promise<Outcome> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await caller.call(sent)
    if (!isBusy(outcome) || tries === busy_tries_max) return outcome
  }
}

const isBusy = ({ answers: [answer, ...more] }: Outcome): boolean =>
  more.length === 0 && answer?.status === 503 && answer.body.includes('"retryable":true')

type Failure = { label: string; wrong: readonly string[]; bytes: Buffer; outcome: Outcome }

/** The request as it was sent, its key hidden, and what came back. */
function describeFailure({ label, wrong, bytes, outcome }: Failure): string {
  const sent = shown(bytes.toString('latin1').slice(0, 1_500))
  const [answer] = outcome.answers
  const came = answer === undefined ? '(nothing)' : `${answer.status} ${answer.body.toString()}`
  return `${label}\n  wrong: ${wrong.join(', ')}\n  sent: ${sent}\n  came: ${came.slice(0, 400)}`
}

const shown = (text: string): string =>
  JSON.stringify(text.replace(/sk_(test|live)_[\w-]{43}/g, 'sk_$1_…'))

// One world under way: its merchant, its operators, its clock, and what a line of work of the
// service is given to work with. Everything real but the operators; only each await has its turn.

import { purposes } from '../../src/app/wire.ts'
import { applyAnswer } from '../../src/attempts/apply-answer.ts'
import { applyCallback } from '../../src/attempts/apply-callback.ts'
import type { CallbackDeps, SignedCallback } from '../../src/attempts/receive-callback.ts'
import type { Gateway } from '../../src/gateways/gateway.ts'
import { newHealth } from '../../src/gateways/health.ts'
import type { GatewayRoutes } from '../../src/gateways/routing.ts'
import type { Hold } from '../../src/ledger/holds/hold.ts'
import { paymentRoutes } from '../../src/payments/routes.ts'
import { payoutRoutes } from '../../src/payouts/routes.ts'
import type { PaymentDeps } from '../../src/planning/facts.ts'
import { renderRefusal } from '../../src/platform/http/errors.ts'
import type { Caller, Input, Person, Route } from '../../src/platform/http/route.ts'
import { type RunOnce, runOnce } from '../../src/platform/idempotency/run-once.ts'
import { newTally } from '../../src/platform/throttle/throttle.ts'
import { refundRoutes } from '../../src/refunds/routes.ts'
import { sandboxRoutes } from '../../src/sandbox/routes.ts'
import { settlementRoutes } from '../../src/settlements/routes.ts'
import { walletRoutes } from '../../src/wallets/routes.ts'
import { fixedCursorSecret } from '../setup/cursor-secret.ts'
import { type AdapterPlant, gatewayOf } from './adapter.ts'
import { automaticBelow } from './moving-world.ts'
import { type Desk, type OperatorOrder, openDesk, slownessMaxS } from './operator.ts'
import { codes, type Due, dearerBy, type Market, newMerchant, type Stage } from './stage.ts'
import { type Rewrite, steppingDb } from './stepping-db.ts'
import { type Line, newTurns, type Turns } from './turns.ts'
import type { World } from './world.ts'

/** A bug that is put into the service or its adapters, to see that it is found. */
export type Plant = AdapterPlant &
  Readonly<{
    rewrite?: Rewrite
    /** What a callback says is taken for an answer to a question of ours. */
    believes_callbacks?: boolean
  }>

export type Answered = Readonly<{ status: number; json: string }>

export type Adapters = Readonly<{
  /** By their codes, as this line of work has them. */
  opened: (line: Line) => ReadonlyMap<string, Gateway>
  callback_base: string
}>

export type Scene = {
  readonly stage: Stage
  readonly world: World
  readonly plant: Plant
  readonly merchant_id: string
  /** Counts the worlds of the stage. */
  readonly no: number
  readonly desks: readonly Desk[]
  readonly turns: Turns
  /** Seconds that have passed in this world. */
  now_s: number
  /** How many lines of work were started. */
  lines: number
  /** What was answered under each idempotency key, every time. */
  readonly answers: Map<string, Answered[]>
  /** Payments by their transactions, as far as the merchant could know. */
  readonly transactions: Map<number, string>
  readonly payouts: Map<number, string>
  readonly sessions: Map<number, Readonly<{ id: string; slug: string }>>
  /** By their place in the world, once somebody was told their ids. */
  readonly settlements: Map<number, string>
  readonly transfers: Map<number, string>
  readonly adjustments: Map<number, string>
  /** When the balance was frozen for certain, by the database's clock; to now where it still is. */
  readonly frozen_times: { from_ms: number; until_ms: number | undefined }[]
  /** Ends when the last mark of frozen that was begun is there or gone. */
  marking: Promise<void>
  /** Callbacks that were answered 200: to which operator's address, saying what. */
  readonly acknowledged: { code: string; body: string }[]
  /** What money was promised to: the cause of each place, and its hold once it is known. */
  readonly promises: Map<number, { cause_id: string; hold: Hold | undefined }>
  /** How often somebody was told that they ended a hold, by its id. */
  readonly ends: Map<string, number>
  /** Incidents that staff have ended, or tried to, before all was at rest. */
  readonly spoken: Set<string>
  /** Real adapters instead of the world's own operators. */
  readonly adapters?: Adapters | undefined
  /** Whose float is used up now, by their codes. */
  readonly empty: Set<string>
  /** The operators that staff have closed to payouts, by code. */
  readonly closed: Set<string>
  /** Which prices and rates of the stage are in force now. */
  market: number
  /** What was due when so many steps had been taken. */
  due: { at_step: number; due: Due } | undefined
}

/**
 * A process that stands still for long when it has made ready to send is taken for dead: no check
 * of its own could keep it from sending long after everybody has given it up.
 */
const isTooLate = (step: () => string, waited_s: number): boolean =>
  waited_s > slownessMaxS && /^→ \S+ (collect|pay|refund)$/.test(step())

export async function openScene(
  stage: Stage,
  world: World,
  plant: Plant,
  adapters?: Adapters,
): Promise<Scene> {
  const [merchant_id, no] = await newMerchant(stage)
  const desks: Desk[] = []
  const scene: Scene = {
    stage,
    world,
    plant,
    merchant_id,
    no,
    desks,
    turns: newTurns({ now: () => scene.now_s, isTooLate }),
    now_s: 0,
    lines: 0,
    answers: new Map(),
    transactions: new Map(),
    payouts: new Map(),
    sessions: new Map(),
    settlements: new Map(),
    transfers: new Map(),
    adjustments: new Map(),
    frozen_times: [],
    marking: Promise.resolve(),
    acknowledged: [],
    promises: new Map(),
    ends: new Map(),
    spoken: new Set(),
    adapters,
    closed: new Set(),
    empty: new Set(codes.filter((_, at) => world.paying.empty[at] === true)),
    market: 0,
    due: undefined,
  }
  let orders = 0
  const nextNo = () => ++orders
  for (const [at, traits] of world.operators.entries()) {
    const code = codes[at] ?? codes[0]
    const callEarly = (order: OperatorOrder) => early.get(scene)?.(order)
    desks.push(openDesk({ code, traits, now: () => scene.now_s, nextNo, callEarly }))
  }
  return scene
}

/** What an operator does that calls back before it answers; set by whoever plays the scene. */
const early = new WeakMap<Scene, (order: OperatorOrder) => void>()
export const onEarlyCall = (scene: Scene, call: (order: OperatorOrder) => void) =>
  early.set(scene, call)

export const ordersOf = ({ desks }: Scene): OperatorOrder[] =>
  desks.flatMap(({ orders }) => orders).sort((a, b) => a.made_no - b.made_no)

export const deskOf = ({ desks }: Scene, order: OperatorOrder): Desk | undefined =>
  desks.find(({ orders }) => orders.includes(order))

/** The service's parts in the hands of one line of work. */
export type Hands = Readonly<{ deps: PaymentDeps; callbacks: CallbackDeps; once: RunOnce }>

const limits = {
  phone_prompts_10min: 1_000_000,
  phone_prompts_day: 1_000_000,
  session_payments: 100,
}
/**
 * A call that waits up to five seconds for another's question finds them gone when it looks again,
 * instead of waiting in real time; a lease is longer than two such looks.
 */
const hastyMs = 5001
const waits = /\/(verify|initialize|settlements|refunds)\/$/

async function believe(deps: PaymentDeps, signed: SignedCallback) {
  const receivers = {
    merchant_id: signed.key.merchant_id,
    attempt_id: signed.key.id,
    answer: signed.reading.answer,
    hash: signed.hash,
    triggered_by: 'CALLBACK' as const,
    evidence_kind: 'STATUS_ANSWER' as const,
    request_id: signed.request_id,
    gateway: signed.gateway.facts,
    callback: signed.callback,
  }
  for (const purpose of deps.purposes) {
    const applied = await applyAnswer(deps, purpose, receivers)
    if (applied !== undefined) return { kept: applied.moved, ask: false }
  }
  return 'nobody' as const
}

const marketOf = ({ stage, market }: Scene): Market => {
  const found = stage.markets[market]
  if (found === undefined) throw new Error(`no market ${market}`)
  return found
}

const closing = { from_ms: 0, until_ms: null }
const shut = { time_zone: 'Africa/Abidjan', windows: [], closings: [closing] } as const

/** The world's own floats and closings: the gateways' rows are everybody's. */
const routesNow = ({ empty, closed }: Scene, routes: GatewayRoutes): GatewayRoutes =>
  empty.size + closed.size === 0
    ? routes
    : {
        of: (network_id, direction, environment) =>
          routes.of(network_id, direction, environment).map((route) => ({
            ...route,
            float_empty: direction === 'DISBURSE' && empty.has(route.gateway_code),
            ...(direction === 'DISBURSE' && closed.has(route.gateway_code) && { hours: shut }),
          })),
      }

/** `path`: of the call that is made; by it, how much passes between two looks at the clock. */
export function handsOf(scene: Scene, line: Line, path = ''): Hands {
  const tick_ms = waits.test(path) ? hastyMs : 1
  const { stage, plant, desks } = scene
  const { keyring } = stage
  const { merchant_id } = scene
  const db = steppingDb(stage.db, line, { merchant_id, rewrite: plant.rewrite })
  const dearer = () => dearerBy[scene.market] ?? 0n
  const opened =
    scene.adapters?.opened(line) ??
    new Map<string, Gateway>(desks.map((desk) => [desk.code, gatewayOf(desk, line, plant, dearer)]))
  const gateways = { get: (code: string) => opened.get(code), all: () => [...opened.values()] }
  let ticks = 0
  const deps: PaymentDeps = {
    db,
    wake: () => undefined,
    purposes,
    gateways,
    health: newHealth(),
    macs: keyring,
    seals: keyring,
    callback_base: () => scene.adapters?.callback_base ?? 'https://pirogue.example',
    // The same time passes on the clocks of the processes and on the database's.
    clock: () => {
      ticks += 1
      return scene.now_s * 1000 + ticks * tick_ms
    },
    catalogue: stage.catalogue,
    routes: async (version) => routesNow(scene, await stage.routes(version)),
    // Each asks when it needs them, so that they may change between two questions.
    prices: (merchant_id, version) => marketOf(scene).prices(merchant_id, version),
    rates: (version) => marketOf(scene).rates(version),
    limits,
  }
  const callbacks: CallbackDeps = {
    db,
    gateways,
    gateway_ids: stage.gateway_ids,
    macs: keyring,
    apply: async (signed) => {
      if (plant.believes_callbacks === true) return believe(deps, signed)
      return applyCallback(deps, signed)
    },
    wakePoller: () => undefined,
    limits: {
      unmatched_callbacks_per_ip_hour: 1_000_000,
      unmatched_callbacks_per_gateway_hour: 1_000_000,
    },
    tally: newTally(),
  }
  const fingerprint = (canonical: string) => keyring.mac('worlds-fingerprint', canonical)
  return { deps, callbacks, once: runOnce({ db, fingerprint, render: renderRefusal, lease_s: 13 }) }
}

const limit = BigInt(automaticBelow) * 100n
const automatic = { XOF: limit, XAF: limit }

/** What settlements and transfers cost, and which of them need nobody. */
const terms = {
  bank_fee_percent_ppm: 20_000n,
  bank_fee_fixed: {},
  fee_percent_ppm: 10_000n,
  auto_below: { SANDBOX: automatic, LIVE: {} },
}

export type Call = Readonly<{
  path: string
  params: Readonly<Record<string, string>>
  body: unknown
  key: string | undefined
  /** Who is signed in; absent: a key calls. */
  member_id?: string
}>

/** Calls a route as the HTTP layer would; keeps what was answered under the key. */
export async function callRoute(
  scene: Scene,
  line: Line,
  call: Call,
  hands = handsOf(scene, line, call.path),
): Promise<Answered> {
  const cursor_secret = fixedCursorSecret
  // None of these answers with a file.
  const sandbox = sandboxRoutes({ ...hands.deps, steerDialect: () => undefined }) as Route[]
  const payouts = payoutRoutes({
    ...hands.deps,
    keyring: scene.stage.keyring,
    cooling_hours: 24,
  }) as Route[]
  const settlements = settlementRoutes({ ...hands.deps, cursor_secret, terms }) as Route[]
  const transfers = walletRoutes({ ...hands.deps, cursor_secret, transfers: terms }) as Route[]
  const refunds = refundRoutes({ ...hands.deps, cursor_secret, cooling_hours: 24 }) as Route[]
  const moving = [...payouts, ...refunds, ...settlements, ...transfers]
  const all = [...paymentRoutes(hands.deps), ...moving, ...sandbox]
  const route = all.find(({ path }) => path === call.path)
  if (route === undefined) throw new Error(`no route ${call.path}`)
  const input = inputOf(scene, line, call)
  const handle = (given: Input) => route.handler(given as Input<never>)
  const canonical = `${call.path} ${JSON.stringify([call.params, call.body])}`
  const { key } = call
  const reply =
    key === undefined
      ? await handle(input)
      : await hands.once.run({ route, input, key, canonical }, (once) => handle({ ...input, once }))
  const { status } = reply
  const json = 'json' in reply ? reply.json : 'data' in reply ? JSON.stringify(reply.data) : ''
  if (key !== undefined) {
    scene.answers.set(key, [...(scene.answers.get(key) ?? []), { status, json }])
  }
  return { status, json }
}

const ip = '192.0.2.1'

/** The merchant's server, or a member of theirs. */
export const callerOf = (
  { merchant_id }: Scene,
  line: Line,
  member_id: string | null = null,
): Caller => ({
  merchant_id,
  environment: 'SANDBOX',
  via: 'KEY',
  scope: 'BOTH',
  api_key_id: null,
  member_id,
  session: null,
  ip,
  request_id: line.name,
  locale: 'en',
  suspended: false,
  fee_charge_mode_locked: null,
  allowed_countries: null,
  catalogue_version: 1n,
})

function inputOf(scene: Scene, line: Line, call: Call): Input {
  const { params, body, member_id = null } = call
  const caller = callerOf(scene, line, member_id)
  const { request_id } = caller
  const once = { none: true } as const
  const url = new URL('https://pirogue.example/')
  const input = {
    caller,
    params,
    query: {},
    body,
    headers: {},
    once,
    locale: 'en',
    ip,
    request_id,
    url,
  }
  // Not to be copied with the rest: whoever reads it here is wrong.
  const person = {
    get(): Person {
      throw new Error('no person calls here')
    },
  }
  return Object.defineProperty(input, 'person', person) as Input
}

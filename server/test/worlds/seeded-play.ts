// One seed of one operator: a few payments, payouts and refunds of a merchant over its adapter and
// dialect, with faults by chance on every way, until all asking time is over; then the wire is well
// again, and thirty days pass. The engine's clock and the database's are one; the operator's may be
// apart from them, and it may be silent for half an hour: by the seed, too.

import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type Draw, drawn as drawOf } from '../../../simulator/src/dialects/chaos.ts'
import { seededSource } from '../../../simulator/src/dialects/source.ts'
import { receiveCallback } from '../../src/attempts/receive-callback.ts'
import type { Received } from '../../src/gateways/gateway.ts'
import { createOutbound } from '../../src/platform/outbound/outbound.ts'
import { serveHttp } from '../setup/loopback.ts'
import { type Dialect, type Page, startDialect, toolsOver } from '../setup/six-dialects.ts'
import { codeOf, empty, givesBack, paysOut, places } from './adapter-stage.ts'
import { pass, poll } from './due-acts.ts'
import { runJob } from './job-acts.ts'
import { type AfterAll, dueAfterAll, nothingAfterAll } from './late-success.ts'
import { runOut } from './play.ts'
import { callRoute, handsOf, openScene, type Scene } from './scene.ts'
import { type AnswerPlant, type Names, namesBy, seededGateway } from './seeded-gateway.ts'
import {
  type Drawn,
  drawnFor,
  isSilentAt,
  seededWire,
  unskewed,
  type WirePlant,
} from './seeded-wire.ts'
import { look, type Stage } from './stage.ts'
import { start } from './start-line.ts'
import type { Crash } from './world.ts'

export type SeededPlay = Readonly<{
  scene: Scene
  dialect: Dialect
  names: Names
  after_all: AfterAll
}>

export type Wanted = Readonly<{
  name: string
  seed: string
  /**
   * Once all calls are made the operator answers nothing and calls nobody, until asking is over.
   * Nothing else goes wrong.
   */
  goes_silent?: boolean
  plant?: AnswerPlant | undefined
  wire_plant?: WirePlant | undefined
  /** Neither is the operator's clock apart, nor is it silent for a while. */
  is_even?: boolean
  /** For how long a page may be paid, by the clock, where it does not go as fast as all else. */
  page_life_s?: number
  /** None of its callbacks ever comes. */
  is_deaf?: boolean
  /** Draws that it does without. */
  without?: readonly (Draw | 'after_all')[]
}>

type Heard = Readonly<{ code: string; token: string; received: Received }>

type Playing = SeededPlay &
  Readonly<{
    wanted: Wanted
    /** What the operator has called, and was not given to the engine yet. */
    inbox: Heard[]
    /** How often a step at the operator goes wrong: it is well again in the end. */
    chaos: { seed: string; rate: number; without: readonly Draw[] }
    /** Callbacks that come when nobody waits for them any more. */
    late: Heard[]
    /** Of payments that were seen to be paid. */
    refunds: Call[]
    chance(what: string): number
    drawn: Drawn
  }>

/** The asking time of a payout, the longer one, and an hour. Seconds. */
const askingS = 73 * 3600
const thirtyDaysS = 31 * 86_400
const [rateLeast, rateMost] = [0.2, 0.5]
const payments = 3
const payouts = 2
/** Last digits of payers' phones: they pay, cannot, never answer, their answer is lost, … */
const ends = ['55', '55', '55', '55', '01', '04', '05', '07', '08'] as const

/** Plays the seed and hands what is at rest to `judge`, while the operator still answers. */
export async function playSeed<T>(
  stage: Stage,
  wanted: Wanted,
  judge: (play: SeededPlay) => Promise<T>,
): Promise<T> {
  const { name, seed, plant, goes_silent = false, is_even = goes_silent, without = [] } = wanted
  const inbox: Heard[] = []
  let scene: Scene | undefined
  const now = () => Date.now() + (scene?.now_s ?? 0) * 1000
  const outbound = createOutbound({ assertNoTransaction: () => undefined })
  const server = await serveHttp(async (request, response) => {
    inbox.push(await heardIn(request, now()))
    response.end()
  })
  const isOfDialect = (draw: Draw | 'after_all'): draw is Draw => draw !== 'after_all'
  const chaos = { seed: `${name} ${seed}`, rate: 0, without: without.filter(isOfDialect) }
  const chance = (what: string) => drawOf(chaos, 'world', what)
  if (!goes_silent) chaos.rate = rateLeast + (rateMost - rateLeast) * chance('rate')
  const drawn = is_even ? unskewed : drawnFor(chance)
  const wire = seededWire(outbound, {
    ...{ drawn, chance, now_ms: now, plant: wanted.wire_plant },
    now_s: () => scene?.now_s ?? 0,
  })
  const { silent_s } = wire
  const theirs = () => now() + drawn.skew_s * 1000
  const dialect = await startDialect(name, {
    ...{ chaos, heard: server.url, source: seededSource(chaos.seed, theirs) },
    tools: toolsOver(wire.outbound, now),
    ...(wanted.page_life_s === undefined ? {} : { page_life_s: wanted.page_life_s }),
  })
  const names = namesBy(chaos.seed, now)
  try {
    scene = await openScene(...[stage, empty, {}], {
      opened: (line) =>
        new Map([[codeOf(name), seededGateway(dialect.gateway, { names, line, plant, silent_s })]]),
      callback_base: server.url,
    })
    const playing = {
      scene,
      dialect,
      names,
      after_all: nothingAfterAll(),
      wanted,
      inbox,
      chaos,
      late: [],
      refunds: [],
      chance,
      drawn,
    }
    await openWorld(playing)
    if (goes_silent) chaos.rate = 1
    else await giveBack(playing)
    await playUntil(playing, scene.now_s + askingS)
    chaos.rate = 0
    await goOn(playing)
    return await judge(playing)
  } finally {
    await dialect.stop()
    await outbound.close()
    await server.close()
  }
}

async function heardIn(request: IncomingMessage, at_ms: number): Promise<Heard> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const [, , code = '', token = ''] = pathname.split('/')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]),
  )
  const { method = 'POST' } = request
  const body = await buffer(request)
  const where = { method, authority: request.headers.host ?? '', path: pathname }
  return { code, token, received: { ...where, query: search.slice(1), headers, body, at_ms } }
}

type Call = Parameters<typeof callRoute>[2]

const customer = { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' }

function phoneOf({ wanted: { name }, chance }: Playing, at: number): string {
  const { prefix = '', ends: plain = '' } = places[name] ?? {}
  const end = ends[Math.floor(chance(`ends ${at}`) * ends.length)] ?? ''
  return `${prefix}${String(at).padStart(4, '0')}${plain.slice(0, -2)}${end}`
}

function paymentCall(playing: Playing, at: number): Call {
  const { network, country, more } = places[playing.wanted.name] ?? {}
  const body = {
    ...{ amount: '5155', currency: 'XOF', country, network },
    customer: { ...customer, phone: phoneOf(playing, at) },
    return_url: 'https://shop.example/back',
    ...more,
  }
  return { path: '/payments/softpay/initialize/', params: {}, body, key: `payment ${at}` }
}

function payoutCall(playing: Playing, at: number): Call {
  const { network, country } = places[playing.wanted.name] ?? {}
  const body = {
    ...{ amount: '1200', currency: 'XOF', country, method: network, customer },
    recipient: { msisdn: phoneOf(playing, payments + at) },
    merchant_reference: `payout-${at}`,
  }
  return { path: '/payouts/initialize/', params: {}, body, key: `payout ${at}` }
}

function callsOf(playing: Playing): Call[] {
  const all = Array.from({ length: payments }, (_, at) => paymentCall(playing, at))
  if (!paysOut.includes(playing.wanted.name)) return all
  return [...all, ...Array.from({ length: payouts }, (_, at) => payoutCall(playing, at))]
}

const asked = (playing: Playing): Call[] => [...callsOf(playing), ...playing.refunds]

/** For so long it is waited for payments that are to be given back. Seconds. */
const paidWithinS = [16, 60, 300, 1200]

/** Most of what is paid by then is given back, whole or in part. */
async function giveBack(playing: Playing): Promise<void> {
  const { scene, wanted, chance, refunds } = playing
  if (!givesBack.includes(wanted.name)) return
  for (const seconds of paidWithinS) await hop(playing, seconds)
  const { part } = places[wanted.name] ?? {}
  for (let at = 0; at < payments; at += 1) {
    const id = await paidUnder(scene, `payment ${at}`)
    if (id === undefined || chance(`gives back ${at}`) > 0.8) continue
    const call = {
      ...{ path: '/payments/:payment_id/refunds/', params: { payment_id: id } },
      ...{ body: part === undefined ? {} : { amount: part }, key: `refund ${at}` },
    }
    refunds.push(call)
    make(playing, call, crashOf(chance(`crash ${call.key}`)))
    await runOut(scene)
    await rested()
  }
}

/** The payment that was made under this key, where it has succeeded. */
async function paidUnder({ stage, merchant_id, answers }: Scene, key: string) {
  const said = answers.get(key)?.at(-1)?.json
  const { id = null }: { id?: string | null } = said === undefined ? {} : JSON.parse(said)
  const [row] = await stage.owner<{ id: string }[]>`
    select id from transactions
     where merchant_id = ${merchant_id} and id = ${id} and status = 'SUCCESS'`
  return row?.id
}

function make({ scene }: Playing, call: Call, crash: Crash | null): void {
  start(scene, {
    what: call.key ?? call.path,
    crash,
    work: async (line) => {
      await callRoute(scene, line, call)
    },
  })
}

/** In every other one the process dies somewhere on the way. */
const deathsMost = 16
const crashOf = (draw: number): Crash | null => {
  const place = Math.floor(draw * 4 * deathsMost)
  return place < 2 * deathsMost ? { step: 1 + (place >> 1), after: place % 2 === 1 } : null
}

async function openWorld(playing: Playing): Promise<void> {
  const { scene, wanted, chance } = playing
  if (paysOut.includes(wanted.name)) {
    const { country } = places[wanted.name] ?? {}
    const body = { country, amount: '10000' }
    make(playing, { path: '/sandbox/balances/', params: {}, body, key: undefined }, null)
    await runOut(scene)
  }
  for (const call of callsOf(playing)) {
    make(playing, call, wanted.goes_silent ? null : crashOf(chance(`crash ${call.key}`)))
    await runOut(scene)
    if (wanted.goes_silent) continue
    await rested()
    if (chance(`then ${call.key}`) < 0.5) await hop(playing, 20)
  }
}

const restMs = 25

/** What the operator does by itself it has done: there everything is 500 times as fast. */
const rested = () => new Promise((resolve) => setTimeout(resolve, restMs))

const lossMost = 0.5

/** Merchants repeat a call until it is answered, payers do what they were sent to do. */
async function others(playing: Playing): Promise<void> {
  const { scene } = playing
  const open = asked(playing).filter(({ key = '' }) => !scene.answers.has(key))
  for (const call of open) make(playing, call, null)
  await runOut(scene)
  if (await payPages(playing)) await rested()
  await hear(playing)
  await succeedAfterAll(playing)
}

/** What it tells of such a success it says well, and that word comes, or never left it. */
async function succeedAfterAll(playing: Playing): Promise<void> {
  const { inbox, chaos, wanted, drawn, scene } = playing
  if (wanted.goes_silent || wanted.without?.includes('after_all')) return
  if (isSilentAt(drawn, scene.now_s)) return
  for (const { is_told, succeed } of await dueAfterAll(playing)) {
    const before = inbox.splice(0)
    const { rate } = chaos
    chaos.rate = 0
    if (succeed()) await rested()
    chaos.rate = rate
    const came = inbox.splice(0)
    inbox.push(...before)
    if (!is_told) continue
    for (const one of came) await receive(playing, one)
  }
}

async function payPages(playing: Playing): Promise<boolean> {
  const { scene, dialect, names, chance, drawn } = playing
  const { pay } = dialect
  if (pay === undefined || isSilentAt(drawn, scene.now_s)) return false
  const pages = await scene.stage.owner<Page[]>`
    select our_key, checkout_url from attempts
     where merchant_id = ${scene.merchant_id} and checkout_url <> '' and status = 'PENDING'`
  const named = pages.map((page) => ({ ...page, our_key: names.of(page.our_key).our_key }))
  const willing = named.filter(({ our_key }) => chance(`pays ${our_key}`) > lossMost / 2)
  // Where it is told of late nobody waits for that.
  for (const page of willing) await Promise.race([pay(page), rested()])
  return willing.length > 0
}

/** What it says, without the times in it: no two runs have the same. */
const timeless = ({ received }: Heard): string =>
  received.body.toString().replace(/\d{4}-\d\d-\d\dT[\d:.]+|\b\d{10,13}\b/g, '')

/** Some of what came is lost, some comes twice, and some when nobody waits for it any more. */
async function hear(playing: Playing): Promise<void> {
  const { inbox, late, chance, chaos, drawn, scene, wanted } = playing
  const came = inbox.splice(0).sort((a, b) => (timeless(a) < timeless(b) ? -1 : 1))
  // Of a silent operator nothing is heard.
  const isSilent = wanted.is_deaf || chaos.rate === 1 || isSilentAt(drawn, scene.now_s)
  for (const one of isSilent ? [] : came) {
    const draw = chance(`callback ${timeless(one)}`)
    if (draw < 0.2) late.push(one)
    else if (draw >= lossMost) await receive(playing, one)
    if (draw > 0.8) await receive(playing, one)
  }
}

async function receive({ scene }: Playing, { code, token, received }: Heard): Promise<void> {
  start(scene, {
    what: 'callback',
    crash: null,
    work: async (line) => {
      const { callbacks } = handsOf(scene, line)
      const about = { gateway_code: code, token, received, request_id: line.name }
      await receiveCallback(callbacks, { ...about, ip: '192.0.2.1' })
    },
  })
  await runOut(scene)
}

async function hop(playing: Playing, seconds: number): Promise<void> {
  const { scene } = playing
  if (seconds > 0) pass(scene, seconds)
  await runOut(scene)
  await others(playing)
  poll(scene, null)
  if (paysOut.includes(playing.wanted.name)) runJob(scene, 'start_waiting', null)
  for (const job of ['send_refunds_again', 'lapse_refunds'] as const) runJob(scene, job, null)
  await runOut(scene)
}

/** More than any seed takes. */
const hopsMost = 1000
/** From then on it is asked once an hour; the engine would ask twelve times. Seconds. */
const patientS = 3600
/** Of a key that a process died with. */
const leaseS = 16

/** From each moment at which something is due to the next, as the pollers go. */
async function playUntil(playing: Playing, until_s: number): Promise<void> {
  const { scene } = playing
  await others(playing)
  for (let hops = 0; hops < hopsMost; hops += 1) {
    const { seconds } = await look(scene.stage, scene.merchant_id)
    const unanswered = asked(playing).some(({ key = '' }) => !scene.answers.has(key))
    const due = seconds ?? (unanswered ? leaseS : undefined)
    const least = scene.now_s < patientS ? 0 : 3600
    const span = due === undefined ? undefined : Math.max(due, least)
    if (span === undefined || scene.now_s + span > until_s) {
      return hop(playing, Math.max(0, until_s - scene.now_s))
    }
    await hop(playing, span)
  }
  throw new Error(`it is asked about without end (${scene.now_s} s)`)
}

/** The operator is well again; what was called late comes; thirty days pass. */
async function goOn(playing: Playing): Promise<void> {
  const { scene, late } = playing
  for (const one of late.splice(0)) await receive(playing, one)
  await playUntil(playing, scene.now_s + thirtyDaysS)
}

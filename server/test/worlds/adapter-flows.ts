// The engine over one operator's adapter and dialect, by real HTTP, as a world: what a merchant
// calls for, a process that dies at one of its steps, and time that passes until all is at rest.

import { catalogueIn } from '../../src/catalogue/read-catalogue.ts'
import type { Gateway } from '../../src/gateways/gateway.ts'
import { routesIn } from '../../src/gateways/routing.ts'
import { newId } from '../../src/platform/ids.ts'
import type { DatabaseOptions, OwnerSql } from '../setup/database.ts'
import { type Dialect, nowhere, type Page } from '../setup/six-dialects.ts'
import { pass, poll } from './due-acts.ts'
import { nothing } from './payout-world.ts'
import { runOut } from './play.ts'
import { type Call, callRoute, openScene, type Scene } from './scene.ts'
import { openStage, type Stage } from './stage.ts'
import { start } from './start-line.ts'
import type { Line } from './turns.ts'
import type { Crash, Operator, World } from './world.ts'

type Place = Readonly<{
  network: string
  country: string
  /** Of a phone, before four digits that count the payers. */
  prefix: string
  /** The last digits, by which a payer pays and a receiver is paid. */
  ends: string
  /** And those by which a receiver is not paid, where it pays at all. */
  fails?: string
  /** What of a payment is given back; absent: the whole. */
  part?: string
  more?: object
}>

/** A part that no second person has to approve. */
const bj = { country: 'BJ', prefix: '+2290197', ends: '55', part: '3000' } as const

export const places: Readonly<Record<string, Place>> = {
  mtn: { network: 'mtn_bj', ...bj, fails: '01' },
  pawapay: { network: 'moov_bj', ...bj, fails: '01' },
  fedapay: { network: 'celtiis_bj', ...bj, fails: '01' },
  wave: { network: 'wave_sn', country: 'SN', prefix: '+22177', ends: '055', fails: '002' },
  orange: { network: 'orange_ml', country: 'ML', prefix: '+22365', ends: '55' },
  stripe: {
    ...{ network: 'card', ...bj, country: 'XX', part: '40' },
    more: { currency: 'USD', amount: '100' },
  },
}

const codeOf = (name: string): string => `${name}_test`

/** A stage with a route to each operator, for what is collected and what is paid. */
export async function openAdapterStage(owner: OwnerSql, options: DatabaseOptions): Promise<Stage> {
  const plain = await openStage(owner, options)
  await owner`delete from routes`
  const gateway_ids = new Map(plain.gateway_ids)
  for (const [name, { network, fails }] of Object.entries(places)) {
    const id = newId()
    gateway_ids.set(codeOf(name), { id, environment: 'SANDBOX' })
    await owner`
      insert into gateways (id, code, adapter, name, environment)
      values (${id}, ${codeOf(name)}, ${name}, ${name}, 'SANDBOX')`
    await owner`update networks set is_active = true, otp_kind = 'NONE' where code = ${network}`
    const directions = fails === undefined ? ['COLLECT'] : ['COLLECT', 'DISBURSE']
    for (const direction of directions) {
      await owner`
        insert into routes (id, network_id, direction, gateway_id, environment, priority, breaker)
        select ${newId()}, id, ${direction}, ${id}, 'SANDBOX', 1, false
          from networks where code = ${network}`
    }
  }
  // What was read of them before is as they were.
  const { db } = plain
  return { ...plain, gateway_ids, catalogue: catalogueIn(db), routes: routesIn(db) }
}

const verbs = new Set(['prepare', 'collect', 'pay', 'refund', 'query', 'askRefund'])

/** Each call to the operator is two steps: the way there, and the way back with its answer. */
function stepped(gateway: Gateway, line: Line): Gateway {
  return new Proxy(gateway, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name)
      if (typeof verb !== 'function' || !verbs.has(String(name))) return verb
      return async (...given: unknown[]) => {
        const there = () => Reflect.apply(verb, target, given) as Promise<unknown>
        const answer = await line.step(() => `→ ${String(name)}`, there)
        return line.step(
          () => `← ${String(name)}`,
          () => answer,
        )
      }
    },
  })
}

const quiet: Operator = {
  ...{ create_is_idempotent: true, callback_address: 'PER_CALL', cancels: false },
  ...{ creates: [], asks: [] },
}
const empty: World = {
  ...{ payments: [], paying: nothing, sessions: [], one_process: false },
  ...{ operators: [quiet, quiet], events: [], order: [], fates: [] },
  moving: { settlements: [], transfers: [], adjustments: [] },
}

export type Flow = 'payment' | 'payout' | 'refund'

export type Case = Readonly<{
  flow: Flow
  name: string
  dialect: Dialect
  crash: Crash
  /** Which process dies: the one that is called, or the poller at its first question. */
  dies: 'call' | 'poller'
  /** The receiver of a payout is one that its operator does not pay. */
  fails?: boolean
}>

let people = 0

/** Somebody new, at each call. */
function personAt(name: string, fails: boolean) {
  const place = places[name]
  if (place === undefined) throw new Error(`no place for ${name}`)
  people += 1
  const ends = fails ? (place.fails ?? place.ends) : place.ends
  return { place, phone: `${place.prefix}${String(people).padStart(4, '0')}${ends}` }
}

const customer = { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' }

function paymentAt(name: string): Call {
  const { place, phone } = personAt(name, false)
  const { network, country, more } = place
  const return_url = 'https://shop.example/back'
  const paid = { amount: '5155', currency: 'XOF', country, network, return_url }
  return {
    path: '/payments/softpay/initialize/',
    params: {},
    body: { ...paid, customer: { ...customer, phone }, ...more },
    key: 'pay',
  }
}

function payoutAt(name: string, fails: boolean): Call {
  const { place, phone } = personAt(name, fails)
  const { network: method, country } = place
  const paid = { amount: '3000', currency: 'XOF', country, method, recipient: { msisdn: phone } }
  return { path: '/payouts/initialize/', params: {}, body: { ...paid, customer }, key: 'pay out' }
}

function begin(scene: Scene, call: Call, dies: Crash | null): void {
  start(scene, {
    what: call.key ?? call.path,
    crash: dies,
    work: async (line) => {
      await callRoute(scene, line, call)
    },
  })
}

/** Leases, the time of grace, the hourly question, the asking time, thirty days. Seconds. */
const restS = [0, 3, 16, 140, 1000, 4000, 90_000, 90_000, 31 * 86_400]

/** What is called for, from its first call to rest. */
export async function playCase(stage: Stage, one: Case): Promise<Scene> {
  const { flow, name, dialect, crash, dies } = one
  const scene = await openScene(
    stage,
    empty,
    {},
    {
      opened: (line) => new Map([[codeOf(name), stepped(dialect.gateway, line)]]),
      callback_base: nowhere,
    },
  )
  const call = await callOf(scene, one)
  begin(scene, call, dies === 'call' ? crash : null)
  await runOut(scene)
  const crashNow = () => {
    const isOver = dies === 'call' || scene.turns.ended().some(({ died }) => died)
    return isOver ? null : crash
  }
  for (const seconds of restS) {
    pass(scene, seconds)
    await runOut(scene)
    begin(scene, call, null)
    await runOut(scene)
    if (flow === 'payment') await payPage(scene, dialect)
    for (let times = 0; times < 2; times += 1) {
      poll(scene, crashNow())
      await runOut(scene)
    }
  }
  return scene
}

async function callOf(scene: Scene, { flow, name, dialect, fails = false }: Case): Promise<Call> {
  if (flow === 'payment') return paymentAt(name)
  await fund(scene, name)
  if (flow === 'payout') return payoutAt(name, fails)
  const amount = places[name]?.part
  return {
    path: '/payments/:payment_id/refunds/',
    params: { payment_id: await paid(scene, name, dialect) },
    body: amount === undefined ? {} : { amount },
    key: 'refund',
  }
}

async function fund(scene: Scene, name: string): Promise<void> {
  const country = places[name]?.country
  // Where a payment is of no country, what it brought is enough.
  if (country === 'XX') return
  const body = { country, amount: '20000' }
  begin(scene, { path: '/sandbox/balances/', params: {}, body, key: undefined }, null)
  await runOut(scene)
}

/** A payment that has succeeded: its id. */
async function paid(scene: Scene, name: string, dialect: Dialect): Promise<string> {
  const call = paymentAt(name)
  begin(scene, call, null)
  await runOut(scene)
  await payPage(scene, dialect)
  for (let times = 0; times < 20; times += 1) {
    const [payment] = await scene.stage.owner<{ id: string; status: string }[]>`
      select id, status from transactions where merchant_id = ${scene.merchant_id}`
    if (payment?.status === 'SUCCESS') return payment.id
    pass(scene, 16)
    poll(scene, null)
    await runOut(scene)
  }
  throw new Error(`what ${name} was to collect was not paid`)
}

/** By whoever was given it. */
async function payPage({ stage, merchant_id }: Scene, { pay }: Dialect): Promise<void> {
  if (pay === undefined) return
  const pages = await stage.owner<Page[]>`
    select our_key, checkout_url from attempts
     where merchant_id = ${merchant_id} and checkout_url <> '' and status = 'PENDING'`
  for (const page of pages) await pay(page)
}

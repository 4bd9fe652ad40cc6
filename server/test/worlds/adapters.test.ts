// The engine over each operator's adapter and dialect, by real HTTP: a process dies at
// each step of a payment, before it took effect and after. Its merchant repeats the call, a poller
// asks, time passes. In the end it was paid once by the operator's books and by ours, or nobody
// says that it was.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Gateway } from '../../src/gateways/gateway.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { sized } from '../setup/proof-size.ts'
import { type Dialect, nowhere, type Page, startDialect } from '../setup/six-dialects.ts'
import { adapterNames, codeOf, empty, openAdapterStage, places } from './adapter-stage.ts'
import { pass, poll } from './due-acts.ts'
import { runOut } from './play.ts'
import { readRecords } from './records.ts'
import { callRoute, openScene, type Scene } from './scene.ts'
import { seenOf } from './seen.ts'
import type { Stage } from './stage.ts'
import { start } from './start-line.ts'
import type { Line } from './turns.ts'
import type { Crash } from './world.ts'
import { breachesOf } from './world-laws.ts'

let database: TestDatabase
let stage: Stage

beforeAll(async () => {
  database = await createTestDatabase()
  stage = await openAdapterStage(database)
})
afterAll(async () => {
  await stage?.close()
  await database?.drop()
})

const verbs = new Set(['prepare', 'collect', 'query'])

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

type Case = Readonly<{ name: string; dialect: Dialect; crash: Crash }>

let payers = 0

function callOf(name: string) {
  const place = places[name]
  if (place === undefined) throw new Error(`no place for ${name}`)
  const { network, country, prefix, ends, more } = place
  payers += 1
  const phone = `${prefix}${String(payers).padStart(4, '0')}${ends}`
  const customer = { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop', phone }
  const return_url = 'https://shop.example/back'
  const call = { amount: '5155', currency: 'XOF', country, network, customer, return_url }
  return {
    path: '/payments/softpay/initialize/',
    params: {},
    body: { ...call, ...more },
    key: 'pay',
  }
}

/** Leases, the time of grace, the hourly question, the asking time, thirty days. Seconds. */
const restS = [0, 3, 16, 140, 1000, 4000, 90_000, 90_000, 31 * 86_400]

/** The payment from its first call to rest. */
async function playCase({ name, dialect, crash }: Case): Promise<Scene> {
  const scene = await openScene(
    stage,
    empty,
    {},
    {
      opened: (line) => new Map([[codeOf(name), stepped(dialect.gateway, line)]]),
      callback_base: nowhere,
    },
  )
  const call = callOf(name)
  const initialize = (dies: Crash | null) =>
    start(scene, {
      what: 'initialize',
      crash: dies,
      work: async (line) => {
        await callRoute(scene, line, call)
      },
    })
  initialize(crash)
  await runOut(scene)
  for (const seconds of restS) {
    pass(scene, seconds)
    await runOut(scene)
    initialize(null)
    await runOut(scene)
    await payPage(scene, dialect)
    for (let times = 0; times < 2; times += 1) {
      poll(scene, null)
      await runOut(scene)
    }
  }
  return scene
}

/** By whoever was given it. */
async function payPage({ merchant_id }: Scene, { pay }: Dialect): Promise<void> {
  if (pay === undefined) return
  const pages = await stage.owner<Page[]>`
    select our_key, checkout_url from attempts
     where merchant_id = ${merchant_id} and checkout_url <> '' and status = 'PENDING'`
  for (const page of pages) await pay(page)
}

const laws = [
  'each success is booked, and nothing else',
  'available is what came less what is held and spent',
  'at most one attempt is open',
  'status logs chain',
  'one key, one transaction, one answer',
  'each move has its event',
  'suspense is the sum of incidents',
]

const paid = /^(SUCCESSFUL|COMPLETED|SUCCEEDED|SUCCESS|COMPLETE|APPROVED|TRANSFERRED)$/i

/** What is wrong; nothing where it was paid once, or is not said to have been. */
async function wrongIn(scene: Scene, dialect: Dialect): Promise<string[]> {
  const records = await readRecords(scene)
  const rows = await stage.owner<{ our_key: string; msisdn: string; status: string }[]>`
    select our_key, operation_msisdn as msisdn, status from attempts
     where merchant_id = ${scene.merchant_id}`
  const lines = rows.flatMap((row) => dialect.lines(row))
  const times = lines.filter((status) => paid.test(status)).length
  const [transaction, ...others] = records.transactions
  const isSuccess = transaction?.status === 'SUCCESS'
  const answers = scene.answers.get('pay')?.map(({ json }) => json)[0]
  const told = `${transaction?.status}, at the operator ${lines}`
  return [
    ...scene.turns.ended().flatMap(({ name, error }) => (error ? [`${name}: ${error}`] : [])),
    ...breachesOf(laws, seenOf(scene, records)),
    ...(others.length > 0 ? [`${1 + others.length} payments were made`] : []),
    ...(transaction === undefined ? [`none was made: ${answers}`] : []),
    ...(transaction?.status === 'PENDING' ? [`it never ends: ${told}`] : []),
    ...(times > 1 ? [`paid ${times} times: ${told}`] : []),
    ...(isSuccess === (times === 1) ? [] : [`it is ${told}`]),
  ]
}

/** More than any of them takes from its first statement to its answer. */
const stepsMax = 16

/** How many lines of work have died. */
async function expectHonest(name: string, crashes: readonly Crash[]): Promise<number> {
  const dialect = await startDialect(name)
  let died = 0
  try {
    for (const crash of crashes) {
      const scene = await playCase({ name, dialect, crash })
      const wrong = await wrongIn(scene, dialect)
      if (wrong.length > 0) wrong.push(...scene.turns.story())
      expect(wrong, `${name}, ${JSON.stringify(crash)}`).toEqual([])
      died += scene.turns.ended().filter((one) => one.died).length
    }
  } finally {
    await dialect.stop()
  }
  return died
}

const every: readonly Crash[] = Array.from({ length: stepsMax }, (_, at) => at + 1).flatMap(
  (step) => [false, true].map((after) => ({ step, after })),
)

describe('a process that pays dies', () => {
  it.each(adapterNames)(
    'at each step, by %s: paid once or not said to be',
    async (name) => {
      const crashes = every.filter((_, at) => at % sized(7, 1) === 0)
      expect(await expectHonest(name, crashes)).toBeGreaterThan(sized(0, 5))
    },
    300_000,
  )
})

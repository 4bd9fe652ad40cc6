// One account with an operator, and programs of their own that share it: processes that a test can
// kill, each with its own connection to the database, against the dialect over HTTP. One token for
// all of them, and never more questions in a second than the operator allows.

import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Mtn, startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import type { Account } from '../../src/gateways/adapter.ts'
import { addGateways } from '../../src/gateways/gateways.ts'
import { facts } from '../../src/gateways/mtn-momo-api/settings.ts'
import type { AgreedPaces } from '../../src/gateways/pace.ts'
import { newId } from '../../src/platform/ids.ts'
import { eventually } from '../harness.ts'
import {
  type AccountProcess,
  isTokenCall,
  type NotingWire,
  notingWire,
  startAccountProcess,
} from '../setup/account-processes.ts'
import type { Told } from '../setup/account-program.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { provisioned } from '../setup/mtn-account.ts'
import { isWhole } from '../setup/proof-files.ts'
import { sized } from '../setup/proof-size.ts'

let database: TestDatabase
let mtn: Mtn
let wire: NotingWire
let account: Account
const secret_key = randomBytes(32).toString('base64')
const running = new Set<AccountProcess>()

beforeAll(async () => {
  database = await createTestDatabase()
  mtn = await startMtn({ port: 0 })
})
afterAll(async () => {
  await mtn?.stop()
  await database?.drop()
})

beforeEach(async () => {
  wire = await notingWire(mtn.url)
  const id = newId()
  account = { ...(await provisioned(wire.url, '127.0.0.1')), id, code: `mtn_${id.slice(-8)}` }
  await addGateways(database.owner, [
    { id, code: account.code, adapter: 'mtn', name: 'x', environment: 'SANDBOX', is_active: false },
  ])
  wire.seen.length = 0
})
afterEach(async () => {
  for (const one of running) await one.kill()
  running.clear()
  await wire.close()
})

async function startPrograms(count: number, agreed: AgreedPaces = {}): Promise<AccountProcess[]> {
  const made: AccountProcess[] = []
  // Two at a time: to start them all at once would only show how many the machine can start.
  const startSome = async (of: number) => {
    for (let at = of; at < count; at += 2) {
      const name = `${account.code}_${at}`
      const one = await startAccountProcess({
        ...{ name, database: database.options, secret_key, account, agreed },
      })
      running.add(one)
      made.push(one)
    }
  }
  await Promise.all([startSome(0), startSome(1)])
  return made
}

const tokenCalls = () => wire.seen.filter(isTokenCall)
const create = (count: number, at_a_time = count) => ({ do: 'create', count, at_a_time }) as const

const all = <T>(of: readonly AccountProcess[], work: (one: AccountProcess) => Promise<T>) =>
  Promise.all(of.map(work))

const someone = <T>(of: readonly T[]): T => {
  const [one] = of
  if (one === undefined) throw new Error('nobody is there')
  return one
}

const many = sized(5, 50)

it(`${many} programs ask for one token, and for one more when it ends early`, async () => {
  const programs = await startPrograms(many)
  const before = mtn.books().length
  for (const one of programs) expect(await one.tell(create(1))).toEqual({ waiting: 1 })
  expect(tokenCalls()).toHaveLength(1)
  // Refused in mid-flight, by all at once: each repeats with its key, which is one payment.
  mtn.dropTokens()
  const told = await all(programs, (one) => one.tell(create(2)))
  expect(told).toEqual(programs.map(() => ({ waiting: 2 })))
  expect(tokenCalls()).toHaveLength(2)
  expect(mtn.books()).toHaveLength(before + 3 * many)
  const references = mtn.books().map(({ reference }) => reference)
  expect(new Set(references).size).toBe(references.length)
}, 300_000)

/** Of a program that was killed while it asked for a token (operators, check 5). */
const renewedWithinS = 15

it('a program that dies with the lease holds the others up until the lease ends', async () => {
  const programs = await startPrograms(3)
  const [first, ...others] = programs
  if (first === undefined) throw new Error('no program')
  const isAsked = new Promise<void>((asked) => {
    wire.onCall((call) => {
      if (!isTokenCall(call)) return undefined
      asked()
      return new Promise(() => undefined)
    })
  })
  const died = first.tell(create(1)).catch(() => 'died')
  await isAsked
  await first.kill()
  const killed = Number(process.hrtime.bigint()) / 1e6
  expect(await died).toBe('died')
  wire.onCall(() => undefined)
  const held = await all(others, (one) => one.tell(create(1)))
  // Whether the lease ended meanwhile is the machine's affair; nothing is sent without a token.
  for (const told of held) {
    expect(['waiting', 'never_sent: token: another process asks for it']).toContain(
      Object.keys(told).join(),
    )
  }
  // Whole, the lease runs out by itself; with the tests nobody waits for that.
  if (!isWhole) {
    await database.owner`
      update gateway_tokens set lease_until = now() - interval '1 second'
       where gateway_id = ${account.id}`
  }
  await eventually(async () => {
    const told = await all(others, (one) => one.tell(create(1)))
    expect(told).toEqual([{ waiting: 1 }, { waiting: 1 }])
  }, 60_000)
  expect(tokenCalls()).toHaveLength(2)
  const renewed_s = ((tokenCalls().at(-1)?.left_at ?? 0) - killed) / 1000
  process.stdout.write(`another token was asked for ${renewed_s.toFixed(1)} s after the kill\n`)
  expect(renewed_s).toBeLessThan(renewedWithinS)
}, 300_000)

const lifeS = 3600
/** Three quarters of its life: from then on another is asked for. */
const renewedAfterS = (lifeS * 3) / 4
/** Less than by how much a token ends early: what is under way as time passes has a good one. */
const stepS = 25
const steps = sized(150, 300)
const sharing = sized(2, 4)
const batch = sized(4, 16)

it(`${sharing} programs at full speed over ${steps * stepS} s of a token: one at a time`, async () => {
  const programs = await startPrograms(sharing)
  let now_s = 0
  let asking = 0
  const issued = new Map<string, number>()
  const ages: number[] = []
  const asked_at: number[] = []
  let together = 0
  wire.onCall((call) => {
    if (!isTokenCall(call)) {
      ages.push(now_s - (issued.get(call.bearer) ?? Number.NEGATIVE_INFINITY))
      return
    }
    asked_at.push(now_s)
    asking += 1
    together = Math.max(together, asking)
  })
  wire.onToken((token) => {
    issued.set(token, now_s)
    asking -= 1
  })
  const began = performance.now()
  for (let step = 0; step < steps; step += 1) {
    const told = await all(programs, (one) => one.tell(create(batch, batch / 2)))
    expect(told).toEqual(programs.map(() => ({ waiting: batch })))
    await database.owner`
      update gateway_tokens
         set renew_at = renew_at - ${stepS} * interval '1 second',
             expires_at = expires_at - ${stepS} * interval '1 second'
       where gateway_id = ${account.id}`
    await all(programs, (one) => one.tell({ do: 'pass', seconds: stepS }))
    now_s += stepS
  }
  const rate = Math.round((1000 * ages.length) / (performance.now() - began))
  process.stdout.write(`one token, ${sharing} programs: ${rate} payments a second\n`)
  expect(ages).toHaveLength(steps * sharing * batch)
  // None past its end, nor one that was never given; and none renewed before its time.
  expect(Math.max(...ages)).toBeLessThan(lifeS)
  expect(together).toBe(1)
  expect(asked_at).toHaveLength(sized(2, 3))
  for (const [at, one] of asked_at.slice(1).entries()) {
    // Either may have been asked for while a step was half made.
    expect(one - (asked_at[at] ?? 0)).toBeGreaterThanOrEqual(renewedAfterS - 2 * stepS)
  }
}, 300_000)

/** The most that left in any second, and by whom. */
function mostInASecond(left: readonly number[]): number {
  const sorted = left.toSorted((a, b) => a - b)
  return Math.max(
    ...sorted.map((one, at) => at - sorted.findIndex((other) => other > one - 1000) + 1),
  )
}

it('programs that come, die and stay ask no more in any second than is allowed', async () => {
  const programs = await startPrograms(sized(3, 4))
  await someone(programs).tell(create(1))
  const our_key = mtn.books().at(-1)?.reference ?? ''
  const questions = () => wire.seen.filter(({ method }) => method === 'GET').length
  const untilAsked = (more: number) => {
    const wanted = questions() + more
    return eventually(async () => expect(questions()).toBeGreaterThanOrEqual(wanted), 120_000)
  }
  const ask = (one: AccountProcess) =>
    one.tell({ do: 'ask', our_key, at_a_time: 8 }).catch((): Told => ({ died: 1 }))
  const asking = programs.map(ask)
  await untilAsked(sized(12, 60))
  await someone(programs).kill()
  const [fresh] = await startPrograms(1)
  if (fresh === undefined) throw new Error('no program')
  asking.push(ask(fresh))
  await untilAsked(sized(12, 90))
  await all([...programs.slice(1), fresh], (one) => one.tell({ do: 'stop' }))
  const told = await Promise.all(asking)
  // Payments are not held back by it.
  expect(await fresh.tell(create(20))).toEqual({ waiting: 20 })
  const left = wire.seen.flatMap(({ method, left_at }) => (method === 'GET' ? [left_at] : []))
  expect(mostInASecond(left)).toBeLessThanOrEqual(facts.queries_per_second)
  const [dead, ...living] = told.slice(0, programs.length)
  expect(dead).toEqual({ died: 1 })
  // Who came last waits for the share of who died: its lease may not be over yet. In a small run on
  // a busy machine the few questions may all have been another's.
  const served = living.filter((one) => 'waiting' in one)
  expect(served.length).toBeGreaterThanOrEqual(sized(1, living.length))
}, 300_000)

/** What was agreed on, over all programs. */
const agreed = { creates_per_s: 12, open_calls: 5 }
/** For so long the operator works on each call. Milliseconds. */
const workMs = 250

it('programs that come, die and stay send no more in any second, or at once, than is agreed', async () => {
  const programs = await startPrograms(3, agreed)
  let open = 0
  let most_open = 0
  wire.onCall(async () => {
    open += 1
    most_open = Math.max(most_open, open)
    await new Promise((resolve) => setTimeout(resolve, workMs))
    open -= 1
  })
  const created = () =>
    wire.seen.flatMap(({ method, path, left_at }) =>
      method === 'POST' && path.endsWith('/requesttopay') ? [left_at] : [],
    )
  const untilCreated = (more: number) => {
    const wanted = created().length + more
    return eventually(async () => expect(created().length).toBeGreaterThan(wanted), 120_000)
  }
  const send = (one: AccountProcess) =>
    one.tell(create(sized(25, 200), 8)).catch((): Told => ({ died: 1 }))
  const sending = programs.map(send)
  await untilCreated(sized(10, 60))
  await someone(programs).kill()
  const [fresh] = await startPrograms(1, agreed)
  if (fresh === undefined) throw new Error('no program')
  sending.push(send(fresh))
  const [dead, ...living] = await Promise.all(sending)
  expect(dead).toEqual({ died: 1 })
  // What finds no place in two seconds was not sent, and is known not to have been.
  const words = living.flatMap((told) => Object.keys(told))
  expect(words).toContain('waiting')
  for (const word of words) expect(['waiting', 'never_sent: pace']).toContain(word)
  expect(mostInASecond(created())).toBeLessThanOrEqual(agreed.creates_per_s)
  expect(most_open).toBeLessThanOrEqual(agreed.open_calls)
  expect(most_open).toBeGreaterThan(1)
}, 300_000)

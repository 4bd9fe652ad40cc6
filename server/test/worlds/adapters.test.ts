// The engine over each operator's adapter and dialect, by real HTTP: a process dies at each step
// of a payment, a payout or a refund, before it took effect and after. Its merchant repeats the
// call, a poller asks (and dies too), time passes. In the end it was paid once by the operator's
// books and by ours, or nobody says that it was; what was held is spent or given back, once.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { shares } from '../setup/proof-files.ts'
import { shareOf, sized } from '../setup/proof-size.ts'
import { type Key, startDialect } from '../setup/six-dialects.ts'
import { type Case, type Flow, openAdapterStage, places, playCase } from './adapter-flows.ts'
import { leftOpen } from './end-law.ts'
import { type Records, readRecords } from './records.ts'
import type { Scene } from './scene.ts'
import { seenOf } from './seen.ts'
import type { Stage } from './stage.ts'
import { brokenBooks } from './verify-books.ts'
import type { Crash } from './world.ts'
import { breachesOf, type LawName, refundLaws } from './world-laws.ts'

let database: TestDatabase
let stage: Stage

beforeAll(async () => {
  database = await createTestDatabase()
  stage = await openAdapterStage(database.owner, database.options)
})
afterAll(async () => {
  await stage?.close()
  await database?.drop()
})

const common: readonly LawName[] = [
  'each success is booked, and nothing else',
  'available is what came less what is held and spent',
  'at most one attempt is open',
  'status logs chain',
  'one key, one transaction, one answer',
  'each move has its event',
  'suspense is the sum of incidents',
]

const laws: Readonly<Record<Flow, readonly string[]>> = {
  payment: common,
  payout: [
    ...common,
    ...([
      'pending is the sum of open holds',
      'a hold ends at most once',
      'no balance is below zero',
      'a payout holds what it costs, and the hold ends as the payout does',
    ] satisfies LawName[]),
  ],
  refund: [...common, ...refundLaws, 'no balance is below zero' satisfies LawName],
}

const isPaid = (status: string): boolean =>
  /^(SUCCESSFUL|COMPLETED|SUCCEEDED|SUCCESS|COMPLETE|APPROVED|TRANSFERRED|SENT)$/i.test(status)

type Row = Key & Readonly<{ refund_id: string | null }>

/** By the operator's books: the status of each line that our attempts at it have there. */
async function linesOf({ merchant_id }: Scene, { flow, dialect }: Case): Promise<string[]> {
  const rows = await stage.owner<Row[]>`
    select our_key, operation_msisdn as msisdn, refund_id from attempts
     where merchant_id = ${merchant_id} order by id`
  if (flow !== 'refund') return rows.flatMap((row) => dialect.lines(row))
  const [of, ...refunds] = rows
  if (of === undefined) throw new Error('nothing was paid')
  return refunds.flatMap((row) => dialect.given?.(row, of) ?? [])
}

const keys = { payment: 'pay', payout: 'pay out', refund: 'refund' } as const

const madeBy = (flow: Flow, { transactions, refunds }: Records) =>
  flow === 'refund' ? refunds : transactions

/** What is wrong; nothing where it was paid once, or is not said to have been. */
async function wrongIn(scene: Scene, one: Case): Promise<string[]> {
  const { flow } = one
  const records = await readRecords(scene)
  const lines = await linesOf(scene, one)
  const times = lines.filter(isPaid).length
  const [made, ...others] = madeBy(flow, records)
  const isSuccess = made?.status === 'SUCCESS'
  const answers = scene.answers.get(keys[flow])?.map(({ json }) => json)[0]
  const told = `${made?.status}, at the operator ${lines}`
  // Two people end what no operator ever says (`leftOpen`); they are told to.
  const isForPeople =
    flow !== 'payment' &&
    records.incidents.some(({ type, status }) => type === 'OUTCOME_UNKNOWN' && status === 'OPEN')
  return [
    ...scene.turns.ended().flatMap(({ name, error }) => (error ? [`${name}: ${error}`] : [])),
    ...breachesOf(laws[flow], seenOf(scene, records)),
    ...(others.length > 0 ? [`${1 + others.length} were made`] : []),
    ...(made === undefined ? [`none was made: ${answers}`] : []),
    ...(made?.status === 'PENDING' && !isForPeople ? [`it never ends: ${told}`] : []),
    ...(times > 1 ? [`paid ${times} times: ${told}`] : []),
    ...(isSuccess === (times === 1) || (isForPeople && !isSuccess) ? [] : [`it is ${told}`]),
    ...(flow === 'payment' ? [] : await leftOpen(scene)),
  ]
}

/** How many lines of work have died. */
async function expectHonest(
  of: Omit<Case, 'dialect' | 'crash'>,
  crashes: readonly Crash[],
): Promise<number> {
  const dialect = await startDialect(of.name)
  let died = 0
  try {
    for (const crash of crashes) {
      const one = { ...of, dialect, crash }
      const scene = await playCase(stage, one)
      const wrong = await wrongIn(scene, one)
      if (wrong.length > 0) wrong.push(...scene.turns.story())
      expect(wrong, JSON.stringify({ ...of, crash })).toEqual([])
      died += scene.turns.ended().filter((line) => line.died).length
    }
  } finally {
    await dialect.stop()
  }
  return died
}

/** Before each step took effect and after, up to more of them than anything here takes. */
const crashesTo = (stepsMax: number): Crash[] =>
  Array.from({ length: stepsMax }, (_, at) => at + 1).flatMap((step) =>
    [false, true].map((after) => ({ step, after })),
  )

describe('a process that pays dies', () => {
  it.each(Object.keys(places))(
    'at each step, by %s: paid once or not said to be',
    async (name) => {
      const steps = crashesTo(16)
      const crashes = sized(
        steps.filter((_, at) => at % 7 === 0),
        shareOf(steps),
      )
      const died = await expectHonest({ flow: 'payment', name, dies: 'call' }, crashes)
      expect(died).toBeGreaterThan(sized(0, 5 / shares))
    },
    300_000,
  )
})

const paysOut = ['mtn', 'pawapay', 'fedapay', 'wave']
/** Each by the operator's own refund, or by a payout where it has none. */
const givesBack = [...paysOut, 'stripe']

const few: readonly Crash[] = [{ step: 4, after: true }]

describe.each([
  { flow: 'payout', names: paysOut, fails: [false, true] },
  { flow: 'refund', names: givesBack, fails: [false] },
] as const)('a process dies at a $flow', ({ flow, names, fails }) => {
  it.each(names)(
    'at each step, by %s: paid once or not said to be, and what was held ends once',
    async (name) => {
      let died = 0
      for (const ends of sized<readonly boolean[]>([false], fails)) {
        for (const dies of ['call', 'poller'] as const) {
          const crashes = sized(few, shareOf(crashesTo(dies === 'call' ? 20 : 12)))
          died += await expectHonest({ flow, name, dies, fails: ends }, crashes)
        }
      }
      expect(died).toBeGreaterThan(sized(0, 10 / shares))
    },
    600_000,
  )
})

it('the books of all of them are right', async () => {
  expect(await brokenBooks(database.owner)).toEqual([])
})

// The whole engine over each operator's adapter and dialect, by real HTTP, by seeds: answers are
// spoiled, lost and late, callbacks too, and processes die. When the operator is well again and
// all asking time is over, its books and ours are compared.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { sized } from '../setup/proof-size.ts'
import { adapterNames, openAdapterStage } from './adapter-stage.ts'
import { type Records, readRecords } from './records.ts'
import type { AnswerPlant } from './seeded-gateway.ts'
import { playSeed, type SeededPlay, type Wanted } from './seeded-play.ts'
import { seenOf } from './seen.ts'
import type { Stage } from './stage.ts'
import { brokenBooks } from './verify-books.ts'
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

const laws = [
  'each success is booked, and nothing else',
  'available is what came less what is held and spent',
  'pending is the sum of open holds',
  'a hold ends at most once',
  'at most one attempt is open',
  'status logs chain',
  'one key, one transaction, one answer',
  'each move has its event',
  'suspense is the sum of incidents',
  'no balance is below zero',
  'a payout holds what it costs, and the hold ends as the payout does',
] as const

const paid = /^(SUCCESSFUL|COMPLETED|SUCCEEDED|SUCCESS|COMPLETE|APPROVED|TRANSFERRED|SENT)$/i

/** What is wrong at rest; nothing where both books say the same, or people were told. */
async function wrongIn({ scene, dialect, names }: SeededPlay): Promise<string[]> {
  const records = await readRecords(scene)
  const rows = await stage.owner<{ id: string; our_key: string; msisdn: string }[]>`
    select id, our_key, operation_msisdn as msisdn from attempts
     where merchant_id = ${scene.merchant_id}`
  const timesPaid = new Map(
    rows.map(({ id, our_key, msisdn }) => {
      const lines = dialect.lines({ our_key: names.of(our_key).our_key, msisdn })
      return [id, lines.filter((status) => paid.test(status)).length]
    }),
  )
  const told = new Set(records.incidents.map(({ attempt_id }) => attempt_id))
  const wrong = records.transactions.flatMap(
    ({ id, status, transaction_type, settled_attempt }) => {
      const attempts = records.attempts.filter(({ transaction_id }) => transaction_id === id)
      if (attempts.length === 0) return []
      const times = attempts.reduce((sum, one) => sum + (timesPaid.get(one.id) ?? 0), 0)
      const isTold = attempts.some((one) => told.has(one.id))
      const what = `${transaction_type} ${status}, paid ${times} times, incident: ${isTold}`
      if (status === 'SUCCESS' && timesPaid.get(settled_attempt ?? '') === 0) return [what]
      if (status !== 'SUCCESS' && times > 0 && !isTold) return [what]
      return (status === 'PENDING' || times > 1) && !isTold ? [what] : []
    },
  )
  return [
    ...scene.turns.ended().flatMap(({ name, error }) => (error ? [`${name}: ${error}`] : [])),
    ...breachesOf(laws, seenOf(scene, records)),
    ...wrong,
  ]
}

type Told = Readonly<{
  wrong: readonly string[]
  moves: readonly string[]
  /** Their types. */
  incidents: readonly string[]
  story: readonly string[]
}>

/** What the merchant was told of each payment: `FAILED SUCCESS` is one that came after all. */
function movesOf({ transactions, logs }: Records): string[] {
  const inOrder = logs.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
  const ofOne = (id: string) => inOrder.filter(({ transaction_id }) => transaction_id === id)
  return transactions.map(({ id }) =>
    ofOne(id)
      .map(({ to_status }) => to_status)
      .join(' '),
  )
}

const tell = (wanted: Wanted): Promise<Told> =>
  playSeed(stage, wanted, async (play) => {
    const records = await readRecords(play.scene)
    return {
      wrong: await wrongIn(play),
      moves: movesOf(records),
      incidents: records.incidents.map(({ type }) => type),
      story: play.scene.turns.story(),
    }
  })

/** Each that fails is named: with its name the operator plays the same faults again. */
const seedsOf = (count: number) => Array.from({ length: count }, (_, at) => `seed ${at}`)

async function expectHonest(wanted: Wanted): Promise<Told> {
  const told = await tell(wanted)
  const found = told.wrong.length > 0 ? [...told.wrong, ...told.story] : []
  expect(found, `${wanted.name}, ${wanted.seed}`).toEqual([])
  return told
}

describe('an operator that loses, spoils and repeats by chance', () => {
  it.each(adapterNames)(
    '%s: what it was paid is what we say, by each seed',
    async (name) => {
      const moves: string[] = []
      for (const seed of seedsOf(sized(2, 6))) {
        moves.push(...(await expectHonest({ name, seed })).moves)
      }
      expect(moves).toEqual(expect.arrayContaining([expect.stringMatching(/SUCCESS$/)]))
      expect(await brokenBooks(stage.owner)).toEqual([])
    },
    1_200_000,
  )
})

// Money that was asked for and never heard of again: not found too early, and not lost.
describe('an operator that is silent for the whole of the asking time', () => {
  it.each(['fedapay'])(
    '%s: what failed, with an incident that says so, is paid when it speaks again',
    async (name) => {
      const all: Told[] = []
      for (const seed of seedsOf(sized(1, 2))) {
        all.push(await expectHonest({ name, seed, goes_silent: true }))
      }
      const found = all.filter(({ moves }) => moves.includes('FAILED SUCCESS'))
      expect(found.length).toBeGreaterThan(0)
      for (const { incidents } of found) expect(incidents).toContain('OUTCOME_UNKNOWN')
    },
    600_000,
  )
})

describe('an adapter that takes a lost answer for a refusal', () => {
  const refused = { is: 'refused', by: 'payer', failure_code: 'UNKNOWN', detail: '' }
  const plant: AnswerPlant = (verb, reply) =>
    verb === 'query' && reply.answer.is === 'unknown'
      ? { ...reply, answer: { ...refused, external_reference: '' } }
      : reply

  it.each(adapterNames.slice(0, 1))(
    '%s: is found',
    async (name) => {
      const wrong: string[] = []
      for (const seed of seedsOf(20)) {
        if (wrong.length === 0) wrong.push(...(await tell({ name, seed, plant })).wrong)
      }
      expect(wrong.join()).toMatch(/FAILED, paid 1 times, incident: false/)
    },
    600_000,
  )
})

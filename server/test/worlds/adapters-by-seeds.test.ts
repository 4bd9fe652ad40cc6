// The whole engine over each operator's adapter and dialect, by real HTTP, by seeds: answers are
// spoiled, lost and late, callbacks too, processes die, the operator's clock is apart from ours and
// it is silent for half an hour. When it is well again and all asking time is over, its books and
// ours are compared.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { sized } from '../setup/proof-size.ts'
import { adapterNames, givesBack, openAdapterStage } from './adapter-stage.ts'
import type { AnswerPlant } from './seeded-gateway.ts'
import { expectHonest, seedsOf, type Told, tell } from './seeded-laws.ts'
import type { WirePlant } from './seeded-wire.ts'
import type { Stage } from './stage.ts'
import { brokenBooks } from './verify-books.ts'

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

describe('an operator that loses, spoils and repeats by chance', () => {
  it.each(adapterNames)(
    '%s: what it was paid is what we say, by each seed',
    async (name) => {
      const [moves, refunds]: [string[], string[]] = [[], []]
      // What a seed's faults hit depends on what comes first: where no payment or no refund came
      // through, one more is played.
      const isPaid = () => moves.some((move) => move.endsWith('SUCCESS'))
      const isShown = () => isPaid() && (!givesBack.includes(name) || refunds.includes('SUCCESS'))
      const least = sized(2, 6)
      for (const [at, seed] of seedsOf(least + 8).entries()) {
        if (at >= least && isShown()) break
        // Those beyond are to show one: a page of Stripe's, five minutes behind, cannot be made.
        const told = await expectHonest(stage, { name, seed, is_even: at >= least })
        moves.push(...told.moves)
        refunds.push(...told.refunds)
      }
      expect(moves).toEqual(expect.arrayContaining([expect.stringMatching(/SUCCESS$/)]))
      if (givesBack.includes(name)) expect(refunds).toContain('SUCCESS')
      else expect(refunds).toEqual([])
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
        all.push(await expectHonest(stage, { name, seed, goes_silent: true }))
      }
      const found = all.filter(({ moves }) => moves.includes('FAILED SUCCESS'))
      expect(found.length).toBeGreaterThan(0)
      for (const { incidents } of found) expect(incidents).toContain('OUTCOME_UNKNOWN')
    },
    600_000,
  )
})

const asRefused = { is: 'refused', by: 'payer', failure_code: 'EXPIRED', detail: '' }

// Neither is found by spoiled answers alone: without these two draws the same seeds are honest.
describe('a fault that half an hour of silence or a wrong clock alone finds', () => {
  const gives_up: AnswerPlant = (verb, reply, { silent_s }) =>
    verb === 'query' && reply.answer.is === 'unknown' && silent_s >= 1200
      ? { ...reply, answer: { ...asRefused, external_reference: '' } }
      : reply
  /** Whether a page is over it sees by its own clock. */
  const ends_pages: WirePlant = (result, now_ms) => {
    if (result.is !== 'answered') return result
    const body = result.body.replace(/^\{.*"checkout_status":"open".*\}$/s, (text) => {
      const session = JSON.parse(text)
      const isOver = Date.parse(session.when_expires) < now_ms
      const ended = { checkout_status: 'expired', payment_status: 'cancelled' }
      return isOver ? JSON.stringify({ ...session, ...ended }) : text
    })
    return { ...result, body }
  }

  it.each([
    // From the first seed that finds it: the number is all that is known of it.
    [
      'an engine that gives a silent operator up after twenty minutes',
      'mtn',
      19,
      { plant: gives_up },
    ],
    ['an adapter that ends a page by its own clock', 'wave', 7, { wire_plant: ends_pages }],
  ] as const)(
    '%s, at %s',
    async (_, name, first, plants) => {
      const isFound = /PAIEMENT FAILED, paid 1 times, incident: false/
      const found: string[] = []
      for (const seed of seedsOf(20, first)) {
        if (found.length > 0) break
        const { wrong } = await tell(stage, { name, seed, ...plants })
        if (isFound.test(wrong.join())) found.push(seed)
      }
      expect(found).toHaveLength(1)
      for (const seed of seedsOf(seedsOf(20, first).indexOf(found[0] ?? '') + 1, first)) {
        expect((await tell(stage, { name, seed, ...plants, is_even: true })).wrong, seed).toEqual(
          [],
        )
      }
    },
    600_000,
  )
})

describe('an adapter that takes a lost answer for a refusal', () => {
  const refused = { is: 'refused', by: 'payer', failure_code: 'UNKNOWN', detail: '' }
  const plantAt =
    (wrong: readonly string[]): AnswerPlant =>
    (verb, reply) =>
      wrong.includes(verb) && reply.answer.is === 'unknown'
        ? { ...reply, answer: { ...refused, external_reference: '' } }
        : reply

  const payment = { what: 'a payment', name: 'mtn', verbs: ['query'], made: 'PAIEMENT' }
  const refund = {
    ...{ what: 'a refund', name: 'pawapay', verbs: ['refund', 'askRefund'] },
    made: 'REFUND',
  }

  it.each(sized([payment], [payment, refund]))(
    'of $what, at $name: is found',
    async ({ name, verbs, made }) => {
      const plant = plantAt(verbs)
      const isFound = new RegExp(`${made} FAILED, paid 1 times, incident: false`)
      const wrong: string[] = []
      for (const seed of seedsOf(20)) {
        if (!isFound.test(wrong.join()))
          wrong.push(...(await tell(stage, { name, seed, plant })).wrong)
      }
      expect(wrong.join()).toMatch(isFound)
    },
    600_000,
  )
})

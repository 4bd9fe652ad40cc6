// What each draw of the seeded operators finds alone: a success after a failure, a second page that
// a search did not show, another sum, an answer that is slow. Each has its law, which holds without
// a planted fault, and a fault that is found with it and not without.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { openAdapterStage } from './adapter-stage.ts'
import type { AnswerPlant } from './seeded-gateway.ts'
import { expectHonest, seedsOf, type Told, tell } from './seeded-laws.ts'
import type { Wanted } from './seeded-play.ts'
import type { WirePlant } from './seeded-wire.ts'
import type { Stage } from './stage.ts'

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

const most = 24
/** A page of a card that is asked for by a clock five minutes ahead is none. */
const even = { is_even: true } as const

/** The first seed that is so, and what came of it; each before it is honest. */
async function firstThat(wanted: Omit<Wanted, 'seed'>, from: number, is: (told: Told) => boolean) {
  for (const seed of seedsOf(most, from)) {
    const told = await expectHonest(stage, { ...wanted, seed })
    if (is(told)) return { seed, told }
  }
  throw new Error(`none of ${most} seeds of ${wanted.name} is so`)
}

/** By this seed the fault is found with the draw, and is none without it. */
async function expectFound(
  wanted: Omit<Wanted, 'without'>,
  without: NonNullable<Wanted['without']>,
  fault: RegExp,
) {
  expect((await tell(stage, wanted)).wrong.join(), wanted.seed).toMatch(fault)
  expect((await tell(stage, { ...wanted, without })).wrong.join(), wanted.seed).not.toMatch(fault)
}

// Each begins at the first seed that shows it: the number is all that is known of it.
describe('an operator that says of a payment that it failed, and then that it was made', () => {
  /** What it once refused it has refused, whatever the operator says later. */
  const forgets = (): AnswerPlant => {
    const refused = new Map<string, Parameters<AnswerPlant>[1]>()
    return (verb, reply, { our_key }) => {
      if (verb !== 'query') return reply
      const former = refused.get(our_key)
      if (reply.answer.is === 'refused') refused.set(our_key, reply)
      return reply.answer.is === 'confirmed' && former !== undefined ? former : reply
    }
  }
  const fault = /PAIEMENT FAILED, paid 1 times, incident: false/

  it.each(
    sized(
      [['mtn', 10] as const],
      [
        ['mtn', 10] as const,
        ['pawapay', 1] as const,
        ['fedapay', 14] as const,
        ['orange', 2] as const,
      ],
    ),
  )(
    '%s: where it tells of it the payment is paid after all',
    async (name, from) => {
      const { seed } = await firstThat(
        { name },
        from,
        ({ moves, after_all }) => after_all.told > 0 && moves.includes('FAILED SUCCESS'),
      )
      // What is signed settles it without a question.
      if (name !== 'mtn' && name !== 'orange') return
      await expectFound({ name, seed, plant: forgets() }, ['after_all'], fault)
    },
    600_000,
  )

  wholeIt(
    'and tells nobody: the books differ by these attempts, and by nothing else',
    async () => {
      const { told } = await firstThat({ name: 'mtn' }, 4, ({ after_all }) => after_all.untold > 0)
      expect(told.wrong).toEqual([])
    },
    600_000,
  )
})

describe('an operator whose search finds a page only after another was made', () => {
  const pages = { name: 'wave', page_life_s: 1800, ...even } as const
  const isTwice = ({ made, incidents }: Told) =>
    made.includes(2) && incidents.includes('DUPLICATE_CAPTURE')

  wholeIt(
    'never has a third, and what was paid twice is an incident',
    async () => {
      const { seed, told } = await firstThat(pages, 11, isTwice)
      expect(Math.max(...told.made)).toBe(2)
      const takesOne: AnswerPlant = (_, reply) => {
        const { answer } = reply
        if (answer.is !== 'several' || !('captures' in answer)) return reply
        const [first] = answer.captures as object[]
        return { ...reply, answer: { is: 'confirmed', ...first } }
      }
      const fault = /PAIEMENT SUCCESS, paid 2 times, incident: false/
      await expectFound({ ...pages, seed, plant: takesOne }, ['late_search'], fault)
    },
    600_000,
  )
})

describe('an operator that moves another sum, or another currency', () => {
  it.each(sized([['stripe', 12] as const], [['stripe', 12] as const, ['fedapay', 7] as const]))(
    '%s: people are told, and an adapter that says what it asked for is found',
    async (name, from) => {
      const wanted = { name, ...even, is_deaf: true } as const
      const { seed } = await firstThat(wanted, from, ({ incidents }) =>
        incidents.includes('AMOUNT_MISMATCH'),
      )
      const says: AnswerPlant = (verb, reply, { amount, currency }) =>
        verb === 'query' && reply.answer.is === 'confirmed'
          ? { ...reply, answer: { ...reply.answer, amount, currency } }
          : reply
      await expectFound(
        { ...wanted, seed, plant: says },
        ['other_sum'],
        /SUCCESS, another sum moved/,
      )
    },
    600_000,
  )
})

describe('an operator whose answers are slow', () => {
  // What Orange makes nobody has a page of until it is answered: nothing of it can be taken.
  wholeIt.each([['stripe', /REFUND/, 19] as const, ['fedapay', /PAIEMENT|RETRAIT/, 0] as const])(
    '%s: each is waited for, and a client that takes one for never sent is found',
    async (name, what, from) => {
      /** Six seconds of the operator's time, of the sixty that it may take. */
      const late_ms = 12
      const impatient: WirePlant = (result) =>
        result.is === 'answered' && result.took_ms >= late_ms
          ? { is: 'never_sent', because: 'connect_timeout' }
          : result
      const isFound = new RegExp(`(?:${what.source}) FAILED, paid [12] times, incident: false`)
      const wrong: string[] = []
      for (const seed of seedsOf(most, from)) {
        if (isFound.test(wrong.join())) break
        wrong.push(...(await tell(stage, { name, seed, ...even, wire_plant: impatient })).wrong)
      }
      expect(wrong.join()).toMatch(isFound)
    },
    600_000,
  )
})

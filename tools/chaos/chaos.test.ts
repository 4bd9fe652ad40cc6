// Ten seeds of chaos (one with all tests), one after the other in one app, each with merchants of
// its own and judged by itself: nothing lost, nothing doubled, by id.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEnds } from '../../server/test/setup/ends.ts'
import { sized, wholeIt } from '../../server/test/setup/proof-size.ts'
import type { Breach } from './breach.ts'
import { type Facts, factsOf } from './facts.ts'
import { openPhase, type Phase, playPhase } from './phase.ts'
import { startReceiver } from './receiver.ts'
import { audit, comeToRest } from './rest.ts'
import { app_size, unaskedEnds, withUnasked } from './run-chaos.ts'
import { type ChaosApp, startApp } from './start-app.ts'
import type { Strike } from './strikes.ts'

const seeds = sized([1], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
const plan = { seconds: 4, every_ms: 900, per_s: 6, sleep_ms: 22_000 }
const payments_max = 1_000
const rest_within_ms = 120_000
const all_within_ms = 360_000

const ends = createEnds()
const strikes: Strike[] = []
const phases: Phase[] = []
let app: ChaosApp
let facts: Facts
let breaches: readonly Breach[]

beforeAll(async () => {
  const receiver = await startReceiver(ends)
  app = await startApp(app_size, ends)
  const ground = { app, receiver, strikes, print: () => undefined }
  const opened = []
  for (const seed of seeds) opened.push(await openPhase(ground, seed))
  for (const [at, one] of opened.entries()) {
    const first_no = 1 + at * payments_max
    phases.push(await playPhase(ground, one, { ...plan, seed: one.seed, first_no }))
  }
  receiver.behave()
  for (const member of app.members) member.wake()
  await Promise.all(phases.map((phase) => phase.finish()))
  const sent = phases.flatMap((phase) => phase.sent)
  const own = { sent, heard: receiver.heard, strikes: withUnasked(app, strikes) }
  const rested = await comeToRest({ app, own, within_ms: rest_within_ms })
  facts = rested.facts
  breaches = rested.breaches
}, all_within_ms)
afterAll(() => ends.all(), all_within_ms)

describe('the service under chaos', () => {
  wholeIt('was struck, all kinds of it', () => {
    const struck = new Set(strikes.map(({ victim }) => victim.replace(/-\d$/, '')))
    expect([...struck].sort()).toEqual(
      expect.arrayContaining(['api', 'postgres', 'simulator', 'worker']),
    )
  })

  it('was struck, and worked on', () => {
    expect(strikes.length).toBeGreaterThan(0)
    expect(facts.transactions.length).toBeGreaterThan(10 * seeds.length)
    const succeeded = facts.transactions.filter(({ status }) => status === 'SUCCESS')
    expect(succeeded.length).toBeGreaterThan(3 * seeds.length)
  })

  // One seed asks for four or five: all of them may meet a strike or a number that fails.
  wholeIt('paid payouts among them', () => {
    const payouts = facts.transactions.filter((row) => row.transaction_type === 'RETRAIT')
    expect(payouts.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(
      seeds.length / 2,
    )
  })

  wholeIt('gave payments back among them', () => {
    const given = facts.refunds.filter(({ status }) => status === 'SUCCESS')
    expect(given.length).toBeGreaterThanOrEqual(seeds.length / 2)
  })

  it('keeps its books right, and every order at the operator is known', () => {
    expect(breaches).toEqual([])
    expect(facts.checks.filter((check) => !check.ok)).toEqual([])
  })

  it('ends no process by itself', () => {
    expect(unaskedEnds(app)).toEqual([])
  })
})

describe('nothing is lost and nothing doubled, by id', () => {
  it.each(seeds)('seed %i', (seed) => {
    const phase = phases.find((one) => one.seed === seed)
    const own = factsOf(facts, new Set(phase?.shops.map(({ merchant_id }) => merchant_id)))
    expect(own.sent.length).toBeGreaterThan(5)
    expect(audit(own)).toEqual([])
  })
})

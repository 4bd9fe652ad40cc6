// What an operator's adapter may cost, in processor time, which other work on the machine does not
// change much. The bars are those of the bench, over fewer runs; seen was a third of each at most.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogueIn } from '../../server/src/catalogue/read-catalogue.ts'
import { startApp, type TestApp } from '../../server/test/harness.ts'
import { createEnds } from '../../server/test/setup/ends.ts'
import { sized } from '../../server/test/setup/proof-size.ts'
import { cpu, spreadOf, usualRounds } from './operator-adapters.ts'
import {
  availabilityCost,
  bars,
  type Figure,
  figureOf,
  figureOfChoice,
  figureOfPrediction,
  figureOfVerification,
  figuresOfAdapters,
  formatFigure,
} from './operators.ts'

const ends = createEnds()
afterAll(() => ends.all())

// What is compiled on other threads meanwhile counts too: it is over after some thousands.
const rounds = sized({ rounds: 5, runs: 1_000, warm_up: 4_000 }, usualRounds)

const missed = (figures: readonly Figure[]) =>
  figures.filter(({ ok }) => !ok).map((one) => `${one.what}: ${formatFigure(one)}`)

it('a create and a question cost at most 0.3 ms above the sandbox operator’s, the 99th 1 ms', async () => {
  const figures = await figuresOfAdapters(ends, rounds)
  expect(figures).toHaveLength(6)
  expect(missed(figures)).toEqual([])
}, 300_000)

it('a callback that is signed with P-256 is judged within 0.5 ms', async () => {
  expect(missed([await figureOfVerification(ends, rounds)])).toEqual([])
}, 300_000)

it('a choice among ten routes takes 20 µs at most', async () => {
  expect(missed([await figureOfChoice(rounds)])).toEqual([])
}, 60_000)

describe('what anybody may ask', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp()
  }, 300_000)
  afterAll(() => app?.stop())

  it('whose network a number is takes 0.2 ms at most', async () => {
    const catalogue = await catalogueIn(app.service.db)(1n)
    expect(missed([await figureOfPrediction(catalogue, rounds)])).toEqual([])
  }, 60_000)

  // The whole service is in this process, with its jobs, and so is the caller: the median is held.
  // The 99th of 100 is of the clock, and the bench shows it.
  it('GET /availability/ costs less than 5 ms, its caller included', async () => {
    const few = sized({ rounds: 3, runs: 200, warm_up: 200 }, { ...usualRounds, runs: 1_000 })
    const spread = await spreadOf(availabilityCost(app.url), cpu, few)
    const wanted = { p50_ms: bars.availability.p99_ms }
    expect(missed([figureOf('GET /availability/', wanted, spread)])).toEqual([])
  }, 120_000)
})

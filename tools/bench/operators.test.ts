// What an operator's adapter may cost, in processor time, which other work on the machine does not
// change much. The bars are those of the bench, over fewer runs; seen was a third of each at most.

import { afterAll, expect, it } from 'vitest'
import { createEnds } from '../../server/test/setup/ends.ts'
import { sized } from '../../server/test/setup/proof-size.ts'
import { usualRounds } from './operator-adapters.ts'
import {
  type Figure,
  figureOfChoice,
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
}, 60_000)

it('a callback that is signed with P-256 is judged within 0.5 ms', async () => {
  expect(missed([await figureOfVerification(ends, rounds)])).toEqual([])
}, 60_000)

it('a choice among ten routes takes 20 µs at most', async () => {
  expect(missed([await figureOfChoice(rounds)])).toEqual([])
}, 60_000)

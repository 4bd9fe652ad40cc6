// A look over all merchants takes a twentieth of the time, whatever it takes.

import { expect, it } from 'vitest'
import { rareLooks } from './rare-looks.ts'

/** Looks at a clock of its own; each look takes so long, in milliseconds. */
function looking(took: number) {
  let now = 1_000
  const looks = rareLooks(() => now)
  return {
    pass: (ms: number) => {
      now += ms
    },
    look: () =>
      looks.look(async () => {
        now += took
        return ['found']
      }),
  }
}

it('looks each time as long as a look takes nothing', async () => {
  const { look } = looking(5)
  expect(await look()).toEqual(['found'])
  expect(await look()).toEqual(['found'])
})

it('rests twenty times as long as the look took', async () => {
  const { look, pass } = looking(100)
  expect(await look()).toEqual(['found'])
  expect(await look()).toEqual([])
  pass(1_999)
  expect(await look()).toEqual([])
  pass(1)
  expect(await look()).toEqual(['found'])
})

it('rests for a quarter of a minute at most', async () => {
  const { look, pass } = looking(10_000)
  await look()
  pass(14_999)
  expect(await look()).toEqual([])
  pass(1)
  expect(await look()).toEqual(['found'])
})

it('looks again at once where it failed', async () => {
  const looks = rareLooks(() => 0)
  await expect(looks.look(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await looks.look(async () => [1])).toEqual([1])
})

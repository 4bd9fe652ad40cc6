// One that always fails is tried less and less, and what is wrong with the database is nobody's.

import { expect, it } from 'vitest'
import { Troubles } from './troubles.ts'

function failing() {
  let now = 0
  const seen: [string, unknown][] = []
  const troubles = new Troubles(() => now)
  const fault = new Error('a bad row')
  return {
    ...{ troubles, seen, fault },
    pass: (ms: number) => {
      now += ms
    },
    fail: () =>
      troubles.spare(
        'one',
        () => Promise.reject(fault),
        (about, err) => seen.push([about, err]),
      ),
  }
}

it('rests twice as long after each failure, ten minutes at most, and is shown each time', async () => {
  const { troubles, seen, fault, pass, fail } = failing()
  const rests: number[] = []
  for (let time = 1; time <= 12; time += 1) {
    expect(await fail()).toBe(false)
    let rest = 0
    for (; troubles.isResting('one'); rest += 1_000) pass(1_000)
    rests.push(rest / 1_000)
  }
  expect(rests).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600])
  expect(seen).toHaveLength(12)
  expect(seen[0]).toEqual(['one', fault])
  expect(troubles.isResting('another')).toBe(false)
})

it('begins anew once it succeeded', async () => {
  const { troubles, pass, fail } = failing()
  await fail()
  await fail()
  expect(troubles.resting()).toEqual(['one'])
  expect(
    await troubles.spare(
      'one',
      async () => undefined,
      () => undefined,
    ),
  ).toBe(true)
  expect(troubles.resting()).toEqual([])
  await fail()
  pass(2_000)
  expect(troubles.isResting('one')).toBe(false)
})

it('throws what is not its own, and everything where nobody is shown it', async () => {
  const troubles = new Troubles()
  const away = Object.assign(new Error('away'), { code: 'CONNECTION_CLOSED' })
  const spare = (err: Error, onFault?: () => void) =>
    troubles.spare('one', () => Promise.reject(err), onFault)
  await expect(spare(away, () => undefined)).rejects.toBe(away)
  await expect(spare(new Error('a bad row'))).rejects.toThrow('a bad row')
  expect(troubles.isResting('one')).toBe(false)
})

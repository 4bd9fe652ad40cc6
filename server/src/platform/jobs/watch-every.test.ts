// Work of every process: never twice at once, told of once where it fails, and ended with it.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { watchEvery } from './watch-every.ts'

const until = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 5 })

it('is done again and again, and never twice at once', async () => {
  let [done, at_once, most] = [0, 0, 0]
  const watch = watchEvery({
    work: async () => {
      at_once += 1
      most = Math.max(most, at_once)
      await sleep(20)
      at_once -= 1
      done += 1
    },
    every_ms: 2,
    onFault: () => undefined,
  })
  await until(() => expect(done).toBeGreaterThan(3))
  await watch.stop()
  expect([most, at_once]).toEqual([1, 0])
  const ended = done
  await sleep(30)
  expect(done).toBe(ended)
})

it('is tried again where it fails, and that is told of once', async () => {
  const faults: unknown[] = []
  let [tries, isDown] = [0, true]
  const watch = watchEvery({
    work: async () => {
      tries += 1
      if (isDown) throw new Error('away')
    },
    every_ms: 2,
    onFault: (err) => faults.push(err),
  })
  await until(() => expect(tries).toBeGreaterThan(5))
  expect(faults).toEqual([new Error('away')])
  isDown = false
  const before = tries
  await until(() => expect(tries).toBeGreaterThan(before + 2))
  isDown = true
  await until(() => expect(faults).toHaveLength(2))
  await watch.stop()
})

// Turns at what is scarce: owners who wait are served one after the other, each in its own order.

import { expect, it } from 'vitest'
import { type Place, type TurnLimits, turnsOf } from './turns.ts'

/** Turns whose works end when they are told to, and the order in which they began. */
function played(limits: TurnLimits) {
  const turns = turnsOf(limits)
  const began: string[] = []
  const open: (() => void)[] = []
  const all: Promise<unknown>[] = []
  const ask = (owner: string, name: string, place?: Place) => {
    const work = () => {
      began.push(name)
      return new Promise<void>((end) => open.push(end))
    }
    all.push(turns(owner, work, place))
  }
  const endOne = async () => {
    open.shift()?.()
    await settled()
  }
  return { began, ask, endOne, all }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('an owner who comes last does not wait for the queues of those who came before', async () => {
  const { began, ask, endOne, all } = played({ at_once: 2, of_owner: 1, waiting: 10 })
  for (let no = 1; no <= 4; no += 1) {
    ask('a', `a${no}`)
    ask('b', `b${no}`)
  }
  ask('c', 'c1')
  await endOne()
  await endOne()
  expect(began.slice(0, 3)).toEqual(['a1', 'b1', 'c1'])
  for (let no = 0; no < 12; no += 1) await endOne()
  await Promise.all(all)
  // Of one owner in the order in which they came.
  expect(began.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4'])
  expect(began).toHaveLength(9)
})

it('an owner who waits is passed by newcomers for a round at most, however many come', async () => {
  const { began, ask, endOne, all } = played({ at_once: 2, waiting: 10 })
  for (const name of ['a1', 'a2', 'a3']) ask('a', name)
  ask('b', 'b1')
  // Each comes once, and the next one before it has ended: nobody but these is served otherwise.
  for (let no = 1; no <= 20; no += 1) {
    ask(`new${no}`, `new${no}`)
    await endOne()
  }
  expect(began.indexOf('a3')).toBeGreaterThan(0)
  expect(began.indexOf('a3')).toBeLessThan(10)
  for (let no = 0; no < 6; no += 1) await endOne()
  await Promise.all(all)
})

it('one owner has no more than its share, and whoever is beyond the queue is told so', async () => {
  const { began, ask, endOne, all } = played({ at_once: 3, of_owner: 2, waiting: 1 })
  for (const name of ['a1', 'a2', 'a3']) ask('a', name)
  ask('b', 'b1')
  await settled()
  expect(began).toEqual(['a1', 'a2', 'b1'])
  ask('a', 'a4')
  await expect(all.pop()).rejects.toMatchObject({ row: { code: 'service_unavailable' } })
  for (let no = 0; no < 4; no += 1) await endOne()
  await Promise.all(all)
  expect(began).toEqual(['a1', 'a2', 'b1', 'a3'])
})

it('what goes first passes its owner’s full queue, in its own order, and nobody else’s', async () => {
  const { began, ask, endOne, all } = played({ at_once: 1, waiting: 3 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) ask('a', name)
  ask('b', 'b1')
  ask('a', 'first1', 'FIRST')
  ask('a', 'first2', 'FIRST')
  ask('a', 'first3', 'FIRST')
  ask('a', 'first4', 'FIRST')
  await expect(all.pop()).rejects.toMatchObject({ row: { code: 'service_unavailable' } })
  for (let no = 0; no < 8; no += 1) await endOne()
  await Promise.all(all)
  expect(began).toEqual(['a1', 'b1', 'first1', 'first2', 'first3', 'a2', 'a3', 'a4'])
})

it('whoever has waited too long is refused then, though nobody’s turn ends', async () => {
  const { began, ask, endOne, all } = played({ at_once: 1, waiting: 2, wait_ms: 30 })
  for (const name of ['a1', 'a2', 'a3']) ask('a', name)
  const [, second, third] = all
  all.length = 0
  const busy = { row: { code: 'service_unavailable' } }
  await expect(Promise.race([second, lateBy(2_000)])).rejects.toMatchObject(busy)
  await expect(Promise.race([third, lateBy(2_000)])).rejects.toMatchObject(busy)
  // They have left the queue.
  for (const name of ['b1', 'b2']) ask('b', name)
  for (let no = 0; no < 3; no += 1) await endOne()
  await Promise.all(all)
  expect(began).toEqual(['a1', 'b1', 'b2'])
})

const lateBy = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref())

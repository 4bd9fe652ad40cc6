// Calls that wait go together; a line that was busy rests for moments, and no other; no call is
// lost, and none fails for another.

import postgres from 'postgres'
import { describe, expect, it, vi } from 'vitest'
import { type BatchOptions, batchCalls, perBatchPool, setBatchPools } from './batch-calls.ts'
import { openDb } from './db.ts'
import type { Environment } from './http/route.ts'

/** Batches as they were run; each ends when the test ends it. */
function bench(options: Partial<BatchOptions<number, string>> = {}) {
  const groups: number[][] = []
  const ends: (() => void)[] = []
  const call = batchCalls<number, string>({
    rest_ms: 0,
    ...options,
    run: (items) => {
      groups.push([...items])
      return new Promise((resolve, reject) => {
        ends.push(() =>
          items.includes(13) ? reject(new Error('thirteen')) : resolve(items.map(String)),
        )
      })
    },
  })
  const end = async () => {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { call, groups, end }
}

describe('calls of one kind', () => {
  it('go at once while few are under way, then together', async () => {
    const { call, groups, end } = bench({ at_once: 1 })
    const calls = [1, 2, 3].map(call)
    expect(groups).toEqual([[1]])
    await end()
    expect(groups).toEqual([[1], [2, 3]])
    await end()
    expect(await Promise.all(calls)).toEqual(['1', '2', '3'])
  })

  it('go at most so many together, and so many groups at once', async () => {
    const { call, groups, end } = bench({ at_once: 2, most: 2 })
    const calls = [1, 2, 3, 4, 5].map(call)
    expect(groups).toEqual([[1], [2]])
    await end()
    await end()
    await end()
    await end()
    expect(groups).toEqual([[1], [2], [3, 4], [5]])
    expect(await Promise.all(calls)).toEqual(['1', '2', '3', '4', '5'])
  })

  it('do not go together when they share a name, and keep their order', async () => {
    const { call, groups, end } = bench({ at_once: 1, names: (n) => [`${n % 10}`] })
    const calls = [1, 2, 12, 3, 22].map(call)
    for (let turn = 0; turn < 4; turn += 1) await end()
    expect(groups).toEqual([[1], [2, 3], [12], [22]])
    expect(await Promise.all(calls)).toEqual(['1', '2', '12', '3', '22'])
  })

  it('fail each by its own fault only', async () => {
    const { call, groups, end } = bench({ at_once: 1 })
    const calls = [1, 2, 13, 3].map((n) => call(n).catch((error: Error) => error.message))
    for (let turn = 0; turn < 5; turn += 1) await end()
    expect(groups).toEqual([[1], [2, 13, 3], [2], [13], [3]])
    expect(await Promise.all(calls)).toEqual(['1', '2', 'thirteen', '3'])
  })
})

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('a line that was busy', () => {
  /** Longer than any test waits for what must not happen. */
  const rest_ms = 300

  it('rests after calls that went together, and takes all that came meanwhile', async () => {
    const { call, groups, end } = bench({ rest_ms })
    const calls = [1, 2, 3].map(call)
    await end()
    expect(groups).toEqual([[1], [2, 3]])
    await end()
    calls.push(call(4))
    await sleep(0)
    calls.push(call(5))
    expect(groups).toHaveLength(2)
    await expect.poll(() => groups).toEqual([[1], [2, 3], [4, 5]])
    await end()
    expect(await Promise.all(calls)).toEqual(['1', '2', '3', '4', '5'])
  })

  it('does not rest after a call that was alone, nor once its rest is over', async () => {
    const { call, groups, end } = bench({ rest_ms })
    for (const n of [1, 2, 3]) {
      void call(n)
      await end()
    }
    expect(groups).toEqual([[1], [2], [3]])
    const calls = [4, 5, 6].map(call)
    await end()
    await end()
    await Promise.all(calls)
    await sleep(rest_ms + 50)
    void call(7)
    expect(groups.at(-1)).toEqual([7])
  })

  it('does not rest where enough wait', async () => {
    const { call, groups, end } = bench({ rest_ms })
    void Promise.all([1, 2, 3].map(call))
    await end()
    await end()
    for (let n = 100; n < 124; n += 1) void call(n)
    expect(groups).toHaveLength(3)
    expect(groups[2]).toHaveLength(24)
  })
})

describe('calls of several owners', () => {
  it('go apart when a group fails; who fails stays there and keeps nobody waiting', async () => {
    const groups: string[][] = []
    let free = () => {}
    const first = new Promise<void>((resolve) => {
      free = resolve
    })
    const call = batchCalls<string, string>({
      rest_ms: 0,
      owner: (name) => name.slice(0, 1),
      run: async (names) => {
        groups.push([...names])
        if (groups.length === 1) await first
        if (names.some((name) => name === 'b2')) throw new Error('two')
        return names
      },
    })
    const calls = ['a1', 'a2', 'b1', 'b2', 'c1'].map((name) =>
      call(name).catch((error: Error) => error.message),
    )
    free()
    expect(await Promise.all(calls)).toEqual(['a1', 'a2', 'b1', 'two', 'c1'])
    expect(groups.slice(0, 2)).toEqual([['a1'], ['a2', 'b1', 'b2', 'c1']])
    expect(groups.slice(2).toSorted()).toEqual([['a2'], ['b1'], ['b1', 'b2'], ['b2'], ['c1']])
    groups.length = 1
    // `b` is isolated still: its call is alone, and the others' are together without it.
    const later = ['a3', 'b3', 'c3', 'b4', 'a4'].map(call)
    await Promise.all(later)
    await sleep(0)
    expect(groups.slice(1).toSorted()).toEqual([['a3'], ['b3'], ['b4'], ['c3', 'a4']].toSorted())
  })

  it('hold up others once, however many of one owner wait with them', async () => {
    const locked = Object.assign(new postgres.PostgresError(''), { code: '55P03' })
    const groups: string[][] = []
    const ends: (() => void)[] = []
    const call = batchCalls<string, string>({
      owner: (item) => item[0] ?? '',
      // All of one owner share a name, as payments of one customer do: each is a batch of its own.
      names: (item) => (item.startsWith('x') ? ['x'] : [item]),
      run: (items) => {
        groups.push([...items])
        const isHeld = items.some((item) => item.startsWith('x'))
        return new Promise((resolve, reject) => {
          ends.push(() => (isHeld ? reject(locked) : resolve([...items])))
        })
      },
    })
    const held = ['x1', 'x2', 'x3'].map((item) => call(item).catch(() => 'refused'))
    const others = ['a1', 'b1', 'c1'].map(call)
    expect(groups).toEqual([['x1']])
    ends.shift()?.()
    await expect.poll(() => groups).toContainEqual(['a1', 'b1', 'c1'])
    while (ends.length > 0) {
      ends.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await Promise.all(others)).toEqual(['a1', 'b1', 'c1'])
    expect(await Promise.all(held)).toEqual(['refused', 'refused', 'refused'])
    expect(groups.filter((group) => group.length > 1)).toEqual([['a1', 'b1', 'c1']])
  })

  it('of one environment go on over their own connections while the other’s are all held', async () => {
    // Nothing connects before its first statement, and there is none.
    const open = (application_name: string) =>
      openDb({ application_name, connections_max: 1, durable: false })
    const [db, live, sandbox] = ['general', 'live', 'sandbox'].map(open)
    if (db === undefined || live === undefined || sandbox === undefined) throw new Error('three')
    setBatchPools(db, { LIVE: live, SANDBOX: sandbox })
    const used: unknown[] = []
    const callOn = perBatchPool((pool) =>
      batchCalls<string, string>({
        run: (items) => {
          used.push(pool)
          return items.includes('held') ? new Promise(() => {}) : Promise.resolve([...items])
        },
      }),
    )
    for (const [held, other] of [
      ['SANDBOX', 'LIVE'],
      ['LIVE', 'SANDBOX'],
    ] as const) {
      const own = held === 'SANDBOX' ? db : open(held)
      const of = (environment: Environment) => ({ merchant_id: 'any', environment })
      void callOn(own, of(held))('held')
      expect(await callOn(own, of(other))('pays')).toBe('pays')
    }
    expect(used.slice(0, 2)).toEqual([sandbox, live])
  })

  it('who waits too long is not told "nothing was begun" after a connection that died', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const died = Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' })
      const outcomes = async (first: Error) => {
        let groups = 0
        const call = batchCalls<string, string>({
          owner: (name) => name.slice(0, 1),
          run: async (names) => {
            groups += 1
            if (groups === 1) await sleep(0)
            if (groups === 2) throw first
            if (groups === 3) throw new Error('both')
            if (groups === 4) vi.advanceTimersByTime(5_000)
            return names
          },
        })
        return Promise.allSettled(['a1', 'b1', 'b2'].map(call))
      }
      const [, , afterDeath] = await outcomes(died)
      expect(afterDeath).toEqual({ status: 'rejected', reason: died })
      const [, , afterFault] = await outcomes(new Error('a fault'))
      expect(afterFault).toMatchObject({ reason: { detail: { note: 'waited too long' } } })
    } finally {
      vi.useRealTimers()
    }
  })

  it.each([
    ['by one owner', () => 'one'],
    ['by several', (name: string) => name],
  ])(
    '%s are not told "refused" by what they may have written as their connection died',
    async (_, owner) => {
      const died = Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' })
      const twice = Object.assign(new postgres.PostgresError('twice'), { code: '23505' })
      const groups: string[][] = []
      const call = batchCalls<string, string>({
        owner,
        run: async (names) => {
          groups.push([...names])
          if (groups.length === 1) await sleep(0)
          if (groups.length === 2) throw died
          if (groups.length > 2) throw twice
          return names
        },
      })
      const [, ...after] = await Promise.allSettled(['a', 'b', 'c'].map(call))
      expect(groups.slice(0, 2)).toEqual([['a'], ['b', 'c']])
      expect(after).toEqual([
        { status: 'rejected', reason: died },
        { status: 'rejected', reason: died },
      ])
    },
  )
})

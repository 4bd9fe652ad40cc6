// Calls that wait go together; none waits for company, none is lost, none fails for another.

import { describe, expect, it } from 'vitest'
import { gather } from './gather.ts'

/** Groups as they were run; each ends when it is told to. */
function bench(options: { at_once?: number; most?: number; names?: (n: number) => string[] } = {}) {
  const groups: number[][] = []
  const ends: (() => void)[] = []
  const call = gather<number, string>({
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

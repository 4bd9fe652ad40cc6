// One load for each version, however many callers; a copy is never older than the request that uses
// it.

import { describe, expect, it } from 'vitest'
import { versioned, versionedBy } from './versioned.ts'

/** A load that counts, and ends when the test says so. */
function countedLoad<T>() {
  const ends: { resolve: (value: T) => void; reject: (error: Error) => void }[] = []
  const load = () =>
    new Promise<T>((resolve, reject) => {
      ends.push({ resolve, reject })
    })
  return { load, loads: () => ends.length, end: (at: number) => ends[at] }
}

describe('versioned', () => {
  it('loads once for callers at the same time, and not again while the version stands', async () => {
    const source = countedLoad<string>()
    const read = versioned(source.load)
    const reads = [read(1n), read(1n), read(1n)]
    expect(source.loads()).toBe(1)
    source.end(0)?.resolve('first')
    expect(await Promise.all(reads)).toEqual(['first', 'first', 'first'])
    expect(await read(1n)).toBe('first')
    expect(source.loads()).toBe(1)
  })

  it('loads again when the version moves on, also while the old load is under way', async () => {
    const source = countedLoad<string>()
    const read = versioned(source.load)
    const old = read(1n)
    const young = read(2n)
    expect(source.loads()).toBe(2)
    source.end(1)?.resolve('second')
    source.end(0)?.resolve('first')
    expect(await young).toBe('second')
    expect(await old).toBe('first')
    expect(await read(2n)).toBe('second')
    expect(source.loads()).toBe(2)
  })

  it('answers an older version with the newer copy and loads nothing', async () => {
    let loads = 0
    const read = versioned(async () => {
      loads += 1
      return loads
    })
    expect(await read(5n)).toBe(1)
    expect(await read(4n)).toBe(1)
    expect(loads).toBe(1)
  })

  it('tells everyone who waited that a load failed, and tries again for the next', async () => {
    const source = countedLoad<string>()
    const read = versioned(source.load)
    const reads = [read(1n), read(1n)]
    source.end(0)?.reject(new Error('database gone'))
    for (const one of reads) await expect(one).rejects.toThrow('database gone')
    const retried = read(1n)
    expect(source.loads()).toBe(2)
    source.end(1)?.resolve('back')
    expect(await retried).toBe('back')
    expect(await read(1n)).toBe('back')
  })

  it('keeps a newer copy when an older load fails late', async () => {
    const source = countedLoad<string>()
    const read = versioned(source.load)
    const old = read(1n)
    const young = read(2n)
    source.end(1)?.resolve('second')
    await young
    source.end(0)?.reject(new Error('too late'))
    await expect(old).rejects.toThrow('too late')
    expect(await read(2n)).toBe('second')
    expect(source.loads()).toBe(2)
  })
})

describe('versionedBy', () => {
  it('keeps one copy a name, each with its own version', async () => {
    const loaded: string[] = []
    const read = versionedBy(async (name) => {
      loaded.push(name)
      return `${name} ${loaded.length}`
    })
    const both = await Promise.all([read('a', 1n), read('a', 1n), read('b', 1n)])
    expect(both).toEqual(['a 1', 'a 1', 'b 2'])
    expect(await read('a', 2n)).toBe('a 3')
    expect(await read('b', 1n)).toBe('b 2')
    expect(loaded).toEqual(['a', 'b', 'a'])
  })

  it('lets the oldest name go beyond its bound, and loads it again when it is asked for', async () => {
    const loaded: string[] = []
    const read = versionedBy(async (name) => {
      loaded.push(name)
      return name
    }, 2)
    for (const name of ['a', 'b', 'c', 'b', 'c']) await read(name, 1n)
    expect(loaded).toEqual(['a', 'b', 'c'])
    await read('a', 1n)
    expect(loaded).toEqual(['a', 'b', 'c', 'a'])
  })

  it('tries a failed name again, and only that one', async () => {
    let loads = 0
    const read = versionedBy(async (name) => {
      loads += 1
      if (loads === 1) throw new Error('once')
      return name
    })
    await expect(read('a', 1n)).rejects.toThrow('once')
    expect(await read('a', 1n)).toBe('a')
    expect(await read('b', 1n)).toBe('b')
    expect(loads).toBe(3)
  })
})

// As many processes as the cores keep busy, and never more than the database lets in.

import { describe, expect, it } from 'vitest'
import type { Db } from '../../platform/db.ts'
import { connectionsFor, countProcesses, usefulProcesses } from './count-processes.ts'

/** A database that lets so many in. */
const letsIn = (max: number) => (async () => [{ max }]) as unknown as Db

describe('the processes of a start', () => {
  it.each([
    { cores: 1, embedded: true, count: 1 },
    { cores: 2, embedded: true, count: 1 },
    { cores: 4, embedded: true, count: 1 },
    { cores: 8, embedded: true, count: 3 },
    { cores: 128, embedded: true, count: 16 },
    { cores: 1, embedded: false, count: 1 },
    { cores: 4, embedded: false, count: 3 },
  ])('are $count on $cores cores (database beside them: $embedded)', (row) => {
    expect(usefulProcesses(row.embedded, row.cores)).toBe(row.count)
  })

  it('are as many as were asked for, with a warning where the database has too little room', async () => {
    const of = (processes: number, max: number) =>
      countProcesses({ processes, embedded: false }, letsIn(max))
    expect(await of(1, 10)).toEqual({ count: 1, warning: null })
    expect(await of(3, 120)).toEqual({ count: 3, warning: null })
    expect(await of(3, 119)).toEqual({
      count: 3,
      warning: expect.stringContaining('room for 2 busy processes'),
    })
  })

  it('are, by themselves, never more than the database has room for', async () => {
    const { count } = await countProcesses({ processes: 'auto', embedded: false }, letsIn(50))
    expect(count).toBe(1)
  })

  it('have room in the database of our own', () => {
    expect(connectionsFor(1)).toBe(100)
    expect(connectionsFor(8)).toBe(295)
  })
})

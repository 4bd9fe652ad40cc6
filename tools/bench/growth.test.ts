// A soak fails for what grows beyond its rows, and for nothing else.

import { describe, expect, it } from 'vitest'
import { grownBeyond, type Held, isFlat } from './growth.ts'

const mb = 1024 * 1024

const held = (rows: number, table_mb: number, index_mb = 1, memory_mb = 200): Held => ({
  memory_bytes: memory_mb * mb,
  tables: new Map([['lanes', { rows, table_bytes: table_mb * mb, index_bytes: index_mb * mb }]]),
})

const named = (before: Held, after: Held) => grownBeyond(before, after).map(({ name }) => name)

describe('a table', () => {
  it('may grow with its rows', () => {
    expect(named(held(100, 10, 10), held(400, 40, 40))).toEqual([])
  })

  it('may not grow while its rows are as many', () => {
    expect(named(held(100, 10), held(100, 30))).toEqual(['lanes'])
  })

  it('may not have indexes that do, nor shrink in rows alone', () => {
    expect(named(held(100, 10, 10), held(100, 10, 30))).toEqual(['indexes of lanes'])
    expect(named(held(100, 10), held(1, 10))).toEqual([])
  })

  it('that is small may take a few pages, and one that is new is nobody’s growth', () => {
    expect(named(held(1, 0.1), held(1, 3))).toEqual([])
    expect(named({ memory_bytes: 0, tables: new Map() }, held(1, 900))).toEqual([])
  })
})

describe('memory', () => {
  it('is flat within a quarter and some buffers', () => {
    expect(isFlat(held(1, 1, 1, 400), held(1, 1, 1, 560))).toBe(true)
    expect(isFlat(held(1, 1, 1, 400), held(1, 1, 1, 570))).toBe(false)
  })
})

// Parts of several features become one statement, and what is bound stays bound.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { inTransaction } from './db.ts'
import { newId } from './ids.ts'
import {
  composed,
  oneRow,
  part,
  runPart,
  runWhole,
  selectCounts,
  selectIds,
  stringify,
} from './sql.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe('composed', () => {
  it('joins any number of parts, each seeing those before it', async () => {
    const sql = database.owner
    const parts = [
      part('one', sql`one as (select ${1}::int as n)`),
      part('two', sql`two as (select n + ${1}::int as n from one)`),
      part('three', sql`three as (select n + ${1}::int as n from two)`),
    ]
    expect(await composed(sql, parts, sql`select n from three`)).toEqual([{ n: 3 }])
    expect(await composed(sql, parts.slice(0, 1), sql`select n from one`)).toEqual([{ n: 1 }])
  })

  it('is the last part alone when there is nothing to join', async () => {
    const sql = database.owner
    expect(await composed(sql, [], sql`select ${'x'}::text as one`)).toEqual([{ one: 'x' }])
  })

  it('binds what looks like SQL', async () => {
    const sql = database.owner
    const text = `'); drop table merchants; --`
    const parts = [part('given', sql`given as (select ${text}::text as said)`)]
    expect(await composed(sql, parts, sql`select said from given`)).toEqual([{ said: text }])
    const [row] = await sql`select to_regclass('merchants') is not null as there`
    expect(row).toEqual({ there: true })
  })

  it('is all or nothing: a later part that fails undoes an earlier one', async () => {
    const sql = database.owner
    await sql`create table slips (id int primary key check (id < 10))`
    const first = sql`first_made as (insert into slips (id) values (1) returning id)`
    const second = sql`second_made as (insert into slips (id) values (10) returning id)`
    const made = part('first_made', first)
    const statement = composed(sql, [made, part('second_made', second)], selectIds(sql, made))
    await expect(statement).rejects.toThrow('slips_id_check')
    expect(await sql`select id from slips`).toEqual([])
  })
})

describe('what the last part answers', () => {
  const twoRows = () =>
    part('made', database.owner`made as (select id from (values (1), (2)) as v (id))`)
  const noRows = () => part('claimed', database.owner`claimed as (select 1 as id where false)`)

  it('selectIds: the ids of a relation', async () => {
    const sql = database.owner
    const made = twoRows()
    expect(await composed(sql, [made], selectIds(sql, made))).toEqual([{ id: 1 }, { id: 2 }])
  })

  it('selectCounts: how many rows each has, none included', async () => {
    const sql = database.owner
    const [made, claimed] = [twoRows(), noRows()]
    const counts = selectCounts(sql, [claimed, made])
    expect(await composed(sql, [made, claimed], counts)).toEqual([{ claimed: 0n, made: 2n }])
  })

  it('quotes the names it is given', async () => {
    const sql = database.owner
    const odd = oneRow(sql, 'a"b; select', newId())
    expect(await composed(sql, [odd], selectIds(sql, odd))).toHaveLength(1)
  })

  it('a part by itself: how many rows it has; in a transaction another number is a bug', async () => {
    const sql = database.owner
    expect(await runPart(sql, twoRows())).toBe(2)
    expect(await runPart(sql, noRows())).toBe(0)
    await inTransaction(sql, (tx) => runWhole(tx, twoRows(), 2))
    const short = inTransaction(sql, (tx) => runWhole(tx, noRows(), 1))
    await expect(short).rejects.toThrow('0 rows of claimed were written, not 1')
  })
})

describe('rowsJson', () => {
  it('carries amounts beyond what a float holds, nulls, booleans and any text', async () => {
    const rows = [
      { amount: 9_223_372_036_854_775_807n, said: 'L’Ébène "\\\n', there: true, none: null },
      { amount: -1n, said: '', there: false, none: null },
    ]
    const read = await database.owner`
      select amount, said, there, none
        from json_to_recordset(${stringify(rows)}::text::json) as r(
               amount bigint, said text, there boolean, none uuid)`
    expect(read).toEqual(rows)
  })
})

// Parts of several features become one statement, and what is bound stays bound.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { newId } from './ids.ts'
import { composed, oneRow, selectCounts, selectIds, stringifyRows, valueFrom } from './sql.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe('joined', () => {
  it('joins any number of parts, each seeing those before it', async () => {
    const sql = database.owner
    const parts = [
      sql`one as (select ${1}::int as n)`,
      sql`two as (select n + ${1}::int as n from one)`,
      sql`three as (select n + ${1}::int as n from two)`,
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
    const parts = [sql`given as (select ${text}::text as said)`]
    expect(await composed(sql, parts, sql`select said from given`)).toEqual([{ said: text }])
    const [row] = await sql`select to_regclass('merchants') is not null as there`
    expect(row).toEqual({ there: true })
  })

  it('is all or nothing: a later part that fails undoes an earlier one', async () => {
    const sql = database.owner
    await sql`create table slips (id int primary key check (id < 10))`
    const parts = [
      sql`first_made as (insert into slips (id) values (1) returning id)`,
      sql`second_made as (insert into slips (id) values (10) returning id)`,
    ]
    const statement = composed(sql, parts, sql`select id from first_made`)
    await expect(statement).rejects.toThrow('slips_id_check')
    expect(await sql`select id from slips`).toEqual([])
  })
})

describe('what the last part answers', () => {
  const twoRows = () => database.owner`made as (select id from (values (1), (2)) as v (id))`
  const noRows = () => database.owner`claimed as (select 1 as id where false)`

  it('idsOf: the ids of a relation', async () => {
    const sql = database.owner
    const rows = await composed(sql, [twoRows()], selectIds(sql, 'made'))
    expect(rows).toEqual([{ id: 1 }, { id: 2 }])
  })

  it('countsOf: how many rows each has, none included', async () => {
    const sql = database.owner
    const counts = selectCounts(sql, ['claimed', 'made'])
    expect(await composed(sql, [twoRows(), noRows()], counts)).toEqual([{ claimed: 0n, made: 2n }])
  })

  it('valueFrom: one value, null where there is no row', async () => {
    const sql = database.owner
    const id = newId()
    const last = sql`select ${valueFrom(sql, 'gate', 'id')} as id,
                            ${valueFrom(sql, 'claimed', 'id')} as none`
    const rows = await composed(sql, [oneRow(sql, 'gate', id), noRows()], last)
    expect(rows).toEqual([{ id, none: null }])
  })

  it('quotes the names it is given', async () => {
    const sql = database.owner
    const odd = 'a"b; select'
    const rows = await composed(sql, [oneRow(sql, odd, newId())], selectIds(sql, odd))
    expect(rows).toHaveLength(1)
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
        from json_to_recordset(${stringifyRows(rows)}::text::json) as r(
               amount bigint, said text, there boolean, none uuid)`
    expect(read).toEqual(rows)
  })
})

// Statements put together from fragments: the driver gets the same text and the same values as if
// it had put them together itself.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, type Fragment, inTransaction, openDb, type Sql } from './db.ts'
import { forgetShapes, shapesKept, verbatim } from './fragments.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb({
    ...database.options,
    connections_max: 1,
    durable: false,
    application_name: 'test',
    role: 'pirogue_app',
  })
})
afterAll(async () => {
  await db.end({ timeout: 5 })
  await database.drop()
})

/** The text that was sent, once it was. */
async function textOf(made: Fragment): Promise<string> {
  await made
  return (made as unknown as { statement: { string: string } }).statement.string
}

const named = (sql: Sql, name: string, value: number): Fragment =>
  sql`${sql(name)} as (select ${value}::int as ${sql(`of_${name}`)})`

/** Of each kind that statements are made of, nested as deep as ours are. */
const shapes: Record<string, (sql: Sql) => Fragment> = {
  'a value alone': (sql) => sql`select ${7}::int as n`,
  'nothing nested': (sql) => sql`select 1 as n`,
  'an empty fragment': (sql) => sql`select 1 as n ${sql``} where true ${sql``}`,
  'two levels, values on each': (sql) =>
    sql`with ${sql`${named(sql, 'a', 1)}, ${named(sql, 'b', 2)}`} select ${3}::int from a, b`,
  'a value beside a fragment': (sql) => sql`select ${sql`${1}::int`} + ${2}::int ${sql`as n`}`,
  'a fragment beside a value': (sql) => sql`select ${1}::int + ${sql`${2}::int as n`}`,
  'the same fragment twice': (sql) => {
    const four = sql`${4}::int`
    return sql`select ${four} + ${four} as n`
  },
  'texts that stand in the code': (sql) => sql`select ${verbatim(sql, '1 as a, 2 as b')}`,
  'the driver’s own text': (sql) => sql`select ${sql.unsafe('5')} + ${1}::int as n`,
  'a list of fragments': (sql) => sql`select 1 as n where true ${[sql`and true`, sql`and 1 = 1`]}`,
  'a list of values': (sql) => sql`select 1 as n where 2 = any(${[1, 2]}::int[])`,
  'the driver’s helpers': (sql) => sql`select * from (values ${sql([[1, 'a']])}) as v (a, b)`,
  'null, a moment and a large number': (sql) =>
    sql`select ${null}::text as a, ${new Date(0)}::timestamptz as b, ${5n}::bigint as c`,
}

describe('a statement of fragments', () => {
  it.each(Object.entries(shapes))('%s: the driver’s own text and rows', async (_name, make) => {
    const plain = database.owner as unknown as Db
    expect(await textOf(make(db))).toBe(await textOf(make(plain)))
    expect([...(await make(db))]).toEqual([...(await make(plain))])
    expect(await textOf(make(db))).toBe(await textOf(make(plain)))
  })

  it('has one text for each way of nesting the same templates', async () => {
    const one = (sql: Sql, inner: Fragment | number): Fragment => sql`select ${inner} as n`
    expect(await textOf(one(db, db`${1}::int`))).toBe('select $1::int as n')
    expect(await textOf(one(db, db`${db`2`} + ${1}::int`))).toBe('select 2 + $1::int as n')
    expect(await textOf(one(db, db`${1}::int + ${db`2`}`))).toBe('select $1::int + 2 as n')
    const [row] = await one(db, db`${5}::int + ${db`${6}::int`} * ${7}::int`)
    expect(row).toEqual({ n: 47 })
  })

  it('is prepared once, whatever its values are', async () => {
    const count = async () => {
      const [row] = await db<{ n: number }[]>`select count(*)::int as n from pg_prepared_statements`
      return row?.n ?? 0
    }
    await count()
    const before = await count()
    for (const value of [1, 2, 3]) await db`select ${value}::int + ${db`${value}::int`} as once`
    expect(await count()).toBe(before + 1)
  })

  it('is the same when its shape was forgotten, between two or in the making', async () => {
    const make = () => db`select ${1}::int + ${db`${2}::int`} as n`
    const text = await textOf(make())
    forgetShapes()
    expect(await textOf(make())).toBe(text)
    const waiting = make()
    forgetShapes()
    expect(await waiting).toEqual([{ n: 3 }])
  })

  it('keeps no more shapes than it may, however many are asked for', () => {
    // As by searches: which term is of which kind differs from one to the next. None is sent.
    const searched = (which: number) => {
      let some = db``
      for (let at = 0; at < 24; at += 1) {
        some = (which >> at) & 1 ? db`${some} or ${at}` : db`${some} and ${at}`
      }
      return some as unknown as { query: unknown }
    }
    let most = 0
    for (let which = 0; which < 10_000; which += 1) {
      expect(searched(which * 1_667).query).toBeDefined()
      most = Math.max(most, shapesKept())
    }
    expect(most).toBeGreaterThan(50_000)
    expect(most).toBeLessThan(50_100)
  })

  it('is sent when it is awaited and not before, once', async () => {
    const made = db<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
    const [first] = await made
    const [again] = await made
    expect(again).toEqual(first)
    await expect(db`select ${'x'}::int`).rejects.toThrow('invalid input syntax')
    await expect(db`select ${'x'}::int`.catch(() => 'caught')).resolves.toBe('caught')
  })

  it('joins a transaction, also in a savepoint, and is taken back with it', async () => {
    await database.owner`create table kept (n int)`
    await database.owner`grant all on kept to pirogue_app`
    const put = (sql: Sql, n: number) => sql`insert into kept ${sql({ n })}`
    await inTransaction(db, async (tx) => {
      await put(tx, 1)
      const inner = tx.savepoint(async (point) => {
        await put(point, 2)
        throw new Error('taken back')
      })
      await expect(inner).rejects.toThrow('taken back')
    })
    const lost = inTransaction(db, async (tx) => {
      await put(tx, 3)
      throw new Error('all of it')
    })
    await expect(lost).rejects.toThrow('all of it')
    expect(await db`select n from kept where ${db`n > ${0}`}`).toEqual([{ n: 1 }])
  })

  it('refuses a value that is missing, as the driver does', async () => {
    const missing = undefined as unknown as string
    await expect(db`select ${db`${missing}`}`).rejects.toThrow('Undefined values')
  })
})

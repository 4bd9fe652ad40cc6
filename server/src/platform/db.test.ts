// A transaction is whole, is repeated after a deadlock, and no call leaves the process inside it
// (docs/STYLE.md): here with real connections and the real client for outgoing calls.

import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { serveHttp } from '../../test/setup/loopback.ts'
import {
  assertNoTransaction,
  brokenConstraint,
  type Db,
  inTransaction,
  isDatabaseAway,
  isUniqueViolation,
  openDb,
  retryOnDeadlock,
  type Sql,
  type Tx,
} from './db.ts'
import { createOutbound } from './outbound/outbound.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  const { options } = database
  db = openDb({ ...options, connections_max: 6, durable: true, application_name: 'db test' })
  await db`create table boats (name text primary key, cargo int not null check (cargo >= 0))`
})
beforeEach(async () => {
  await db`delete from boats`
  await db`insert into boats (name, cargo) values ('left', 0), ('right', 0)`
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

const cargoes = async () => {
  const rows = await db<{ name: string; cargo: number }[]>`select name, cargo from boats`
  return Object.fromEntries(rows.map(({ name, cargo }) => [name, cargo]))
}
const load = (sql: Sql, name: string, cargo = 1) =>
  sql`update boats set cargo = cargo + ${cargo} where name = ${name}`

describe('openDb', () => {
  it('speaks as its role, in UTC, durable or not as told, and compiles no plan', async () => {
    const { options } = database
    const settings = (sql: Sql) => sql`
      select current_user as role, current_setting('TimeZone') as zone,
             current_setting('synchronous_commit') as flushes,
             current_setting('application_name') as name, current_setting('jit') as jit`
    const name = { connections_max: 1, application_name: 'a test' }
    const app = openDb({ ...options, ...name, durable: false, role: 'pirogue_app' })
    const [asApp] = await settings(app)
    await app.end()
    const flushed = openDb({ ...options, ...name, durable: true, role: 'pirogue_owner' })
    const [asOwner] = await settings(flushed)
    await flushed.end()
    const same = { zone: 'UTC', name: 'a test', jit: 'off' }
    expect(asApp).toEqual({ ...same, role: 'pirogue_app', flushes: 'off' })
    expect(asOwner).toEqual({ ...same, role: 'pirogue_owner', flushes: 'on' })
  })

  it('reads int8 as bigint and numeric as text: no amount passes through a float', async () => {
    const [row] = await db`select 9223372036854775807 as whole, 0.1::numeric as part`
    expect(row).toEqual({ whole: 9_223_372_036_854_775_807n, part: '0.1' })
  })
})

describe('inTransaction', () => {
  it('commits what was done and answers what the work answered', async () => {
    const answer = await inTransaction(db, async (tx) => {
      await load(tx, 'left')
      await load(tx, 'right')
      return ['done', undefined] as const
    })
    expect(answer).toEqual(['done', undefined])
    expect(await cargoes()).toEqual({ left: 1, right: 1 })
  })

  it('answers a list as the list it is', async () => {
    expect(await inTransaction(db, async () => [1, 2, 3])).toEqual([1, 2, 3])
    expect(await inTransaction(db, async () => undefined)).toBeUndefined()
  })

  it('undoes all of it when the work throws, and throws the same error', async () => {
    const error = new Error('overboard')
    const work = inTransaction(db, async (tx) => {
      await load(tx, 'left')
      throw error
    })
    await expect(work).rejects.toBe(error)
    expect(await cargoes()).toEqual({ left: 0, right: 0 })
  })

  it('undoes all of it when a constraint says no, and does not try again', async () => {
    let tries = 0
    const work = inTransaction(db, async (tx) => {
      tries += 1
      await load(tx, 'left')
      await load(tx, 'right', -1)
    })
    await expect(work).rejects.toThrow('boats_cargo_check')
    expect(tries).toBe(1)
    expect(await cargoes()).toEqual({ left: 0, right: 0 })
  })

  it('shows nothing to others before it is committed', async () => {
    await inTransaction(db, async (tx) => {
      await load(tx, 'left')
      expect(await cargoes()).toEqual({ left: 0, right: 0 })
    })
    expect(await cargoes()).toEqual({ left: 1, right: 0 })
  })

  it('after a deadlock the loser is run again, whole: both loads arrive once', async () => {
    let tries = 0
    const meeting = newMeeting(2)
    const crossing = (first: string, second: string) =>
      inTransaction(db, async (tx) => {
        tries += 1
        await load(tx, first)
        await meeting()
        await load(tx, second)
      })
    await Promise.all([crossing('left', 'right'), crossing('right', 'left')])
    // PostgreSQL may end both, where both look for the deadlock at the same moment.
    expect(tries).toBeGreaterThanOrEqual(3)
    expect(await cargoes()).toEqual({ left: 2, right: 2 })
  })

  it('gives up after four tries at what always fails to serialise', async () => {
    let tries = 0
    const work = inTransaction(db, async (tx) => {
      tries += 1
      await tx`do $$ begin raise exception 'never' using errcode = '40001'; end $$`
    })
    await expect(work).rejects.toThrow('never')
    expect(tries).toBe(4)
  })

  it('a transaction inside a transaction is a bug, and undoes the outer one', async () => {
    const work = inTransaction(db, async (tx) => {
      await load(tx, 'left')
      await inTransaction(db, async (inner: Tx) => load(inner, 'right'))
    })
    await expect(work).rejects.toThrow('bug: transaction inside a transaction')
    expect(await cargoes()).toEqual({ left: 0, right: 0 })
  })

  it('many at once on few connections all commit', async () => {
    const one = () =>
      inTransaction(db, async (tx) => {
        await load(tx, 'left')
        await load(tx, 'right')
      })
    await Promise.all(Array.from({ length: 40 }, one))
    expect(await cargoes()).toEqual({ left: 40, right: 40 })
  })
})

/** Lets the first `count` callers go on together; later ones pass. */
function newMeeting(count: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  let came = 0
  return () =>
    new Promise((resolve) => {
      came += 1
      waiting.push(resolve)
      if (came >= count) for (const go of waiting.splice(0)) go()
    })
}

describe('again', () => {
  const raising = (errcode: string, times: number) => {
    let tries = 0
    const statement = async () => {
      tries += 1
      const code = tries <= times ? errcode : '00000'
      if (code === '00000') return 'done'
      return db.unsafe(`do $$ begin raise exception 'r' using errcode = '${code}'; end $$`)
    }
    return { statement, tries: () => tries }
  }

  it('runs a statement again after a deadlock or a failure to serialise', async () => {
    for (const errcode of ['40P01', '40001']) {
      const one = raising(errcode, 3)
      expect(await retryOnDeadlock(one.statement)).toBe('done')
      expect(one.tries()).toBe(4)
    }
  })

  it('passes on at once what would fail again, and gives up after four tries', async () => {
    const wrong = raising('23505', 9)
    await expect(retryOnDeadlock(wrong.statement)).rejects.toThrow()
    expect(wrong.tries()).toBe(1)
    const stuck = raising('40P01', 9)
    await expect(retryOnDeadlock(stuck.statement)).rejects.toThrow()
    expect(stuck.tries()).toBe(4)
  })
})

describe('what went wrong', () => {
  const errorOf = async (work: PromiseLike<unknown>): Promise<unknown> => {
    try {
      await work
    } catch (error) {
      return error
    }
    return undefined
  }

  it('names the constraint that was broken, and knows a unique one', async () => {
    const twice = await errorOf(db`insert into boats (name, cargo) values ('left', 0)`)
    expect(isUniqueViolation(twice)).toBe(true)
    expect(isUniqueViolation(twice, 'boats_pkey')).toBe(true)
    expect(isUniqueViolation(twice, 'another_key')).toBe(false)
    expect(brokenConstraint(twice)).toBe('boats_pkey')
    const below = await errorOf(load(db, 'left', -1))
    expect(isUniqueViolation(below)).toBe(false)
    expect(brokenConstraint(below)).toBe('boats_cargo_check')
  })

  it('names none for another error of the database, nor for one of ours', async () => {
    const syntax = await errorOf(db`select nothing from nowhere`)
    expect(syntax).toBeInstanceOf(postgres.PostgresError)
    expect(brokenConstraint(syntax)).toBeUndefined()
    expect(brokenConstraint(new Error('23505'))).toBeUndefined()
    expect(isUniqueViolation(undefined)).toBe(false)
  })
})

describe('assertNoTransaction', () => {
  const refused = 'bug: network call inside a database transaction'

  it('passes outside, before and after a transaction, whether it committed or not', async () => {
    assertNoTransaction()
    await inTransaction(db, async (tx) => load(tx, 'left'))
    assertNoTransaction()
    const failing = inTransaction(db, async () => {
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    assertNoTransaction()
  })

  it('fails inside, however deep, after waiting, and in what runs beside the work', async () => {
    await inTransaction(db, async (tx) => {
      expect(assertNoTransaction).toThrow(refused)
      await load(tx, 'left')
      expect(assertNoTransaction).toThrow(refused)
      await sleep(5)
      const deep = async () => {
        await turn()
        assertNoTransaction()
      }
      await expect(Promise.all([deep(), deep()])).rejects.toThrow(refused)
    })
  })

  it('passes in other lines of work that run at the same time', async () => {
    const inside = newMeeting(2)
    const outside = newMeeting(2)
    const transaction = inTransaction(db, async (tx) => {
      await load(tx, 'left')
      await inside()
      expect(assertNoTransaction).toThrow(refused)
      await outside()
    })
    const other = async () => {
      await inside()
      assertNoTransaction()
      // On the same pool, while the other's transaction is open.
      await load(db, 'right')
      assertNoTransaction()
      await outside()
    }
    await Promise.all([transaction, other()])
    expect(await cargoes()).toEqual({ left: 1, right: 1 })
  })

  it('does not stick to a connection: who uses it next may call out', async () => {
    const { options } = database
    const single = openDb({ ...options, connections_max: 1, durable: true, application_name: 't' })
    await Promise.all([
      inTransaction(single, async (tx) => load(tx, 'left')),
      (async () => {
        await load(single, 'right')
        assertNoTransaction()
      })(),
    ])
    await single.end()
    expect(await cargoes()).toEqual({ left: 1, right: 1 })
  })
})

describe('the client for outgoing calls', () => {
  it('refuses to send inside a transaction: nothing leaves, and the transaction is undone', async () => {
    const receiver = await serveHttp((_req, res) => res.end('hello'))
    const outbound = createOutbound({ assertNoTransaction })
    const url = `http://127.0.0.1:${receiver.port}/`
    const request = { method: 'POST', url, body: '{}', timeout_ms: 20_000 }
    try {
      const inside = inTransaction(db, async (tx) => {
        await load(tx, 'left')
        await outbound.send(request)
      })
      await expect(inside).rejects.toThrow('bug: network call inside a database transaction')
      expect(receiver.connections()).toBe(0)
      expect(await cargoes()).toEqual({ left: 0, right: 0 })

      const answer = await outbound.send(request)
      expect(answer).toMatchObject({ is: 'answered', status: 200, body: 'hello' })
      expect(receiver.connections()).toBe(1)
    } finally {
      await outbound.close()
      await receiver.close()
    }
  })

  it('sends while another line of work has a transaction open', async () => {
    const receiver = await serveHttp((_req, res) => res.end())
    const outbound = createOutbound({ assertNoTransaction })
    const url = `http://127.0.0.1:${receiver.port}/`
    const opened = newMeeting(2)
    const answered = newMeeting(2)
    try {
      await Promise.all([
        inTransaction(db, async (tx) => {
          await load(tx, 'left')
          await opened()
          await answered()
        }),
        (async () => {
          await opened()
          const answer = await outbound.send({ method: 'GET', url, timeout_ms: 20_000 })
          expect(answer.is).toBe('answered')
          await answered()
        })(),
      ])
    } finally {
      await outbound.close()
      await receiver.close()
    }
    expect(await cargoes()).toEqual({ left: 1, right: 0 })
  })
})

describe('a connection that dies under a transaction', () => {
  // Without this a failover of the database ended the process, or left a pool that answers nobody.
  it('fails that transaction alone: nothing is thrown past it, and the pool goes on', async () => {
    const two = openDb({
      ...database.options,
      connections_max: 2,
      durable: true,
      application_name: 'dying',
    })
    const thrown: unknown[] = []
    const note = (error: unknown) => thrown.push(error)
    process.on('uncaughtException', note)
    try {
      for (let round = 0; round < 6; round += 1) {
        const dying = inTransaction(two, async (tx) => {
          const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
          const slow = tx`select pg_sleep(3)`.execute()
          await Promise.all([slow, db`select pg_terminate_backend(${row?.pid ?? 0})`])
        })
        await expect(dying).rejects.toSatisfy(isDatabaseAway)
        // The driver may tell the next one on that connection the same; the one after is well.
        const next = () => inTransaction(two, (tx) => tx`select 1 as one`)
        expect(await next().catch(next)).toEqual([{ one: 1 }])
      }
      expect(thrown).toEqual([])
    } finally {
      process.off('uncaughtException', note)
      await two.end({ timeout: 1 })
    }
  }, 30_000)

  // A distributed database says it of a node that its coordinator does not reach.
  it('is not taken for dead because another is: it is rolled back, and the next is served', async () => {
    const { options } = database
    const single = openDb({ ...options, connections_max: 1, durable: true, application_name: 't' })
    try {
      const began = performance.now()
      const failing = inTransaction(single, async (tx) => {
        await load(tx, 'left')
        await tx`do $$ begin raise exception 'of a node' using errcode = '08006'; end $$`
      })
      await expect(failing).rejects.toSatisfy(isDatabaseAway)
      expect(await single`select 1 as one`).toEqual([{ one: 1 }])
      // A dead one would be waited for: five seconds.
      expect(performance.now() - began).toBeLessThan(4_500)
      expect(await cargoes()).toEqual({ left: 0, right: 0 })
    } finally {
      await single.end({ timeout: 1 })
    }
  })
})

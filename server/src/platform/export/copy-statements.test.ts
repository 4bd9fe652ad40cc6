// A file of a long history begins at once: it is read in its order, by one process.

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { loopback, serveTcp } from '../../../test/setup/loopback.ts'
import { type Db, openDb } from '../db.ts'
import { type Column, plain } from './columns.ts'
import { copyOut } from './copy-statements.ts'

let database: TestDatabase
let db: Db
const servers: (() => Promise<void>)[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb({
    ...database.options,
    connections_max: 1,
    durable: false,
    application_name: 'copy',
  })
  await db`create table history as
    select n, 'a row' as text from generate_series(1, 20000) as n`
  await db`create index on history (n)`
  await db`analyze history`
  // As a planner sees ten million rows: whatever several may do is cheap, and sorting is, too.
  await db`select set_config(name, value, false) from (values
    ('parallel_setup_cost', '0'), ('parallel_tuple_cost', '0'), ('random_page_cost', '100'),
    ('min_parallel_table_scan_size', '0'), ('max_parallel_workers_per_gather', '2')
  ) as given (name, value)`
})
afterAll(async () => {
  await db?.end()
  for (const close of servers) await close()
  await database?.drop()
})

const planned = async () => {
  const plan = await db`explain select text from history order by n desc`
  return plan.map((row) => row['QUERY PLAN']).join('\n')
}

/** To the driver the connection is free as soon as a copy has begun. */
async function stateOf(): Promise<string> {
  const [row] = await database.owner`
    select state from pg_stat_activity where application_name = 'copy' and datname = ${database.name}`
  return row?.['state']
}

type Asked = Readonly<{ text: Column; rows: number; read_after_ms?: number }>

async function linesOf(over: Db, { text, rows, read_after_ms = 0 }: Asked): Promise<number> {
  const copied = await copyOut(over, {
    columns: { text },
    form: { separator: ',', is_french: false, start: '' },
    rowsOf: ({ list }) => over`
      select ${list} from history order by n desc limit ${over.unsafe(String(rows))}`,
  })
  await sleep(read_after_ms)
  let lines = 0
  for await (const piece of copied) lines += String(piece).split('\n').length - 1
  return lines
}

it('is planned for one process', async () => {
  expect(await planned()).toContain('Gather')
  expect(await linesOf(db, { text: plain('text'), rows: 20_000 })).toBe(20_000)
  await expect.poll(stateOf).toBe('idle')
  // On the connection of the file, whose settings those of the copy are.
  expect(await planned()).not.toContain('Gather')
})

/** What PostgreSQL says when a copy is over (its protocol: CopyDone). */
const copy_done = Buffer.from('c\0\0\0\x04')

/** A wire to PostgreSQL, and what becomes on it of all that follows a copy. */
const wire = (after: (socket: Socket, said: Buffer) => void) => (socket: Socket) => {
  const { host, port } = database.options
  const onward = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.pipe(onward)
  onward.on('data', (said: Buffer) => {
    const at = said.indexOf(copy_done)
    const over = at < 0 ? said.length : at + copy_done.length
    socket.write(said.subarray(0, over))
    if (over < said.length) setTimeout(() => after(socket, said.subarray(over)), 50)
  })
  onward.on('error', () => socket.destroy())
  onward.on('end', () => socket.end())
}

async function readFar(after: Parameters<typeof wire>[0], length: number): Promise<Db> {
  const { port, close } = await serveTcp(wire(after))
  servers.push(close)
  const far = openDb({
    ...{ ...database.options, host: loopback, port, connections_max: 1, durable: false },
    application_name: 'far',
  })
  const text = plain(`repeat('x', ${length})`)
  expect(await linesOf(far, { text, rows: 1, read_after_ms: 200 })).toBe(1)
  return far
}

it('lets its connection close, however late the server says that it is over', async () => {
  // Of one piece that is more than a stream holds, so the driver stops reading the socket.
  const far = await readFar((to, said) => to.write(said), 200_000)
  // It waits until the socket is closed, which one that is not read never is.
  await far.end()
})

it('is read to its end where the server is gone by then', async () => {
  const far = await readFar((to) => to.destroy(), 10)
  await far.end({ timeout: 0 })
})

// The yardstick: TPC-B of PostgreSQL's own pgbench on the same server, scale 10, prepared. Where
// pgbench is not installed the same five statements go through our driver, which costs more.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import postgres from 'postgres'
import type { Ends } from '../../server/test/setup/ends.ts'
import { cpuSeconds, familyOf } from '../../server/test/setup/process-tree.ts'
import type { BenchDatabase } from './database.ts'

const run = promisify(execFile)
const database = 'yardstick'
const scale = 10

export type Yardstick = Readonly<{
  by: string
  /** TPC-B with the best of a few numbers of clients. */
  measure(seconds: number): Promise<Pace>
}>

/** `cpu_s`: CPU seconds of one transaction, PostgreSQL and its clients together. */
export type Pace = Readonly<{ per_s: number; clients: number; cpu_s: number }>

const clients_tried = [8, 16, 32]

export async function openYardstick(server: BenchDatabase, ends: Ends): Promise<Yardstick> {
  const drop = () =>
    withAdmin(server, (admin) => admin`drop database if exists ${admin(database)} with (force)`)
  await drop()
  ends.add(drop)
  await withAdmin(server, (admin) => admin`create database ${admin(database)}`)
  const version = await pgbenchVersion()
  const once = version === undefined ? throughDriver : throughPgbench
  await (version === undefined ? fillByDriver(server) : fillByPgbench(server))
  return {
    by: version ?? 'driver',
    async measure(seconds) {
      const tries: Pace[] = []
      for (const clients of clients_tried) {
        const before = cpuOf(server)
        const { per_s, done } = await once(server, clients, seconds / clients_tried.length)
        tries.push({ per_s, clients, cpu_s: (cpuOf(server) - before) / done })
      }
      return tries.reduce((best, one) => (one.per_s > best.per_s ? one : best))
    },
  }
}

/** The server, this process, and the clients that it started and that have ended. */
const cpuOf = ({ pids }: BenchDatabase) => cpuSeconds([...pids.flatMap(familyOf), process.pid])

const addressOf = ({ host, port, user, password = '' }: BenchDatabase) => ({
  ...{ host, port, user, password },
})

async function withAdmin(
  server: BenchDatabase,
  work: (admin: postgres.Sql) => PromiseLike<unknown>,
): Promise<void> {
  const onnotice = () => undefined
  const admin = postgres({ ...addressOf(server), database: server.database, max: 1, onnotice })
  try {
    await work(admin)
  } finally {
    await admin.end()
  }
}

async function pgbenchVersion(): Promise<string | undefined> {
  try {
    const { stdout } = await run('pgbench', ['--version'])
    return stdout.trim()
  } catch {
    // Not installed: the driver does it.
    return undefined
  }
}

const pgbench = ({ host, port, user, password }: BenchDatabase, ...words: string[]) =>
  run('pgbench', ['-h', host, '-p', String(port), '-U', user, ...words, database], {
    env: { ...process.env, ...(password === undefined ? {} : { PGPASSWORD: password }) },
  })

async function fillByPgbench(server: BenchDatabase): Promise<void> {
  await pgbench(server, '-i', '-q', '-s', String(scale))
}

async function throughPgbench(server: BenchDatabase, clients: number, seconds: number) {
  const time = String(Math.max(1, Math.round(seconds)))
  const load = ['-M', 'prepared', '-n', '-c', String(clients), '-j', '2', '-T', time]
  const { stdout } = await pgbench(server, ...load)
  const [, tps] = /^tps = ([\d.]+)/m.exec(stdout) ?? []
  if (tps === undefined) throw new Error(`pgbench said: ${stdout}`)
  const [, done] = /transactions actually processed: (\d+)/.exec(stdout) ?? []
  return { per_s: Number(tps), done: Number(done) }
}

const accounts = 100_000 * scale
const tellers = 10 * scale

async function fillByDriver(server: BenchDatabase): Promise<void> {
  const sql = postgres({ ...addressOf(server), database, max: 1, onnotice: () => undefined })
  await sql`create table pgbench_history (
    tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))`
  await sql`create table pgbench_tellers (
    tid int primary key, bid int, tbalance int, filler char(84)) with (fillfactor = 100)`
  await sql`create table pgbench_accounts (
    aid int primary key, bid int, abalance int, filler char(84)) with (fillfactor = 100)`
  await sql`create table pgbench_branches (
    bid int primary key, bbalance int, filler char(88)) with (fillfactor = 100)`
  await sql`insert into pgbench_branches (bid, bbalance)
    select n, 0 from generate_series(1, ${scale}::int) n`
  await sql`insert into pgbench_tellers (tid, bid, tbalance)
    select n, (n - 1) / 10 + 1, 0 from generate_series(1, ${tellers}::int) n`
  await sql`insert into pgbench_accounts (aid, bid, abalance, filler)
    select n, (n - 1) / 100000 + 1, 0, '' from generate_series(1, ${accounts}::int) n`
  await sql`vacuum analyze`
  await sql.end()
}

async function throughDriver(server: BenchDatabase, clients: number, seconds: number) {
  const sql = postgres({ ...addressOf(server), database, max: clients })
  const began_ms = performance.now()
  const until_ms = began_ms + seconds * 1000
  let done = 0
  const client = async () => {
    for (; performance.now() < until_ms; done += 1) await oneTransaction(sql)
  }
  await Promise.all(Array.from({ length: clients }, client))
  const per_s = (done * 1000) / (performance.now() - began_ms)
  await sql.end()
  return { per_s, done }
}

const upTo = (most: number) => 1 + Math.floor(Math.random() * most)

async function oneTransaction(sql: postgres.Sql): Promise<void> {
  const [aid, bid, tid] = [upTo(accounts), upTo(scale), upTo(tellers)]
  const delta = upTo(10_001) - 5_001
  await sql.begin(async (tx) => {
    await tx`update pgbench_accounts set abalance = abalance + ${delta} where aid = ${aid}`
    await tx`select abalance from pgbench_accounts where aid = ${aid}`
    await tx`update pgbench_tellers set tbalance = tbalance + ${delta} where tid = ${tid}`
    await tx`update pgbench_branches set bbalance = bbalance + ${delta} where bid = ${bid}`
    await tx`insert into pgbench_history (tid, bid, aid, delta, mtime)
      values (${tid}, ${bid}, ${aid}, ${delta}, current_timestamp)`
  })
}

// The sandbox operator is one for all starts on a database: whoever found another's goes where it
// is when it has moved, and when it is gone for good one of them starts its own.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { familyOf } from '../../test/setup/process-tree.ts'
import { openKeyring } from '../platform/crypto/seal.ts'
import { type Db, openDb } from '../platform/db.ts'
import { saveServiceUrl } from '../platform/server-addresses.ts'
import {
  followOperator,
  type Looks,
  no_operator_url,
  startSandboxOperator,
} from './sandbox-operator.ts'
import { startSimulatorProcess } from './simulator-process.ts'

// Processes are started: a busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const log = pino({ level: 'silent' })
const keyring = openKeyring(randomBytes(32).toString('base64'))

let database: TestDatabase
let db: Db
let ends: (() => Promise<unknown>)[]

beforeEach(async () => {
  database = await createTestDatabase()
  const name = { role: 'pirogue_app', application_name: 'test' } as const
  db = openDb({ ...database.options, ...name, connections_max: 4, durable: false })
  ends = [() => database.drop(), () => db.end({ timeout: 1 })]
})
afterEach(async () => {
  for (const end of ends.reverse()) await end()
})

type Reach = Parameters<typeof startSandboxOperator>[1]

const quickly: Looks = { every_ms: 20, vain_max: 3 }
const never: Looks = { every_ms: 20, vain_max: Number.POSITIVE_INFINITY }

async function newFolder() {
  const dir = await mkdtemp(path.join(tmpdir(), 'pirogue-operator-'))
  ends.push(() => rm(dir, { recursive: true, force: true }))
  return dir
}

/** A start with a memory of its own, so that its operator has a port of its own. */
async function start(looks: Looks = quickly, dir?: string, reach: Partial<Reach> = {}) {
  const data_dir = dir ?? (await newFolder())
  const config = { simulator_url: null, simulator_port: 0, data_dir }
  const operator = await startSandboxOperator(config, { db, keyring, log, ...reach }, looks)
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= operator.stop()
    return stopped
  }
  ends.push(stop)
  return { ...operator, stop }
}

/** Of a process that is running. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}

/** The processes of an operator with its memory there. */
const runningIn = (dir: string): number[] =>
  familyOf(process.pid).filter((pid) => environmentOf(pid).includes(dir))

/** Opened for writing it waits for a reader, who never comes. */
const hangsOn = (journal: string) => promisify(execFile)('mkfifo', [journal])

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )

describe('of two starts', () => {
  it('the second uses the first one’s, and goes with it to another address', async () => {
    const first = await start()
    const second = await start(never)
    expect([first.own(), second.own()]).toEqual([true, false])
    expect(second.url()).toBe(first.url())
    const moved = vi.fn()
    second.onMoved(moved)
    await first.stop()
    const again = await start()
    expect(again.own()).toBe(true)
    expect(again.url()).not.toBe(first.url())
    await vi.waitFor(() => expect(second.url()).toBe(again.url()), 10_000)
    expect(second.own()).toBe(false)
    expect(moved).toHaveBeenCalledOnce()
  })

  it('the second starts its own when the first one’s is gone for good, for all that are left', async () => {
    const first = await start()
    const second = await start()
    const third = await start(never)
    await first.stop()
    await vi.waitFor(() => expect(second.own()).toBe(true), 30_000)
    expect(await answers(second.url())).toBe(true)
    await vi.waitFor(() => expect(third.url()).toBe(second.url()), 10_000)
    expect(third.own()).toBe(false)
  })

  it('the second finds the first one’s where another machine has written its own address', async () => {
    const dir = await newFolder()
    const first = await start(never, dir)
    await saveServiceUrl(db, 'simulator', 'http://127.0.0.1:1')
    const second = await start(never, dir)
    expect([second.own(), second.url()]).toEqual([false, first.url()])
  })

  it('the second, on another database, takes none that would refuse it, and says so', async () => {
    const dir = await newFolder()
    const first = await start(never, dir)
    await saveServiceUrl(db, 'simulator', 'http://127.0.0.1:1')
    const said: string[] = []
    const reach = {
      keyring: openKeyring(randomBytes(32).toString('base64')),
      log: pino({ level: 'error' }, { write: (line) => void said.push(line) }),
    }
    const second = await start({ every_ms: 20, vain_max: 10 }, dir, reach)
    expect([second.own(), second.url()]).toEqual([false, no_operator_url])
    expect(said.join()).toMatch(/is another database’s. Give each database a DATA_DIR of its own/)
    // Once it has ended nobody writes its journal.
    await first.stop()
    await vi.waitFor(() => expect(second.own()).toBe(true), 30_000)
    expect(await answers(second.url())).toBe(true)
  })

  it('at the same moment one starts it', async () => {
    const all = await Promise.all([start(), start(), start()])
    expect(all.filter((one) => one.own())).toHaveLength(1)
    expect(new Set(all.map((one) => one.url())).size).toBe(1)
  })
})

describe('one of several processes of a start', () => {
  it('stays where it was sent while the operator is its start’s', async () => {
    const [, url] = [await start(), 'http://127.0.0.1:1']
    const follower = followOperator({ simulator_url: null }, { url, own: true }, { db, log })
    ends.push(() => follower.stop())
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect([follower.url(), follower.own()]).toEqual([url, true])
  })

  it('goes where another’s is, and starts none', async () => {
    const { url } = await start()
    const was = { url: 'http://127.0.0.1:1', own: false }
    const follower = followOperator({ simulator_url: null }, was, { db, log })
    ends.push(() => follower.stop())
    await vi.waitFor(() => expect(follower.url()).toBe(url()), 10_000)
    expect(follower.own()).toBe(false)
  })
})

it('that is configured is where it is said to be, whether it answers or not', async () => {
  const config = { simulator_url: 'http://127.0.0.1:1', simulator_port: 0, data_dir: '/nowhere' }
  const operator = await startSandboxOperator(config, { db, keyring, log }, quickly)
  await start()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect([operator.url(), operator.own()]).toEqual(['http://127.0.0.1:1', false])
})

describe('an operator that does not start', () => {
  it('keeps no start from starting, and is tried again until it does', async () => {
    const dir = await newFolder()
    const journal = path.join(dir, 'simulator.jsonl')
    await writeFile(journal, 'no order\n{}\n')
    const without = await start({ every_ms: 20, vain_max: 10 }, dir)
    expect([without.own(), await answers(without.url())]).toEqual([false, false])
    const moved = vi.fn()
    without.onMoved(moved)
    await rm(journal)
    await vi.waitFor(() => expect(without.own()).toBe(true), 30_000)
    expect(await answers(without.url())).toBe(true)
    expect(moved).toHaveBeenCalledOnce()
  })

  it('is not waited for by whoever ends, at its first start or when it is started again', async () => {
    for (const isAgain of [false, true]) {
      const dir = await newFolder()
      const journal = path.join(dir, 'simulator.jsonl')
      if (!isAgain) await writeFile(journal, 'no order\n{}\n')
      const one = await start({ every_ms: 20, vain_max: 10 }, dir)
      expect(one.own()).toBe(isAgain)
      const before = runningIn(dir)
      await rm(journal)
      await hangsOn(journal)
      for (const pid of before) process.kill(pid, 'SIGKILL')
      await vi.waitFor(() => {
        expect(runningIn(dir).filter((pid) => !before.includes(pid))).toHaveLength(1)
      }, 20_000)
      const began_ms = performance.now()
      await one.stop()
      expect(performance.now() - began_ms).toBeLessThan(10_000)
      expect(runningIn(dir)).toEqual([])
      // Whoever starts next waits for nobody.
      const leases = await db`
        select 1 from leases where name = 'sandbox-operator' and leased_until > now()`
      expect([...leases]).toEqual([])
    }
  })

  it('in time is ended: nothing is left that would write its journal', async () => {
    const dir = await newFolder()
    await hangsOn(path.join(dir, 'simulator.jsonl'))
    const running = () => runningIn(dir)
    const late = startSimulatorProcess({
      ...{ port: 0, token: 'a', callback_secret: 'b', dir, start_max_ms: 5_000, log },
    })
    const ended = expect(late).rejects.toThrow('did not start in time')
    await vi.waitFor(() => expect(running()).toHaveLength(1), 4_000)
    await ended
    expect(running()).toEqual([])
  })
})

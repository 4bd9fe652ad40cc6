// The embedded server: started once, shared, never orphaned, recovered after the worst.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { wholeIt } from '../../../test/setup/proof-size.ts'
import { sharedSocketDirectory } from './cluster.ts'
import { isAlive } from './postmaster.ts'
import { type Embedded, startEmbedded } from './start-embedded.ts'
import { accountIn, unprivilegedAccount } from './unprivileged.ts'

// No fsync: what is tested here survives the death of processes, not of the machine.
const settings = { fsync: 'off', shared_buffers: '16MB' }
const lock_name = '.s.PGSQL.5432.lock'
const modulePath = fileURLToPath(new URL('./start-embedded.ts', import.meta.url))

let home: string
let dir: string
const started: Embedded[] = []
const children: ChildProcess[] = []
const leftovers: string[] = []

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pirogue-embedded-'))
  await chmod(home, 0o755)
  dir = join(home, 'database')
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of started.splice(0)) {
    await server.stop()
    leftovers.push(server.directory, server.host)
  }
  for (const path of [home, ...leftovers.splice(0)]) {
    await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
  }
})

async function start(where = dir): Promise<Embedded> {
  const server = await startEmbedded({ dir: where, settings })
  started.push(server)
  return server
}

async function query<T>(
  { host, port, user }: Pick<Embedded, 'host' | 'port' | 'user'>,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const sql = postgres({ host, port, user, database: 'postgres', max: 1, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

/** Another Node process that owns the server and then only waits. */
async function startInChild({
  where = dir,
  account = {},
}: {
  where?: string
  account?: { uid?: number; gid?: number }
} = {}): Promise<{ child: ChildProcess; server: Embedded }> {
  const options = JSON.stringify({ dir: where, settings })
  const code = `
    import { startEmbedded } from ${JSON.stringify(modulePath)}
    const server = await startEmbedded(${options})
    console.log(JSON.stringify(server))
    setInterval(() => {}, 1000)`
  const args = ['--import', 'tsx', '--input-type=module', '-e', code]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...account,
  })
  children.push(child)
  const [line] = await once(createInterface(child.stdout), 'line')
  return { child, server: JSON.parse(String(line)) }
}

async function killHard(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** The server's lasting processes: the first one and its helpers, no passing workers. */
async function processesOf(server: Embedded): Promise<number[]> {
  const rows = await query(
    server,
    (sql) => sql<{ pid: number }[]>`
      select pid from pg_stat_activity
       where backend_type in ('checkpointer', 'background writer', 'walwriter')`,
  )
  return [server.pid ?? 0, ...rows.map((row) => row.pid)]
}

async function untilDead(pids: number[], limit_ms = 10_000): Promise<number[]> {
  const deadline = Date.now() + limit_ms
  while (pids.some(isAlive) && Date.now() < deadline) await sleep(20)
  return pids.filter(isAlive)
}

/** The pid file of a crash: written by a real server, under another pid. */
async function leavePidFile(pid: number): Promise<void> {
  const first = await start()
  const names = [join(first.directory, 'data', 'postmaster.pid'), join(first.host, lock_name)]
  const texts = await Promise.all(names.map((name) => readFile(name, 'utf8')))
  await first.stop()
  for (const [index, name] of names.entries()) {
    await writeFile(name, (texts[index] ?? '').replace(/^\d+/, String(pid)))
  }
}

/** The shells around the server, found by the command line they were given. */
async function watchdogsOf(server: Embedded): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eww', '-o', 'pid=,args='])
  const lines = stdout.split('\n').filter((line) => line.includes(server.directory))
  return lines.filter((line) => line.includes('/bin/sh')).map((line) => Number.parseInt(line, 10))
}

describe('startEmbedded', () => {
  it('serves on a socket only, in a directory nobody else can enter', async () => {
    const server = await start()
    expect(server).toMatchObject({ user: 'postgres', reused: false, directory: dir })
    expect((await stat(server.host)).mode & 0o777).toBe(0o700)
    expect((await stat(server.directory)).mode & 0o777).toBe(0o700)
    expect((await stat(home)).mode & 0o777).toBe(0o755)
    const [row] = await query(
      server,
      (sql) => sql`select current_setting('listen_addresses') as tcp`,
    )
    expect(row?.tcp).toBe('')
  })

  it('sorts by bytes on every machine, and knows accented letters', async () => {
    const server = await start()
    await query(server, async (sql) => {
      const rows = await sql`select n from (values ('é'), ('a'), ('Z')) as v (n) order by n`
      expect(rows.map((row) => row.n)).toEqual(['Z', 'a', 'é'])
      await sql`create extension pg_trgm`
      const [row] = await sql`select lower('KONÉ') as low, similarity('Koné', 'Kon') as likeness`
      expect(row?.low).toBe('koné')
      // 1 would mean that the index drops the accent's letter from every name.
      expect(row?.likeness).toBeLessThan(1)
    })
  })

  it('keeps its data from one start to the next, with the settings asked for', async () => {
    const first = await start()
    await query(first, (sql) => sql`create table boats as select 'Ndar' as name`)
    await first.stop()
    const second = await start()
    expect(second.reused).toBe(false)
    await query(second, async (sql) => {
      const [row] = await sql`select name, current_setting('shared_buffers') as memory from boats`
      expect(row).toMatchObject({ name: 'Ndar', memory: '16MB' })
    })
  })

  it('leaves no process when stopped, and can be stopped twice', async () => {
    const server = await start()
    const pids = await processesOf(server)
    await Promise.all([server.stop(), server.stop()])
    await server.stop()
    expect(await untilDead(pids)).toEqual([])
  })

  wholeIt('stops although clients are still connected', async () => {
    const server = await start()
    const { host, port, user } = server
    const sql = postgres({ host, port, user, database: 'postgres', max: 2, onclose: () => {} })
    await sql`select 1`
    const pids = await processesOf(server)
    await server.stop()
    expect(await untilDead(pids)).toEqual([])
    await sql.end({ timeout: 0 })
  })

  it('shares the server that already runs on the directory, and leaves it to its owner', async () => {
    const first = await start()
    const second = await start()
    expect(second).toMatchObject({ reused: true, host: first.host, pid: first.pid })
    await second.stop()
    expect(await query(first, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  wholeIt('makes one cluster and one server when several start at once', async () => {
    const servers = await Promise.all([start(), start(), startInChild(), start()])
    const all = servers.map((one) => ('server' in one ? one.server : one))
    expect(new Set(all.map((server) => server.pid)).size).toBe(1)
    expect(all.filter((server) => !server.reused).length).toBe(1)
    expect((await readdir(dir)).filter((name) => name.startsWith('init.'))).toEqual([])
  })
})

const isRoot = process.getuid?.() === 0

describe('who may connect', () => {
  const asOther = (server: Embedded, uid: number) => {
    // The directory is open to that account, so that only the server itself can refuse it.
    const code = `
      import net from 'node:net'
      const socket = net.connect('${join(server.host, `.s.PGSQL.${server.port}`)}')
      const text = Buffer.from('user\\0postgres\\0database\\0postgres\\0\\0')
      const head = Buffer.alloc(8)
      head.writeInt32BE(8 + text.length, 0)
      head.writeInt32BE(196608, 4)
      socket.on('connect', () => socket.write(Buffer.concat([head, text])))
      socket.on('data', (answer) => { console.log(answer.toString('latin1')); socket.destroy() })
      socket.on('error', (error) => console.log(error.code))`
    return promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
      uid,
      gid: uid,
      cwd: '/',
    })
  }

  it('is the account of this process and of the server, under any role', async () => {
    const server = await start()
    await query(server, (sql) => sql`create role somebody login`)
    const rows = await query(
      { ...server, user: 'somebody' as 'postgres' },
      (sql) => sql`
      select current_user as name`,
    )
    expect(rows[0]?.['name']).toBe('somebody')
  })

  it('is nobody else, were the socket open to them', async () => {
    const server = await start()
    await chmod(server.directory, 0o755)
    await chmod(server.host, 0o755)
    // Only root can speak as somebody else; an ordinary user has the refusal in writing.
    const expected = isRoot ? (await asOther(server, 65_534)).stdout : 'Peer authentication failed'
    expect(expected).toMatch(/Peer authentication failed/i)
    const users = await query(server, (sql) => sql`select sys_name from pg_ident_file_mappings`)
    const own = userInfo().username
    expect(users.map(({ sys_name }) => sys_name)[0]).toBe(own)
    expect(users).toHaveLength(isRoot ? 2 : 1)
  })

  wholeIt('is an ordinary user too, who needs no other account', async () => {
    const account = unprivilegedAccount()
    const own = await mkdtemp(join(tmpdir(), 'pirogue-ordinary-'))
    leftovers.push(own)
    if (account.uid !== undefined) await chown(own, account.uid, account.gid ?? account.uid)
    const { child, server } = await startInChild({ where: join(own, 'database'), account })
    expect(server).toMatchObject({ reused: false, directory: join(own, 'database') })
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await untilDead([server.pid ?? 0])).toEqual([])
  })

  wholeIt('is asked again of a cluster that an older version made', async () => {
    const first = await start()
    await first.stop()
    await writeFile(join(dir, 'data', 'pg_hba.conf'), 'local all all trust\n')
    const second = await start()
    const [row] = await query(
      second,
      (sql) => sql`
      select auth_method as method from pg_hba_file_rules`,
    )
    expect(row?.['method']).toBe('peer')
  })

  it('as root is neither nobody nor daemon who runs it', () => {
    const others = 'daemon:x:1:1::/:/x\nnobody:x:65534:65534::/:/x\n'
    expect(() => accountIn(others)).toThrow(/useradd --system pirogue.*DATABASE_URL/)
    const own = `${others}node:x:1000:1000::/:/x\npirogue:x:900:901::/:/x\n`
    expect(accountIn(own)).toEqual({ uid: 900, gid: 901 })
  })

  it('finds another place for the socket when a stranger took the first', async () => {
    const taken = await mkdtemp(join(tmpdir(), 'pirogue-taken-'))
    leftovers.push(taken)
    // Where we cannot give it away, a link is as little a directory of ours.
    if (isRoot) await chown(taken, 65_534, 65_534)
    else await rm(taken, { recursive: true }).then(() => symlink('/tmp', taken))
    const found = sharedSocketDirectory(taken, unprivilegedAccount())
    leftovers.push(found)
    expect(found).not.toBe(taken)
    expect((await stat(found)).mode & 0o777).toBe(0o700)
  })
})

describe('startEmbedded after a crash', () => {
  it('leaves no postgres behind when its process is killed with -9', async () => {
    const { child, server } = await startInChild()
    const pids = await processesOf(server)
    expect(pids.every(isAlive)).toBe(true)
    await killHard(child)
    expect(await untilDead(pids)).toEqual([])
  })

  wholeIt('does not join the server of a killed owner in its last moment', async () => {
    const { child, server } = await startInChild()
    await query(server, (sql) => sql`create table boats as select 'Ndar' as name`)
    await killHard(child)
    const next = await start()
    expect(next.reused).toBe(false)
    expect(next.pid).not.toBe(server.pid)
    const rows = await query(next, (sql) => sql`select name from boats`)
    expect(rows).toEqual([{ name: 'Ndar' }])
  })

  it('does not join a server that takes connections and is being killed', async () => {
    const dying = await start()
    process.kill(dying.pid ?? 0, 'SIGSTOP')
    const starting = start()
    await sleep(300)
    process.kill(dying.pid ?? 0, 'SIGKILL')
    const next = await starting
    expect(next.reused).toBe(false)
    expect(await query(next, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  wholeIt('recovers what was committed when the server itself is killed with -9', async () => {
    const first = await start()
    await query(first, (sql) => sql`create table boats as select 'Ndar' as name`)
    process.kill(first.pid ?? 0, 'SIGKILL')
    await first.stop()
    const second = await start()
    expect(second.reused).toBe(false)
    expect(await query(second, (sql) => sql`select name from boats`)).toEqual([{ name: 'Ndar' }])
  })

  wholeIt('starts over a stale pid file of a dead process', async () => {
    await leavePidFile(2 ** 22 + 1) // above the highest pid of any system
    expect((await start()).reused).toBe(false)
  })

  it('starts over a stale pid file whose pid belongs to something else by now', async () => {
    // Under the server's own account: PostgreSQL itself takes only such a process for a rival.
    const sleeper = spawn('sleep', ['60'], { ...unprivilegedAccount(), cwd: '/' })
    children.push(sleeper)
    await leavePidFile(sleeper.pid ?? 0)
    const server = await start()
    expect(server.reused).toBe(false)
    expect(await query(server, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
    expect(sleeper.exitCode ?? sleeper.signalCode).toBe(null)
  })

  wholeIt('stops and replaces an orphan whose watchdog was killed as well', async () => {
    const { child, server } = await startInChild()
    const guards = await watchdogsOf(server)
    for (const pid of guards) process.kill(pid, 'SIGKILL')
    await killHard(child)
    await sleep(300)
    expect(isAlive(server.pid ?? 0)).toBe(true)
    const next = await start()
    expect(next).toMatchObject({ reused: false })
    expect(next.pid).not.toBe(server.pid)
  })

  wholeIt('starts although an initdb was killed half-way', async () => {
    await mkdir(join(dir, 'init.1.1'), { recursive: true })
    await writeFile(join(dir, 'init.1.1', 'PG_VERSION'), '18\n')
    expect((await start()).reused).toBe(false)
  })
})

describe('startEmbedded in awkward places', () => {
  const keepsDirectory =
    'keeps a private directory of its caller where it is, and does not move the data'

  wholeIt(keepsDirectory, async () => {
    await mkdir(dir, { mode: 0o700 })
    expect((await start()).directory).toBe(dir)
  })

  wholeIt('serves a directory whose path is too long for a socket', async () => {
    const server = await start(join(home, 'a-rather-long-name-'.repeat(8), 'database'))
    expect(Buffer.byteLength(server.host)).toBeLessThan(90)
    expect(await query(server, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  it('serves a directory with a space, a comma, a colon and an accent in its path', async () => {
    const server = await start(join(home, 'l\'été, à 8:00 "ici"'))
    expect(await query(server, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  it('refuses a path that is a file, in one clear line', async () => {
    await mkdir(dir)
    await writeFile(join(dir, 's'), '')
    await expect(start()).rejects.toThrow(/\/s is not a directory: remove it, or choose another/)
  })

  // An ordinary user has no other account to keep out, so the same call just serves the directory.
  it('finds a place for the data when a parent is closed to the account that runs it', async () => {
    await chmod(home, 0o700)
    const server = await start()
    const same = server.directory === dir
    expect(same).toBe(process.getuid?.() !== 0)
    await query(server, (sql) => sql`create table boats as select 'Ndar' as name`)
    await server.stop()
    const again = await start()
    expect(again.directory).toBe(server.directory)
    expect(await query(again, (sql) => sql`select name from boats`)).toEqual([{ name: 'Ndar' }])
  })
})

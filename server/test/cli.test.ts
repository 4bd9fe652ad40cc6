// The command line on a real embedded database, as an operator uses it: what it prints, what it
// does, and what it answers to mistakes.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Command } from 'commander'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../src/app/cli/command-line.ts'
import { session } from '../src/app/cli/session.ts'
import { readConfig } from '../src/app/config.ts'
import { type Connection, connect } from '../src/app/connect.ts'
import { retentionJob } from '../src/app/retention.ts'
import { authenticator } from '../src/merchants/authenticate.ts'
import type { Db } from '../src/platform/db.ts'
import { type Embedded, startEmbedded } from '../src/platform/embedded/start-embedded.ts'
import { newId } from '../src/platform/ids.ts'
import { publishedKeys } from '../src/receipts/signing-key.ts'
import { eventually } from './harness.ts'
import { commandProgram, commandSource, fromSource } from './setup/main-program.ts'
import { shipped } from './setup/shipped-rows.ts'
import { readTree } from './tidy/tree.ts'

const root = join(import.meta.dirname, '../..')

let dir: string
let server: Embedded
let connection: Connection
let db: Db

type Ran = { code: number; out: string[]; err: string[] }

async function cli(...args: string[]): Promise<Ran> {
  const ran: Ran = { code: 0, out: [], err: [] }
  ran.code = await runCli(args, {
    env: { DATA_DIR: dir },
    out: (line) => ran.out.push(line),
    err: (line) => ran.err.push(line),
  })
  return ran
}

/** The one line of JSON, which must be all there is. */
async function json(...args: string[]): Promise<Record<string, unknown>> {
  const ran = await cli(...args, '--json')
  expect(ran.err).toEqual([])
  expect(ran.out).toHaveLength(1)
  return JSON.parse(ran.out[0] ?? '')
}

async function refused(...args: string[]): Promise<string> {
  const ran = await cli(...args)
  expect([ran.code, ran.out]).toEqual([1, []])
  expect(ran.err).toHaveLength(1)
  expect(ran.err[0]).not.toContain('\n')
  return ran.err[0] ?? ''
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pirogue-cli-'))
  server = await startEmbedded({ dir: join(dir, 'postgres'), settings: { fsync: 'off' } })
  const reading = readConfig({ DATA_DIR: dir })
  if (reading.is === 'mistakes') throw new Error(reading.lines.join())
  connection = await connect(reading.config, pino({ level: 'silent' }))
  db = connection.open('superuser', { connections_max: 2, durable: false, name: 'test' })
})

afterAll(async () => {
  await connection.stop()
  await server.stop()
  for (const path of new Set([dir, server.directory, server.host])) {
    await rm(path, { recursive: true, force: true })
  }
})

/** Below a group, as its help lists them. */
async function leavesBelow(...group: string[]): Promise<string[]> {
  const { out } = await cli(...group, '--help')
  const list = out.join('\n').split('\nCommands:\n')[1] ?? ''
  const names = [...list.matchAll(/^ {2}(\S+)/gm)].flatMap(([, name = '']) => name)
  const own = names.filter((name) => name !== 'help')
  if (own.length === 0) return [group.join(' ')]
  return (await Promise.all(own.map((name) => leavesBelow(...group, name)))).flat()
}

describe('what it says of itself', () => {
  it('names each command in the README, and in its help what each needs', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    const table = readme.split('## Command line')[1]?.split('\n## ')[0] ?? ''
    const leaves = await leavesBelow()
    expect(leaves.length).toBeGreaterThan(25)
    expect(leaves.filter((one) => !table.includes(`\`${one}`))).toEqual([])
    expect((await cli('merchant', 'suspend', '--help')).out.join('\n')).toContain(
      'Usage: npm run cli -- merchant suspend <id> [options]',
    )
  })

  it('is started as its help, its advice and the papers say', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect(scripts.cli).toContain('server/src/app/cli.ts')
    expect((await cli('--help')).out.join('\n')).toMatch(/^Usage: npm run cli -- \[options\]/)
    const installed = new RegExp(`\\bpirogue (${(await leavesBelow()).join('|')})\\b`)
    const files = readTree(root).filter(({ path }) => /^(server\/src|docs)\/|^\w+\.md$/.test(path))
    expect(files.length).toBeGreaterThan(500)
    expect(files.filter(({ text }) => installed.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('lists the commands to whoever names none, in one line', async () => {
    expect(await refused()).toMatch(/^Which command\? One of: migrate, seed, merchant, key,/)
    expect(await refused('key')).toBe(
      'Which command? One of: create, revoke. `npm run cli -- key --help` says what each does.',
    )
    expect(await refused('key', 'creat')).toContain('Did you mean create?')
  })
})

describe('on a database that nobody has set up', () => {
  it('says what to run first', async () => {
    expect(await refused('merchant', 'create', 'Teranga')).toMatch(/npm run cli -- migrate/)
    expect(await refused('seed')).toMatch(/npm run cli -- migrate/)
  })

  it('migrates and seeds, and the second time finds nothing to do', async () => {
    const first = await json('migrate')
    expect((first['applied'] as string[])[0]).toMatch(/^0001_/)
    expect(await json('migrate')).toEqual({ applied: [] })
    expect(await json('seed')).toMatchObject({ added: { networks: shipped.networks } })
    const demo = await json('seed', '--demo')
    expect(demo).toMatchObject({
      added: { networks: 0 },
      demo: { api_keys: { BOTH: expect.stringMatching(/^sk_test_/) } },
    })
    expect(await json('seed', '--demo')).toMatchObject({ demo: { api_keys: null } })
    const again = await cli('seed')
    expect(again.out).toContain('networks: 0 added')
  })

  it('joins the server that runs and leaves it running', async () => {
    await cli('ledger', 'verify')
    expect(await db`select 1 as one`).toHaveLength(1)
  })
})

describe('merchants and keys', () => {
  const callWith = (secret: string) =>
    authenticator(db)({
      authorization: `Bearer ${secret}`,
      headers: {},
      ip: '127.0.0.1',
      request_id: 'r',
      locale: 'en',
    })

  it('makes a merchant and a key that calls, in place or by flags', async () => {
    const merchant = await json('merchant', 'create', '--name', 'Teranga', '--rate-limit', '5')
    expect(merchant).toMatchObject({ rate_limit_per_minute: 5, live_enabled: false })
    const id = String(merchant['id'])
    const flags = ['--merchant', id, '--scope', 'PAYIN', '--env', 'SANDBOX', '--name', 'Till']
    const key = await json('key', 'create', ...flags)
    const { caller, rate } = await callWith(String(key['secret']))
    expect(caller).toMatchObject({ merchant_id: id, scope: 'PAYIN', environment: 'SANDBOX' })
    expect(rate.limit).toBe(5)
    const created = await json('key', 'create', id)
    expect(created).toMatchObject({ scope: 'BOTH', environment: 'SANDBOX', name: '' })
  })

  it('prints for a person without --json', async () => {
    const { out } = await cli('merchant', 'create', 'Ndar', '--live')
    expect(out).toEqual([expect.stringMatching(/^Merchant \S+: Ndar \(sandbox and live, 300/)])
    const id = /^Merchant (\S+):/.exec(out[0] ?? '')?.[1] ?? ''
    const key = await cli('key', 'create', id, '--env', 'live', '--scope', 'payout')
    expect(key.out.join('\n')).toMatch(/Secret: sk_live_/)
  })

  it('lists merchants, those that are looked for alone, and says how many more there are', async () => {
    const made = await json('merchant', 'create', 'Kaolack Épices')
    const id = String(made['id'])
    await cli('merchant', 'suspend', id)
    const { out } = await cli('merchant', 'list', '--search', 'kaolack')
    expect(out).toEqual([`${id}  SUSPENDED  Kaolack Épices (sandbox only, 300 calls/min)`])
    const [row] = Object.values(await json('merchant', 'list', '--search', id.slice(0, 30)))
    expect(row).toMatchObject({ id, name: 'Kaolack Épices', live_enabled: false })
    const { out: first } = await cli('merchant', 'list', '--limit', '1')
    expect(first).toEqual([expect.any(String), expect.stringMatching(/^… and \d+ more/)])
    const { out: none } = await cli('merchant', 'list', '--search', 'nobody has this name')
    expect(none).toEqual(['No merchant is found.'])
  })

  it('revokes a key, suspends and restores a merchant', async () => {
    const merchant = await json('merchant', 'create', 'Gorée')
    const id = String(merchant['id'])
    const key = await json('key', 'create', id)
    const secret = String(key['secret'])
    const suspended = await json('merchant', 'suspend', id, '--reason', 'papers missing')
    expect(suspended).toEqual({ id, status: 'SUSPENDED', reason: 'papers missing' })
    expect((await callWith(secret)).caller.suspended).toBe(true)
    expect(await json('merchant', 'restore', '--merchant', id)).toEqual({ id, status: 'ACTIVE' })
    expect((await callWith(secret)).caller.suspended).toBe(false)
    expect(await json('key', 'revoke', String(key['id']))).toMatchObject({ revoked: true })
    await expect(callWith(secret)).rejects.toThrow('revoked_api_key')
    // Again it changes nothing, and nothing is told.
    await json('key', 'revoke', String(key['id']))
    const acts = await db`
      select action, actor_kind, environment, target_id, after from audit_logs
       where merchant_id = ${id} order by id`
    const by = { actor_kind: 'SYSTEM', environment: 'SANDBOX', target_id: key['id'] }
    expect([...acts]).toMatchObject([
      { action: 'merchant.created', actor_kind: 'SYSTEM', environment: null, target_id: id },
      { ...by, action: 'api_key.created', after: { scope: 'BOTH', last4: key['last4'] } },
      { action: 'merchant.suspended' },
      { action: 'merchant.restored' },
      { ...by, action: 'api_key.revoked', after: { status: 'REVOKED' } },
    ])
    expect(JSON.stringify(acts)).not.toContain(secret)
  })

  it('answers each mistake with one clear line and 1', async () => {
    const id = newId()
    expect(await refused('key', 'create', id)).toBe(`There is no merchant ${id}.`)
    expect(await refused('merchant', 'suspend', 'x')).toBe('There is no merchant x.')
    expect(await refused('key', 'revoke', id)).toBe(`There is no API key ${id}.`)
    expect(await refused('key', 'create')).toMatch(/missing merchant/)
    expect(await refused('merchant', 'create')).toMatch(/missing name/)
    expect(await refused('merchant', 'create', 'A', '--rate-limit', '0')).toMatch(/above 0/)
    expect(await refused('key', 'create', id, '--scope', 'ALL')).toMatch(/PAYIN, PAYOUT, BOTH/)
    expect(await refused('key', 'create', id, '--colour', 'red')).toMatch(/unknown option/)
    expect(await refused('sail')).toMatch(/unknown command 'sail'.*`npm run cli -- --help`/)
    expect(await refused('merchant')).toMatch(/--help/)
    const { id: waiting } = await json('merchant', 'create', 'Waiting')
    expect(await refused('key', 'create', String(waiting), '--env', 'LIVE')).toMatch(/approved/)
  })

  it('shows help on standard output with 0', async () => {
    const help = await cli('key', '--help')
    expect([help.code, help.err]).toEqual([0, []])
    expect(help.out.join('\n')).toMatch(/create <merchant> \[options\]/)
  })
})

describe('ledger verify', () => {
  it('proves the books, and fails with 1 when they are wrong', async () => {
    const right = await json('ledger', 'verify')
    expect(right).toMatchObject({ ok: true })
    expect((await cli('ledger', 'verify')).out.at(-1)).toBe('The books are right.')
    const merchant_id = newId()
    await db`
      insert into balances ${db({
        merchant_id,
        id: newId(),
        environment: 'SANDBOX',
        country: 'SN',
        currency: 'XOF',
        available: 100n,
      })}`
    const wrong = await cli('ledger', 'verify', '--json')
    expect(wrong.code).toBe(1)
    expect(JSON.parse(wrong.out[0] ?? '')).toMatchObject({ ok: false })
    const verified = await cli('ledger', 'verify')
    expect(verified.out).toContain('WRONG balances are the sums of their entries (1 checked)')
    await db`delete from balances where merchant_id = ${merchant_id}`
  })

  it('says each law as it ends, and has the time that a long history takes', async () => {
    const out: string[] = []
    const io = {
      ...{ env: { DATA_DIR: dir }, out: (line: string) => void out.push(line) },
      err: (line: string) => expect.unreachable(line),
    }
    const ending = await db.begin(async (tx) => {
      await tx`lock table refunds in access exclusive mode`
      const ended = runCli(['ledger', 'verify'], io)
      await eventually(async () => expect(out[0]).toMatch(/^ok {4}entries balance/))
      expect(out.join()).not.toMatch(/The books are/)
      return { ended }
    })
    expect(await ending.ended).toBe(0)
    expect(out.at(-1)).toBe('The books are right.')
    await session(io, new Command()).withDb('pirogue_app', async (sql) => {
      const [row] = await sql<{ statement_timeout: string }[]>`show statement_timeout`
      return { json: null, lines: [`at most ${row?.statement_timeout}`] }
    })
    expect(out.at(-1)).toBe('at most 0')
  })

  it("says when the operator's books cannot be read", async () => {
    expect(await refused('ledger', 'verify', '--books')).toMatch(/no sandbox operator/)
  })
})

describe('demo generate', () => {
  const rowsOf = async (merchant_id: string) => {
    const [row] = await db<{ count: number }[]>`
      select count(*)::int as count from transactions where merchant_id = ${merchant_id}`
    return row?.count
  }

  it('makes up what was asked for, and proves the books', async () => {
    const merchant = String((await json('merchant', 'create', 'Made up'))['id'])
    const args = ['--merchant', merchant, '--transactions', '30', '--days', '3', '--verify']
    expect(await json('demo', 'generate', ...args)).toMatchObject({ merchant, ok: true })
    expect(await rowsOf(merchant)).toBeGreaterThan(0)
    expect(await refused('demo', 'generate', ...args)).toMatch(
      /^A made-up history cannot begin before movements .* \([A-Z, ]+\): .* fewer days\.$/,
    )
    const other = String((await json('merchant', 'create', 'Made up too'))['id'])
    const { out } = await cli('demo', 'generate', '--merchant', other, ...args.slice(2))
    expect(out).toEqual([
      expect.stringMatching(/^\d+ transactions for Made up too, \d+ a second\.$/),
    ])
  })

  it('makes up nothing for a merchant who may work in LIVE, or for nobody', async () => {
    const live = String((await json('merchant', 'create', 'Earnest', '--live'))['id'])
    expect(await refused('demo', 'generate', '--merchant', live)).toBe(
      'Earnest is approved for LIVE: no demo history is generated for it.',
    )
    expect(await rowsOf(live)).toBe(0)
    const nobody = newId()
    for (const id of [nobody, 'x', '']) {
      expect(await refused('demo', 'generate', '--merchant', id)).toBe(
        `There is no merchant ${id}.`,
      )
    }
    expect(await rowsOf(nobody)).toBe(0)
  })

  it.each([
    ['--transactions', '0', /--transactions.* above 0\.$/],
    ['--transactions', '-5', /--transactions.* above 0\.$/],
    ['--transactions', '1.5', /--transactions.* above 0\.$/],
    ['--transactions', '1e6', /--transactions.* above 0\.$/],
    ['--transactions', 'many', /--transactions.* above 0\.$/],
    ['--transactions', '100000001', /--transactions.* at most 100000000\.$/],
    ['--transactions', '99999999999', /--transactions.* above 0\.$/],
    ['--days', '0', /--days.* above 0\.$/],
    ['--days', '-1', /--days.* above 0\.$/],
    ['--days', '3651', /--days.* at most 3650\.$/],
  ])('names what is wrong with %s %s', async (option, value, message) => {
    expect(await refused('demo', 'generate', `${option}=${value}`)).toMatch(message)
  })
})

describe('receipt-key rotate', () => {
  const keys = () => publishedKeys(db)
  const acts = () => db`
    select action, actor_kind, environment, target_id, before, after from audit_logs
     where target_kind = 'receipt_key' order by id`

  it('begins a new key each time, keeps the old ones, and writes it down', async () => {
    const { kid: first } = await json('receipt-key', 'rotate')
    const { out } = await cli('receipt-key', 'rotate')
    const kids = (await keys()).map(({ kid }) => kid)
    expect(kids).toEqual([expect.stringMatching(/^[\w-]{43}$/), first])
    expect(out).toEqual([
      `Receipt key ${kids[0]} is now the signing key; every process uses it within a minute.`,
      'The old keys stay published: receipts that they signed can still be verified.',
    ])
    const by = { action: 'receipt_key.rotated', actor_kind: 'SYSTEM', environment: null }
    expect([...(await acts())]).toEqual([
      { ...by, target_id: first, before: null, after: { kid: first } },
      { ...by, target_id: kids[0], before: { kid: first }, after: { kid: kids[0] } },
    ])
  })

  it('makes one key of many rotations at the same moment, or one after the other', async () => {
    const before = (await keys()).length
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => json('receipt-key', 'rotate')),
    )
    const made = (await keys()).slice(0, -before).map(({ kid }) => kid)
    expect(new Set(replies.map(({ kid }) => kid))).toEqual(new Set(made))
    expect(await acts()).toHaveLength(before + made.length)
  })

  it('refuses under another SECRET_KEY, which would stop every receipt', async () => {
    const before = await keys()
    const other = Buffer.alloc(32, 7).toString('base64')
    const err: string[] = []
    const io = { out: () => undefined, err: (line: string) => err.push(line) }
    const env = { DATA_DIR: dir, SECRET_KEY: other }
    expect(await runCli(['receipt-key', 'rotate'], { env, ...io })).toBe(1)
    const without = { DATABASE_URL: 'postgres:///postgres?host=/nowhere' }
    expect(await runCli(['receipt-key', 'rotate'], { env: without, ...io })).toBe(1)
    expect(err).toEqual([
      'SECRET_KEY: is not the key of this database. Set it to the service’s value; nothing was written.',
      'Set SECRET_KEY to the service’s value: secrets are encrypted under it.',
    ])
    expect(await keys()).toEqual(before)
  })
})

describe('incident list', () => {
  it('lists the open ones with their money', async () => {
    expect((await cli('incident', 'list')).out).toEqual(['No incident is open.'])
    const [gateway] = await db<{ id: string }[]>`
      select id from gateways where code = 'simulator_a'`
    const id = newId()
    await db`
      insert into incidents ${db({
        merchant_id: newId(),
        id,
        environment: 'SANDBOX',
        type: 'UNMATCHED_CALLBACK',
        callback_id: newId(),
        gateway_id: gateway?.id ?? '',
        currency: 'XOF',
        amount: 150_000n,
        suspense_side: 'CREDIT',
      })}`
    const list: unknown = await json('incident', 'list')
    expect(list).toMatchObject([
      { id, type: 'UNMATCHED_CALLBACK', gateway: 'simulator_a', amount: '1500.00' },
    ])
    const { out } = await cli('incident', 'list', '--limit', '1')
    expect(out).toEqual([expect.stringContaining('1500.00 XOF')])
    await db`delete from incidents where id = ${id}`
  })
})

describe('states draw', () => {
  it('draws every machine, without a database', async () => {
    const { out } = await cli('states', 'draw')
    expect(out.filter((line) => line === '```mermaid').length).toBeGreaterThanOrEqual(4)
    expect(out.join('\n')).toMatch(/PENDING --> SUCCESS: gateway confirmed/)
    const drawn: unknown = await json('states', 'draw')
    expect(drawn).toContainEqual({
      name: 'Payout',
      diagram: expect.stringMatching(/^stateDiagram-v2\n/),
    })
  })
})

describe('where the database is', () => {
  it('names each mistake of the configuration', async () => {
    const err: string[] = []
    const env = { DATABASE_URL: 'mysql://root:secret@db/x', PORT: 'x' }
    const io = { env, out: () => undefined, err: (line: string) => err.push(line) }
    expect(await runCli(['migrate'], io)).toBe(1)
    expect(err).toEqual([expect.stringMatching(/DATABASE_URL: .*PORT: /)])
    expect(err.join()).not.toContain('secret')
  })

  it('says so when nobody is there, without the password', async () => {
    const err: string[] = []
    const env = { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/x' }
    const io = { env, out: () => undefined, err: (line: string) => err.push(line) }
    expect(await runCli(['incident', 'list'], io)).toBe(1)
    expect(err).toEqual(['The database cannot be reached (ECONNREFUSED).'])
  })
})

describe('the program itself', () => {
  const run = (program: readonly string[], data_dir: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, [...program, ...args], {
      env: { PATH: process.env['PATH'], DATA_DIR: data_dir },
    })

  it('prints one line of JSON on standard output and ends with 0', async () => {
    const source = fromSource(commandSource)
    const { stdout, stderr } = await run(source, dir, 'merchant', 'create', 'Saly', '--json')
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    expect([JSON.parse(stdout).name, stderr]).toEqual(['Saly', ''])
  })

  it('ends with 1 and one line on standard error', async () => {
    const failing = run(commandProgram(), dir, 'merchant', 'suspend', 'nobody')
    await expect(failing).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'There is no merchant nobody.\n',
    })
  })

  it('starts the embedded server when none runs, and stops it after', async () => {
    const other = await mkdtemp(join(tmpdir(), 'pirogue-cli-own-'))
    const { stdout } = await run(commandProgram(), other, 'migrate', '--json')
    expect(JSON.parse(stdout).applied.length).toBeGreaterThan(0)
    const after = await startEmbedded({ dir: join(other, 'postgres') })
    expect(after.reused).toBe(false)
    await after.stop()
    for (const path of new Set([other, after.directory, after.host])) {
      await rm(path, { recursive: true, force: true })
    }
  })
})

describe('retention', () => {
  it('shows how long each kind is kept, and brings it to its end', async () => {
    const before = await json('retention', 'show')
    expect(before['kinds']).toContainEqual({
      kind: 'idempotency',
      ...{ days: 30, days_of: 'this shell' },
      finished_at: null,
      removed: 0,
    })
    expect(await json('retention', 'run')).toMatchObject({ busy: false })
    const lines = (await cli('retention', 'show')).out
    expect(lines).toContainEqual(
      expect.stringMatching(/^events: 90 days \(as this shell has it\), 0 removed, last .* \d{4}-/),
    )
  })

  it('removes nothing that the service keeps for longer than the shell would', async () => {
    const { signal } = new AbortController()
    const reading = readConfig({ DATA_DIR: dir })
    if (reading.is === 'mistakes') throw new Error(reading.lines.join())
    const longer = { ...reading.config.retention, events: 365, idempotency: 45 }
    await retentionJob(db, longer).run({ signal })
    const merchant_id = newId()
    const kept = () => db`select key from idempotency_keys where merchant_id = ${merchant_id}`
    await db`
      insert into idempotency_keys (merchant_id, environment, key, fingerprint, status, plain,
        leased_until, created_at)
      values (${merchant_id}, 'SANDBOX', 'of-the-service', ${Buffer.alloc(32)}, 201, '{}', now(),
              now() - interval '40 days')`
    expect(await refused('retention', 'run')).toBe(
      'The service keeps data for longer: RETENTION_IDEMPOTENCY_DAYS is 30 here and 45 there, ' +
        'RETENTION_EVENT_DAYS is 90 here and 365 there. Set them as there, or remove the rest ' +
        'too with --shorter. Nothing was removed.',
    )
    expect(await kept()).toHaveLength(1)
    const shown = async () => (await cli('retention', 'show')).out.join('\n')
    expect(await shown()).toMatch(/^events: 365 days \(as the service has it\)/m)
    expect(await json('retention', 'run', '--shorter')).toMatchObject({ busy: false })
    expect(await kept()).toHaveLength(0)
    expect(await shown(), 'what a shell has is not noted').toMatch(
      /^idempotency: 45 days \(as the/m,
    )
  })
})

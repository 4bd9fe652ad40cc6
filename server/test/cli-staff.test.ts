// The command line's staff: the first superadmin, made before anybody can sign in, and what an
// operator does when nobody of the staff can. And a suspension, written down and told.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../src/app/cli/command-line.ts'
import { type Config, readConfig } from '../src/app/config.ts'
import { type Connection, connect } from '../src/app/connect.ts'
import { keyringOf } from '../src/app/secret-key.ts'
import { accountsOwnId } from '../src/audit/audit.ts'
import { openSession, readSession } from '../src/people/sessions/session.ts'
import { signIn } from '../src/people/sign-in.ts'
import type { Db } from '../src/platform/db.ts'
import { type Embedded, startEmbedded } from '../src/platform/embedded/start-embedded.ts'
import { mailBinding } from '../src/platform/mail/queue-mail.ts'
import { layReadyCluster } from './setup/ready-cluster.ts'

let dir: string
let server: Embedded
let config: Config
let connection: Connection
let db: Db

type Ran = { code: number; out: string[]; err: string[] }

async function cli(args: readonly string[], typed = ''): Promise<Ran> {
  const ran: Ran = { code: 0, out: [], err: [] }
  ran.code = await runCli(args, {
    env: { DATA_DIR: dir },
    out: (line) => ran.out.push(line),
    err: (line) => ran.err.push(line),
    input: Readable.from([typed]),
  })
  return ran
}

async function json(args: readonly string[], typed = ''): Promise<Record<string, unknown>> {
  const ran = await cli([...args, '--json'], typed)
  expect(ran.err).toEqual([])
  expect(ran.out).toHaveLength(1)
  return JSON.parse(ran.out[0] ?? '')
}

async function refused(args: readonly string[], typed = ''): Promise<string> {
  const ran = await cli(args, typed)
  expect([ran.code, ran.out]).toEqual([1, []])
  expect(ran.err).toHaveLength(1)
  return ran.err[0] ?? ''
}

const create = (email: string, ...more: string[]) =>
  json(['staff', 'create', '--email', email, '--role', 'SUPERADMIN', ...more])

const login = async (email: string, password: string) => {
  const credentials = { kind: 'STAFF', email, password, ip: '127.0.0.1', user_agent: '' } as const
  const keyring = await keyringOf(config)
  return signIn({ db, keyring, limits: config.limits }, { ...credentials, request_id: 'r' })
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pirogue-cli-staff-'))
  await layReadyCluster(join(dir, 'postgres'))
  server = await startEmbedded({ dir: join(dir, 'postgres'), settings: { fsync: 'off' } })
  const reading = readConfig({ DATA_DIR: dir })
  if (reading.is === 'mistakes') throw new Error(reading.lines.join())
  config = reading.config
  connection = await connect(config, pino({ level: 'silent' }))
  db = connection.open('superuser', { connections_max: 2, durable: false, name: 'test' })
  await cli(['migrate'])
}, 60_000)

afterAll(async () => {
  await connection.stop()
  await server.stop()
  for (const path of new Set([dir, server.directory, server.host])) {
    await rm(path, { recursive: true, force: true })
  }
})

describe('staff create', () => {
  it('makes the first superadmin, and shows a password once that works', async () => {
    expect((await cli(['staff', 'list'])).out).toEqual(['There are no staff yet.'])
    const names = ['--first-name', 'Awa', '--last-name', 'Diop']
    const made = await create(' Awa@Pirogue.example ', ...names)
    expect(made).toMatchObject({
      email: 'awa@pirogue.example',
      role: 'SUPERADMIN',
      first_name: 'Awa',
      last_name: 'Diop',
      totp_enabled: false,
      is_demo: false,
      password: expect.stringMatching(/^[\w-]{24}$/),
    })
    const password = String(made['password'])
    expect((await login('awa@pirogue.example', password)).person.id).toBe(made['id'])
    const kept = await db<{ row: string }[]>`select p::text as row from people p`
    expect(kept.map(({ row }) => row).join()).not.toContain(password)
    const acts = await db`
      select merchant_id, actor_kind, action, target_id, after from audit_logs
       where action like 'staff.%'`
    expect([...acts]).toEqual([
      {
        merchant_id: accountsOwnId,
        actor_kind: 'SYSTEM',
        action: 'staff.created',
        target_id: made['id'],
        after: { email: 'aw***@pirogue.example', role: 'SUPERADMIN' },
      },
    ])
  })

  it('prints for a person, with what they must do next', async () => {
    const { out } = await cli(['staff', 'create', 'kofi@pirogue.example', '--role', 'support'])
    expect(out).toEqual([
      expect.stringMatching(/^SUPPORT kofi@pirogue\.example \(\S+\)\.$/),
      expect.stringMatching(/^Password: [\w-]{24}$/),
      expect.stringContaining('once'),
      expect.stringContaining('authenticator'),
    ])
  })

  it('takes the password from standard input, and then never shows it', async () => {
    const args = [
      'staff',
      'create',
      'ines@pirogue.example',
      '--role',
      'FINANCE',
      '--password-stdin',
    ]
    const typed = 'nobody guesses this phrase'
    const { out } = await cli(args, `${typed}\n`)
    expect(out.join('\n')).not.toMatch(/Password|guesses/)
    expect((await login('ines@pirogue.example', typed)).person.staff_role).toBe('FINANCE')
  })

  it('answers each mistake with one clear line, and makes nobody', async () => {
    const [{ count } = { count: 0n }] = await db<{ count: bigint }[]>`
      select count(*) as count from people`
    const role = ['--role', 'SUPPORT']
    expect(await refused(['staff', 'create', 'a@pirogue.example'])).toMatch(/--role/)
    expect(await refused(['staff', 'create', ...role])).toMatch(/missing email/)
    expect(await refused(['staff', 'create', 'nobody', ...role])).toMatch(/^email: /)
    const wrong = ['staff', 'create', 'a@pirogue.example', '--role', 'OWNER']
    expect(await refused(wrong)).toMatch(/SUPPORT, OPERATIONS, FINANCE, SUPERADMIN/)
    const taken = ['staff', 'create', 'AWA@pirogue.example', ...role]
    expect(await refused(taken)).toMatch(/account with this e-mail/)
    const own = ['staff', 'create', 'a@pirogue.example', ...role, '--password-stdin']
    for (const typed of ['', 'short', 'x'.repeat(129), 'two lines\nof phrases', 'password123']) {
      expect(await refused(own, typed)).toMatch(/^password: /)
    }
    const [after] = await db<{ count: bigint }[]>`select count(*) as count from people`
    expect(after?.count).toBe(count)
  })
})

describe('staff disable', () => {
  it('ends their sessions at once, and leaves the last superadmin alone', async () => {
    const [awa] = await db<{ id: string }[]>`
      select id from people where email = 'awa@pirogue.example'`
    const person_id = awa?.id ?? ''
    const opened = { person_id, ip: '127.0.0.1', user_agent: '', second_factor: false }
    const { token } = await openSession(db, opened)
    expect(await refused(['staff', 'disable', 'awa@pirogue.example'])).toMatch(/last superadmin/)
    expect((await readSession(db, token, { headers: {} })).person_id).toBe(person_id)
    await create('binta@pirogue.example')
    const off = await json(['staff', 'disable', '--email', 'AWA@pirogue.example'])
    expect(off).toMatchObject({ id: person_id, disabled: true })
    await expect(readSession(db, token, { headers: {} })).rejects.toThrow('session_expired')
    expect(await refused(['staff', 'disable', 'x@y.example'])).toBe(
      'No member of staff has the e-mail x@y.example.',
    )
    expect(await refused(['staff', 'disable'])).toMatch(/missing email/)
  })

  it('shows in the list, which holds no secret', async () => {
    const { out } = await cli(['staff', 'list'])
    expect(out).toHaveLength(4)
    expect(out[0]).toMatch(/^awa@pirogue\.example {2}SUPERADMIN {2}disabled, no second factor/)
    const all: unknown = await json(['staff', 'list'])
    expect(all).toContainEqual(
      expect.objectContaining({ email: 'binta@pirogue.example', disabled: false }),
    )
    expect(JSON.stringify(all)).not.toMatch(/argon2|password_hash/)
  })
})

describe('merchant suspend', () => {
  it('is written down as the system’s act and told to the owners', async () => {
    const merchant = await json(['merchant', 'create', 'Teranga'])
    const id = String(merchant['id'])
    const owner = '01981f3a-0000-7000-8000-00000000b001'
    await db`insert into people ${db({ id: owner, kind: 'MEMBER', email: 'o@shop.example' })}`
    await db`
      insert into memberships ${db({ merchant_id: id, person_id: owner, role: 'OWNER' })}`
    await cli(['merchant', 'suspend', id, '--reason', 'papers missing'])
    await cli(['merchant', 'restore', id])
    const acts = await db<{ action: string; actor_kind: string }[]>`
      select action, actor_kind from audit_logs where merchant_id = ${id} order by id`
    expect(acts.map(({ action, actor_kind }) => [action, actor_kind])).toEqual([
      ['merchant.created', 'SYSTEM'],
      ['merchant.suspended', 'SYSTEM'],
      ['merchant.restored', 'SYSTEM'],
    ])
    const keyring = await keyringOf(config)
    const rows = await db<{ id: string; sealed: Buffer }[]>`
      select id, sealed from mail_outbox order by id`
    const emails = rows.map((row) => JSON.parse(keyring.unseal(row.sealed, mailBinding(row.id))))
    expect(emails).toMatchObject([
      { to: 'o@shop.example', text: expect.stringContaining('papers missing') },
      { to: 'o@shop.example', subject: expect.stringContaining('been restored') },
    ])
  })
})

// With a database elsewhere the service insists on what other people's money needs: a proven
// certificate, an https address, letters that travel encrypted, and a login that is no more than
// `pirogue_app`. Each refusal names the setting and its exception.

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCli } from '../../src/app/cli/command-line.ts'
import { openDb } from '../../src/platform/db.ts'
import { newPayer, shopWith } from '../harness.ts'
import { makeCertificate } from '../setup/certificate.ts'
import { freePort } from '../setup/loopback.ts'
import { serviceProgram } from '../setup/main-program.ts'
import { startProcess } from '../setup/own-process.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { startTlsDatabase, type TlsDatabase } from '../setup/tls-database.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const SECRET_KEY = randomBytes(32).toString('base64')
// Leads to loopback as every system reads it, and is no name that we take for this machine.
const host = '127.1'
let database: TlsDatabase
let dir: string

beforeAll(async () => {
  database = await startTlsDatabase(host)
  dir = await mkdtemp(path.join(tmpdir(), 'pirogue-careless-'))
})
afterAll(async () => {
  await database.stop()
  await rm(dir, { recursive: true, force: true })
})

const address = (user: string, query = `sslmode=verify-full&sslrootcert=${database.root_file}`) =>
  `postgres://${user}@${host}:${database.port}/postgres?${query}`

const careful = () => ({
  DATABASE_URL: address('service'),
  SECRET_KEY,
  HOST: '127.0.0.1',
  PUBLIC_URL: 'https://pay.example.com',
  SMTP_URL: 'smtps://127.0.0.1:1',
  DATA_DIR: dir,
})

/** Runs the service until it ends by itself. */
function run(env: Record<string, string>) {
  const settings = { PATH: process.env['PATH'], ...env }
  const child = spawn(process.execPath, serviceProgram(), { env: settings })
  const result = { code: null as number | null, err: '' }
  child.stderr.on('data', (chunk) => {
    result.err += chunk
  })
  return new Promise<typeof result>((resolve) =>
    child.once('close', (code) => resolve({ ...result, code })),
  )
}

async function cli(env: Record<string, string>, ...words: string[]) {
  const lines: string[] = []
  const out = (line: string) => void lines.push(line)
  const code = await runCli(words, { env, out, err: out })
  return { code, said: lines.join('\n') }
}

async function asSuperuser<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres({ host: '127.0.0.1', port: database.port, user: 'postgres', ssl: 'require' })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

describe('a stranger’s first start', () => {
  it('is told on one line each what to set', async () => {
    const { code, err } = await run({ DATABASE_URL: 'postgres://localhost/x', SECRET_KEY })
    expect(code).toBe(1)
    const lines = err.trimEnd().split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^PUBLIC_URL: .*https.*Exception: ALLOW_INSECURE=public_url\.$/),
      expect.stringMatching(/^SMTP_URL: .*smtps.*Exception: ALLOW_INSECURE=mail\.$/),
    ])
  })
})

describe('the dashboard’s own host', () => {
  it('is at https, and not that of payers', async () => {
    const start = (DASHBOARD_URL: string) => run({ ...careful(), DASHBOARD_URL })
    const plain = await start('http://board.example.com')
    expect([plain.code, plain.err]).toEqual([
      1,
      expect.stringMatching(/^DASHBOARD_URL: is not https.*ALLOW_INSECURE=dashboard_url\.\n$/),
    ])
    const same = await start('https://pay.example.com:8443')
    expect([same.code, same.err]).toEqual([
      1,
      expect.stringMatching(/^DASHBOARD_URL: read .* expected another host name .*\n$/),
    ])
  })
})

describe('the database’s certificate', () => {
  async function answerOf(url: string): Promise<string> {
    const sql = openDb({ url, connections_max: 1, durable: true, application_name: 'tls test' })
    try {
      const [row] = await sql<{ ssl: boolean }[]>`
        select ssl from pg_stat_ssl where pid = pg_backend_pid()`
      return row?.ssl === true ? 'encrypted' : 'in the clear'
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
  const at = (name: string, query: string) =>
    answerOf(`postgres://postgres@${name}:${database.port}/postgres?${query}`)

  it('is proven by verify-full: the right authority and the right name', async () => {
    const root = `sslrootcert=${database.root_file}`
    expect(await at(host, `sslmode=verify-full&${root}`)).toBe('encrypted')
    expect(await at('127.0.0.1', `sslmode=verify-full&${root}`)).toBe(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    )
    expect(await at('localhost', `sslmode=verify-full&${root}`)).toBe(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    )
  })

  it('is refused when nobody we believe has signed it', async () => {
    expect(await at(host, 'sslmode=verify-full')).toMatch(/SELF_SIGNED/)
    expect(await at(host, 'sslrootcert=system')).toMatch(/SELF_SIGNED/)
    const other = await database.write('other.crt', makeCertificate(host).cert)
    for (const mode of ['verify-full', 'verify-ca']) {
      expect(await at(host, `sslmode=${mode}&sslrootcert=${other}`)).toMatch(
        /SELF_SIGNED|SIGNATURE/,
      )
    }
  })

  it('may bear another name with verify-ca', async () => {
    const query = `sslmode=verify-ca&sslrootcert=${database.root_file}`
    expect(await at('127.0.0.1', query)).toBe('encrypted')
  })

  it('is asked of no localhost that stands for an address', async () => {
    // The driver would compare an IP address with the name "localhost".
    const local = await startTlsDatabase('localhost')
    try {
      const query = `sslmode=verify-full&sslrootcert=${local.root_file}`
      const place = `127.0.0.1:${local.port}/postgres`
      expect(await answerOf(`postgres://postgres@${place}?${query}`)).toBe(
        'ERR_TLS_CERT_ALTNAME_INVALID',
      )
    } finally {
      await local.stop()
    }
  })

  it('says which file cannot be read', async () => {
    const { code, err } = await run({
      ...careful(),
      DATABASE_URL: address('service', 'sslmode=verify-full&sslrootcert=/nowhere/ca.pem'),
    })
    expect([code, err]).toEqual([1, expect.stringMatching(/sslrootcert cannot be read \(ENOENT\)/)])
  })
})

describe('the service’s login', () => {
  const owner = () => ({ ...careful(), DATABASE_URL_OWNER: address('postgres') })

  it('is refused when it is more than pirogue_app, or may not be that', async () => {
    const { code, err } = await run({ ...careful(), DATABASE_URL: address('postgres') })
    expect(code).toBe(1)
    expect(err).toMatch(/the login postgres is a superuser; .*ALLOW_INSECURE=database_role\.\n$/)
    await asSuperuser((sql) => sql`create role service login createrole`)
    expect((await run(careful())).err).toMatch(
      /the login service may create roles, may not act as pirogue_app; /,
    )
    await asSuperuser((sql) => sql`alter role service nocreaterole`)
  })

  it('does not hold the owner’s, who alone brings the schema', async () => {
    expect((await run(owner())).err).toMatch(/^DATABASE_URL_OWNER: is only for .*migrate.*\n$/)
    await asSuperuser((sql) =>
      sql`create role pirogue_app nologin`.then(() => sql`grant pirogue_app to service`),
    )
    expect((await run(careful())).err).toMatch(/lacks \d+ migrations.*migrate.*DATABASE_URL_OWNER/)
    expect(await cli(owner(), 'migrate')).toMatchObject({ code: 0 })
    expect(await cli(owner(), 'seed')).toMatchObject({ code: 0 })
  })

  it('runs everything as pirogue_app and nothing more', async () => {
    const port = await freePort()
    const env = { ...careful(), LOG_LEVEL: 'info' }
    const service = await startProcess({ data_dir: dir, port, env })
    try {
      const made = await cli(careful(), '--json', 'merchant', 'create', '--name', 'Awa')
      const { id } = JSON.parse(made.said).merchant ?? JSON.parse(made.said)
      const key = await cli(careful(), ...['--json', 'key', 'create', id])
      expect(key).toMatchObject({ code: 0 })
      const { secret } = JSON.parse(key.said)
      const shop = shopWith(service.url, id, secret)
      const paid = await shop.pay({ customer: newPayer() })
      expect(paid.status, JSON.stringify(paid.body)).toBe(201)
      await shop.becomes(paid.data.id, 'SUCCESS', 60_000)
      const [row] = await asSuperuser(
        (sql) => sql`
        select array_agg(distinct usename::text) as users from pg_stat_activity
         where application_name like 'pirogue%'`,
      )
      expect(row?.['users']).toEqual(['service'])
      expect(service.output()).not.toMatch(/ALLOW_INSECURE|Production refuses/)
    } finally {
      expect(await service.stop()).toBe(0)
    }
  })

  wholeIt('is refused again when somebody widens it', async () => {
    await asSuperuser((sql) => sql`grant pirogue_owner to service`)
    expect((await run(careful())).err).toMatch(
      /the login service may act as pirogue_owner, may create/,
    )
    await asSuperuser((sql) => sql`revoke pirogue_owner from service`)
    await asSuperuser((sql) => sql`grant pg_read_all_data to service`)
    expect((await run(careful())).err).toMatch(/service may act as pg_read_all_data; /)
    await asSuperuser((sql) => sql`revoke pg_read_all_data from service`)
  })

  wholeIt('may be more by a named exception, which every start says', async () => {
    const port = await freePort()
    const env = {
      ...careful(),
      DATABASE_URL: address('postgres'),
      ALLOW_INSECURE: 'database_role,mail',
      SMTP_URL: '',
      LOG_LEVEL: 'warn',
    }
    const service = await startProcess({ data_dir: dir, port, env })
    expect(service.output()).toMatch(/ALLOW_INSECURE=mail: SMTP_URL/)
    expect(service.output()).toMatch(/the login postgres is a superuser/)
    expect(await service.stop()).toBe(0)
  })
})

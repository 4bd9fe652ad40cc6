// The service as a stranger runs it (contract 7): what the first and the second start say, how it
// ends, what it answers about its health, and one clear line for each mistake.

import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { keyringOf } from '../../src/app/secret-key.ts'
import { eventually, type Json, newPayer, type Shop, shopWith, softpay } from '../harness.ts'
import { freePort, serveTcp } from '../setup/loopback.ts'
import { fromSource, serviceProgram, serviceSource } from '../setup/main-program.ts'
import { type ServiceProcess, startProcess } from '../setup/own-process.ts'
import { commandOf, familyOf } from '../setup/process-tree.ts'
import { wholeIt } from '../setup/proof-size.ts'

// Whole processes are started, several in some tests: a busy machine takes its time.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const dirs: string[] = []
const started: ServiceProcess[] = []

afterAll(async () => {
  await Promise.all(started.map((one) => one.stop()))
  for (const dir of dirs) await rm(dir, { recursive: true, force: true })
})

async function newDir(): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'pirogue-start-'))
  // PostgreSQL runs under its own account: where that can enter, all data is in here.
  await chmod(dir, 0o755)
  dirs.push(dir)
  return dir
}

async function start(
  dir: string,
  env: Record<string, string> = {},
  from_nothing = true,
): Promise<ServiceProcess> {
  const port = await freePort()
  const service = await startProcess({ data_dir: dir, port, env, from_nothing })
  started.push(service)
  return service
}

type RunOptions = Readonly<{ term_in_the_start?: true; from_source?: true }>

/** Runs the service until it ends, by itself or by a signal. */
function run(env: Record<string, string>, options: RunOptions = {}) {
  const settings = { PATH: process.env['PATH'], ...env }
  const from_source = options.from_source ?? options.term_in_the_start
  const program = from_source ? fromSource(serviceSource) : serviceProgram()
  const child = spawn(process.execPath, program, { env: settings })
  const result = { code: null as number | null, out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    result.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    result.err += chunk
  })
  // It has come as far as its database, and has yet to migrate, to seed and to listen.
  const starts = () => familyOf(child.pid ?? 0).some((pid) => /postgres\0-D/.test(commandOf(pid)))
  const look = setInterval(() => {
    if (options.term_in_the_start && starts()) child.kill('SIGTERM')
  }, 10)
  return new Promise<typeof result>((resolve) =>
    child.once('close', (code) => {
      clearInterval(look)
      resolve({ ...result, code })
    }),
  )
}

const credentialsIn = async (dir: string): Promise<Json> =>
  JSON.parse(await readFile(path.join(dir, 'credentials.json'), 'utf8'))

const demoShop = ({ url }: ServiceProcess, { merchant, api_keys }: Json): Shop =>
  shopWith(url, merchant.id, api_keys.BOTH)

/**
 * What is printed ends in logs: the path of the file, the test key of the first curl, and the link
 * that works once.
 */
function expectNoSecrets(printed: string, { api_keys, dashboard, admin }: Json): void {
  expect(printed).toContain('credentials.json')
  expect(printed).toContain(api_keys.PAYIN)
  for (const secret of [api_keys.PAYOUT, api_keys.BOTH, dashboard.password, admin.password]) {
    expect(printed).not.toContain(secret)
  }
}

/** Never a group: 0 would be our own. */
function killOne(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined || pid <= 1) throw new Error('no such process')
  process.kill(pid, signal)
}

/** Fails until all of them have ended. */
const allEnd = (pids: readonly number[]) =>
  eventually(async () => expect(pids.map(commandOf).filter(Boolean)).toEqual([]), 15_000)

describe('first start, second start, end', () => {
  let dir: string
  let service: ServiceProcess
  let first: Json

  beforeAll(async () => {
    dir = await newDir()
    service = await start(dir)
    first = await credentialsIn(dir)
  })

  it('hands over credentials for the owner of the machine alone, in the exact shape', async () => {
    const { mode } = await stat(path.join(dir, 'credentials.json'))
    expect(mode & 0o777).toBe(0o600)
    expect((await stat(path.join(dir, 'secret.key'))).mode & 0o777).toBe(0o600)
    const key = expect.stringMatching(/^sk_test_[\w-]{43}$/)
    const login = { email: expect.stringContaining('@'), password: expect.any(String) }
    expect(first).toEqual({
      base_url: `${service.url}/api/v1`,
      dashboard_url: expect.stringContaining(service.url),
      merchant: { id: expect.stringMatching(/^[\da-f-]{36}$/), name: expect.any(String) },
      api_keys: { PAYIN: key, PAYOUT: key, BOTH: key },
      dashboard: login,
      admin: login,
      sign_in_url: expect.stringMatching(/\/dashboard\/sign-in-link#[\w-]{43}$/),
    })
    expectNoSecrets(service.output(), first)
    expect((await demoShop(service, first).get('/merchant-balances/')).status).toBe(200)
  })

  it('says that it lives, that it is ready, and how it is', async () => {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    await eventually(async () => {
      const ready = await fetch(`${service.url}/readyz`)
      expect(await ready.json()).toEqual({
        status: 'ready',
        database: 'ok',
        migrations: 'ok',
        worker: 'ok',
        clock: 'ok',
      })
      expect(ready.status).toBe(200)
    })
    const metrics = await fetch(`${service.url}/metrics`)
    expect(metrics.headers.get('content-type')).toContain('text/plain')
    expect(await metrics.text()).toMatch(
      /^pirogue_oldest_due_attempt_seconds\{environment="LIVE"\} [\d.]+$/m,
    )
  })

  it('ends on SIGTERM with 0, answers what is in flight, and leaves nothing running', async () => {
    const pids = service.pids()
    expect(pids.length).toBeGreaterThan(3)
    // The operator loses this answer: the call lasts until our time-out of three seconds.
    const shop = demoShop(service, first)
    const pending = async (): Promise<string[]> =>
      (await shop.get('/transactions/?status=PENDING')).data.results.map(({ id }: Json) => id)
    const before = await pending()
    const call = shop.pay({ customer: newPayer('05') })
    await eventually(async () => {
      const begun = (await pending()).filter((id) => !before.includes(id))
      expect(begun).toHaveLength(1)
    })
    const began = Date.now()
    const [code, reply] = await Promise.all([service.stop(), call])
    expect(code).toBe(0)
    expect(Date.now() - began).toBeLessThan(15_000)
    expect(reply.status).toBe(201)
    await expect(fetch(`${service.url}/healthz`)).rejects.toThrow()
    await allEnd(pids)
  })

  it('starts again in seconds and has the same keys, wherever it listens now', async () => {
    const began = Date.now()
    // The dashboard at a name of its own, which the file and what is printed name.
    const board = 'http://localhost:8080'
    service = await start(dir, { DASHBOARD_URL: board })
    expect(Date.now() - began).toBeLessThan(30_000)
    const second = await credentialsIn(dir)
    expect(second).toEqual({
      ...first,
      base_url: `${service.url}/api/v1`,
      dashboard_url: `${board}/dashboard`,
      sign_in_url: expect.stringMatching(/^http:\/\/localhost:8080\/dashboard\/sign-in-link#/),
    })
    expect(second.sign_in_url.split('#')[1]).not.toBe(first.sign_in_url.split('#')[1])
    expect(service.output()).toContain(`Dashboard  ${board}/dashboard\n`)
    expect(service.output()).toContain(`API        ${service.url}/api/v1\n`)
    const led = await fetch(`${service.url}/dashboard?x=1`, { redirect: 'manual' })
    expect([led.status, led.headers.get('location')]).toEqual([302, `${board}/dashboard?x=1`])
    expectNoSecrets(service.output(), first)
    expect((await demoShop(service, first).get('/merchant-balances/')).status).toBe(200)
  })

  wholeIt('ends with 0 when the signal comes before the start is over', async () => {
    await service.stop()
    const port = String(await freePort())
    const ended = run(
      { DATA_DIR: dir, PORT: port, LOG_LEVEL: 'error' },
      { term_in_the_start: true },
    )
    expect(await ended).toMatchObject({ code: 0, err: '' })
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
    service = await start(dir)
  })

  it('leaves nothing running after kill -9 of the service alone', async () => {
    const pids = service.pids()
    killOne(pids[0], 'SIGKILL')
    await allEnd(pids)
  })

  it('makes new demo keys and ends the old ones when the file is cut off', async () => {
    const file = path.join(dir, 'credentials.json')
    await chmod(file, 0o644)
    await writeFile(file, '{"base_url":"http://127')
    service = await start(dir)
    const now = await credentialsIn(dir)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expectNoSecrets(service.output(), now)
    expect((await demoShop(service, now).get('/merchant-balances/')).status).toBe(200)
    const old = await demoShop(service, first).get('/merchant-balances/')
    expect(old).toMatchObject({ status: 401, error: { code: 'revoked_api_key' } })
    expect(await service.stop()).toBe(0)
  })
})

describe('readiness', () => {
  const reports = 'reports a missing worker of an API process without failing, and a lost database'

  wholeIt(reports, async () => {
    const service = await start(await newDir(), { ROLE: 'api' }, false)
    const ready = await fetch(`${service.url}/readyz`)
    expect(ready.status).toBe(200)
    expect(await ready.json()).toMatchObject({ status: 'ready', worker: 'missing' })
    const postmaster = service.pids().find((pid) => /bin\/postgres\0-D/.test(commandOf(pid)))
    killOne(postmaster, 'SIGQUIT')
    await eventually(async () => {
      const lost = await fetch(`${service.url}/readyz`)
      expect(lost.status).toBe(503)
      expect(await lost.json()).toMatchObject({ database: 'unreachable' })
    })
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    expect(await service.stop()).toBe(0)
  })
})

describe('mistakes', () => {
  it('names each wrong setting on a line of its own and nothing else', async () => {
    const dir = await newDir()
    const wrong = { PORT: 'eighty', TRUST_PROXY: 'true', ROLE: 'boss' }
    const settings = { DATA_DIR: path.join(dir, 'never-made'), SECRET_KEY: 'do-not-show-me' }
    const { code, out, err } = await run({ ...wrong, ...settings }, { from_source: true })
    expect(code).toBe(1)
    expect(out).toBe('')
    const lines = err.trimEnd().split('\n')
    const names = lines.map((line) => /^([A-Z_]+): /.exec(line)?.[1])
    expect(names.toSorted()).toEqual(['PORT', 'ROLE', 'SECRET_KEY', 'TRUST_PROXY'])
    expect(err).not.toContain('do-not-show-me')
    await expect(stat(path.join(dir, 'never-made'))).rejects.toThrow()
  })

  it('ends with 1 and one clear line when it cannot listen or has no database', async () => {
    const taken = await serveTcp(() => undefined)
    const { port } = taken
    const DATABASE_URL = 'postgres://somebody:hidden@127.0.0.1:1/none'
    const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
    const ends = await Promise.all(
      [
        { PORT: String(port) },
        { PORT: String(port), HOST: '203.0.113.9' },
        { PORT: '0', HOST: '127.0.0.1', DATABASE_URL, SECRET_KEY },
      ].map(async (env) => run({ DATA_DIR: await newDir(), ...env })),
    )
    await taken.close()
    const begins = (text: string) => `^Pirogue could not start: [^\n]*${text}[^\n]*\n$`
    expect(ends).toEqual(
      [
        `port ${port} on 127.0.0.1 is in use by another program`,
        'HOST 203.0.113.9 is not an address of this machine',
        'The database cannot be reached',
      ].map((text) => ({ code: 1, out: '', err: expect.stringMatching(begins(text)) })),
    )
    expect(JSON.stringify(ends)).not.toContain('hidden')
  })

  it('does not go on with a secret key that is broken', async () => {
    const dir = await newDir()
    await writeFile(path.join(dir, 'secret.key'), '')
    const config = { secret_key: null, embedded: true, data_dir: dir }
    await expect(keyringOf(config)).rejects.toThrow(/secret\.key holds no key/)
  })
})

describe('two first starts at once', () => {
  it('use one secret key, whole when it is seen', async () => {
    const config = { secret_key: null, embedded: true, data_dir: await newDir() }
    const keyrings = await Promise.all(Array.from({ length: 20 }, () => keyringOf(config)))
    const macs = keyrings.map((keyring) => keyring.mac('test', 'x').toString('hex'))
    expect(new Set(macs).size).toBe(1)
  })

  wholeIt('share one database and one set of credentials', async () => {
    const dir = await newDir()
    const both = await Promise.all([start(dir), start(dir)])
    const credentials = await credentialsIn(dir)
    for (const service of both) {
      expectNoSecrets(service.output(), credentials)
      const reply = await demoShop(service, credentials).post(
        '/payments/softpay/',
        softpay({ customer: newPayer() }),
      )
      expect(reply.status, JSON.stringify(reply.body)).toBe(201)
    }
  })
})

// What an operator of the platform looks at by the command line: one account with all that is known
// of it, its routes, and the whole installation at once.

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Mtn, startMtn } from '../../simulator/src/dialects/mtn/start.ts'
import { runCli } from '../src/app/cli/command-line.ts'
import { readConfig } from '../src/app/config.ts'
import { type Connection, connect } from '../src/app/connect.ts'
import { keyringOf } from '../src/app/secret-key.ts'
import { addAccount } from '../src/gateways/accounts.ts'
import { mtnAdapter } from '../src/gateways/mtn-momo-api/mtn-gateway.ts'
import type { Db } from '../src/platform/db.ts'
import { type Embedded, startEmbedded } from '../src/platform/embedded/start-embedded.ts'
import type { Json } from './harness.ts'
import { serveHttp } from './setup/loopback.ts'
import { provisioned } from './setup/mtn-account.ts'
import { layReadyCluster } from './setup/ready-cluster.ts'

let dir: string
let server: Embedded
let connection: Connection
let db: Db
let mtn: Mtn
let secrets: Readonly<Record<string, string>>

type Ran = { code: number; out: string[]; err: string[] }

const printed: string[] = []

async function cli(args: readonly string[], typed = '', env = {}): Promise<Ran> {
  const ran: Ran = { code: 0, out: [], err: [] }
  ran.code = await runCli(args, {
    env: { DATA_DIR: dir, ...env },
    out: (line) => ran.out.push(line),
    err: (line) => ran.err.push(line),
    input: Readable.from([typed]),
  })
  printed.push(...ran.out, ...ran.err)
  return ran
}

const jsonOf = async (...args: string[]): Promise<Json> =>
  JSON.parse((await cli(['--json', ...args])).out.join())

const linesOf = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')

async function add(code: string, values: typeof secrets, ...more: string[]): Promise<void> {
  const args = ['gateway', 'add', 'mtn', '--code', code, '--country', 'BJ', ...more]
  const ran = await cli(args, linesOf(values))
  expect([ran.code, ran.err]).toEqual([0, []])
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pirogue-cli-doctor-'))
  await layReadyCluster(join(dir, 'postgres'))
  server = await startEmbedded({ dir: join(dir, 'postgres'), settings: { fsync: 'off' } })
  const reading = readConfig({ DATA_DIR: dir })
  if (reading.is === 'mistakes') throw new Error(reading.lines.join())
  connection = await connect(reading.config, pino({ level: 'silent' }))
  db = connection.open('superuser', { connections_max: 2, durable: false, name: 'test' })
  for (const command of ['migrate', 'seed']) expect((await cli([command])).code).toBe(0)
  mtn = await startMtn({ port: 0, speed: 20 })
  secrets = (await provisioned(mtn.url, '127.0.0.1')).secrets
})

afterAll(async () => {
  await mtn?.stop()
  await connection.stop()
  await server.stop()
  for (const path of new Set([dir, server.directory, server.host])) {
    await rm(path, { recursive: true, force: true })
  }
})

const at = () => ['--set', `base_url=${mtn.url}`]
const route = ['--network', 'mtn_bj', '--direction', 'collect', '--priority', '10']

describe('doctor', () => {
  it('looks at the installation and at every account, and spends nothing', async () => {
    await add('mtn_well', secrets, ...at())
    const before = mtn.books()
    const ran = await cli(['doctor'])
    expect([ran.code, ran.err]).toEqual([0, []])
    const text = ran.out.join('\n')
    expect(text).toMatch(/^database\n {2}PASS {2}migrations: all are applied/)
    expect(text).toMatch(/WARN {2}worker: none is running\n {8}Start the service/)
    expect(text).toMatch(/\nclock\n {2}PASS {2}clock: 0 s/)
    expect(text).toMatch(/\nkeys\n {2}PASS {2}SECRET_KEY: opens \d+ keys/)
    expect(text).toMatch(/\nour address\n {2}WARN {2}our address: .*\/callbacks\/\{gateway\}/)
    expect(text).toMatch(/\nmtn_well\n(?: .*\n)*? {2}PASS {2}collection token/)
    expect(text).not.toMatch(/simulator/)
    expect(mtn.books()).toEqual(before)
    const checks = await db`
      select 1 from gateway_checks k join gateways g on g.id = k.gateway_id
       where g.code = 'mtn_well' and k.passed`
    expect(checks.count).toBe(1)
  })

  it('asks for the dashboard at its own host, and knows a proxy that changes Host', async () => {
    let status = 200
    let body = '<meta name="api" content="https://pay.example.org/api/v1">'
    const host = await serveHttp((_, response) => response.writeHead(status).end(body), '127.0.0.2')
    const DASHBOARD_URL = `http://127.0.0.2:${host.port}`
    const look = async () => {
      const { code, out } = await cli(['doctor'], '', { DASHBOARD_URL })
      return [code, /(PASS|FAIL) {2}DASHBOARD_URL: .*(\n {8}.*)?/.exec(out.join('\n'))?.[0]]
    }
    try {
      expect(await look()).toEqual([0, `PASS  DASHBOARD_URL: ${DASHBOARD_URL}/dashboard answers`])
      body = '<title>Parked</title>'
      expect(await look()).toEqual([
        1,
        expect.stringMatching(/without DASHBOARD_URL does\n.*Start/),
      ])
      status = 302
      expect(await look()).toEqual([1, expect.stringMatching(/answers 302\n.*the header Host/)])
      status = 404
      expect(await look()).toEqual([1, expect.stringMatching(/answers 404\n.*Compare DASHBOARD_/)])
    } finally {
      await host.close()
    }
    expect((await look())[1]).toMatch(/^FAIL .*\n.*Compare DASHBOARD_URL with its name/)
    expect((await cli(['doctor'])).out.join()).not.toContain('DASHBOARD_URL')
  })

  it('warns of an account that is off and fails', async () => {
    await add('mtn_ill', { ...secrets, collection_api_key: '0'.repeat(32) }, ...at())
    const found = await jsonOf('doctor')
    const [ill] = found.checks.filter(({ of }: Json) => of === 'mtn_ill')
    expect([found.failed, ill.failed]).toEqual([false, false])
    const warned = ill.findings.filter(({ what }: Json) => what === 'collection token')
    expect(warned).toMatchObject([
      { is: 'WARN', found: expect.stringContaining('(the account is off)') },
    ])
    expect((await cli(['doctor'])).code).toBe(0)
    // It lets nothing be switched on all the same.
    const [kept] = await db<Json[]>`
      select k.passed from gateway_checks k join gateways g on g.id = k.gateway_id
       where g.code = 'mtn_ill'`
    expect(kept).toEqual({ passed: false })
  })

  it('ends with 1 where one account fails that is on, and names it', async () => {
    expect((await cli(['gateway', 'on', 'mtn_ill'])).code).toBe(0)
    const found = await jsonOf('doctor')
    expect(found.failed).toBe(true)
    const failed = found.checks.filter((one: Json) => one.failed).map(({ of }: Json) => of)
    expect(failed).toEqual(['mtn_ill'])
    expect((await cli(['doctor'])).code).toBe(1)
  })

  it('answers in French whoever asks for it, or whose terminal does', async () => {
    const asked = (await cli(['doctor', '--language', 'fr'])).out.join('\n')
    expect(asked).toMatch(/^base de données\n {2}PASS {2}migrations\u00a0: toutes appliquées/)
    expect(asked).toMatch(
      /WARN {2}processus de travail\u00a0: aucun .*\n {8}Démarrez le service\u00a0:/,
    )
    expect(asked).toMatch(/\nhorloge\n {2}PASS {2}horloge\u00a0: 0 s d’écart/)
    expect(asked).toMatch(/\nmtn_ill\n(?: .*\n)*? {2}FAIL {2}collection, jeton\u00a0: statut 401/)
    const english = (await cli(['doctor'])).out.join('\n')
    const check = ['gateway', 'check', 'mtn_well']
    const by = async (env: Readonly<Record<string, string>>, ...more: string[]) =>
      (await cli([...more, ...check], '', env)).out.join('\n')
    expect(await by({ LANG: 'fr_BJ.UTF-8' })).toMatch(/^PASS {2}réglages\u00a0: complets\n/)
    expect(await by({ LANG: 'fr' }, '--language', 'en')).toMatch(/^PASS {2}settings: complete\n/)
    // The first that is set counts, as for other programs.
    expect(await by({ LC_ALL: 'C', LANG: 'fr_FR' })).toMatch(/^PASS {2}settings: complete\n/)
    expect(english).toMatch(/^database\n/)
    // Whatever the terminal speaks, programs read the same.
    const json = async (...more: string[]) =>
      JSON.parse(await by({ LANG: 'fr_BJ.UTF-8' }, '--json', ...more)).findings[0]
    const settings = { what: 'settings', is: 'PASS', fix: '' }
    expect(await json()).toEqual({ ...settings, title: 'settings', found: 'complete' })
    const french = { ...settings, title: 'réglages', found: 'complets' }
    expect(await json('--language', 'fr')).toEqual(french)
    const refused = await cli(['doctor', '--language', 'de'])
    expect([refused.code, refused.err.join()]).toEqual([1, expect.stringMatching(/fr, en/)])
  })

  it('finds a SECRET_KEY that is not this installation’s', async () => {
    await db`
      insert into mac_keys (purpose, number, sealed_key, signs_from)
      values ('planted', 1, '\\x0102', now())`
    const found = await jsonOf('doctor')
    const keys = found.checks.find(({ of }: Json) => of === 'keys')
    expect(keys).toMatchObject({ failed: true, findings: [{ what: 'SECRET_KEY', is: 'FAIL' }] })
    await db`delete from mac_keys where purpose = 'planted'`
  })
})

describe('gateway routes', () => {
  it('lists the routes of an account, and adds one', async () => {
    expect((await cli(['gateway', 'routes', 'mtn_well'])).out).toEqual(['mtn_well has no route.'])
    const made = await jsonOf('gateway', 'routes', 'mtn_well', ...route, '--cost', '1.5%')
    expect(made).toMatchObject({
      ...{ network_code: 'mtn_bj', gateway_code: 'mtn_well', direction: 'COLLECT', priority: 10 },
      ...{ is_active: true, cost: { percent: '1.50', fixed: '0.00' } },
    })
    expect((await cli(['gateway', 'routes', 'mtn_well'])).out).toEqual([
      'mtn_bj  COLLECT  priority 10  1.50% + 0.00  on',
    ])
    const [act] = await db<Json[]>`
      select actor_kind, after from audit_logs where action = 'route.created' order by id desc limit 1`
    expect(act).toMatchObject({ actor_kind: 'SYSTEM', after: { gateway_code: 'mtn_well' } })
  })

  it('adds one whose payers are waited for, and confirm, in its own way', async () => {
    await db`
      insert into gateways (id, code, name, adapter, environment, country, is_active, settings)
      values (${randomUUID()}, 'wave_desk', 'Wave', 'wave', 'SANDBOX', 'SN', false, '{}')`
    const wave = ['--network', 'orange_sn', '--direction', 'COLLECT', '--priority', '11']
    const made = await jsonOf(
      ...['gateway', 'routes', 'wave_desk', ...wave, '--cost', '1%', '--flow', 'redirect'],
      ...['--otp-kind', 'NONE', '--prompt-lifetime', '600'],
    )
    const own = { flow: 'redirect', otp_kind: 'NONE', prompt_lifetime_s: 600 }
    expect(made).toMatchObject(own)
    expect((await cli(['gateway', 'routes', 'wave_desk'])).out).toEqual([
      'orange_sn  COLLECT  priority 11  1.00% + 0.00  flow redirect  code NONE  waits 600 s  on',
    ])
  })

  it('adds one of a LIVE account switched off', async () => {
    const reading = readConfig({ DATA_DIR: dir })
    if (reading.is === 'mistakes') throw new Error(reading.lines.join())
    await addAccount({ db, keyring: await keyringOf(reading.config) }, mtnAdapter, {
      ...{ code: 'mtn_real', name: 'MTN MoMo BJ', environment: 'LIVE', country: 'BJ' },
      ...{ settings: { target_environment: 'mtnbenin' }, secrets },
    })
    const ran = await cli(['gateway', 'routes', 'mtn_real', ...route, '--cost', '1%'])
    expect([ran.code, ran.out.join('\n')]).toEqual([0, expect.stringMatching(/off\.\nIt is off:/)])
    const [row] = await db<Json[]>`
      select r.is_active from routes r join gateways g on g.id = r.gateway_id
       where g.code = 'mtn_real'`
    expect(row).toEqual({ is_active: false })
  })

  it('refuses what is no route, in one line', async () => {
    const priced = [...route, '--cost', '1%']
    const tries: [string[], RegExp][] = [
      [['mtn_well', ...priced], /already serves this network/],
      [['mtn_well', '--network', 'mtn_bj'], /Name the network, the direction and the priority/],
      [['mtn_well', ...route], /--cost 1\.5%/],
      [['mtn_well', ...route, '--cost', '1.5'], /Write a percentage/],
      [['mtn_well', ...priced, '--priority', '1001'], /Use at most 1000/],
      [['mtn_well', ...priced, '--network', 'nobody'], /nobody/],
      [['mtn_well', ...priced, '--direction', 'BOTH'], /Use one of COLLECT, DISBURSE/],
      [['nobody', ...priced], /There is no gateway nobody/],
      [['mtn_well', ...priced, '--flow', 'pull'], /Use one of push, redirect/],
      [['mtn_well', ...priced, '--flow', 'redirect'], /MTN MoMo does not do this.*push \/ NONE/],
      [['mtn_well', ...priced, '--prompt-lifetime', '120'], /MTN MoMo cannot end/],
      [['mtn_well', ...priced, '--prompt-lifetime', '59'], /60 to 86400 seconds/],
    ]
    for (const [args, message] of tries) {
      const ran = await cli(['gateway', 'routes', ...args])
      expect([ran.code, ran.out]).toEqual([1, []])
      expect(ran.err.join('\n')).toMatch(message)
    }
  })
})

describe('gateway show', () => {
  it('shows all that is known of an account but its secrets', async () => {
    const found = await jsonOf('gateway', 'show', 'mtn_well')
    expect(found).toMatchObject({
      ...{ code: 'mtn_well', environment: 'SANDBOX', country: 'BJ', is_active: false },
      settings: { base_url: mtn.url, target_environment: 'sandbox', wire_currency: 'EUR' },
      secrets: [{ version: 1, state: 'CURRENT' }],
      routes: [{ network_code: 'mtn_bj' }],
      checked_at: expect.any(String),
    })
    const { out } = await cli(['gateway', 'show', 'mtn_real'])
    const text = out.join('\n')
    expect(text).toMatch(/^mtn_real {2}LIVE {2}off {2}mtn {2}MTN MoMo BJ\ncountry: BJ\n/)
    expect(text).toMatch(/\nsecrets 1: NEXT [0-9a-f]{12}\ncheck that passed: none\n/)
    expect(text).toMatch(/\nlimits of one payment, in XOF: 50000\.00 in, 50000\.00 out\n/)
    expect(text).toMatch(
      /\ncollect: imitated \S+, by another’s client npm mtn-momo \S+, sandbox not/,
    )
    expect(found['balances']).toEqual([])
    await db`
      insert into gateway_balances (gateway_id, wallet, currency, amount, read_at)
      select id, wallet, 'EUR', 100000, '2026-11-21T08:00:00Z'
        from gateways, unnest('{collection,disbursement}'::text[]) wallet where code = 'mtn_well'`
    await db`
      insert into gateway_wallets (id, gateway_id, operator_key, currency, purposes, country)
      select gen_random_uuid(), id, 'disbursement', 'EUR', '{DISBURSE}', 'BJ'
        from gateways where code = 'mtn_well'`
    const shown = (await cli(['gateway', 'show', 'mtn_well'])).out.join('\n')
    const read = 'read 2026-11-21T08:00:00.000Z'
    expect(shown).toContain(`\nbalance collection: 1000.00 EUR, purposes not read yet, ${read}\n`)
    expect(shown).toContain(`\nbalance disbursement: 1000.00 EUR, for payouts, BJ, ${read}\n`)
    expect((await jsonOf('gateway', 'show', 'mtn_well'))['balances']).toMatchObject([
      { wallet: 'collection', amount: '1000.00', purposes: [], country: null },
      { wallet: 'disbursement', amount: '1000.00', purposes: ['DISBURSE'], country: 'BJ' },
    ])
    expect((await cli(['gateway', 'show', 'nobody'])).err.join()).toMatch(/no gateway nobody/)
  })

  it('prints no secret', () => {
    const all = printed.join('\n')
    for (const secret of Object.values(secrets)) expect(all.includes(secret)).toBe(false)
  })
})

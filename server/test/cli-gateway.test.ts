// Accounts with operators by the command line, against a dialect: each command of the runbook, no
// secret in anything that is printed, and `check` naming what is wrong, with nothing spent.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Mtn, startMtn } from '../../simulator/src/dialects/mtn/start.ts'
import { startOrange } from '../../simulator/src/dialects/orange/start.ts'
import { startPawapay } from '../../simulator/src/dialects/pawapay/start.ts'
import { startWave } from '../../simulator/src/dialects/wave/start.ts'
import { runCli } from '../src/app/cli/command-line.ts'
import { readConfig } from '../src/app/config.ts'
import { type Connection, connect } from '../src/app/connect.ts'
import { keyringOf } from '../src/app/secret-key.ts'
import { addAccount } from '../src/gateways/accounts.ts'
import { adapters } from '../src/gateways/adapters.ts'
import { mtnAdapter } from '../src/gateways/mtn-momo-api/mtn-gateway.ts'
import type { Db } from '../src/platform/db.ts'
import { type Embedded, startEmbedded } from '../src/platform/embedded/start-embedded.ts'
import { nobody_listens } from './setup/loopback.ts'
import { commandProgram } from './setup/main-program.ts'
import { provisioned } from './setup/mtn-account.ts'
import { withOrange } from './setup/orange-account.ts'
import { pawapayAccount } from './setup/pawapay-account.ts'
import { layReadyCluster } from './setup/ready-cluster.ts'
import { encodingsOf, processesInSight, showsEnvironments } from './setup/secrets-in-sight.ts'
import { type CallbackServer, serveProbes } from './setup/serve-callbacks.ts'
import { withWave } from './setup/wave-account.ts'

let dir: string
let server: Embedded
let connection: Connection
let db: Db
/** Where operators call: it receives callbacks of our own. */
let ours: CallbackServer | undefined
let mtn: Mtn
let secrets: Readonly<Record<string, string>>

type Ran = { code: number; out: string[]; err: string[] }

const printed: string[] = []

async function cli(
  args: readonly string[],
  typed = '',
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const ran: Ran = { code: 0, out: [], err: [] }
  ran.code = await runCli(args, {
    env: { DATA_DIR: dir, ...(ours === undefined ? {} : { PUBLIC_URL: ours.url }), ...more },
    out: (line) => ran.out.push(line),
    err: (line) => ran.err.push(line),
    input: Readable.from([typed]),
  })
  printed.push(...ran.out, ...ran.err)
  return ran
}

const linesOf = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pirogue-cli-gateway-'))
  await layReadyCluster(join(dir, 'postgres'))
  server = await startEmbedded({ dir: join(dir, 'postgres'), settings: { fsync: 'off' } })
  const reading = readConfig({ DATA_DIR: dir })
  if (reading.is === 'mistakes') throw new Error(reading.lines.join())
  connection = await connect(reading.config, pino({ level: 'silent' }))
  db = connection.open('superuser', { connections_max: 2, durable: false, name: 'test' })
  for (const command of ['migrate', 'seed']) expect((await cli([command])).code).toBe(0)
  ours = await serveProbes(db, await keyringOf(reading.config))
  mtn = await startMtn({ port: 0, speed: 20 })
  secrets = (await provisioned(mtn.url, 'shop.example')).secrets
})

afterAll(async () => {
  await mtn?.stop()
  await ours?.close()
  await connection.stop()
  await server.stop()
  for (const path of new Set([dir, server.directory, server.host])) {
    await rm(path, { recursive: true, force: true })
  }
})

const add = (code: string, values: Readonly<Record<string, string>>, ...more: string[]) =>
  cli(
    [
      'gateway',
      'add',
      'mtn',
      '--code',
      code,
      '--country',
      'BJ',
      '--set',
      `base_url=${mtn.url}`,
    ].concat(more),
    linesOf(values),
  )

const runbooks = new URL('../../docs/runbooks/', import.meta.url)

/** The commands of an operator's runbook, each as its arguments. */
async function commandsOf(operator: string): Promise<string[][]> {
  const runbook = await readFile(new URL(`operator-${operator}.md`, runbooks), 'utf8')
  return [...runbook.matchAll(/^npm run cli -- (gateway .*)$/gm)].map(([, one = '']) =>
    [...one.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
  )
}

/** What every runbook has, in its order: one that lost its commands would pass on nothing. */
const usualVerbs = [
  ...['add', 'check', 'on', 'list', 'check', 'show', 'check', 'off', 'rotate', 'check', 'promote'],
  ...['retire', 'off', 'steps'],
]

/** What of a runbook's blocks of commands no test would run. */
async function unreadIn(file: string): Promise<string[]> {
  const text = await readFile(new URL(file, runbooks), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines = '']) => lines)
  const lines = blocks.flatMap((one) => one.split('\n')).filter((line) => line.trim() !== '')
  // Calls of the API run in runbook-calls.test.ts.
  return lines.filter((line) => !/^npm run cli -- gateway \S|^curl -sS /.test(line))
}

describe('a runbook of an operator', () => {
  it('has no command in its blocks but those that run here', async () => {
    const files = (await readdir(runbooks)).filter((file) => /^operator-\w+\.md$/.test(file))
    expect(files.sort()).toEqual(adapters.map(({ adapter }) => `operator-${adapter}.md`).sort())
    for (const file of files) expect(await unreadIn(file), file).toEqual([])
  })
})

describe('gateway', () => {
  it('runs each command of the runbook', async () => {
    const commands = await commandsOf('mtn')
    expect(commands.map(([, verb]) => verb)).toEqual([
      ...['add', 'check', 'on', 'list', 'check', 'show', 'check', 'off', 'close', 'hours', 'hours'],
      'hours',
      ...['rotate', 'check', 'promote', 'retire', 'off', 'steps'],
    ])
    const fresh = (await provisioned(mtn.url, 'shop.example')).secrets
    for (const command of commands) {
      const [, verb] = command
      const args = verb === 'add' ? [...command, '--set', `base_url=${mtn.url}`] : command
      if (verb === 'retire') {
        const listed = (await cli(['gateway', 'list'])).out.join('\n')
        expect(listed).toMatch(/ 1 PREVIOUS [0-9a-f]{12} until \S+Z, 2 CURRENT [0-9a-f]{12}\n/)
      }
      const ran = await cli(args, linesOf(verb === 'rotate' ? fresh : secrets))
      expect([ran.code, ran.err], command.join(' ')).toEqual([0, []])
    }
    const rows = await db<{ state: string; is_erased: boolean }[]>`
      select state, sealed is null as is_erased from gateway_secrets order by version`
    expect(rows).toEqual([
      { state: 'RETIRED', is_erased: true },
      { state: 'CURRENT', is_erased: false },
    ])
    const acts = await db<{ action: string }[]>`
      select action from audit_logs where target_kind = 'gateway' order by id`
    expect(acts.map(({ action }) => action)).toEqual([
      'gateway.added',
      'gateway.changed',
      'gateway.changed',
      'gateway.closed',
      'gateway_hours.changed',
      'gateway_hours.changed',
      'gateway_secrets.set',
      'gateway_secrets.promoted',
      'gateway_secrets.retired',
      'gateway.changed',
    ])
  })

  it('runs each command of the runbook of an operator with one token', async () => {
    const pawapay = await startPawapay({ port: 0, speed: 20 })
    onTestFinished(() => pawapay.stop())
    const typed = linesOf(pawapayAccount(pawapay).secrets)
    const commands = await commandsOf('pawapay')
    expect(commands.map(([, verb]) => verb)).toEqual(usualVerbs)
    for (const command of commands) {
      const isAdd = command[1] === 'add'
      const args = isAdd ? [...command, '--set', `base_url=${pawapay.url}`] : command
      const ran = await cli(args, typed)
      expect([ran.code, ran.err], command.join(' ')).toEqual([0, []])
      if (command[1] !== 'check') continue
      const found = ran.out.join('\n')
      expect(found).toMatch(/PASS {2}question: not found.*\n.*PASS {2}clock/s)
      expect(found).toMatch(/PASS {2}signed callbacks: on/)
      expect(found).toMatch(/WARN {2}callback address: none/)
      expect(found).toMatch(/PASS {2}public keys: HTTP_EC_P256_KEY:1/)
      expect(found).toMatch(/PASS {2}wallets: BEN XOF/)
      expect(found).toMatch(/PASS {2}balance of BEN \(BJ\) XOF: .* XOF, for payments and payouts/)
    }
    // Set with a slash at its end, as addresses of ours mostly are, it is the same.
    const address = `${ours?.url}/callbacks/pawapay_sandbox/`
    pawapay.setCallbacks({ deposits: address, payouts: address, refunds: address })
    const set = await cli(['gateway', 'check', 'pawapay_sandbox'])
    expect(set.out.join('\n')).toMatch(/PASS {2}callback address: http:\S+pawapay_sandbox\/\n/)
    const wrong = { ...pawapayAccount(pawapay).secrets, api_token: 'x'.repeat(40) }
    await cli(['gateway', 'rotate', 'pawapay_sandbox'], linesOf(wrong))
    const ran = await cli(['gateway', 'check', 'pawapay_sandbox', '--next'])
    expect([ran.code, ran.out.join()]).toEqual([1, expect.stringMatching(/FAIL {2}question.*403/)])
    expect(pawapay.books()).toEqual([])
    // Of each set of secrets, what was found last is kept.
    const checks = await db<{ state: string; passed: boolean }[]>`
      select s.state, k.passed
        from gateway_checks k
        join gateways g on g.id = k.gateway_id and g.code = 'pawapay_sandbox'
        join gateway_secrets s on s.gateway_id = k.gateway_id and s.fingerprint = k.fingerprint
       where s.state in ('CURRENT', 'NEXT') order by s.state`
    expect(checks.map(({ state, passed }) => [state, passed])).toContainEqual(['NEXT', false])
    expect(checks.map(({ state, passed }) => [state, passed])).toContainEqual(['CURRENT', true])
  })

  it('says what each operator’s account is set up with, and which of it is no argument', async () => {
    const { out } = await cli(['gateway', 'add', '--help'])
    const help = out.join('\n')
    expect(help).toMatch(/\nmtn:\n {2}base_url \(--set\): Base URL/)
    expect(help).toMatch(/\n {2}target_environment \(--set, required\): The X-Target-Environment/)
    expect(help).toMatch(/\norange:\n(?: {2}.*\n)* {2}shown_name \(--set, required\): The name/)
    expect(help).toMatch(/\npawapay:\n(?: {2}.*\n)* {2}api_token \(secret, required\): API token/)
  })

  it('refuses what is no account, in one line', async () => {
    const { collection_api_key: _, ...partial } = secrets
    const tries: [Promise<Ran>, RegExp][] = [
      [add('mtn_a', partial), /collection_api_key is missing/],
      [add('mtn_a', { ...secrets, more: 'x' }), /more is not a setting/],
      [add('mtn_a', { ...secrets, collection_subscription_key: 'x' }), /not have the right form/],
      [add('MTN!', secrets), /A code is/],
      [add('mtn_a', secrets, '--env', 'LIVE'), /LIVE account is added by two of the staff/],
      [add('mtn_a', secrets, '--set', 'wire_currency'), /write key=value/],
      [cli(['gateway', 'add', 'nobody', '--code', 'x1', '--country', 'BJ']), /no account settings/],
      [cli(['gateway', 'check', 'nobody']), /There is no gateway nobody/],
      [cli(['gateway', 'promote', 'mtn_bj_sandbox']), /There are no new secrets/],
    ]
    for (const [run, message] of tries) {
      const ran = await run
      expect([ran.code, ran.out]).toEqual([1, []])
      expect(ran.err.join('\n')).toMatch(message)
    }
    expect((await add('mtn_bj_sandbox', secrets)).err.join()).toMatch(/already/)
  })

  it('seals nothing under a SECRET_KEY that is not the service’s', async () => {
    const before = await db`select gateway_id, version from gateway_secrets order by 1, 2`
    const macKeys = () => db`select purpose, number from mac_keys order by 1, 2`
    const [keys, stranger] = [await macKeys(), Buffer.alloc(32, 7).toString('base64')]
    expect(keys.length).toBeGreaterThan(0)
    const own = (await readFile(join(dir, 'secret.key'), 'utf8')).trim()
    const other = { SECRET_KEY: stranger }
    const adding = ['gateway', 'add', 'mtn', '--code', 'mtn_other', '--country', 'BJ']
    // Alone, and before the service's, which would open what is there.
    for (const [env, said] of [
      [other, /SECRET_KEY: is not the key of this database\. Set it to the service’s value/],
      [{ SECRET_KEY: `${stranger},${own}` }, /its first key is not the one that encrypts/],
    ] as const) {
      const rotated = await cli(['gateway', 'rotate', 'mtn_bj_sandbox'], linesOf(secrets), env)
      const added = await cli(adding, linesOf(secrets), env)
      const renewed = await cli(['secrets', 'renew-macs'], '', env)
      const receipt = await cli(['receipt-key', 'rotate'], '', env)
      for (const ran of [rotated, added, renewed, receipt]) {
        expect([ran.code, ran.out]).toEqual([1, []])
        expect(ran.err.join()).toMatch(said)
        // All that the service has would be under the wrong key.
        expect(ran.err.join()).not.toMatch(/reseal/)
      }
    }
    expect([...(await db`select gateway_id, version from gateway_secrets order by 1, 2`)]).toEqual([
      ...before,
    ])
    expect([...(await macKeys())], 'nor a key of its own').toEqual([...keys])
    // To switch one off needs no key of anybody's.
    expect((await cli(['gateway', 'off', 'mtn_bj_sandbox'], '', other)).code).toBe(0)
  })

  it('switches a LIVE account off, and leaves on to the staff', async () => {
    // As two of the staff have added it.
    const reading = readConfig({ DATA_DIR: dir })
    if (reading.is === 'mistakes') throw new Error(reading.lines.join())
    await addAccount({ db, keyring: await keyringOf(reading.config) }, mtnAdapter, {
      ...{ code: 'mtn_live', name: 'MTN Bénin', environment: 'LIVE', country: 'BJ' },
      ...{ settings: { target_environment: 'mtnbenin' }, secrets },
    })
    expect((await cli(['gateway', 'on', 'mtn_live'])).err.join()).toMatch(/by staff/)
    // Its first secrets wait for two of the staff, and one person is refused, on record.
    const [waiting] = await db<{ state: string }[]>`
      select state from gateway_secrets
       where gateway_id = (select id from gateways where code = 'mtn_live')`
    expect(waiting?.state).toBe('NEXT')
    const unpromoted = await cli(['gateway', 'check', 'mtn_live'])
    expect(unpromoted.out.join()).toMatch(/were not promoted.*check mtn_live --next/)
    const refused = await cli(['gateway', 'promote', 'mtn_live'])
    expect([refused.code, refused.err.join()]).toEqual([1, expect.stringMatching(/by staff/)])
    const acts = await db<{ after: unknown }[]>`
      select after from audit_logs
       where action = 'gateway.refused' and after ->> 'refused' <> 'add' order by id`
    expect(acts.map(({ after }) => after)).toEqual([{ refused: 'on' }, { refused: 'promote' }])
    expect((await cli(['gateway', 'off', 'mtn_live'])).code).toBe(0)
  })

  it('changes settings of an account of SANDBOX, and leaves those of LIVE to the staff', async () => {
    const set = (...args: string[]) => cli(['gateway', 'set', ...args])
    const settings = async (code: string) => {
      const [row] = await db<{ settings: Record<string, string> }[]>`
        select settings from gateways where code = ${code}`
      return row?.settings ?? {}
    }
    const before = await settings('mtn_bj_sandbox')
    const moved = async () => {
      await db`
        update gateways set is_active = false, updated_at = now() - interval '2 minutes'
         where code = 'mtn_bj_sandbox'`
    }
    await moved()
    const ran = await set('mtn_bj_sandbox', 'wire_currency=XOF')
    expect([ran.code, ran.err]).toEqual([0, []])
    expect(ran.out.join('\n')).toMatch(
      /setting wire_currency: XOF\n.*gateway check mtn_bj_sandbox/s,
    )
    expect(await settings('mtn_bj_sandbox')).toEqual({ ...before, wire_currency: 'XOF' })
    expect((await set('mtn_bj_sandbox', 'wire_currency=')).err.join()).toMatch(
      /Disable the account/,
    )
    await moved()
    expect((await set('mtn_bj_sandbox', 'wire_currency=')).code).toBe(0)
    expect(await settings('mtn_bj_sandbox')).toEqual(before)
    await moved()
    for (const [pair, message] of [
      ['base_url=https://proxy.momoapi.mtn.com', /use an address of the operator/],
      ['collection_api_key=secret-of-the-story', /collection_api_key is not a setting/],
      ['wire_currency=secret-of-the-story', /wire_currency does not have the right form/],
    ] as const) {
      const wrong = await set('mtn_bj_sandbox', pair)
      expect([wrong.code, wrong.err.join()]).toEqual([1, expect.stringMatching(message)])
      expect(wrong.err.join()).not.toContain('secret-of-the-story')
    }
    const refused = await set('mtn_live', 'target_environment=mtncotedivoire')
    expect([refused.code, refused.err.join()]).toEqual([1, expect.stringMatching(/by staff/)])
    expect((await settings('mtn_live'))['target_environment']).toBe('mtnbenin')
    const [act] = await db<{ after: unknown }[]>`
      select after from audit_logs where action = 'gateway.refused' order by id desc limit 1`
    expect(act?.after).toEqual({ refused: 'settings' })
  })

  it('sets how much an account may be sent; a LIVE one is slowed down only', async () => {
    const pace = (...args: string[]) => cli(['gateway', 'pace', ...args])
    const usual = await pace('mtn_bj_sandbox')
    expect(usual.out).toEqual([
      'mtn_bj_sandbox: 9 questions and any number of other calls a second, ' +
        'any number of calls at once (as usual there); no process has a share now',
    ])
    const set = ['mtn_bj_sandbox', '--asks', '12', '--creates', '30', '--open', '25']
    const said = /12 questions and 30 other calls a second, 25 calls at once \(as agreed\)/
    expect((await pace(...set)).out.join()).toMatch(said)
    expect((await pace('mtn_bj_sandbox')).out.join()).toMatch(said)
    const checked = await cli(['gateway', 'check', 'mtn_bj_sandbox'])
    expect(checked.out.join('\n')).toMatch(/PASS {2}pace: 12 questions and 30 other calls/)
    expect((await pace('mtn_bj_sandbox', '--asks', 'usual')).out.join()).toMatch(/: 9 questions/)
    for (const wrong of ['0', '-1', '1.5', 'many']) {
      expect((await pace('mtn_bj_sandbox', '--creates', wrong)).code).not.toBe(0)
    }
    expect((await pace('mtn_live', '--creates', '5', '--asks', '3')).code).toBe(0)
    for (const more of [
      ['--creates', '6'],
      ['--creates', 'usual'],
      ['--asks', '4'],
    ]) {
      const ran = await pace('mtn_live', ...more)
      expect([ran.code, ran.out]).toEqual([1, []])
      expect(ran.err.join()).toMatch(/by staff, in the API/)
    }
    const rows = await db`
      select code, asks_per_s, creates_per_s, open_calls from gateways
       where code in ('mtn_bj_sandbox', 'mtn_live') order by code`
    expect(rows).toEqual([
      { code: 'mtn_bj_sandbox', asks_per_s: null, creates_per_s: 30, open_calls: 25 },
      { code: 'mtn_live', asks_per_s: 3, creates_per_s: 5, open_calls: null },
    ])
    const [act] = await db<{ after: unknown }[]>`
      select after from audit_logs where action = 'gateway.refused' order by id desc limit 1`
    expect(act?.after).toEqual({ refused: 'pace' })
  })

  it('prints in French where it is asked to, the same of each command', async () => {
    const french = async (...args: string[]) =>
      (await cli(['--language', 'fr', 'gateway', ...args])).out.join('\n')
    const code = 'mtn_bj_sandbox'
    expect(await french('list')).toMatch(/^mtn_live {2}LIVE {2}désactivé {2}/m)
    const shown = await french('show', code)
    expect(shown).toContain('réglage base_url\u00a0: http://127.0.0.1:')
    expect(shown).toMatch(/^pays\u00a0: BJ$/m)
    expect(shown).toMatch(/^limites pour l’ensemble, en XOF\u00a0: aucune en entrée/m)
    expect(shown).toMatch(/ bac à sable pas encore, mode réel pas encore$/m)
    expect(await french('hours', code)).toMatch(/^fermé BJ DISBURSE à partir du /)
    const steps = await french('steps', code)
    expect(steps).toMatch(/^\[[x ]\] Vérification du compte\u00a0: /m)
    expect(steps).toMatch(
      /^\[ \] Les numéros de test de l’opérateur\u00a0: une tentative pour 0 sur 30\u00a0; .* réussit$/m,
    )
    expect(steps).not.toMatch(/\b(?:not seen|run:|passed|the)\b/)
    const [{ steps: json }, { steps: in_english }] = [
      JSON.parse(await french('--json', 'steps', code)),
      JSON.parse((await cli(['--json', 'gateway', 'steps', code])).out.join()),
    ]
    const names = (all: readonly Readonly<{ step: string; is: string }>[]) =>
      all.map(({ step, is }) => [step, is])
    expect(names(json)).toEqual(names(in_english))
    expect(json[0].title).toBe('Vérification du compte')
    const help = await cli(['--language', 'fr', 'gateway', 'add', '--help'])
    expect(help.out.join('\n')).toMatch(
      /secret_key \(secret, obligatoire, LIVE seulement\)\u00a0: Clé/,
    )
    expect(help.out.join('\n')).toMatch(/^tout opérateur\u00a0:$/m)
  })

  it('closes an account for a time and opens it again; LIVE is opened by staff', async () => {
    const until = ['--until', '2999-01-01T00:00:00Z']
    const closed = await cli([
      ...['--json', 'gateway', 'close', 'mtn_bj_sandbox', '--country', 'bj', ...until],
    ])
    const { id } = JSON.parse(closed.out.join())
    const inBenin = ['--until', '2999-01-01T01:00:00+01:00']
    const again = await cli(['gateway', 'close', 'mtn_bj_sandbox', '--country', 'BJ', ...inBenin])
    expect(again.out[0]).toBe('mtn_bj_sandbox is closed in BJ until 2999-01-01T00:00:00.000Z.')
    const other = /reopen mtn_bj_sandbox (\S+)/.exec(again.out.join())?.[1] ?? ''
    expect((await cli(['gateway', 'reopen', 'mtn_bj_sandbox', other])).code).toBe(0)
    const shown = await cli(['gateway', 'hours', 'mtn_bj_sandbox'])
    expect(shown.out.join()).toContain(`until 2999-01-01 00:00 UTC ${id}`)
    const reopened = ['gateway', 'reopen', 'mtn_bj_sandbox', id]
    expect((await cli(reopened)).out).toEqual(['mtn_bj_sandbox is open again.'])
    expect((await cli(reopened)).code).toBe(1)
    const of = ['--country', 'BJ', '--direction', 'COLLECT']
    const wrong: [string[], RegExp][] = [
      [['hours', 'mtn_bj_sandbox', ...of, '--open', 'MON-FRI'], /write days and hours/],
      [['hours', 'mtn_bj_sandbox', ...of, '--open', 'FRI-MON,06:00-07:00'], /write days/],
      [['hours', 'mtn_bj_sandbox', '--always'], /Name the country/],
      ...['soon', '2999-01-01T00:00', '2999-01-01', 'soon +01:00'].map(
        (until): [string[], RegExp] => [
          ['close', 'mtn_bj_sandbox', '--country', 'BJ', '--until', until],
          /write a moment with its zone/,
        ],
      ),
      [['reopen', 'mtn_bj_sandbox', 'x'], /x is no closing/],
      [['hours', 'mtn_live', ...of, '--always'], /by staff, in the API/],
      [['reopen', 'mtn_live', id], /by staff, in the API/],
    ]
    for (const [args, message] of wrong) {
      const ran = await cli(['gateway', ...args])
      expect([ran.code, ran.out]).toEqual([1, []])
      expect(ran.err.join()).toMatch(message)
    }
    expect((await cli(['gateway', 'close', 'mtn_live', '--country', 'BJ'])).code).toBe(0)
  })

  it('check names what is wrong and what to do, and spends nothing', async () => {
    const unlike = (await provisioned(mtn.url, 'shop.example')).secrets
    const planted: [string, Readonly<Record<string, string>>, string[], RegExp][] = [
      ['right', secrets, [], /PASS {2}disbursement balance: \d+ EUR, for payouts/],
      [
        'another_key',
        { ...secrets, collection_api_key: '0'.repeat(32) },
        [],
        /FAIL {2}collection token: status 401\n.*Compare collection_subscription_key/,
      ],
      [
        'another_user',
        { ...secrets, disbursement_api_user: `${unlike['disbursement_api_user']}` },
        [],
        /FAIL {2}disbursement token/,
      ],
      [
        'keys_of_the_other_product',
        { ...secrets, collection_subscription_key: `${secrets['disbursement_subscription_key']}` },
        [],
        /FAIL {2}collection token/,
      ],
      ['environment', secrets, ['target_environment=mtnbenin'], /FAIL {2}target environment/],
      ['currency', secrets, ['wire_currency=USD'], /FAIL {2}collection balance: .* we send USD/],
      [
        'nobody_there',
        secrets,
        [`base_url=${nobody_listens}`],
        /FAIL {2}collection token: nobody listens there\n.*compare base_url/,
      ],
      ['no_name', secrets, ['base_url=http://nowhere.invalid'], /FAIL {2}name: nowhere\.invalid/],
      ['no_tls', secrets, [`base_url=${mtn.url.replace('http', 'https')}`], /FAIL {2}TLS/],
    ]
    const before = mtn.books()
    for (const [name, values, settings, found] of planted) {
      const code = `c_${name}`
      const sets = settings.flatMap((one) => ['--set', one])
      expect((await add(code, values, ...sets)).err, name).toEqual([])
      const ran = await cli(['gateway', 'check', code])
      expect(ran.out.join('\n'), name).toMatch(found)
      expect(ran.code, name).toBe(name === 'right' ? 0 : 1)
    }
    await db`
      update gateway_secrets set sealed = '\\x0102'
       where gateway_id = (select id from gateways where code = 'c_right')`
    const torn = await cli(['gateway', 'check', 'c_right'])
    expect([torn.code, torn.out.join()]).toEqual([1, expect.stringMatching(/do not open/)])
    expect(mtn.books()).toEqual(before)
  })

  it('prints no secret', () => {
    const all = printed.join('\n')
    expect(printed.length).toBeGreaterThan(30)
    for (const secret of Object.values(secrets)) expect(all.includes(secret)).toBe(false)
  })
})

/** The command line as a program, and what whoever lists processes sees until it ends. */
async function runInSight(args: readonly string[], typed: string): Promise<string[]> {
  const env = { PATH: process.env['PATH'], DATA_DIR: dir }
  const child = spawn(process.execPath, [...commandProgram(), ...args], { env })
  const ended = once(child, 'exit')
  // It reads to the end of its input: until that comes, it is there to be seen.
  child.stdin.write(typed)
  const seen = [await inSight(child, args.join(' '))]
  child.stdin.end()
  const watching = setInterval(() => seen.push(processesInSight()), 20)
  expect((await ended)[0]).toBe(0)
  clearInterval(watching)
  return seen
}

/** As soon as it is in the list with its own words. */
async function inSight(child: ChildProcess, words: string): Promise<string> {
  for (;;) {
    const seen = processesInSight()
    if (seen.includes(words)) return seen
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('whoever lists the processes', () => {
  const isSeen = (secret: string, seen: readonly string[]) =>
    seen.some((text) => encodingsOf(secret).some((one) => text.includes(one)))

  it('sees no secret while an account is added and its secrets change', async () => {
    const fresh = (await provisioned(mtn.url, 'shop.example')).secrets
    const sets = ['--country', 'BJ', '--set', `base_url=${mtn.url}`]
    const seen = [
      ...(await runInSight(
        ['gateway', 'add', 'mtn', '--code', 'mtn_seen', ...sets],
        linesOf(secrets),
      )),
      ...(await runInSight(['gateway', 'rotate', 'mtn_seen'], linesOf(fresh))),
      ...(await runInSight(['gateway', 'check', 'mtn_seen', '--next'], '')),
      ...(await runInSight(['gateway', 'promote', 'mtn_seen'], '')),
    ]
    for (const secret of [...Object.values(secrets), ...Object.values(fresh)]) {
      expect(isSeen(secret, seen)).toBe(false)
    }
  })

  it('would see one that was given as a word, or in the environment', async () => {
    const [word, given] = ['a-secret-as-a-word', 'a-secret-that-was-given']
    const script = 'process.stdin.resume()'
    const env = { GIVEN: Buffer.from(given).toString('base64') }
    const child = spawn(process.execPath, ['-e', script, 'careless', word], { env })
    const ended = once(child, 'exit')
    const seen = [await inSight(child, 'careless')]
    child.stdin.end()
    await ended
    expect([isSeen(word, seen), isSeen('a-secret-of-nobody', seen)]).toEqual([true, false])
    expect(isSeen(given, seen)).toBe(showsEnvironments)
  })
})

describe('another operator', () => {
  it('runs each command of Wave’s runbook', async () => {
    const wave = await startWave({ port: 0 })
    onTestFinished(() => wave.stop())
    const { secrets: given } = withWave(wave)
    const commands = await commandsOf('wave')
    expect(commands.map(([, verb]) => verb)).toEqual(usualVerbs)
    for (const command of commands) {
      const isAdd = command[1] === 'add'
      const args = isAdd ? [...command, '--set', `base_url=${wave.url}`] : command
      const ran = await cli(args, linesOf(given))
      expect([ran.code, ran.err], command.join(' ')).toEqual([0, []])
    }
    expect(wave.books()).toEqual([])
  })

  it('runs each command of Orange’s runbook', async () => {
    const orange = await startOrange({ port: 0 })
    onTestFinished(() => orange.stop())
    const typed = linesOf(withOrange(orange).secrets)
    const commands = await commandsOf('orange')
    expect(commands.map(([, verb]) => verb)).toEqual(usualVerbs)
    for (const command of commands) {
      const isAdd = command[1] === 'add'
      const args = isAdd ? [...command, '--set', `base_url=${orange.url}`] : command
      const ran = await cli(args, typed)
      expect([ran.code, ran.err], command.join(' ')).toEqual([0, []])
      if (command[1] !== 'check') continue
      expect(ran.out.join('\n')).toMatch(/PASS {2}token.*\n.*PASS {2}environment: dev OUV/s)
    }
    const wrong = { ...withOrange(orange).secrets, client_secret: 'of-somebody-else' }
    await cli(['gateway', 'rotate', 'orange_ml'], linesOf(wrong))
    const ran = await cli(['gateway', 'check', 'orange_ml', '--next'])
    expect([ran.code, ran.out.join()]).toEqual([1, expect.stringMatching(/FAIL {2}token/)])
    expect(orange.books()).toEqual([])
  })
})

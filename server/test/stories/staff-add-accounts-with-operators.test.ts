// Staff add accounts with operators while the service runs, give them secrets and check them: by
// the same rules as the command line. What they send as a secret comes out nowhere.

import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Mtn, startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import { type FoundGateway, findFoundGateway } from '../../src/gateways/account-store.ts'
import { addAccount, withNextSecrets } from '../../src/gateways/accounts.ts'
import { adapters } from '../../src/gateways/adapters.ts'
import { checkAccount } from '../../src/gateways/check-gateway.ts'
import { mtnAdapter } from '../../src/gateways/mtn-momo-api/mtn-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Reply,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { provisioned } from '../setup/mtn-account.ts'
import { encodingsOf } from '../setup/secrets-in-sight.ts'
import { wholeDump } from '../setup/whole-dump.ts'

type Secrets = Readonly<Record<string, string>>

/** Each line that the service logged, of any weight; each answer that staff had. */
const logged: string[] = []
const answers: string[] = []
const given: Secrets[] = []

let app: TestApp
let mtn: Mtn
let staff: SignedInCaller
let settings: Secrets
beforeAll(async () => {
  app = await startApp({ log: pino({ level: 'trace' }, { write: (line) => logged.push(line) }) })
  mtn = await startMtn({ port: 0, speed: 20 })
  staff = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
  settings = { base_url: mtn.url }
})
afterAll(async () => {
  await app?.stop()
  await mtn?.stop()
})

const live = { 'x-environment': 'LIVE' }
const codeOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]

async function post(path: string, body: unknown = {}, headers = {}, by = staff): Promise<Reply> {
  const reply = await by.post(path, body, headers)
  answers.push(JSON.stringify([reply.body, [...reply.headers]]))
  return reply
}

const patch = (id: string, body: object, by = staff, headers = {}) =>
  by.call('PATCH', `/admin/gateways/${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

async function freshSecrets(): Promise<Secrets> {
  const { secrets } = await provisioned(mtn.url, new URL(app.url).hostname)
  given.push(secrets)
  return secrets
}

const mtnBody = async (code: string, changes: object = {}) => ({
  ...{ adapter: 'mtn', code, country: 'bj', settings, secrets: await freshSecrets() },
  ...changes,
})

async function added(code: string, changes: object = {}): Promise<Json> {
  const reply = await post('/admin/gateways/', await mtnBody(code, changes))
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.data
}

const secretsAt = async (id: string, headers = {}): Promise<Json[]> =>
  (await staff.get(`/admin/gateways/${id}/secrets/`, headers)).data.results

const actsOn = (id: string) => app.owner<Json[]>`
  select action, environment, actor_kind, actor_id, after
    from audit_logs where target_id = ${id} order by id`

describe('the operators', () => {
  it('are listed with all that an account is set up with, and what was proven of each', async () => {
    const { data } = await staff.get('/admin/operators/?page_size=100')
    expect(data.results.map((one: Json) => one.adapter).sort()).toEqual(
      adapters.map(({ adapter }) => adapter).sort(),
    )
    const one = data.results.find(({ adapter }: Json) => adapter === 'mtn')
    expect(one).toMatchObject({ name: 'MTN MoMo', does: ['COLLECT', 'DISBURSE', 'BALANCE'] })
    const keys = one.settings.map(({ key, secret }: Json) => [key, secret])
    expect(keys).toContainEqual(['base_url', false])
    expect(keys).toContainEqual(['collection_api_key', true])
    expect(keys).toContainEqual(['tls_certificate', true])
    expect(one.settings[0]).toMatchObject({
      allowed_hosts: ['proxy.momoapi.mtn.com'],
      standard: { SANDBOX: 'https://sandbox.momodeveloper.mtn.com' },
      help: { en: expect.any(String), fr: expect.any(String) },
    })
    for (const { settings: specs } of data.results) {
      for (const { pattern } of specs) expect(() => new RegExp(pattern)).not.toThrow()
    }
    expect(one.verified[0]).toEqual({
      ability: 'collect',
      imitated: expect.any(String),
      client_proof: { on: expect.any(String), client: expect.stringContaining('mtn-momo') },
      sandbox: null,
      live: null,
    })
  })
})

describe('an account that staff add', () => {
  it('is switched off, its secrets count in SANDBOX, and who added it is on record', async () => {
    const data = await added('mtn_added')
    expect(data).toMatchObject({
      ...{ code: 'mtn_added', adapter: 'mtn', name: 'MTN MoMo BJ', environment: 'SANDBOX' },
      ...{ is_active: false, checked_at: null, exposure_limit_collect: null },
      secrets: {
        version: 1,
        state: 'CURRENT',
        fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
      },
    })
    expect(data.verified.map(({ ability }: Json) => ability)).toContain('pay out')
    const { fingerprint } = data.secrets
    expect(await actsOn(data.id)).toEqual([
      {
        ...{ action: 'gateway.added', environment: 'SANDBOX' },
        ...{ actor_kind: 'STAFF', actor_id: staff.person_id },
        after: {
          ...{ code: 'mtn_added', adapter: 'mtn', country: 'BJ', fingerprint },
          ...{ base_url: mtn.url, target_environment: 'sandbox', wire_currency: 'EUR' },
        },
      },
    ])
    const [row] = await app.owner<Json[]>`
      select created_by from gateway_secrets where gateway_id = ${data.id}`
    expect(row).toEqual({ created_by: staff.person_id })
    const { secrets: _, ...shown } = data
    expect((await staff.get(`/admin/gateways/${data.id}/`)).data).toEqual(shown)
  })

  it('takes payments once it is on and has a route, without a start of anything', async () => {
    const { id, code } = await added('mtn_used')
    expect((await patch(id, { is_active: true })).status).toBe(200)
    const route = { network: 'mtn_bj', gateway: code, direction: 'COLLECT', priority: 9 }
    expect((await staff.post('/admin/routes/', route)).status).toBe(201)
    const shop = await app.shop()
    await eventually(async () => {
      const paid = await shop.pay({ customer: newPayer('10'), preferred_gateway: code })
      const { attempts } = await shop.becomes(paid.data.id, 'SUCCESS')
      expect(attempts[0].gateway_code).toBe(code)
    })
  })

  it('may be given its secrets later', async () => {
    const { id, secrets } = await added('mtn_later', { secrets: undefined })
    expect([secrets, await secretsAt(id)]).toEqual([null, []])
    const none = await post(`/admin/gateways/${id}/check/`)
    expect(none.data).toMatchObject({ failed: true, findings: [{ found: 'there are none' }] })
    const set = await post(`/admin/gateways/${id}/secrets/`, { secrets: await freshSecrets() })
    expect([set.status, set.data.version]).toEqual([201, 1])
    expect((await patch(id, { promote_secrets: set.data.fingerprint })).status).toBe(200)
    expect((await post(`/admin/gateways/${id}/check/`)).data.failed).toBe(false)
  })

  it('400: names each wrong field, and repeats nothing that may be a secret', async () => {
    const secrets = await freshSecrets()
    const { collection_api_key: key = '', ...partial } = secrets
    const tries: [object, string[]][] = [
      [{ adapter: 'nobody' }, ['adapter']],
      [{ code: 'MTN!' }, ['code']],
      [{ country: 'Bénin' }, ['country']],
      [{ name: '' }, ['name']],
      [{ secrets: partial }, ['secrets.collection_api_key']],
      [{ secrets: { ...secrets, collection_api_key: 'x' } }, ['secrets.collection_api_key']],
      [{ secrets: { ...secrets, more: 'x' } }, ['secrets.more']],
      [{ secrets: { ...secrets, [key]: 'x' } }, ['secrets']],
      [{ secrets: { ...secrets, collection_api_key: 5 } }, ['secrets.collection_api_key']],
      [{ secrets: 'all of them' }, ['secrets']],
      [{ settings: { ...settings, [key]: 'x' } }, ['settings']],
      [{ settings: { base_url: 'ftp://x' } }, ['settings.base_url']],
      [
        { settings: { base_url: 'ftp://x' }, secrets: partial },
        ['secrets.collection_api_key', 'settings.base_url'],
      ],
      [{ adapter: undefined, code: undefined, country: undefined }, ['adapter', 'code', 'country']],
    ]
    for (const [changes, fields] of tries) {
      const body = { ...(await mtnBody('mtn_wrong')), secrets, ...changes }
      const reply = await post('/admin/gateways/', body)
      expect(fieldsOf(reply), JSON.stringify(Object.keys(changes))).toEqual([400, fields])
      for (const texts of Object.values<string[]>(reply.error)) expect(texts[0]).toMatch(/\.$/)
    }
    const wrong = { ...secrets, collection_api_key: 'x' }
    const body = await mtnBody('mtn_wrong', { secrets: wrong })
    const french = await post('/admin/gateways/', body, { 'accept-language': 'fr' })
    expect(french.error['secrets.collection_api_key'][0]).toContain('n’a pas la bonne forme')
    expect(await findFoundGateway(app.service.db, 'mtn_wrong')).toBeUndefined()
  })

  it('401, 403: is added by those of the staff who may', async () => {
    const body = await mtnBody('mtn_nobody')
    const anybody = shopWith(app.url, '', 'nobody')
    expect((await anybody.post('/admin/gateways/', body)).status).toBe(401)
    for (const role of ['SUPPORT', 'FINANCE'] as const) {
      const other = await app.staff({ role })
      const reply = await post('/admin/gateways/', body, {}, other)
      expect(codeOf(reply)).toEqual([403, 'permission_denied'])
    }
    const demo = await app.staff({ demo: true })
    expect(codeOf(await post('/admin/gateways/', body, live, demo))).toEqual([403, 'totp_required'])
  })

  it('409: its code is free, and of two at once one gets it', async () => {
    const [one, other] = await Promise.all([mtnBody('mtn_once'), mtnBody('mtn_once')])
    const both = await Promise.all([one, other].map((body) => post('/admin/gateways/', body)))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    const taken = await post('/admin/gateways/', one)
    expect(codeOf(taken)).toEqual([409, 'gateway_exists'])
    expect(taken.error.message).toContain('mtn_once')
  })

  it('speaks to its operator’s own addresses alone where others are not allowed', async () => {
    const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
    const request = {
      ...({ code: 'mtn_own', name: 'MTN', environment: 'SANDBOX', country: 'BJ' } as const),
      ...{ secrets: await freshSecrets(), own_hosts: true },
    }
    const refused = addAccount(deps, mtnAdapter, { ...request, settings })
    await expect(refused).rejects.toThrow('use an address of the operator')
    await expect(refused).rejects.toMatchObject({ fields: { 'settings.base_url': [{}] } })
    const made = await addAccount(deps, mtnAdapter, { ...request, settings: {} })
    expect(made.settings['base_url']).toBe('https://sandbox.momodeveloper.mtn.com')
  })
})

describe('new secrets of an account', () => {
  it('wait, are promoted by their fingerprint, and the former ones are retired', async () => {
    const { id, secrets: first } = await added('mtn_rotated')
    const path = `/admin/gateways/${id}/secrets/`
    const made = await post(path, { secrets: await freshSecrets() })
    expect(made.status).toBe(201)
    expect(made.data).toEqual({ version: 2, fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) })
    expect((await secretsAt(id)).map(({ state }) => state)).toEqual(['CURRENT', 'NEXT'])
    expect(codeOf(await post(`${path}retire/`))).toEqual([409, 'no_former_secrets'])
    expect((await patch(id, { promote_secrets: made.data.fingerprint })).status).toBe(200)
    const retired = await post(`${path}retire/`)
    expect([retired.status, retired.data]).toEqual([
      200,
      { version: 1, fingerprint: first.fingerprint },
    ])
    expect((await secretsAt(id)).map(({ state }) => state)).toEqual(['RETIRED', 'CURRENT'])
    const [row] = await app.owner<Json[]>`
      select sealed from gateway_secrets where gateway_id = ${id} and version = 1`
    expect(row).toEqual({ sealed: null })
    const acts = (await actsOn(id)).map(({ action, actor_id, after }) => [action, actor_id, after])
    expect(acts.slice(1)).toEqual([
      ['gateway_secrets.set', staff.person_id, made.data],
      ['gateway_secrets.promoted', staff.person_id, made.data],
      ['gateway_secrets.retired', staff.person_id, retired.data],
    ])
  })

  it('that come while others wait take their place', async () => {
    const { id } = await added('mtn_replaced')
    const path = `/admin/gateways/${id}/secrets/`
    const sets = await Promise.all([freshSecrets(), freshSecrets(), freshSecrets()])
    const made = await Promise.all(sets.map((secrets) => post(path, { secrets })))
    expect(made.map(({ data }) => data.version).sort()).toEqual([2, 3, 4])
    const states = (await secretsAt(id)).map(({ state }) => state)
    expect(states).toEqual(['CURRENT', 'RETIRED', 'RETIRED', 'NEXT'])
  })

  it('400, 404, 409: are a whole set, of an account of this environment that has some', async () => {
    const { id } = await added('mtn_refused')
    const path = `/admin/gateways/${id}/secrets/`
    const { collection_api_user: _, ...partial } = await freshSecrets()
    expect(fieldsOf(await post(path, {}))).toEqual([400, ['secrets']])
    expect(fieldsOf(await post(path, { secrets: partial }))).toEqual([
      400,
      ['secrets.collection_api_user'],
    ])
    const secrets = await freshSecrets()
    for (const [at, headers] of [
      [path, live],
      [`/admin/gateways/${newId()}/secrets/`, {}],
      ['/admin/gateways/nothing/secrets/', {}],
    ] as const) {
      expect(codeOf(await post(at, { secrets }, headers))).toEqual([404, 'not_found'])
      expect(codeOf(await post(`${at}retire/`, {}, headers))).toEqual([404, 'not_found'])
      expect(codeOf(await staff.get(at, headers))).toEqual([404, 'not_found'])
    }
    const { data } = await staff.get('/admin/gateways/')
    const own = data.results.find(({ code }: Json) => code === 'simulator_a')
    const none = await post(`/admin/gateways/${own.id}/secrets/`, { secrets })
    expect(codeOf(none)).toEqual([409, 'gateway_without_settings'])
    expect(own.verified).toEqual([])
    const support = await app.staff({ role: 'SUPPORT' })
    expect(codeOf(await post(path, { secrets }, {}, support))).toEqual([403, 'permission_denied'])
  })
})

/** An operator that takes a call and says nothing, until it is ended. */
async function startSilent(): Promise<Readonly<{ url: string; calls: () => number }>> {
  let calls = 0
  const server: Server = createServer(() => {
    calls += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `http://127.0.0.1:${address.port}`, calls: () => calls }
}

describe('a check by staff', () => {
  it('answers what the command line finds, and counts as its check does', async () => {
    const { id } = await added('mtn_checked')
    const path = `/admin/gateways/${id}/check/`
    const before = mtn.books()
    const { status, data } = await post(path)
    expect([status, data.failed]).toEqual([200, false])
    const whats = data.findings.map(({ what }: Json) => what)
    expect(whats).toEqual(expect.arrayContaining(['settings', 'secrets', 'collection token']))
    expect((await staff.get(`/admin/gateways/${id}/`)).data.checked_at).not.toBeNull()
    expect(mtn.books()).toEqual(before)
    const acts = await actsOn(id)
    expect(acts.at(-1)).toMatchObject({
      ...{ action: 'gateway.checked', actor_id: staff.person_id },
      after: { passed: true, fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) },
    })
  })

  it('is read in the language of whoever asks, and known by the same names', async () => {
    const { id } = await added('mtn_french')
    const path = `/admin/gateways/${id}/check/`
    const in_french = { 'accept-language': 'fr-BJ, fr;q=0.9' }
    const [{ data: french }, { data: english }] = [
      await post(path, {}, in_french),
      await post(path),
    ]
    const namesOf = ({ findings }: Json) => findings.map(({ what, is }: Json) => [what, is])
    expect(namesOf(french)).toEqual(namesOf(english))
    const of = (data: Json, name: string) => data.findings.find(({ what }: Json) => what === name)
    expect(of(english, 'settings')).toMatchObject({ title: 'settings', found: 'complete' })
    expect(of(french, 'settings')).toMatchObject({ title: 'réglages', found: 'complets', fix: '' })
    expect(of(french, 'collection token')).toMatchObject({
      ...{ title: 'collection, jeton', found: expect.stringMatching(/^valable \d+ s$/) },
    })
    expect(of(french, 'our address')).toMatchObject({
      ...{ is: 'WARN', fix: expect.stringMatching(/^Donnez à PUBLIC_URL une adresse en https/) },
    })
    // A colon stays on the line of its word.
    expect(of(french, 'pace').found).toMatch(/^questions par seconde\u00a0: \d+, /)
    // What is no good is named in French too.
    await post(`/admin/gateways/${id}/secrets/`, {
      secrets: { ...(await freshSecrets()), collection_api_key: randomBytes(16).toString('hex') },
    })
    const next = await post(path, { secrets: 'NEXT' }, in_french)
    expect(of(next.data, 'collection token')).toMatchObject({
      ...{ is: 'FAIL', found: 'statut 401' },
      fix: expect.stringMatching(/^Comparez collection_subscription_key, _api_user et _api_key/),
    })
  })

  it('looks at the secrets that wait when it is asked to, and keeps that of those alone', async () => {
    const { id } = await added('mtn_next')
    const path = `/admin/gateways/${id}/check/`
    expect(codeOf(await post(path, { secrets: 'NEXT' }))).toEqual([409, 'no_new_secrets'])
    expect(fieldsOf(await post(path, { secrets: 'FORMER' }))).toEqual([400, ['secrets']])
    const wrong = { ...(await freshSecrets()), collection_api_key: randomBytes(16).toString('hex') }
    given.push(wrong)
    const made = await post(`/admin/gateways/${id}/secrets/`, { secrets: wrong })
    const next = await post(path, { secrets: 'NEXT' })
    expect([next.status, next.data.failed]).toEqual([200, true])
    expect(next.data.findings).toContainEqual(
      expect.objectContaining({ what: 'collection token', is: 'FAIL' }),
    )
    expect((await post(path, {})).data.failed).toBe(false)
    const rows = await app.owner<Json[]>`
      select fingerprint, passed from gateway_checks where gateway_id = ${id} order by passed`
    expect(rows.map(({ passed }) => passed)).toEqual([false, true])
    expect(rows[0]?.fingerprint).toBe(made.data.fingerprint)
  })

  it('403, 404: is for those who may, of an account of this environment', async () => {
    const { id } = await added('mtn_stranger')
    const support = await app.staff({ role: 'SUPPORT' })
    const denied = await post(`/admin/gateways/${id}/check/`, {}, {}, support)
    expect(codeOf(denied)).toEqual([403, 'permission_denied'])
    for (const [at, headers] of [
      [id, live],
      [newId(), {}],
    ] as const) {
      const reply = await post(`/admin/gateways/${at}/check/`, {}, headers)
      expect(codeOf(reply)).toEqual([404, 'not_found'])
    }
  })

  it('409: runs once at a time, holds no transaction, and is waited for so long', async () => {
    const silent = await startSilent()
    const { id, code } = await added('mtn_silent', { settings: { base_url: silent.url } })
    const path = `/admin/gateways/${id}/check/`
    const account = async (): Promise<FoundGateway> => {
      const row = await findFoundGateway(app.service.db, code)
      if (row === undefined) throw new Error(`no ${code}`)
      return row
    }
    const deps = {
      ...{ db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') },
      ...{ public_url: app.url, patience_ms: 3_000 },
    }
    const first = checkAccount(deps, { account: await account(), secrets: 'CURRENT' })
    await eventually(async () => expect(silent.calls()).toBeGreaterThan(0))
    const second = await post(path)
    expect(codeOf(second)).toEqual([409, 'gateway_check_running'])
    expect([second.error.retryable, second.headers.get('retry-after')]).toEqual([true, '10'])
    // Whatever waits for the operator, the account may be changed.
    expect((await patch(id, { name: 'Silent' })).status).toBe(200)
    const idle = async () => {
      const open = await app.owner<Json[]>`
        select pid, xact_start::text as since from pg_stat_activity
         where datname = current_database() and state like 'idle in transaction%'`
      return open.map(({ pid, since }) => `${pid} ${since}`)
    }
    // The workers have transactions too, but none lasts as long as an operator that is waited for.
    const before = await idle()
    await sleep(500)
    const after = await idle()
    expect(after.filter((one) => before.includes(one))).toEqual([])
    expect(await first).toMatchObject([{ what: { en: 'time', fr: 'durée' }, is: 'FAIL' }])
    // Nobody waits for it any more, but it has not ended.
    expect(codeOf(await post(path))).toEqual([409, 'gateway_check_running'])
    expect((await staff.get(`/admin/gateways/${id}/`)).data.checked_at).toBeNull()
    const next = await withNextSecrets(deps, await account())
    expect(next).toBeUndefined()
  })
})

it('shows no secret that staff sent: in no answer, no log, no row', async () => {
  expect(given.length).toBeGreaterThan(15)
  const sinks = {
    ...{ database: await wholeDump(app), logs: logged.join('').toLowerCase() },
    answers: answers.join('').toLowerCase(),
  }
  expect(sinks.logs).toContain('/admin/gateways')
  expect(sinks.answers).toContain('fingerprint')
  for (const [name, text] of Object.entries(sinks)) {
    const shown = given.flatMap((secrets) =>
      Object.entries(secrets).filter(([, secret]) =>
        encodingsOf(secret).some((one) => text.includes(one.toLowerCase())),
      ),
    )
    expect(shown.map(([key]) => `${key} in the ${name}`)).toEqual([])
  }
})

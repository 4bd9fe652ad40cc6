// What was really seen of an account with an operator becomes lines of the honesty table, each with
// its evidence; what an imitation has answered becomes none. And how far an account is on its way.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Mtn, startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import { type Claim, faultsOf } from '../../../tools/generate/honesty-table.ts'
import { runCli } from '../../src/app/cli/command-line.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import { mtnAdapter } from '../../src/gateways/mtn-momo-api/mtn-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { provisioned } from '../setup/mtn-account.ts'
import { databaseEnv } from '../setup/own-process.ts'

const code = 'mtn_bj_sandbox'

let app: TestApp
let mtn: Mtn
let staff: SignedInCaller
let shop: Shop
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pirogue-verified-'))
  mkdirSync(join(folder, 'evidence'))
  const line = (operator: string, ability: string) => ({
    ...{ operator, ability, imitated: '2026-11-23', client_proof: null },
    ...{ sandbox: null, live: null },
  })
  const lines = [
    ...['collect', 'pay out', 'refund', 'callbacks (unsigned)'].map((one) => line('MTN MoMo', one)),
    line('MTN MoMo', 'reversal of payouts'),
    line('pawaPay', 'collect'),
  ]
  writeFileSync(join(folder, 'verified.json'), JSON.stringify(lines))
  app = await startApp()
  mtn = await startMtn({ port: 0, speed: 4 })
  staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = await provisioned(mtn.url, new URL(app.url).hostname)
  const account = await addAccount(deps, mtnAdapter, {
    ...{ code, name: 'MTN Bénin', environment: 'SANDBOX', country: 'BJ' },
    ...{ settings, secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  for (const direction of ['COLLECT', 'DISBURSE']) {
    const route = { network: 'mtn_bj', gateway: code, direction, priority: 9 }
    expect((await staff.post('/admin/routes/', route)).status).toBe(201)
  }
  shop = await app.shop()
})
afterAll(async () => {
  await app?.stop()
  await mtn?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function cli(...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const own = { SECRET_KEY: app.config.secret_key ?? '', DATA_DIR: app.config.data_dir }
  const env = { ...databaseEnv(app.database.options), ...own }
  // The driver reads where the socket is from the process's own environment.
  const restore = { ...process.env }
  Object.assign(process.env, env)
  try {
    const code = await runCli(args, {
      ...{ env, input: Readable.from(['']) },
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
    })
    return { code, out: out.join('\n'), err: err.join('\n') }
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
    Object.assign(process.env, restore)
  }
}
const verify = (as = 'sandbox') =>
  cli('gateway', 'verify', code, '--as', as, '--by', 'Ada', '--folder', folder)
const lines = (): Json[] => JSON.parse(readFileSync(join(folder, 'verified.json'), 'utf8'))

const evidenceIn = (file: string) => readFileSync(join(folder, 'evidence', file), 'utf8')

/** As if the operator's own sandbox had answered, and not the imitation. */
const atTheOperator = () => app.owner`
  update gateways
     set settings = settings || '{"base_url": "https://sandbox.momodeveloper.mtn.com"}'
   where code = ${code}`

describe('an account with an operator', () => {
  it('has its steps, done or not', async () => {
    const { out } = await cli('gateway', 'steps', code)
    expect(out).toContain(
      '[ ] Check of the account: run: npm run cli -- gateway check mtn_bj_sandbox',
    )
    expect(out).toContain('[x] Account on: on')
    expect(out).toContain('[x] A route on, tried last: 2 of 2 on')
    expect(out).toContain('[ ] One collection: not seen')
    // What this operator does not do is nobody's step.
    expect(out).not.toContain('refund')
  })

  it('names the operator’s own test numbers of its country, or says that there are none', async () => {
    const { out } = await cli('gateway', 'steps', code)
    expect(out).toContain('mtn_bj COLLECT\n        +2290133123450  failed')
    expect(out).toContain('mtn_bj DISBURSE\n        +2290133123450  failed')
    expect(out).not.toContain('mtn_ci')
    await app.owner`update gateways set country = 'SN' where code = ${code}`
    await app.owner`update routes set is_active = false where gateway_id =
      (select id from gateways where code = ${code})`
    // Its routes are of Bénin still.
    expect((await cli('gateway', 'steps', code)).out).toContain('mtn_bj COLLECT')
    expect((await cli('gateway', 'steps', code)).out).toContain(
      '[ ] A route on, tried last: 0 of 2',
    )
    await app.owner`update routes set is_active = true where gateway_id =
      (select id from gateways where code = ${code})`
    await app.owner`update gateways set country = 'BJ' where code = ${code}`
    const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
    await addAccount(deps, mtnAdapter, {
      ...{ code: 'mtn_tg_sandbox', name: 'MTN', environment: 'SANDBOX', country: 'TG' },
      ...{ settings: {}, secrets: (await provisioned(mtn.url, new URL(app.url).hostname)).secrets },
    })
    expect((await cli('gateway', 'steps', 'mtn_tg_sandbox')).out).toContain(
      '[?] The operator’s own test numbers: MTN MoMo publishes none of TG',
    )
  })

  it('is no refusal of the operator where an imitation refused', async () => {
    await app.owner`
      insert into ip_whitelist (merchant_id, id, ip_address)
      values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
    const { data } = await shop.post('/payouts/initialize/', {
      ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      ...{ recipient: { msisdn: '+2290133123457' }, preferred_gateway: code },
    })
    await shop.becomes(data.id, 'FAILED', 30_000)
    const { out } = await cli('gateway', 'steps', code)
    expect(out).toContain('[ ] One payout to nobody, refused: mtn_bj_sandbox speaks to 127.0.0.1')
  })

  it('says which of the operator’s own numbers were tried, and how they ended', async () => {
    const { out } = await cli('gateway', 'steps', code)
    expect(out).toContain('[ ] The operator’s own test numbers: 1 of 30 tried; any other number')
    expect(out).toMatch(
      /^ {8}\+2290133123457 {2}payee not found: FAILED RECIPIENT_NOT_FOUND, 20\d\d/m,
    )
    // The same number of a payer was not.
    expect(out).toMatch(/mtn_bj COLLECT\n(?: .*\n)*? {8}\+2290133123457 {2}not allowed\n/)
    const french = await cli('--language', 'fr', 'gateway', 'steps', code)
    expect(french.out).toContain('opérateur\u00a0: une tentative pour 1 sur 30\u00a0; tout autre')
    expect(french.out).toMatch(/payee not found\u00a0: FAILED RECIPIENT_NOT_FOUND, \d\d\/\d\d\/20/)
  })

  it('that has seen nothing, or speaks to an imitation, proves nothing', async () => {
    const paid = await shop.pay({ customer: newPayer('10'), preferred_gateway: code })
    await shop.becomes(paid.data.id, 'SUCCESS')
    const ran = await verify()
    expect(ran.code).not.toBe(0)
    expect(ran.err).toContain('which is none of the operator’s hosts')
    expect(lines().every(({ sandbox }) => sandbox === null)).toBe(true)
    expect((await cli('gateway', 'steps', code)).out).toContain('[ ] One collection: mtn_bj')
  })

  it('whose numbers were all tried is done with them, where the operator itself was asked', async () => {
    const known = mtnAdapter.tests.numbers.filter(({ network }) => network === 'mtn_bj')
    const rows = known.map(({ direction, number }) => ({ direction, number }))
    // As if each had been sent: the one that was, with other numbers.
    await app.owner`
      insert into attempts
      select (jsonb_populate_record(null::attempts, to_jsonb(a) || jsonb_build_object(
               'id', gen_random_uuid(), 'our_key', gen_random_uuid()::text,
               'direction', n.direction, 'operation_msisdn', n.number))).*
        from json_to_recordset(${JSON.stringify(rows)}::text::json)
               as n (direction text, number text)
       cross join (select a.* from attempts a join gateways g on g.id = a.gateway_id
                    where g.code = ${code} and a.status = 'FAILED' limit 1) as a`
    const numbers = async () => {
      const { out } = await cli('gateway', 'steps', code)
      return /^.*own test numbers.*$/m.exec(out)?.[0]
    }
    expect(await numbers()).toMatch(/^\[ \] .*: mtn_bj_sandbox speaks to 127\.0\.0\.1/)
    await atTheOperator()
    expect(await numbers()).toMatch(/^\[x\] .*: 30 of 30 tried; any other number succeeds$/)
  })

  it('proves what it has seen there, and no more', async () => {
    await atTheOperator()
    expect((await verify('live')).err).toContain(`${code} is of SANDBOX, not live`)
    const ran = await verify()
    expect(ran.code, ran.err).toBe(0)
    const [collect, payOut, refund, callbacks, reversal, other] = lines()
    expect(collect?.sandbox).toMatchObject({ by: 'Ada', amount: expect.stringMatching(/ XOF$/) })
    expect(callbacks?.sandbox).not.toBe(null)
    expect([payOut, refund, reversal, other].map((one) => one?.sandbox)).toEqual(
      Array.from({ length: 4 }, () => null),
    )
    expect(lines().every(({ live }) => live === null)).toBe(true)
    expect(faultsOf(lines() as Claim[], evidenceIn)).toEqual([])
    const evidence = readFileSync(join(folder, 'evidence', collect?.sandbox.evidence), 'utf8')
    expect(JSON.parse(evidence)).toMatchObject({
      ...{ operator: 'MTN MoMo', ability: 'collect', account: code, environment: 'SANDBOX' },
      host: 'sandbox.momodeveloper.mtn.com',
    })
    expect(evidence).not.toMatch(/\+?229\d{6,}/)
    expect((await cli('gateway', 'steps', code)).out).toContain('[x] One collection: seen 20')
  })

  it('that has seen nothing new says so, and changes nothing', async () => {
    const was = readFileSync(join(folder, 'verified.json'), 'utf8')
    const ran = await verify()
    expect(ran.code).not.toBe(0)
    expect(ran.out).toContain('Nothing new was seen')
    expect(readFileSync(join(folder, 'verified.json'), 'utf8')).toBe(was)
  })

  it('proves a payout that came back, once it has', async () => {
    await app.owner`
      update gateways set settings = settings || ${app.owner.json({ base_url: mtn.url })}
       where code = ${code}`
    await app.owner`update catalogue_version set version = version + 1`
    const payout = { amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' }
    const { data } = await shop.post('/payouts/initialize/', {
      ...{ ...payout, recipient: { msisdn: newPayer('10').phone }, preferred_gateway: code },
    })
    await shop.becomes(data.id, 'SUCCESS', 30_000)
    await atTheOperator()
    await app.owner`
      insert into payout_reversals (merchant_id, id, environment, transaction_id, attempt_id, note,
        proposed_by, confirmed_by, status, due_at, ended_at)
      select a.merchant_id, gen_random_uuid(), a.environment, a.transaction_id, a.id, 'a test',
             gen_random_uuid(), gen_random_uuid(), 'SUCCESS', null, now()
        from attempts a where a.transaction_id = ${data.id}`
    const ran = await verify()
    expect(ran.code, ran.err).toBe(0)
    expect(ran.out).toContain('pay out, reversal of payouts')
    expect(faultsOf(lines() as Claim[], evidenceIn)).toEqual([])
    const { out } = await cli('gateway', 'steps', code)
    expect(out).toContain('[x] One payout: seen 20')
  })

  it('that was at an imitation before proves nothing by what it saw there', async () => {
    expect((await cli('gateway', 'steps', code)).out).toContain('[x] One collection: seen 20')
    await app.owner`
      update gateways
         set settings = settings || ${app.owner.json({ base_url: mtn.url })}, is_active = false,
             updated_at = now() - interval '2 minutes'
       where code = ${code}`
    const set = await cli('gateway', 'set', code, 'base_url=https://sandbox.momodeveloper.mtn.com')
    expect([set.code, set.err]).toEqual([0, ''])
    const { out } = await cli('gateway', 'steps', code)
    expect(out).toContain('[ ] One collection: not seen')
    expect(out).toContain('[ ] One payout: not seen')
    expect(out).toContain('[ ] One payout to nobody, refused: no refusal')
    const ran = await verify()
    expect([ran.code, ran.out]).toEqual([1, expect.stringContaining('Nothing new was seen')])
  })

  it('shows staff the same by the API', async () => {
    const [row] = await app.owner<{ id: string; other: string }[]>`
      select id, (select id from gateways where adapter = 'simulator' limit 1) as other
        from gateways where code = ${code}`
    const path = `/admin/gateways/${row?.id}/steps/`
    const clerk = await heldToPublished(await app.staff({ role: 'SUPPORT' }))
    const { status, data } = await clerk.get(path)
    expect([status, data.code]).toEqual([200, code])
    expect(data).toEqual(JSON.parse((await cli('--json', 'gateway', 'steps', code)).out))
    const [check] = data.steps
    expect(check).toMatchObject({ step: 'Check of the account', is: 'TO_DO', numbers: [] })
    const theirs = data.steps.find(({ numbers }: Json) => numbers.length > 0)
    expect(theirs.numbers).toHaveLength(30)
    expect(theirs.numbers[0]).toEqual({
      ...{ network: 'mtn_bj', direction: 'COLLECT', number: '+2290133123450', outcome: 'failed' },
      tried: null,
    })
    const french = await clerk.get(path, { 'accept-language': 'fr' })
    expect(french.data.steps[0]).toMatchObject({
      step: 'Check of the account',
      title: 'Vérification du compte',
    })
    const codeOf = async (where: string, headers = {}) => {
      const reply = await clerk.get(where, headers)
      return [reply.status, reply.error?.code]
    }
    expect(await codeOf(path, { 'x-environment': 'LIVE' })).toEqual([404, 'not_found'])
    expect(await codeOf(`/admin/gateways/${shop.merchant_id}/steps/`)).toEqual([404, 'not_found'])
    const simulated = `/admin/gateways/${row?.other}/steps/`
    expect(await codeOf(simulated)).toEqual([409, 'gateway_without_settings'])
    expect((await shop.get(path)).status).toBe(403)
  })

  it('of LIVE has more steps: secrets, limits and a route', async () => {
    await app.owner`update gateways set environment = 'LIVE' where code = ${code}`
    const { out } = await cli('gateway', 'steps', code)
    expect(out).toContain('[x] Secrets of LIVE: promoted')
    // A payment needs the route; more than the first ones come with its priority.
    expect(out.indexOf('A route on')).toBeLessThan(out.indexOf('One collection'))
    await app.owner`
      update gateway_secrets set state = 'NEXT'
       where gateway_id = (select id from gateways where code = ${code})`
    expect((await cli('gateway', 'steps', code)).out).toMatch(
      /^\[ \] Check of the account: run: npm run cli -- gateway check mtn_bj_sandbox --next\n/,
    )
    expect(out).toContain('[ ] Little at once, for 72 hours: no limit')
    expect(out).toContain('[?] The operator’s file of that day compared')
  })
})

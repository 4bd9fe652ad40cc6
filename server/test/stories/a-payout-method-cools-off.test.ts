// Where a merchant's money may go: said by its members, fixed once said, and in LIVE usable only
// after a time in which its owners can notice.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { getUsablePayoutMethod } from '../../src/merchants/payout-methods/get-payout-method.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { readPublished } from '../published.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

const path = '/merchant-payout-methods/'
const codeOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {})]

const mobile = {
  country: 'BJ',
  type: 'MOBILE_MONEY',
  network: 'mtn_bj',
  msisdn: '01 97 00 00 10',
  label: 'Till',
}
const iban = 'BJ06 6010 0100 1443 9000 0769'
const bank = {
  country: 'BJ',
  type: 'BANK_ACCOUNT',
  bank_name: 'Bank of the Gulf',
  account_number: iban,
  account_name: 'Boutique Awa',
}

async function add(member: Shop, body: object = mobile): Promise<Json> {
  const reply = await member.post(path, body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.data
}

const patch = (member: Shop, id: string, body: object) =>
  member.call('PATCH', `${path}${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

async function liveMember(options: Parameters<TestApp['member']>[0] = {}): Promise<SignedInCaller> {
  const merchant_id = options.merchant_id ?? (await app.shop({ live: true })).merchant_id
  return app.member({ second_factor: 'FRESH', ...options, merchant_id })
}

const hours = ({ usable_from, created_at }: Json) =>
  (Date.parse(usable_from) - Date.parse(created_at)) / 3_600_000

/** What whoever pays to it is told. */
async function useOf({ merchant_id }: Shop, id: string) {
  try {
    return await getUsablePayoutMethod(app.service.db, merchant_id, id)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { row, retryable, detail } = error
    return { code: row.code, status: row.status, retryable, retry_after_s: detail.retry_after_s }
  }
}

const send = (by: Shop, [method, at, body]: readonly [string, string, object?], headers = {}) =>
  by.call(method, at, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  })

const actsOn = (id: string) => app.owner`
  select actor_id, environment, action, before, after from audit_logs
   where target_kind = 'payout_method' and target_id = ${id} order by id`

describe('a payout method', () => {
  it('of mobile money keeps the number as E.164, and is written down masked', async () => {
    const member = await app.member({ role: 'ADMIN' })
    const method = await add(member, { ...mobile, country: 'bj', bank_name: 'x', iban })
    expect(method).toEqual({
      id: expect.any(String),
      merchant: member.merchant_id,
      country: 'BJ',
      type: 'MOBILE_MONEY',
      label: 'Till',
      network: 'mtn_bj',
      msisdn: '+2290197000010',
      bank_name: null,
      account_number: null,
      account_name: null,
      usable_from: method.created_at,
      is_usable: true,
      created_by_member: member.person_id,
      created_at: expect.any(String),
      updated_at: method.created_at,
    })
    expect((await member.get(`${path}${method.id}/`)).data).toEqual(method)
    expect((await member.get(path)).data.results).toEqual([method])
    const [act] = await actsOn(method.id)
    expect(act).toMatchObject({
      actor_id: member.person_id,
      environment: null,
      action: 'payout_method.added',
      before: null,
      after: { country: 'BJ', network: 'mtn_bj', label: 'Till' },
    })
    expect(JSON.stringify(act)).not.toContain('0197000010')
  })

  it('of a bank shows the last 4 of its account, and whoever pays knows all of it', async () => {
    const member = await app.member()
    const method = await add(member, bank)
    expect(method).toMatchObject({
      label: '',
      network: null,
      msisdn: null,
      bank_name: 'Bank of the Gulf',
      account_number: '****0769',
      account_name: 'Boutique Awa',
    })
    const bare = iban.replaceAll(' ', '')
    const refusals = [
      await member.get(path),
      await member.get(`${path}${method.id}/`),
      await patch(member, method.id, { label: 'Bank' }),
      await actsOn(method.id),
    ]
    expect(JSON.stringify(refusals)).not.toContain(bare.slice(4, -4))
    expect(await useOf(member, method.id)).toMatchObject({ account_number: bare, is_usable: true })
  })

  it('has its label changed and nothing else, and goes when it is deleted', async () => {
    const member = await app.member()
    const method = await add(member)
    const request = { label: 'Till 2', msisdn: '+2290197000099', network: 'moov_bj', type: 'x' }
    const { status, data } = await patch(member, method.id, request)
    expect(status).toBe(200)
    expect(data).toEqual({ ...method, label: 'Till 2', updated_at: expect.any(String) })
    expect((await patch(member, method.id, { label: 'Till 2' })).data).toEqual(data)
    expect((await patch(member, method.id, {})).data).toEqual(data)
    expect(fieldsOf(await patch(member, method.id, { label: 'x'.repeat(101) }))).toEqual([
      400,
      ['label'],
    ])
    const gone = await member.call('DELETE', `${path}${method.id}/`)
    expect([gone.status, gone.body]).toEqual([204, undefined])
    for (const reply of [
      await member.get(`${path}${method.id}/`),
      await patch(member, method.id, { label: 'x' }),
      await member.call('DELETE', `${path}${method.id}/`),
    ]) {
      expect(codeOf(reply)).toEqual([404, 'not_found'])
    }
    expect((await member.get(path)).data.count).toBe(0)
    expect(await useOf(member, method.id)).toMatchObject({ code: 'not_found' })
    const rows = await app.owner`select id from payout_methods where id = ${method.id}`
    expect(rows.count).toBe(1)
    expect(await actsOn(method.id)).toMatchObject([
      { action: 'payout_method.added' },
      {
        action: 'payout_method.changed',
        before: { label: 'Till' },
        after: { label: 'Till 2' },
      },
      { action: 'payout_method.removed', before: { label: 'Till 2' }, after: null },
    ])
  })

  it.each([
    [{ type: undefined }, ['type']],
    [{ type: 'CASH' }, ['type']],
    [{ country: undefined }, ['country']],
    [{ country: 'BEN' }, ['country']],
    [{ country: 7 }, ['country']],
    [{ label: 7 }, ['label']],
    [{ network: undefined }, ['network']],
    [{ network: null, msisdn: null }, ['network', 'msisdn']],
    [{ msisdn: '' }, ['msisdn']],
    [{ msisdn: '12' }, ['msisdn']],
    [{ msisdn: '+221770000010' }, ['msisdn']],
    [{ msisdn: 'my phone' }, ['msisdn']],
    [{ type: 'BANK_ACCOUNT' }, ['bank_name', 'account_number']],
    [{ ...bank, bank_name: ' ' }, ['bank_name']],
    [{ ...bank, account_number: '1234' }, ['account_number']],
    [{ ...bank, account_number: '1234-5678-#' }, ['account_number']],
    [{ ...bank, account_name: 'x'.repeat(151) }, ['account_name']],
  ])('is refused by field: %j', async (wrong, fields) => {
    const member = await app.member()
    const { status, error } = await member.post(path, { ...mobile, ...wrong })
    expect([status, new Set(Object.keys(error))]).toEqual([400, new Set(fields)])
    expect((await member.get(path)).data.count).toBe(0)
  })

  it.each([
    [{ country: 'FR' }, 'invalid_country'],
    [{ ...bank, country: 'ZZ' }, 'invalid_country'],
    [{ network: 'nobody' }, 'invalid_method'],
    [{ network: 'orange_sn' }, 'invalid_method'],
    [{ network: 'coris_bj' }, 'invalid_method'],
    [{ country: 'FR', network: 'nobody', msisdn: '12' }, 'invalid_country'],
    [{ network: 'nobody', msisdn: '12' }, 'invalid_method'],
  ])('is refused where we do not pay: %j', async (wrong, code) => {
    const member = await app.member()
    expect(codeOf(await member.post(path, { ...mobile, ...wrong }))).toEqual([422, code])
  })

  it('is refused on a network that takes no payouts', async () => {
    const [network] = await app.owner`
      select n.code, c.iso_code from networks n join countries c on c.id = n.country_id
       where n.is_active and not n.takes_payouts limit 1`
    const member = await app.member()
    const body = { ...mobile, country: network?.['iso_code'], network: network?.['code'] }
    expect(codeOf(await member.post(path, body))).toEqual([422, 'payout_not_enabled'])
  })

  it('is one of a hundred at most, however many come at once', async () => {
    const member = await app.member()
    const replies = await Promise.all(
      Array.from({ length: 110 }, () => untilServed(() => member.post(path, bank))),
    )
    const refused = replies.filter(({ status }) => status !== 201)
    expect(refused.map((one) => codeOf(one).join())).toEqual(
      Array(10).fill('409,payout_method_limit_reached'),
    )
    await member.call('DELETE', `${path}${replies.find((one) => one.status === 201)?.data.id}/`)
    await add(member)
  }, 60_000)

  it('is found by country, type, words and order', async () => {
    const member = await app.member()
    await add(member)
    await add(member, { ...bank, label: 'Main' })
    await add(member, { ...bank, country: 'SN', label: 'Sénégal' })
    const labels = async (query: string) =>
      (await member.get(path + query)).data.results.map(({ label }: Json) => label)
    expect(await labels('')).toEqual(['Sénégal', 'Main', 'Till'])
    expect(await labels('?country=bj')).toEqual(['Main', 'Till'])
    expect(await labels('?country=XX')).toEqual([])
    expect(await labels('?type=BANK_ACCOUNT')).toEqual(['Sénégal', 'Main'])
    expect(await labels('?search=AWA&country=SN')).toEqual(['Sénégal'])
    expect(await labels('?search=769')).toEqual([])
    expect(await labels('?ordering=label&page_size=1&page=3')).toEqual(['Till'])
    expect(fieldsOf(await member.get(`${path}?type=x&ordering=msisdn`))).toEqual([
      400,
      ['type', 'ordering'],
    ])
    expect(codeOf(await member.get(`${path}?page=2`))).toEqual([404, 'not_found'])
  })
})

describe('the cooling-off', () => {
  it('is a day where LIVE is open, and whoever pays is told how long to wait', async () => {
    const member = await liveMember()
    const method = await add(member)
    expect(hours(method)).toBe(24)
    expect(method.is_usable).toBe(false)
    const usage = await useOf(member, method.id)
    expect(usage).toMatchObject({ code: 'payout_method_cooling_off', status: 422, retryable: true })
    const wait_s = 'retry_after_s' in usage ? Number(usage.retry_after_s) : 0
    expect(wait_s).toBeGreaterThan(86_300)
    expect(wait_s).toBeLessThanOrEqual(86_400)
    await app.owner`
      update payout_methods set usable_from = now() - interval '1 ms' where id = ${method.id}`
    expect(await useOf(member, method.id)).toMatchObject({ id: method.id, network_code: 'mtn_bj' })
    expect((await member.get(`${path}${method.id}/`)).data.is_usable).toBe(true)
    // A new name starts no new wait.
    expect((await patch(member, method.id, { label: 'x' })).data.is_usable).toBe(true)
  })

  it.each([0, 1, 720])('is what the merchant’s own setting says: %i hours', async (setting) => {
    const member = await liveMember()
    await app.owner`
      update merchants set cooling_off_hours = ${setting} where id = ${member.merchant_id}`
    const method = await add(member)
    expect([hours(method), method.is_usable]).toEqual([setting, setting === 0])
  })

  it('is nothing where LIVE is not open, whatever is set', async () => {
    const member = await app.member()
    await app.owner`
      update merchants set cooling_off_hours = 72 where id = ${member.merchant_id}`
    // Ten, because a moment that is rounded up lies ahead half of the time.
    for (let n = 0; n < 10; n += 1) {
      const method = await add(member)
      expect([hours(method), method.is_usable]).toEqual([0, true])
      expect(await useOf(member, method.id)).toMatchObject({ id: method.id })
    }
  })

  it('of everybody is a setting of the platform', async () => {
    const other = await app.another({ ROLE: 'api', PAYOUT_METHOD_COOLING_HOURS: '3' })
    const member = await liveMember()
    const reply = await fetch(`${other.public_url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${member.key}`,
        'x-merchant': member.merchant_id,
        'content-type': 'application/json',
      },
      body: JSON.stringify(mobile),
    })
    const { data }: Json = await reply.json()
    expect(hours(data)).toBe(3)
    await other.stop()
  })

  it('is told to the owners, without the whole number', async () => {
    const owner = await liveMember()
    const admin = await liveMember({ merchant_id: owner.merchant_id, role: 'ADMIN' })
    await add(admin)
    await add(admin, bank)
    const emails = (await emailsWaiting(app)).filter(({ to }) => to === owner.email)
    expect(emails).toHaveLength(2)
    expect(emails[0]?.text).toContain('+229***10')
    expect(emails[1]?.text).toContain('Bank of the Gulf ****0769')
    expect(JSON.stringify(emails)).not.toMatch(/0197000010|1443/)
    const sandbox = await app.member()
    await add(sandbox)
    const all = await emailsWaiting(app)
    expect(all.filter(({ to }) => to === sandbox.email)).toEqual([])
  })
})

describe('the interface', () => {
  it('answers as published, refusals too', async () => {
    const published = await readPublished()
    const member = await app.member()
    const statusOf = async (method: string, at: string, body?: object) => {
      const operation = published.operationAt(method, at)
      if (operation === undefined) throw new Error(`${method} ${at} is not published`)
      const reply = await send(member, body === undefined ? [method, at] : [method, at, body])
      expect(published.faultsOf(operation, reply), `${method} ${at}`).toEqual([])
      return reply
    }
    const { data } = await statusOf('POST', path, mobile)
    const one = `${path}${data.id}/`
    const statuses = [
      await statusOf('POST', path, bank),
      await statusOf('POST', path, { ...mobile, msisdn: '12' }),
      await statusOf('POST', path, { ...mobile, network: 'nobody' }),
      await statusOf('POST', path, { ...mobile, country: 'ZZ' }),
      await statusOf('GET', path),
      await statusOf('GET', `${path}?type=x`),
      await statusOf('GET', one),
      await statusOf('PATCH', one, { label: 'x' }),
      await statusOf('PATCH', one, { label: 1 }),
      await statusOf('DELETE', one),
      await statusOf('GET', one),
    ].map(({ status }) => status)
    expect(statuses).toEqual([201, 400, 422, 422, 200, 400, 200, 200, 400, 204, 404])
  })
})

describe('who may', () => {
  const writes = (id: string): (readonly [string, string, object?])[] => [
    ['POST', path, mobile],
    ['PATCH', `${path}${id}/`, { label: 'x' }],
    ['DELETE', `${path}${id}/`],
  ]
  const reads = (id: string): (readonly [string, string, object?])[] => [
    ['GET', path],
    ['GET', `${path}${id}/`],
  ]
  it('never is an API key: it must not send the money to itself', async () => {
    const member = await app.member()
    const { id } = await add(member)
    const key = await app.shop({ merchant_id: member.merchant_id })
    for (const call of [...writes(id), ...reads(id)]) {
      expect(codeOf(await send(key, call))).toEqual([403, 'dashboard_only'])
    }
  })

  it.each(['DEVELOPER', 'FINANCE', 'VIEWER'] as const)('%s: reads only', async (role) => {
    const owner = await app.member()
    const { id } = await add(owner)
    const member = await app.member({ merchant_id: owner.merchant_id, role })
    for (const call of reads(id)) expect((await send(member, call)).status).toBe(200)
    for (const call of writes(id)) {
      expect(codeOf(await send(member, call))).toEqual([403, 'permission_denied'])
    }
  })

  it.each(['NONE', 'STALE'] as const)(
    'change, once LIVE is open: with a code just given, in either environment (%s)',
    async (second_factor) => {
      const owner = await liveMember()
      const { id } = await add(owner)
      const member = await liveMember({ merchant_id: owner.merchant_id, second_factor })
      for (const environment of ['SANDBOX', 'LIVE']) {
        for (const call of writes(id)) {
          const reply = await send(member, call, { 'x-environment': environment })
          expect(codeOf(reply)).toEqual([403, 'totp_required'])
        }
        const seen = await member.get(path, { 'x-environment': environment })
        expect(seen.data.count).toBe(1)
      }
    },
  )

  it('is nobody of another merchant, and an id that nobody has is not found', async () => {
    const [member, stranger] = [await app.member(), await app.member()]
    const { id } = await add(member)
    const answers = async (named: string) => {
      const calls = [...reads(named).slice(1), ...writes(named).slice(1)]
      const replies = await Promise.all(calls.map((call) => send(stranger, call)))
      return [...new Set(replies.map((reply) => codeOf(reply).join()))]
    }
    expect(await answers(id)).toEqual(['403,permission_denied'])
    expect(await answers(newId())).toEqual(['404,not_found'])
    expect(await answers('nonsense')).toEqual(['404,not_found'])
    expect((await stranger.get(path)).data.count).toBe(0)
    expect(await useOf(stranger, id)).toMatchObject({ code: 'permission_denied', status: 403 })
    expect(await useOf(stranger, newId())).toMatchObject({ code: 'not_found', status: 404 })
    expect(await useOf(stranger, 'nonsense')).toMatchObject({ code: 'not_found', status: 404 })
  })

  it('is nobody without a session, and of a suspended merchant reads only', async () => {
    expect((await fetch(`${app.url}/api/v1${path}`)).status).toBe(401)
    const member = await app.member()
    const { id } = await add(member)
    await suspendMerchant(app.owner, member.merchant_id, 'papers missing')
    for (const call of reads(id)) expect((await send(member, call)).status).toBe(200)
    for (const call of writes(id)) {
      expect(codeOf(await send(member, call))).toEqual([403, 'merchant_suspended'])
    }
  })
})

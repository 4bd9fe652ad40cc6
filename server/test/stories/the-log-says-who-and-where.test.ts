// The log lets an operator follow an attack: each answer says from where and by whose key or
// session, each refusal of a sign-in, a code or a right is a security event, and nothing of a row
// or of a person's data stands in it (docs/security/logging.md).

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { metricsOn } from '../../src/app/metrics.ts'
import { makeLog } from '../../src/platform/log.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'

const texts: string[] = []
const log = makeLog('info', { write: (text: string) => void texts.push(text) })
const lines = (): Json[] => texts.map((text) => JSON.parse(text))
let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp({ log, env: { LIMIT_LOGIN_PER_EMAIL_10MIN: '3' } })
  shop = await app.shop()
})
afterAll(() => app.stop())

/** The line of the answer to a call with this id; a request ends before its line is written. */
const lineOf = (request_id: string) =>
  eventually(async () => {
    const found = lines().find((line) => line.request_id === request_id && 'status' in line)
    if (found === undefined) throw new Error(`no line of ${request_id}`)
    return found
  })

async function counted(kind: string): Promise<number> {
  const text = await metricsOn(app.service.db)()
  return Number(new RegExp(`security_events_total{kind="${kind}"} (\\d+)`).exec(text)?.[1])
}

const login = (body: Record<string, unknown>, id: string) =>
  shopWith(app.url, '', '').post('/auth/login/', body, {
    'x-request-id': id,
    authorization: '',
  })

describe('the line of an answer', () => {
  it('says from where, by which key, by what program, and what came of it', async () => {
    const { phone } = newPayer()
    const agent = { 'user-agent': `curl/8 "x" \u00e9 ${'y'.repeat(500)}` }
    await shop.get(`/customers/?search=${encodeURIComponent(phone)}`, {
      'x-request-id': 'by-key',
      ...agent,
    })
    const [key] = await app.owner`
      select id from api_keys where merchant_id = ${shop.merchant_id}`
    const line = await lineOf('by-key')
    expect(line).toMatchObject({
      msg: 'answered',
      level: 30,
      method: 'GET',
      route: '/api/v1/customers/',
      status: 200,
      ip: '127.0.0.1',
      merchant_id: shop.merchant_id,
      environment: 'SANDBOX',
      api_key_id: key?.['id'],
    })
    expect(line.ua).toMatch(/^curl\/8 "x" \? y+$/)
    expect(line.ua).toHaveLength(120)
    expect(texts.join()).not.toContain(phone)
  })

  it('names the member or the person of a session', async () => {
    const member = await app.member()
    await member.get('/merchant-balances/', { 'x-request-id': 'by-member' })
    expect(await lineOf('by-member')).toMatchObject({ merchant_id: member.merchant_id })
    expect((await lineOf('by-member')).member_id).toBeTruthy()
    const staff = await app.staff()
    await staff.get('/admin/merchants/', { 'x-request-id': 'by-staff' })
    expect(await lineOf('by-staff')).toMatchObject({
      person_id: staff.person_id,
      session_id: staff.session_id,
    })
  })

  it('says why a call was refused, also one that is kept under its key, and its replay', async () => {
    const { phone } = newPayer()
    const payment = { amount: '5000', currency: 'XOF', country: 'BJ', network: 'mtn' }
    const call = { ...payment, customer: { phone } }
    const key = { 'idempotency-key': 'no such network' }
    const pay = (id: string, headers = {}) =>
      shop.post('/payments/softpay/initialize/', call, { 'x-request-id': id, ...headers })
    await pay('keyless')
    await pay('keyed', key)
    await pay('replayed', key)
    for (const id of ['keyless', 'keyed', 'replayed']) {
      expect(await lineOf(id), id).toMatchObject({ status: 422, refused: 'invalid_method' })
    }
  })

  it('stays one line whatever a caller puts into their id and their headers', async () => {
    const reply = await shop.get('/networks/', { 'x-request-id': 'x"} {"level":60,"msg":"forged' })
    const own = reply.headers.get('x-request-id') ?? ''
    expect(own).toMatch(/^[\da-f-]{36}$/)
    await lineOf(own)
    expect(texts.join()).not.toContain('forged')
    expect(texts.every((text) => text.trimEnd().split('\n').length === 1)).toBe(true)
  })
})

describe('a security event', () => {
  it('is a refused sign-in, with the e-mail masked', async () => {
    const before = await counted('sign_in_refused')
    const email = 'awa.diop@shop.example'
    await login({ email, password: 'not her password' }, 'sign-in')
    expect(await lineOf('sign-in')).toMatchObject({
      level: 40,
      security: 'sign_in_refused',
      refused: 'not_authenticated',
      email: 'a***@shop.example',
      ip: '127.0.0.1',
    })
    expect(await counted('sign_in_refused')).toBe(before + 1)
    expect(texts.join()).not.toContain(email)
    expect(texts.join()).not.toContain('not her password')
  })

  it('is a limit that is met', async () => {
    const email = 'somebody@else.example'
    for (const n of [1, 2, 3, 4]) await login({ email, password: 'wrong again' }, `limit-${n}`)
    expect(await lineOf('limit-4')).toMatchObject({ status: 429, security: 'rate_limited' })
    expect(await counted('rate_limited')).toBeGreaterThan(0)
  })

  it('is a wrong code, a dead credential and a right that is not there', async () => {
    const member = await app.member({ role: 'VIEWER', second_factor: 'STALE' })
    const code = { code: '000000' }
    const unknown = shopWith(app.url, '', `sk_test_${'x'.repeat(43)}`)
    await unknown.get('/merchant-balances/', { 'x-request-id': 'dead' })
    await member.post('/merchant-api-keys/', {}, { 'x-request-id': 'denied' })
    expect(await lineOf('dead')).toMatchObject({ security: 'credential_refused', status: 401 })
    expect(await lineOf('denied')).toMatchObject({ security: 'access_denied', status: 403 })
    await app.owner`update people set sealed_totp = null, totp_enrolled_at = null
                       where id = ${member.person_id}`
    await member.post('/auth/totp/enrol/', { password: member.password })
    await member.post('/auth/totp/confirm/', code, { 'x-request-id': 'code' })
    expect(await lineOf('code')).toMatchObject({ security: 'code_refused', status: 400 })
  })
})

describe('a browser that comes for the first time', () => {
  it('asks who is logged in, which is no security event', async () => {
    const before = await counted('credential_refused')
    const ask = (id: string, headers = {}) =>
      fetch(`${app.url}/api/v1/auth/me/`, { headers: { 'x-request-id': id, ...headers } })
    expect((await ask('first-visit')).status).toBe(401)
    const line = await lineOf('first-visit')
    expect(line).toMatchObject({ level: 30, status: 401, refused: 'not_authenticated' })
    expect(line).not.toHaveProperty('security')
    expect(await counted('credential_refused')).toBe(before)
    // One that brings a dead session is.
    const cookie = `pirogue_member=${'x'.repeat(43)}`
    await ask('dead-cookie', { cookie, 'x-requested-with': 'pirogue' })
    expect(await lineOf('dead-cookie')).toMatchObject({ security: 'credential_refused' })
  })
})

describe('security.txt', () => {
  it('says where a weakness is reported, where the operator has said it', async () => {
    const at = '/.well-known/security.txt'
    const absent = await fetch(app.url + at)
    expect(absent.status).toBe(404)
    const PUBLIC_URL = 'https://pay.example.com'
    const SECURITY_CONTACT = 'mailto:security@pay.example.com'
    const own = await app.another({ PUBLIC_URL, SECURITY_CONTACT, ROLE: 'api' })
    const there = await fetch(`http://127.0.0.1:${own.port}${at}`)
    expect(there.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const text = await there.text()
    expect(text).toMatch(/^Contact: mailto:security@pay\.example\.com\nExpires: [\d-]+T00:00:00/)
    expect(text).toContain(`Canonical: ${PUBLIC_URL}${at}\n`)
    const [, expires = ''] = /^Expires: (.*)$/m.exec(text) ?? []
    const days = (Date.parse(expires) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(178)
    expect(days).toBeLessThan(181)
    await own.stop()
  })
})

describe('an error of the database', () => {
  it('tells its code and its rule, never the row, where a job meets it', async () => {
    const payer = newPayer()
    await app.owner`alter table delivery_marks add constraint never check (seq < 0) not valid`
    await shop.pay({ customer: payer })
    const failed = await eventually(async () => {
      const found = lines().find((line) => line.msg.startsWith('job went on without one'))
      if (found === undefined) throw new Error('no job has failed')
      return found
    })
    expect(failed.err).toMatchObject({ error_code: '23514', constraint: 'never' })
    expect(failed).toMatchObject({ job: 'sequence-events', about: `${shop.merchant_id} SANDBOX` })
    expect(failed.err.stack).toContain('at ')
    for (const hidden of [
      'Failing row',
      payer.phone,
      payer.phone.slice(4),
      '"detail"',
      '"query"',
    ]) {
      expect(JSON.stringify(failed)).not.toContain(hidden)
    }
    await app.owner`alter table delivery_marks drop constraint never`
  })

  it('tells nothing of a value that a column refused', async () => {
    const error: unknown = await app.owner`select ${'+22997000001'}::text::uuid`.catch(
      (thrown: unknown) => thrown,
    )
    log.error({ err: error }, 'planted')
    const line = lines().find(({ msg }) => msg === 'planted')
    expect(line.err).toMatchObject({ error_code: '22P02', message: 'a value was refused' })
    expect(JSON.stringify(line)).not.toContain('22997000001')
  })
})

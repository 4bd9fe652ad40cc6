// An operator changes which sums it takes. What it takes no longer is an alarm first and counts a
// day later, or when staff accept it; what it takes again counts at once; and an answer that cannot
// be meant changes nothing. Sums outside go by another route, or are refused before anything is sent.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Pawapay, startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import { usageFindings } from '../../src/app/check-usage.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import type { Gateway } from '../../src/gateways/gateway.ts'
import { pawapayAdapter } from '../../src/gateways/pawapay/pawapay-gateway.ts'
import type { AmountRule } from '../../src/gateways/published.ts'
import { keepRules, readOperatorRules } from '../../src/gateways/read-operator-rules.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { pawapayAccount } from '../setup/pawapay-account.ts'

const code = 'pawapay_limits'

let app: TestApp
let pawapay: Pawapay
let staff: SignedInCaller
let shop: Shop
let gateway_id: string
const route_ids: Record<string, string> = {}

beforeAll(async () => {
  app = await startApp()
  await app.another()
  pawapay = await startPawapay({ port: 0, speed: 4 })
  staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = pawapayAccount(pawapay)
  const account = await addAccount(deps, pawapayAdapter, {
    ...{ code, name: 'pawaPay', environment: 'SANDBOX', country: 'BJ', settings, secrets },
  })
  gateway_id = account.id
  for (const direction of ['COLLECT', 'DISBURSE']) {
    const made = await staff.post('/admin/routes/', {
      ...{ network: 'mtn_bj', gateway: code, direction, priority: 9 },
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    route_ids[direction] = made.data.id
  }
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '1000000' })
}, 60_000)
afterAll(async () => {
  await app?.stop()
  await pawapay?.stop()
})

const wake = (job: string) => app.owner.notify('pirogue_wake', `a-story ${job}`)
const looked = async (): Promise<number> => {
  const [row] = await app.owner<{ at: number }[]>`
    select extract(epoch from nullif(rules_read_at, '-infinity'))::float8 as at
      from gateways where id = ${gateway_id}`
  return row?.at ?? 0
}

/** As if a day had passed since the last question. */
async function nextReading(): Promise<void> {
  const before = await looked()
  await app.owner`
    update gateways set rules_asked_at = now() - interval '27 hours',
                        rules_read_at = least(rules_read_at, now() - interval '27 hours')
     where id = ${gateway_id}`
  // A process that does not know the account yet passes it over.
  await eventually(async () => {
    await wake('read-operator-limits')
    expect(await looked()).toBeGreaterThan(before)
  })
}

/** As if so many hours of its notice had passed. */
async function hoursPass(hours: number): Promise<void> {
  await app.owner`update operator_rules set next_at = next_at - ${hours} * interval '1 hour'`
  await wake('apply-operator-limits')
}

const takes = (least: string, most: string, operation: 'deposits' | 'payouts' = 'deposits') =>
  pawapay.setCondition('MTN_MOMO_BEN', operation, { limits: { least, most } })

const routeOf = async (direction = 'COLLECT'): Promise<Json> =>
  (await staff.get(`/admin/routes/${route_ids[direction]}/`)).data
const limitsOf = async (direction = 'COLLECT'): Promise<Json> =>
  (await routeOf(direction)).operator_limits

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(name))
  return Number(line?.split(' ').at(-1) ?? 0)
}
const alarms = (alarm: string) =>
  metric(`pirogue_operator_limits_alarms_total{gateway="${code}",alarm="${alarm}"`)

const acts = async (action: string): Promise<Json[]> => {
  const rows = await app.owner<{ after: Json }[]>`
    select after from audit_logs
     where target_id = ${gateway_id} and action = ${action} and after->>'network' = 'mtn_bj'
     order by created_at, id`
  return rows.map(({ after }) => after)
}

const pay = (amount: string, headers: Record<string, string> = {}) =>
  shop.pay({ amount, customer: newPayer('10'), preferred_gateway: code }, headers)

const payOut = () =>
  shop.post('/payouts/initialize/', {
    ...{ amount: '10000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer('10').phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  })

/** Which gateway takes it; its sum with the fee is a little more. */
async function takenBy(amount: string): Promise<string> {
  const { data, status, body } = await pay(amount)
  expect(status, JSON.stringify(body)).toBe(201)
  const [row] = await app.owner<{ code: string }[]>`
    select g.code from attempts a join gateways g on g.id = a.gateway_id
     where a.transaction_id = ${data.id} order by a.created_at limit 1`
  return row?.code ?? ''
}

const finding = async () =>
  (await usageFindings(app.service.db, { id: gateway_id, code })).find(
    ({ what }) => what.en === 'limits as published',
  )

describe('what an operator takes', () => {
  it('is read for the first time, and counts a day later because a route is on', async () => {
    await nextReading()
    const limits = await limitsOf()
    expect(limits).toMatchObject({
      ...{ least: null, most: null, step: '1.00' },
      next: { least: '1.00', most: '2000000.00' },
    })
    const hours = (Date.parse(limits.next.counts_from) - Date.parse(limits.as_of)) / 3_600_000
    expect(hours).toBe(24)
    expect(await takenBy('5000')).toBe(code)
    await hoursPass(25)
    await eventually(async () => {
      expect(await limitsOf()).toMatchObject({ least: '1.00', most: '2000000.00', next: null })
    })
    expect(await takenBy('5000')).toBe(code)
  })

  it('is asked once a day by one of several processes', async () => {
    const before = await looked()
    await wake('read-operator-limits')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await looked()).toBe(before)
  })

  it('and takes no longer is an alarm that day, and counts the next', async () => {
    const before = await alarms('NARROWER')
    takes('1', '20000')
    await nextReading()
    expect(await limitsOf()).toMatchObject({
      ...{ least: '1.00', most: '2000000.00' },
      next: { least: '1.00', most: '20000.00' },
    })
    expect(await alarms('NARROWER')).toBe(before + 1)
    expect((await acts('operator_limits.narrowed')).at(-1)).toMatchObject({
      ...{ network: 'mtn_bj', direction: 'COLLECT', most: '20000.00' },
      counts_from: expect.stringMatching(/Z$/),
    })
    expect(await finding()).toMatchObject({
      is: 'WARN',
      found: { en: expect.stringContaining('mtn_bj COLLECT from ') },
      fix: { fr: expect.stringContaining('accept-limits') },
    })
    expect(await takenBy('30000')).toBe(code)
    await nextReading() // the same again is no news, and does not put its hour off
    expect(await alarms('NARROWER')).toBe(before + 1)
    await hoursPass(25)
    await eventually(async () => {
      expect(await limitsOf()).toMatchObject({ most: '20000.00', next: null })
    })
    expect((await acts('operator_limits.changed')).at(-1)).toMatchObject({ most: '20000.00' })
    expect(await finding()).toMatchObject({ is: 'PASS' })
  })

  it('is asked again within the hour while something narrower waits: one slip never counts', async () => {
    takes('1', '100')
    await nextReading()
    expect(await limitsOf()).toMatchObject({ most: '20000.00', next: { most: '100.00' } })
    takes('1', '20000')
    await hoursPass(1)
    await app.owner`
      update gateways set rules_asked_at = rules_asked_at - interval '61 minutes',
                          rules_read_at = rules_read_at - interval '61 minutes'
       where id = ${gateway_id}`
    await eventually(async () => {
      await wake('read-operator-limits')
      expect(await limitsOf()).toMatchObject({ most: '20000.00', next: null })
    })
  })

  it('sends what lies outside by another route, and what lies within as before', async () => {
    expect(await takenBy('15000')).toBe(code)
    expect(await takenBy('30000')).toMatch(/^simulator_/)
  })

  it('refuses what no route takes, in both languages, before anything is sent', async () => {
    await app.owner`update routes set is_active = false
      where network_id = (select id from networks where code = 'mtn_bj')
        and environment = 'SANDBOX' and gateway_id <> ${gateway_id}`
    await app.owner`update catalogue_version set version = version + 1`
    const sent = pawapay.books().length
    const much = await pay('30000')
    expect(much.status).toBe(400)
    expect(JSON.stringify(much.body)).toContain('Use a smaller amount')
    takes('10000', '20000')
    await nextReading()
    const accepted = await staff.post(`/admin/routes/${route_ids['COLLECT']}/accept-limits/`, {})
    expect(accepted.status, JSON.stringify(accepted.body)).toBe(200)
    expect(accepted.data.operator_limits).toMatchObject({ least: '10000.00', next: null })
    const little = await pay('5000', { 'accept-language': 'fr' })
    expect(little.status).toBe(400)
    expect(JSON.stringify(little.body)).toContain('une si petite somme')
    expect(pawapay.books().length).toBe(sent)
    expect(await takenBy('15000')).toBe(code)
  })

  it('again counts at once', async () => {
    takes('1', '2000000')
    await nextReading()
    expect(await limitsOf()).toMatchObject({ least: '1.00', most: '2000000.00', next: null })
    expect(await takenBy('30000')).toBe(code)
    expect(await takenBy('5000')).toBe(code)
  })

  it('of payouts keeps one from a route that does not take it', async () => {
    takes('1', '3000', 'payouts')
    await nextReading()
    await staff.post(`/admin/routes/${route_ids['DISBURSE']}/accept-limits/`, {})
    const out = await payOut()
    expect(out.status).toBe(400)
    expect(JSON.stringify(out.body)).toContain('smaller sums')
    takes('50000', '90000', 'payouts')
    await nextReading()
    await staff.post(`/admin/routes/${route_ids['DISBURSE']}/accept-limits/`, {})
    const little = await payOut()
    expect(little.status).toBe(400)
    expect(JSON.stringify(little.body)).toContain('Pay out a larger sum')
  })
})

const rule = (changes: Partial<AmountRule> = {}): AmountRule => ({
  ...{ network_code: 'mtn_bj', direction: 'COLLECT', currency: 'XOF', step: 100n },
  ...{ least: 100n, most: 200_000_000n, is_readable: true },
  ...changes,
})

describe('an answer', () => {
  const due = () => ({ id: gateway_id, environment: 'SANDBOX' as const, asked_at: new Date() })
  const keep = (told: readonly AmountRule[]) => keepRules({ db: app.service.db }, due(), told)

  it('that cannot be meant changes nothing and is named; what is beside it counts', async () => {
    const was = await limitsOf()
    for (const [odd, why] of [
      [[rule({ least: 900n, most: 100n })], 'least above most'],
      [[rule({ least: null, is_readable: false })], 'limits that are no sums'],
      [[rule({ least: null, most: null })], 'no limits'],
      [[rule(), rule({ most: 500n })], 'named twice'],
    ] as const) {
      const seen = await keep([...odd, rule({ direction: 'DISBURSE' })])
      expect([...seen.odd]).toEqual([['mtn_bj COLLECT', why]])
      const now = await limitsOf()
      expect([now.least, now.most, now.next]).toEqual([was.least, was.most, null])
      expect(await limitsOf('DISBURSE')).toMatchObject({ most: '2000000.00' })
    }
    expect(await finding()).toMatchObject({
      is: 'WARN',
      found: { en: expect.stringMatching(/^cannot be meant.*: mtn_bj COLLECT$/) },
    })
  })

  it('of another step than the route’s is an alarm, and the route’s stays', async () => {
    const seen = await keep([rule({ step: 70n })])
    expect([...seen.odd.keys()]).toEqual(['mtn_bj COLLECT'])
    expect(await routeOf()).toMatchObject({ operator_limits: { step: '0.70' } })
    expect((await routeOf()).amount_step).not.toBe('0.70')
  })

  it('that comes late is not kept in place of a later one', async () => {
    const late = { ...due(), asked_at: new Date(Date.now() - 600_000) }
    const was = await limitsOf()
    const seen = await keepRules({ db: app.service.db }, late, [rule({ most: 100n })])
    expect([seen.odd.size, seen.narrower]).toEqual([0, []])
    expect(await limitsOf()).toEqual(was)
  })

  it('in another currency than the network’s, or of no network of ours, is passed over', async () => {
    const was = await limitsOf()
    await keep([rule({ currency: 'USD', most: 1n }), rule({ network_code: 'nobody', most: 1n })])
    expect(await limitsOf()).toEqual(was)
  })

  it('that fails, or is empty, is an alarm and keeps no other from being read', async () => {
    const seen: string[] = []
    // Whom no worker asks, since they publish nothing.
    const rows = await app.owner<{ code: string; id: string }[]>`
      select code, id from gateways where code in ('simulator_a', 'simulator_b')`
    const row_ids = new Map(rows.map((row) => [row.code, row.id]))
    const tells = (name: string, rules: () => Promise<AmountRule[] | undefined>) =>
      ({ code: name, rules }) as unknown as Gateway
    for (const answer of [
      () => Promise.reject(new Error('cut')),
      async () => [],
      async () => undefined,
    ]) {
      await app.owner`update gateways set rules_asked_at = '-infinity'`
      const all = [
        tells('simulator_b', answer),
        tells('simulator_a', async () => [rule({ most: 700n })]),
      ]
      await readOperatorRules({
        ...{ db: app.service.db, row_ids, gateways: { all: () => all, get: () => undefined } },
        onAlarm: (name, alarm) => void seen.push(`${name} ${alarm}`),
      })
    }
    expect(seen.filter((one) => one === 'simulator_b UNREAD')).toHaveLength(3)
    expect(seen).not.toContain('simulator_a UNREAD')
    expect(await metric('pirogue_oldest_operator_limits_seconds')).toBeGreaterThan(0)
  })
})

describe('staff', () => {
  it('who may not steer routes accept nothing, nor what is not there', async () => {
    const path = `/admin/routes/${route_ids['COLLECT']}/accept-limits/`
    const support = await app.staff({ role: 'SUPPORT' })
    expect((await support.post(path, {})).status).toBe(403)
    expect((await shop.post(path, {})).status).toBe(403)
    expect((await staff.post(path, {})).status).toBe(200)
    const nobody = '/admin/routes/01981f3a-0000-7000-8000-000000000000/accept-limits/'
    expect((await staff.post(nobody, {})).status).toBe(404)
  })
})

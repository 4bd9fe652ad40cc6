// Today at a glance: what ended until now beside the same weekday a week before until the same time,
// equal to the daily report, and what waits for somebody. An hour that is over is read once.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keptHours } from '../../src/reports/overview/hours.ts'
import { listEnded } from '../../src/reports/overview/store.ts'
import {
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { plantIncident } from '../setup/transaction-rows.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'FINANCE' })
})
afterAll(() => app?.stop())

async function openShop(): Promise<Shop> {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '1000000' })
  return shop
}

async function paid(shop: Shop, changes: Record<string, unknown> = {}): Promise<string> {
  const { data, body, status } = await shop.pay({ customer: newPayer(), ...changes })
  expect(status, JSON.stringify(body)).toBe(201)
  await shop.becomes(data.id, 'SUCCESS')
  return data.id
}

async function failed(shop: Shop, magic = '01'): Promise<string> {
  const { data } = await shop.pay({ customer: newPayer(magic) })
  await shop.becomes(data.id, 'FAILED')
  return data.id
}

async function glance(shop: Shop, query = ''): Promise<Json> {
  const { status, data, body } = await shop.get(`/overview/${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return data
}

const payOut = (shop: Shop, amount = '5000', magic = '10') =>
  shop.post('/payouts/initialize/', {
    ...{ amount, currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: newPayer(magic).phone },
  })

/** The end of a payment, as if it had come at another time. */
const endedAt = (id: string, moment: Date) => app.owner`
  update transaction_status_logs set created_at = ${moment}
   where transaction_id = ${id} and to_status in ('SUCCESS', 'FAILED')`

/** As its later success leaves a failure. */
const withoutCause = (id: string) => app.owner`
  update attempts set failure_code = '', failure_message = '' where transaction_id = ${id}`

const empty = {
  ...{ succeeded: 0, ended: 0, success_percent: null, taken: '0.00' },
  ...{ payouts: 0, paid_out: '0.00', fees: '0.00' },
}

describe('today', () => {
  it('of somebody who has done nothing yet is empty', async () => {
    const { as_of, date, compared_date, ...rest } = await glance(await app.shop())
    const nothing = { countries: [], balances: [], attention: [], interruptions: [] }
    expect(rest).toEqual({ time_zone: 'UTC', ...nothing })
    expect(Date.parse(date) - Date.parse(compared_date)).toBe(7 * 86_400_000)
    expect(Math.abs(Date.parse(as_of) - Date.parse(date))).toBeLessThan(2 * 86_400_000)
  })

  it('counts what ended, by country and network, and equals the daily report', async () => {
    const shop = await openShop()
    await paid(shop)
    await paid(shop, { network: 'moov_bj', amount: '7000' })
    await paid(shop, { country: 'CI', network: 'mtn_ci', customer: { phone: '+2250501020310' } })
    await failed(shop)
    const out = await payOut(shop)
    await shop.becomes(out.data.id, 'SUCCESS')
    const { data: waiting } = await shop.pay({ customer: newPayer('04') })
    const seen = await glance(shop)
    const [bj, ci] = seen.countries
    expect([bj.country, ci.country]).toEqual(['BJ', 'CI'])
    expect(bj.today).toMatchObject({
      ...{ succeeded: 2, ended: 3, success_percent: null, taken: '12000.00' },
      ...{ payouts: 1, paid_out: '4825.00' },
    })
    expect(bj.compared).toEqual(empty)
    expect(bj.change).toMatchObject({
      ...{ succeeded: 2, success_points: null, taken: '12000.00', paid_out: '4825.00' },
    })
    expect(bj.failures).toEqual([
      { code: expect.any(String), message: expect.stringMatching(/\w+/), count: 1, percent: 100 },
    ])
    const [moov, mtn] = bj.networks
    expect(moov).toMatchObject({
      ...{ network: 'moov_bj', succeeded: 1, ended: 1, taken: '7000.00' },
      pending: { count: 0, amount: '0.00', oldest_at: null },
    })
    expect(mtn).toMatchObject({
      ...{ network: 'mtn_bj', succeeded: 1, ended: 2, taken: '5000.00' },
      pending: { count: 1, amount: '5000.00', oldest_at: expect.any(String) },
    })
    expect(seen.attention).toEqual([
      { kind: 'PAYMENT_PENDING', count: 1, oldest_at: mtn.pending.oldest_at },
    ])
    await expectDailyReport(shop, seen)
    expect(seen.balances).toEqual((await shop.get('/merchant-balances/')).data.results)
    expect((await glance(shop, '?country=ci')).countries).toEqual([ci])
    await shop.post(`/sandbox/transactions/${waiting.id}/resolve/`, { outcome: 'SUCCESS' })
  })

  /** Of each country, and the hours of a day are the day. */
  async function expectDailyReport(shop: Shop, seen: Json): Promise<void> {
    const { data } = await shop.get(`/reports/daily/?date=${seen.date}`)
    for (const { country, today, points } of seen.countries) {
      const rows = data.transactions.filter((row: Json) => row.country === country)
      const sum = (type: string, figure: string) =>
        rows
          .filter((row: Json) => row.type === type)
          .reduce((total: number, row: Json) => total + Number(row[figure]), 0)
      expect(today).toMatchObject({
        ...{ succeeded: sum('PAIEMENT', 'count'), payouts: sum('RETRAIT', 'count') },
        taken: sum('PAIEMENT', 'requested').toFixed(2),
        paid_out: sum('RETRAIT', 'net').toFixed(2),
        fees: (sum('PAIEMENT', 'fees') + sum('RETRAIT', 'fees')).toFixed(2),
      })
      const taken = points.reduce((total: number, point: Json) => total + Number(point.taken), 0)
      expect(taken.toFixed(2)).toBe(today.taken)
    }
  }

  it('says a share once twenty have ended, in whole percent', async () => {
    const shop = await openShop()
    await Promise.all(Array.from({ length: 18 }, () => paid(shop, { amount: '500' })))
    await failed(shop)
    expect((await glance(shop)).countries[0].today.success_percent).toBe(null)
    await failed(shop)
    const [{ today, networks }] = (await glance(shop)).countries
    expect([today.ended, today.success_percent, networks[0].success_percent]).toEqual([20, 90, 90])
  })

  it('says by how many points that share differs, once twenty had ended then too', async () => {
    const shop = await openShop()
    const many = (count: number) =>
      Promise.all(Array.from({ length: count }, () => paid(shop, { amount: '500' })))
    const { date } = await glance(await app.shop())
    const begun = new Date(Date.parse(`${date}T00:00:00.500Z`) - 7 * 86_400_000)
    for (const id of await many(20)) await endedAt(id, begun)
    await many(17)
    for (const magic of ['01', '01', '02']) await failed(shop, magic)
    const [{ today, compared, change, failures }] = (await glance(shop)).countries
    expect([compared.success_percent, today.success_percent]).toEqual([100, 85])
    expect(change).toMatchObject({ succeeded: -3, success_points: -15 })
    expect(failures.map(({ count, percent }: Json) => [count, percent])).toEqual([
      ...[[2, 67] as const, [1, 33] as const],
    ])
  })

  it('lists no cause of what failed first and succeeded afterwards, which has none', async () => {
    const shop = await openShop()
    await withoutCause(await failed(shop))
    await failed(shop)
    const [{ today, failures }] = (await glance(shop)).countries
    expect(today.ended).toBe(2)
    expect(failures.map(({ code, count, percent }: Json) => [code, count, percent])).toEqual([
      ['INSUFFICIENT_FUNDS', 1, 50],
    ])
  })

  it('beside the same weekday a week before, until the same time and not after it', async () => {
    const shop = await openShop()
    const ids = [await paid(shop), await paid(shop), await paid(shop, { amount: '900' })]
    // Of another: what this one looked at before it was there would be kept.
    const { as_of, date } = await glance(await app.shop())
    const week_ms = 7 * 86_400_000
    const [now_ms, from_ms] = [Date.parse(as_of), Date.parse(`${date}T00:00:00Z`)]
    const half_ms = Math.floor((now_ms - from_ms) / 2)
    await endedAt(ids[0] ?? '', new Date(from_ms - week_ms + half_ms))
    await endedAt(ids[1] ?? '', new Date(now_ms - week_ms + 3_600_000))
    const [{ today, compared, change, points }] = (await glance(shop)).countries
    expect([today.taken, compared.taken, change.taken]).toEqual(['900.00', '5000.00', '-4100.00'])
    expect(change.succeeded).toBe(0)
    const heights = points.map((point: Json) => Math.max(point.height, point.compared_height))
    expect(Math.max(...heights)).toBe(100)
  })
})

describe('what waits', () => {
  it('is named, the gravest first', async () => {
    const shop = await openShop()
    const owner = await app.member({ merchant_id: shop.merchant_id })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '50000' })
    await payOut(shop, '60000')
    const { data: unknown } = await payOut(shop, '5000', '05')
    // Nobody asks about it meanwhile, however long that is.
    await app.owner`
      update attempts set due_at = now() + interval '1 hour' where transaction_id = ${unknown.id}`
    expect((await glance(shop)).attention.map(({ kind }: Json) => kind)).not.toContain(
      'PAYOUT_UNKNOWN',
    )
    await app.owner`
      update transactions set created_at = now() - interval '16 minutes'
       where id = ${unknown.id}`
    await owner.post('/merchant-webhooks/', { url: 'https://hooks.example.com/gone' })
    await app.owner`
      update webhooks set switched_off_reason = 'GONE', is_active = false
       where merchant_id = ${shop.merchant_id}`
    const { results } = (await shop.get('/merchant-balances/')).data
    await staff.post(`/admin/balances/${results[0].id}/freeze/`, { reason: 'Asked by the bank' })
    const { attention } = await glance(shop)
    expect(attention).toEqual([
      { kind: 'PAYOUT_APPROVAL', count: 1, oldest_at: expect.any(String) },
      { kind: 'PAYOUT_UNKNOWN', count: 1, oldest_at: expect.any(String) },
      { kind: 'WEBHOOK_OFF', count: 1, oldest_at: expect.any(String) },
      { kind: 'BALANCE_FROZEN', count: 1, oldest_at: null },
    ])
    expect((await glance(await app.shop())).attention).toEqual([])
  })
})

describe('what is contradicted, and an endpoint that fails', () => {
  it('is named while it is so, each payment once, and found in the list', async () => {
    const shop = await openShop()
    const [one, other] = [await paid(shop), await failed(shop)]
    const { data: out } = await payOut(shop)
    await shop.becomes(out.id, 'SUCCESS')
    await contradict(one, 'AMOUNT_MISMATCH')
    await contradict(one, 'REVERSED_AFTER_SUCCESS')
    await contradict(other, 'OUTCOME_UNKNOWN')
    await contradict(out.id, 'AMOUNT_MISMATCH')
    expect((await glance(shop)).attention).toEqual([
      { kind: 'PAYOUT_INCIDENT', count: 1, oldest_at: expect.any(String) },
      { kind: 'PAYMENT_INCIDENT', count: 1, oldest_at: expect.any(String) },
    ])
    expect((await glance(shop, '?country=CI')).attention).toEqual([])
    expect((await glance(await app.shop())).attention).toEqual([])
    const listed = async (query: string, which = 'OPEN') =>
      (await shop.get(`/transactions/?incident=${which}${query}`)).data.results.map(
        ({ id }: Json) => id,
      )
    expect(await listed('')).toEqual([out.id, other, one])
    expect(await listed('', 'CONTRADICTED')).toEqual([out.id, one])
    expect(await listed('&flow_direction=INBOUND&status=FAILED')).toEqual([other])
    expect(await listed('&transaction_type=RETRAIT')).toEqual([out.id])
    // Seen once its last incident is resolved, the money of none of them is moved here.
    await app.owner`
      update incidents set status = 'RESOLVED', resolution = 'WRITE_OFF', resolved_at = now(),
             proposed_by = gen_random_uuid(), confirmed_by = gen_random_uuid()
       where merchant_id = ${shop.merchant_id} and transaction_id <> ${other}`
    expect(await listed('')).toEqual([other])
    expect(await listed('', 'CONTRADICTED')).toEqual([])
    expect((await glance(shop)).attention).toEqual([])
  })

  async function contradict(id: string, type: string): Promise<void> {
    const [attempt] = await app.owner<{ merchant_id: string; id: string }[]>`
      select merchant_id, id from attempts where transaction_id = ${id}`
    if (attempt === undefined) throw new Error('no attempt')
    const { merchant_id } = attempt
    await plantIncident(app.owner, { merchant_id, id }, attempt, { type })
  }

  it('is named from its first failure on, while it is on', async () => {
    const shop = await openShop()
    const owner = await app.member({ merchant_id: shop.merchant_id })
    for (const path of ['one', 'other']) {
      await owner.post('/merchant-webhooks/', { url: `https://hooks.example.com/${path}` })
    }
    expect((await glance(shop)).attention).toEqual([])
    const since = '2026-11-20T09:12:00.000Z'
    const of = app.owner`merchant_id = ${shop.merchant_id}`
    await app.owner`update webhooks set failing_since = now() where ${of}`
    await app.owner`
      update webhooks set failing_since = ${since} where ${of} and url like '%/other'`
    const [{ kind, count, oldest_at }] = (await glance(shop)).attention
    expect([kind, count, oldest_at]).toEqual(['WEBHOOK_FAILING', 2, since])
    await app.owner`
      update webhooks set is_active = false, switched_off_reason = 'FAILING'
       where ${of} and url like '%/other'`
    expect((await glance(shop)).attention.map(({ kind, count }: Json) => [kind, count])).toEqual([
      ['WEBHOOK_OFF', 1],
      ['WEBHOOK_FAILING', 1],
    ])
    await app.owner`update webhooks set failing_since = null where ${of}`
    const { attention } = await glance(shop)
    expect(attention.map((one: Json) => one.kind)).toEqual(['WEBHOOK_OFF'])
  })
})

describe('an hour that is over', () => {
  it('is read once, and is what reading it again gives; the last one is always read', async () => {
    const shop = await openShop()
    const owner = { merchant_id: shop.merchant_id, environment: 'SANDBOX' } as const
    const now = new Date()
    const from = new Date(now.getTime() - 4.5 * 3_600_000)
    const hoursOf = keptHours()
    const old = await paid(shop)
    await endedAt(old, new Date(from.getTime() + 60_000))
    const read = () => hoursOf(app.service.db, owner, { from, to: new Date() }, new Date())
    const countsOf = (hours: Awaited<ReturnType<typeof read>>) =>
      hours.map(({ lines }) => lines.reduce((sum, { count }) => sum + count, 0))
    expect(countsOf(await read())).toEqual([1, 0, 0, 0, 0])
    await paid(shop)
    expect(countsOf(await read())).toEqual([1, 0, 0, 0, 1])
    const again = await keptHours()(app.service.db, owner, { from, to: new Date() }, new Date())
    expect(await read()).toEqual(again)
    // Nothing of ours moves it; moved all the same it shows that the hour is not read again.
    await endedAt(old, new Date(from.getTime() - 60_000))
    expect(countsOf(await read())).toEqual([1, 0, 0, 0, 1])
  })

  it('until it has settled is read again: what ends in it may be committed late', async () => {
    const shop = await openShop()
    const owner = { merchant_id: shop.merchant_id, environment: 'SANDBOX' } as const
    const hoursOf = keptHours()
    const to = new Date()
    const from = new Date(to.getTime() - 3_600_000)
    const read = () => hoursOf(app.service.db, owner, { from, to }, to)
    expect((await read()).map(({ lines }) => lines.length)).toEqual([0])
    await endedAt(await paid(shop), new Date(to.getTime() - 1_000))
    expect((await read()).map(({ lines }) => lines.length)).toEqual([1])
  })

  it('and none is of another merchant or environment', async () => {
    const [one, other] = [await openShop(), await openShop()]
    await paid(one)
    const span = { from: new Date(Date.now() - 3_600_000), to: new Date() }
    const { merchant_id } = other
    for (const environment of ['SANDBOX', 'LIVE'] as const) {
      expect(await listEnded(app.service.db, { merchant_id, environment }, span)).toEqual([])
    }
    const own = { merchant_id: one.merchant_id, environment: 'LIVE' } as const
    expect(await listEnded(app.service.db, own, span)).toEqual([])
  })
})

it('is refused a country that is none, and whoever has no credential', async () => {
  const shop = await app.shop()
  const { status, error } = await shop.get('/overview/?country=Benin')
  expect([status, Object.keys(error)]).toEqual([400, ['country']])
  expect((await fetch(`${app.url}/api/v1/overview/`)).status).toBe(401)
})

describe('what does not work', () => {
  it('is named where the shop is at home or has money, in the language of the caller', async () => {
    const [shop, home] = [await app.shop(), await openShop()]
    await app.owner`update merchants set country = 'CI' where id = ${shop.merchant_id}`
    await app.owner`
      insert into route_health (route_id, turned_at, broken_since, skip_until)
      select r.id, now(), now() - interval '5 minutes', now() + interval '1 hour'
        from routes r join networks n on n.id = r.network_id
       where n.code in ('moov_ci', 'moov_bj') and r.direction = 'COLLECT'
      on conflict (route_id) do update set broken_since = excluded.broken_since`
    await app.owner`update routes set breaker = true`
    const seen = async (of: Shop, query = '') =>
      (await glance(of, query)).interruptions.map(({ network }: Json) => network)
    // Rows that were just read are served for some seconds.
    await expect.poll(() => seen(shop), { timeout: 30_000 }).toEqual(['moov_ci'])
    expect(await seen(home)).toEqual(['moov_bj'])
    expect(await seen(home, '?country=CI')).toEqual([])
    expect((await glance(shop)).interruptions).toEqual([
      {
        ...{ country: 'CI', network: 'moov_ci', direction: 'COLLECT', status: 'CLOSED' },
        ...{ since: expect.any(String), message: expect.stringMatching(/ does not answer\.$/) },
      },
    ])
    await app.owner`update route_health set broken_since = null`
    await expect.poll(() => seen(home), { timeout: 30_000 }).toEqual([])
    // Staff switch both off: whoever has used one this week is shown it, and nobody else.
    await paid(home, { network: 'moov_bj', amount: '7000' })
    await app.owner`
      update routes set is_active = false
       where network_id in (select id from networks where code in ('moov_bj', 'moov_ci'))`
    await expect.poll(() => seen(home), { timeout: 30_000 }).toContain('moov_bj')
    expect(await seen(shop)).toEqual([])
    await app.owner`update routes set is_active = true`
  })
})

// A merchant's day ends at midnight of its own clocks (contract 8.20): in reports, journal, files,
// documents and pages; through summer time and changes of zone each moment is of one day.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { codeOf, fieldsOf } from '../setup/membership.ts'
import { textOf } from '../setup/pdf-text.ts'
import { dailyReport, inHundredths, readCsv } from '../setup/report-days.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

const change = (by: Shop, body: unknown) =>
  by.call('PATCH', '/merchant/', {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

async function shopOf(country: string): Promise<Shop> {
  const shop = await app.shop()
  await app.owner`update merchants set country = ${country} where id = ${shop.merchant_id}`
  return shop
}

/** The zones of a merchant, each from the day on which it was to begin. */
async function plantZones(
  { merchant_id }: Shop,
  zones: readonly (readonly [from_day: string, zone: string])[],
): Promise<void> {
  for (const [from_day, zone] of zones) {
    await app.owner`
      insert into merchant_time_zones (merchant_id, from_day, from_at, zone)
      values (${merchant_id}, ${from_day}::date,
        case when ${from_day} = '0001-01-01' then '0001-01-01 00:00:00+00'::timestamptz
             else start_of_merchants_day(${merchant_id}, ${from_day}::date) end, ${zone})`
  }
}

/** One entry of a franc at each of these moments, and nothing else. */
async function plantEntries({ merchant_id, post }: Shop, moments: readonly Date[]): Promise<void> {
  await post('/sandbox/balances/', { country: 'BJ', amount: '1' })
  await app.owner`
    insert into ledger_entries (merchant_id, id, environment, country, debit_account,
      credit_account, amount, currency, cause_kind, cause_id, line, available_change, entry_no,
      balance_after, created_at)
    select e.merchant_id,
           (left(uuid_floor(m.at)::text, 14) || substr(gen_random_uuid()::text, 15))::uuid,
           e.environment, e.country, e.debit_account, e.credit_account, 100, e.currency,
           e.cause_kind, gen_random_uuid(), 1, 100, m.no, 100 * m.no, m.at
      from ledger_entries e
      join unnest(${moments.map((at) => at.toISOString()).sort()}::timestamptz[])
        with ordinality as m (at, no) on true
     where e.merchant_id = ${merchant_id}`
  await app.owner`
    delete from ledger_entries where merchant_id = ${merchant_id} and created_at > now() - interval '1 hour'`
}

const hour_ms = 3_600_000
const hoursOf = (from: string, count: number): Date[] =>
  Array.from({ length: count }, (_, at) => new Date(Date.parse(from) + at * hour_ms))

const datesOf = (from: string, to: string): string[] => {
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1
  return hoursOf(from, days * 24)
    .filter((_, at) => at % 24 === 0)
    .map((at) => at.toISOString().slice(0, 10))
}

const countOf = (report: Json): number => report.balances[0]?.movements[0]?.count ?? 0

const journal = (shop: Shop, from: string, to: string, more = '') =>
  readCsv(app, shop, `/reports/journal/?from=${from}&to=${to}${more}`)

const todayIn = (zone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date())

describe('the zone of a merchant', () => {
  it('is that of its country, from its first day on', async () => {
    const signed = await shopOf('BJ')
    const { data } = await signed.get('/merchant/')
    expect(data).toMatchObject({ time_zone: 'Africa/Porto-Novo', time_zone_change: null })
    expect((await (await shopOf('SN')).get('/merchant/')).data.time_zone).toBe('Africa/Dakar')
    const nowhere = await app.shop()
    expect((await nowhere.get('/merchant/')).data.time_zone).toBe('UTC')
  })

  it('is another from the next local midnight on, and may be taken back until then', async () => {
    const owner = await heldToPublished(await app.member())
    await app.owner`update merchants set country = 'BJ' where id = ${owner.merchant_id}`
    const asked = await change(owner, { time_zone: 'europe/paris' })
    const midnight = `${todayIn('Africa/Porto-Novo')}T23:00:00.000Z`
    const to_come = { time_zone: 'Europe/Paris', effective_at: midnight }
    expect([asked.status, asked.data]).toMatchObject([
      200,
      { time_zone: 'Africa/Porto-Novo', time_zone_change: to_come },
    ])
    // Whoever is signed in reads the one of now.
    const { merchants } = (await owner.get('/auth/me/')).data
    expect(merchants).toMatchObject([{ time_zone: 'Africa/Porto-Novo' }])
    const again = await change(owner, { time_zone: 'Africa/Casablanca' })
    expect(again.data.time_zone_change).toEqual({ ...to_come, time_zone: 'Africa/Casablanca' })
    // What changes nothing leaves no line.
    await change(owner, { time_zone: 'Africa/Casablanca' })
    expect((await change(owner, { name: 'Autre nom' })).data.time_zone_change).not.toBeNull()
    const back = await change(owner, { time_zone: 'Africa/Porto-Novo' })
    expect(back.data).toMatchObject({ time_zone: 'Africa/Porto-Novo', time_zone_change: null })
    const acts = await app.owner<Json[]>`
      select after -> 'time_zone' as zone from audit_logs
       where merchant_id = ${owner.merchant_id} and after ? 'time_zone' order by id`
    expect(acts.map(({ zone }) => zone)).toEqual([
      ...['Europe/Paris', 'Africa/Casablanca', 'Africa/Porto-Novo'],
    ])
  })

  it('is one of two that come at once, and the history stays whole', async () => {
    const owner = await app.member()
    const zones = ['Europe/Paris', 'Africa/Casablanca']
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        untilServed(() => change(owner, { time_zone: zones[at % 2] })),
      ),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    const { time_zone, time_zone_change } = (await owner.get('/merchant/')).data
    expect([time_zone, zones.includes(time_zone_change.time_zone)]).toEqual(['UTC', true])
    const rows = await app.owner`
      select 1 from merchant_time_zones where merchant_id = ${owner.merchant_id}`
    expect(rows.count).toBe(2)
  })

  it('is a name that both we and the database know, set by whoever may', async () => {
    const owner = await heldToPublished(await app.member())
    const wrong = ['', 'Paris', 'Mars/Base', '+01:00', 'EST5EDT,M3', 'posix/Africa/Lagos', "x'"]
    for (const time_zone of [...wrong, 'A/'.repeat(40), 7]) {
      expect(fieldsOf(await change(owner, { time_zone })), String(time_zone)).toEqual([
        400,
        ['time_zone'],
      ])
    }
    const finance = await app.member({ merchant_id: owner.merchant_id, role: 'FINANCE' })
    const shop = await app.shop({ merchant_id: owner.merchant_id })
    const body = { time_zone: 'Europe/Paris' }
    expect(codeOf(await change(finance, body))).toEqual([403, 'permission_denied'])
    expect(codeOf(await change(shop, body))).toEqual([403, 'dashboard_only'])
    expect((await owner.get('/merchant/')).data.time_zone_change).toBeNull()
  })
})

describe('a day', () => {
  it('ends at the merchant’s midnight, and the answer names the zone', async () => {
    const shop = await heldToPublished(await shopOf('BJ'))
    const before = '2026-11-10T22:59:59.999Z'
    const after = '2026-11-10T23:00:00.000Z'
    await plantEntries(shop, [new Date(before), new Date(after), new Date(after)])
    const report = await dailyReport(shop, '2026-11-10')
    expect(report).toMatchObject({ time_zone: 'Africa/Porto-Novo', provisional: false })
    expect([countOf(report), countOf(await dailyReport(shop, '2026-11-11'))]).toEqual([1, 2])
    const { rows } = await journal(shop, '2026-11-10', '2026-11-11')
    expect(rows.map(({ date, time_zone }) => [date, time_zone])).toEqual([
      ...Array.from({ length: 2 }, () => ['2026-11-10', 'Africa/Porto-Novo']),
      ...Array.from({ length: 4 }, () => ['2026-11-11', 'Africa/Porto-Novo']),
    ])
    const csv = await readCsv(app, shop, '/reports/daily/?date=2026-11-11&format=csv')
    const that_day = { date: '2026-11-11', time_zone: 'Africa/Porto-Novo' }
    expect(csv.rows).toMatchObject([that_day, { ...that_day, movement: 'SANDBOX' }])
  })

  it.each([
    ['Europe/Paris', '2026-03-28T23:00:00Z', '2026-03-29', 23],
    ['Europe/Paris', '2026-10-24T22:00:00Z', '2026-10-25', 25],
    // The clocks of Morocco go back for Ramadan, and forward after it.
    ['Africa/Casablanca', '2026-02-14T23:00:00Z', '2026-02-15', 25],
    ['Africa/Casablanca', '2026-03-22T00:00:00Z', '2026-03-22', 23],
    // At midnight itself: one that is skipped, one that is there twice.
    ['Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24', 23],
    ['America/Havana', '2026-11-01T04:00:00Z', '2026-11-01', 25],
  ])('of %s that begins at %s counts all of its payments once', async (zone, from, date, count) => {
    const shop = await app.shop()
    await plantZones(shop, [['0001-01-01', zone]])
    await plantEntries(shop, hoursOf(from, count + 24).concat(new Date(Date.parse(from) - 1)))
    expect(countOf(await dailyReport(shop, date))).toBe(count)
    const { rows } = await journal(shop, date, date)
    expect(rows).toHaveLength(2 * count)
    expect(new Set(rows.map((row) => row['date']))).toEqual(new Set([date]))
  })

  it('keeps the zone it had when another one follows', async () => {
    const shop = await app.shop()
    const change_day = '2026-11-05'
    await plantZones(shop, [
      ['0001-01-01', 'Africa/Porto-Novo'],
      [change_day, 'America/New_York'],
    ])
    // From 23:00 UTC on it is the fifth, and until New York's midnight, at 05:00 of the sixth.
    await plantEntries(shop, hoursOf('2026-11-04T00:00:00Z', 72))
    const counts = ['2026-11-03', '2026-11-04', change_day, '2026-11-06'].map(async (date) => {
      const report = await dailyReport(shop, date)
      return [countOf(report), report.time_zone]
    })
    expect(await Promise.all(counts)).toEqual([
      [0, 'Africa/Porto-Novo'],
      [23, 'Africa/Porto-Novo'],
      [30, 'America/New_York'],
      [19, 'America/New_York'],
    ])
  })

  it('is of one day each: days sum to their range, whatever zones follow each other', async () => {
    const zone = fc.constantFrom(
      ...['UTC', 'Africa/Porto-Novo', 'Africa/Casablanca', 'Europe/Paris', 'America/New_York'],
      ...['Asia/Kolkata', 'Pacific/Kiritimati', 'Etc/GMT+12', 'America/Havana'],
    )
    const [first, last] = ['2026-02-10', '2026-04-05']
    const dates = datesOf(first, last)
    const from_day = fc.constantFrom(...dates.slice(1, -1))
    const history = fc.tuple(
      zone,
      fc.uniqueArray(fc.tuple(from_day, zone), { maxLength: 5, selector: ([day]) => day }),
    )
    const moment = fc.date({
      min: new Date(`${first}T14:00:00Z`),
      max: new Date(`${last}T08:00:00Z`),
      noInvalidDate: true,
    })
    const moments = fc.array(moment, { minLength: 5, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(history, moments, async ([zero, later], random) => {
        const shop = await app.shop()
        const sorted = later.toSorted(([a], [b]) => a.localeCompare(b))
        await plantZones(shop, [['0001-01-01', zero], ...sorted])
        const starts = await app.owner<{ at: Date }[]>`
          select start_of_merchants_day(${shop.merchant_id}, d::date) as at
            from generate_series(${first}::date + 1, ${last}::date, '1 day') d`
        // The first and the last moment of days, too.
        const edges = starts.flatMap(({ at }) => [at, new Date(at.getTime() - 1)])
        const all = [...random, ...edges]
        await plantEntries(shop, all)
        const reports = await Promise.all(dates.map((date) => dailyReport(shop, date)))
        const counts = reports.map(countOf)
        expect(counts.reduce((sum, one) => sum + one, 0)).toBe(all.length)
        for (const [at, { balances }] of reports.entries()) {
          const opening = reports[at - 1]?.balances[0]?.closing_balance ?? '0.00'
          expect(balances[0]?.opening_balance ?? opening).toBe(opening)
        }
        const { rows } = await journal(shop, first, last)
        const debits = rows.map(({ debit = '' }) => inHundredths(debit))
        expect(debits.reduce((sum, one) => sum + one, 0n)).toBe(BigInt(100 * all.length))
        const dated = dates.map((date) => rows.filter((row) => row['date'] === date).length / 2)
        expect(dated).toEqual(counts)
      }),
      { numRuns: 8, interruptAfterTimeLimit: 60_000 },
    )
  }, 120_000)

  it('is no later than the merchant’s today, wherever the sun rises first', async () => {
    const shop = await app.shop()
    await plantZones(shop, [['0001-01-01', 'Pacific/Kiritimati']])
    const today = todayIn('Pacific/Kiritimati')
    const tomorrow = new Date(Date.parse(today) + 24 * hour_ms).toISOString().slice(0, 10)
    const made = await shop.post('/sandbox/balances/', { country: 'BJ', amount: '5' })
    expect(made.status).toBe(201)
    expect(countOf(await dailyReport(shop, today))).toBe(1)
    const refused = await shop.get(`/reports/daily/?date=${tomorrow}`)
    expect([refused.status, refused.error.date[0]]).toEqual([
      400,
      'Must be today or an earlier day (Pacific/Kiritimati).',
    ])
    for (const to of [today, tomorrow, '2099-12-31', '9999-12-31']) {
      const { headers, rows } = await journal(shop, today, to)
      expect(headers.get('content-disposition')).toContain(`journal-${today}-${today}-sandbox.csv`)
      expect(rows).toHaveLength(2)
    }
    expect((await journal(shop, '0001-01-01', today)).rows).toHaveLength(2)
  })
})

describe('times that people read', () => {
  it('are by the merchant’s clocks, named, in papers, pages and French files', async () => {
    const shop = await shopOf('BJ')
    const { data } = await shop.pay({ customer: newPayer() })
    await shop.becomes(data.id, 'SUCCESS')
    const at = '2026-11-10 23:16:05+00'
    await app.owner`update transactions set created_at = ${at} where id = ${data.id}`
    await app.owner`
      update transaction_status_logs set created_at = ${at}
       where transaction_id = ${data.id} and to_status = 'SUCCESS'`
    const authorization = `Bearer ${shop.key}`
    const get = (path: string) => fetch(`${app.url}/api/v1${path}`, { headers: { authorization } })

    const pdf = await get(`/transactions/${data.id}/invoice/?lang=fr`)
    const paper = textOf(Buffer.from(await pdf.arrayBuffer()))
    expect(paper).toContain('11 novembre 2026 à 00:16 (Porto-Novo, UTC+1)')
    const [, token = ''] = /receipts\/([\w-]{22})(?![\w-])/.exec(paper) ?? []
    const page = await fetch(`${app.url}/receipts/${token}`, {
      headers: { 'accept-language': 'en' },
    })
    expect(await page.text()).toContain('11 November 2026 at 00:16 (Porto-Novo, UTC+1)')

    const french = await get('/transactions/export/?locale=fr')
    expect(french.headers.get('time-zone')).toBe('Africa/Porto-Novo')
    expect(await french.text()).toContain('11/11/2026 00:16:05')
    const english = await get('/transactions/export/')
    expect(english.headers.get('time-zone')).toBe('UTC')
    expect(await english.text()).toContain('2026-11-10T23:16:05.000Z')
  })

  it('are by the clocks of their own day, also in a file that spans two zones', async () => {
    const shop = await shopOf('BJ')
    const ids = []
    for (const at of ['2026-11-04 22:00:00+00', '2026-11-04 23:30:00+00']) {
      const { data } = await shop.pay({ customer: newPayer() })
      await shop.becomes(data.id, 'SUCCESS')
      ids.push(data.id)
      await app.owner`update transactions set created_at = ${at} where id = ${data.id}`
    }
    await plantZones(shop, [
      ['0001-01-01', 'Africa/Porto-Novo'],
      ['2026-11-05', 'Europe/Paris'],
      ['2026-11-06', 'Africa/Abidjan'],
    ])
    const reply = await fetch(`${app.url}/api/v1/transactions/export/?locale=fr`, {
      headers: { authorization: `Bearer ${shop.key}` },
    })
    expect(reply.headers.get('time-zone')).toBe('Africa/Porto-Novo, Europe/Paris, Africa/Abidjan')
    const lines = (await reply.text()).trim().split('\n').slice(1)
    expect(lines.map((line) => line.trim().split(';').at(-1))).toEqual([
      '05/11/2026 00:30:00',
      '04/11/2026 23:00:00',
    ])
  })
})

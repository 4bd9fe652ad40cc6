// A shop's months: what began, what was paid and what failed on each day, counted once after it and
// equal to the log of what ended, however many workers count.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countAgain, countDays } from '../../src/reports/series/count-days.ts'
import { connectionTo, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let shop: Shop
const signal = new AbortController().signal
const day_ms = 86_400_000
const now = new Date()
const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())
const dayBefore = (days: number) => new Date(midnight - days * day_ms).toISOString().slice(0, 10)

/** Days ago, the last two digits of the payer, the network, the amount. */
const payments: readonly (readonly [number, string, string, number])[] = [
  ...([[70, '10', 'mtn_bj', 1000] as const, [70, '10', 'mtn_bj', 2000] as const] as const),
  ...([[70, '01', 'mtn_bj', 4000] as const, [40, '10', 'moov_bj', 3000] as const] as const),
  ...([[39, '02', 'mtn_bj', 9000] as const, [1, '10', 'mtn_bj', 500] as const] as const),
  [0, '10', 'mtn_bj', 700],
]

/** Days ago, the last two digits of the payer, the amount. */
const topUps: readonly (readonly [number, string, number])[] = [
  ...([[70, '10', 5000] as const, [1, '01', 6000] as const, [0, '10', 8000] as const] as const),
]

const hourOf = (days: number, hour: number) => new Date(midnight - days * day_ms + hour * 3_600_000)

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
  for (const [days, magic, network, amount] of payments) {
    const changes = { network, amount: String(amount), customer: newPayer(magic) }
    const { data } = await shop.pay(changes)
    await end(data.id, days, magic, amount === 4000 ? days + 1 : days)
  }
  for (const [days, magic, amount] of topUps) {
    const { phone } = newPayer(magic)
    const body = { phone, amount: String(amount), currency: 'XOF', country: 'BJ' }
    const { data } = await shop.post('/top-ups/initialize/', { ...body, network: 'mtn_bj' })
    await end(data.id, days, magic)
  }
})

/** It began at eleven, perhaps on an earlier day, and ended at noon. */
async function end(id: string, days: number, magic: string, begun = days): Promise<void> {
  await shop.becomes(id, magic === '10' ? 'SUCCESS' : 'FAILED')
  if (days === 0) return
  await app.owner`
    update transaction_status_logs set created_at = ${hourOf(days, 12)}
     where transaction_id = ${id} and to_status in ('SUCCESS', 'FAILED')`
  await app.owner`update transactions set created_at = ${hourOf(begun, 11)} where id = ${id}`
}
afterAll(() => app?.stop())

/** Until every day that is over is counted. */
async function count(db: typeof app.service.db): Promise<void> {
  const job = countDays({ db })
  for (let turn = 0; turn < 500; turn += 1) if ((await job.run({ signal })) === 'rest') return
  throw new Error('it never rests')
}

async function recount(): Promise<void> {
  await countAgain(app.owner, shop.merchant_id)
  await count(app.service.db)
}

async function series(query: string): Promise<Json> {
  const { status, data, body } = await shop.get(`/stats/transactions/?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return data
}

const whole = `from=${dayBefore(80)}&to=${dayBefore(0)}`

/** What is not nothing: day, paid, failed, amount. */
const seen = ({ points }: Json) =>
  points
    .filter((one: Json) => one.succeeded + one.failed > 0)
    .map((one: Json) => [one.date, one.succeeded, one.failed, one.amount])

const byDay = [
  [dayBefore(70), 2, 1, '3000.00'],
  [dayBefore(40), 1, 0, '3000.00'],
  [dayBefore(39), 0, 1, '0.00'],
  [dayBefore(1), 1, 0, '500.00'],
  [dayBefore(0), 1, 0, '700.00'],
]

describe('a history that is counted', () => {
  it('has each day as the log has it, today live, days of nothing between them', async () => {
    await recount()
    const found = await series(whole)
    expect(found).toMatchObject({
      ...{ from: dayBefore(80), to: dayBefore(0), step: 'day', group_by: 'currency' },
      ...{ is_complete: true, time_zone: 'UTC' },
    })
    const [one, ...others] = found.series
    expect([one.key, one.currency, one.points.length, others]).toEqual(['XOF', 'XOF', 81, []])
    expect(seen(one)).toEqual(byDay)
    expect(one.totals).toMatchObject({ succeeded: 5, failed: 2, amount: '7200.00' })
    expect(found.totals).toEqual([{ currency: 'XOF', ...one.totals }])
    const heights = one.points.map(({ height }: Json) => height)
    expect([Math.max(...heights), heights.at(-1)]).toEqual([100, 23])
    const open = one.points.filter((point: Json) => point.is_provisional)
    expect(open.map(({ date }: Json) => date)).toEqual([dayBefore(0)])
    const [row] = await app.owner`
      select sum(t.requested_amount) filter (where l.to_status = 'SUCCESS')::text as amount,
             count(*) filter (where l.to_status = 'FAILED')::int as failed
        from transaction_status_logs l
        join transactions t on t.merchant_id = l.merchant_id and t.id = l.transaction_id
       where l.merchant_id = ${shop.merchant_id} and l.to_status in ('SUCCESS', 'FAILED')
         and t.transaction_type = 'PAIEMENT'`
    expect(row).toEqual({ amount: '720000', failed: 2 })
  })

  it('sums by weeks and months, whose first may begin within one', async () => {
    for (const step of ['week', 'month']) {
      const [one] = (await series(`${whole}&step=${step}`)).series
      const dates: string[] = one.points.map(({ date }: Json) => date)
      expect(dates[0]).toBe(dayBefore(80))
      for (const date of dates.slice(1)) {
        const of = new Date(date)
        expect(step === 'week' ? of.getUTCDay() : of.getUTCDate()).toBe(1)
      }
      expect(one.totals).toMatchObject({ succeeded: 5, failed: 2, amount: '7200.00' })
      expect(seen(one).length).toBeLessThanOrEqual(4)
      const sums = one.points.map(({ amount }: Json) => Number(amount))
      expect(sums.reduce((sum: number, of: number) => sum + of, 0)).toBe(7200)
    }
  })

  it('has four years of days in one answer, and no more', async () => {
    const [one] = (await series(`from=${dayBefore(1499)}&to=${dayBefore(0)}`)).series
    expect(one.points).toHaveLength(1500)
    expect(seen(one)).toEqual(byDay)
    const long = await shop.get(`/stats/transactions/?from=${dayBefore(1500)}&to=${dayBefore(0)}`)
    expect([long.status, Object.keys(long.error)]).toEqual([400, ['to']])
    const weeks = await series(`from=${dayBefore(1500)}&to=${dayBefore(0)}&step=week`)
    expect(weeks.series[0].totals).toEqual(one.totals)
  })

  it('has the hours of a day or some, which add up to it, and of no more than seven', async () => {
    const days = `from=${dayBefore(1)}&to=${dayBefore(0)}`
    const found = await series(`${days}&step=hour`)
    expect(found).toMatchObject({ step: 'hour', is_complete: true, time_zone: 'UTC' })
    const [one] = found.series
    const { points } = one
    expect(points[0]).toMatchObject({ date: dayBefore(1), at: `${dayBefore(1)}T00:00:00.000Z` })
    const steps = points.slice(1).map(({ at }: Json, nth: number) => {
      return Date.parse(at) - Date.parse(points[nth].at)
    })
    expect(new Set(steps)).toEqual(new Set([3_600_000]))
    // Until the hour that is now, which alone is not over.
    expect(Date.parse(points.at(-1).at)).toBeLessThanOrEqual(Date.now())
    expect(Date.parse(points.at(-1).at) + 3_600_000).toBeGreaterThan(Date.parse(found.as_of))
    const open = points.filter((point: Json) => point.is_provisional)
    expect(open).toEqual([points.at(-1)])
    const noon = points.find(({ at }: Json) => at === `${dayBefore(1)}T12:00:00.000Z`)
    expect(noon).toMatchObject({ succeeded: 1, failed: 0, amount: '500.00', date: dayBefore(1) })
    const whole_days = await series(days)
    expect(one.totals).toEqual(whole_days.series[0].totals)
    expect(found.totals).toEqual(whole_days.totals)
    const networks = await series(`${days}&step=hour&group_by=network`)
    expect(networks.series.map(({ key }: Json) => key)).toEqual(['mtn_bj'])
    expect((await series(days)).series[0].points[0].at).toBe(null)
    expect(
      (await shop.get(`/stats/transactions/?from=${dayBefore(6)}&to=${dayBefore(0)}&step=hour`))
        .status,
    ).toBe(200)
    const long = await shop.get(
      `/stats/transactions/?from=${dayBefore(7)}&to=${dayBefore(0)}&step=hour`,
    )
    expect([long.status, Object.keys(long.error)]).toEqual([400, ['to']])
  })

  it('has what began on each day, whenever it ended, by the network that was asked', async () => {
    const begun = ({ points }: Json) =>
      points
        .filter(({ started }: Json) => started > 0)
        .map(({ date, at, started }: Json) => [at ?? date, started])
    const [one] = (await series(whole)).series
    expect(begun(one)).toEqual([
      ...[[dayBefore(71), 1] as const, [dayBefore(70), 2] as const, [dayBefore(40), 1] as const],
      ...[[dayBefore(39), 1] as const, [dayBefore(1), 1] as const, [dayBefore(0), 1] as const],
    ])
    expect(one.totals.started).toBe(7)
    const networks = (await series(`${whole}&group_by=network`)).series
    expect(networks.map(({ key, totals }: Json) => [key, totals.started])).toEqual([
      ['mtn_bj', 6],
      ['moov_bj', 1],
    ])
    const hours = await series(`from=${dayBefore(1)}&to=${dayBefore(1)}&step=hour`)
    expect(begun(hours.series[0])).toEqual([[hourOf(1, 11).toISOString(), 1]])
    for (const group_by of ['failure_code', 'payment_link']) {
      const { series: of } = await series(`${whole}&group_by=${group_by}`)
      expect(of.every(({ totals }: Json) => totals.started === null)).toBe(true)
    }
  })

  it('is shown by type: what payers paid, and what the shop added to its own balance', async () => {
    const keysOf = ({ series: of }: Json) =>
      of.map(({ key, currency, totals: { started, succeeded, failed, amount } }: Json) => [
        ...[key, currency, started, succeeded, failed, amount],
      ])
    const payins = ['PAIEMENT', 'XOF', 7, 5, 2, '7200.00']
    const own = ['RECHARGE', 'XOF', 3, 2, 1, '13000.00']
    const types = await series(`${whole}&group_by=type`)
    expect(keysOf(types)).toEqual([payins, own])
    expect([types.group_by, types.totals]).toEqual(['type', []])
    expect(seen(types.series[1])).toEqual([
      [dayBefore(70), 1, 0, '5000.00'],
      [dayBefore(1), 0, 1, '0.00'],
      [dayBefore(0), 1, 0, '8000.00'],
    ])
    const one = await series(`${whole}&group_by=type&transaction_type=RECHARGE`)
    expect([keysOf(one), one.totals[0].amount]).toEqual([[own], '13000.00'])
    const alone = await series(`${whole}&transaction_type=RECHARGE`)
    expect(alone.totals).toEqual(one.totals)
    expect(seen(alone.series[0])).toEqual(seen(types.series[1]))
    const why = await series(`${whole}&transaction_type=RECHARGE&group_by=failure_code`)
    expect(why.series.map(({ key }: Json) => key)).toEqual(['INSUFFICIENT_FUNDS'])
    const hours = `from=${dayBefore(1)}&to=${dayBefore(1)}&step=hour&group_by=type`
    expect(keysOf(await series(hours))).toEqual([
      ['PAIEMENT', 'XOF', 1, 1, 0, '500.00'],
      ['RECHARGE', 'XOF', 1, 0, 1, '0.00'],
    ])
  })

  it('is told apart by network, by country and by why it failed, and by payouts', async () => {
    const keysOf = ({ series: of }: Json) =>
      of.map(({ key, totals }: Json) => [key, totals.succeeded, totals.failed])
    expect(keysOf(await series(`${whole}&group_by=network`))).toEqual([
      ['mtn_bj', 4, 2],
      ['moov_bj', 1, 0],
    ])
    expect(keysOf(await series(`${whole}&group_by=country&country=bj`))).toEqual([['BJ', 5, 2]])
    expect(keysOf(await series(`${whole}&country=SN`))).toEqual([])
    expect(keysOf(await series(`${whole}&transaction_type=RETRAIT`))).toEqual([])
    const failures = (await series(`${whole}&group_by=failure_code`)).series
    expect(failures.map(({ key, totals }: Json) => [key, totals.failed]).sort()).toEqual(
      [
        ['INSUFFICIENT_FUNDS', 1],
        ['NOT_APPROVED', 1],
      ].sort(),
    )
    expect(failures[0].label).toMatch(/\w+ \w+/)
  })

  it('is a file too, in either form', async () => {
    const query = `from=${dayBefore(1)}&to=${dayBefore(0)}&format=csv`
    const reply = await shop.call('GET', `/stats/transactions/?${query}`)
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(reply.headers.get('content-disposition')).toContain(
      `series-${dayBefore(1)}-${dayBefore(0)}-sandbox.csv`,
    )
    const path = `/stats/transactions/?${query}&file_label=boutique-awa-2026-11`
    const named = await shop.call('GET', path)
    expect(named.headers.get('content-disposition')).toContain('"series-boutique-awa-2026-11.csv"')
    const read = async (more: string) => {
      const answer = await fetch(`${app.url}/api/v1/stats/transactions/?${query}${more}`, {
        headers: { authorization: `Bearer ${shop.key}` },
      })
      return (await answer.text()).split('\r\n')
    }
    const [head, first] = await read('')
    expect(head).toBe('date,key,currency,succeeded,failed,amount,fees,net,started')
    expect(first?.startsWith(`${dayBefore(1)},XOF,XOF,1,0,500.00,`)).toBe(true)
    const [, french] = await read('&locale=fr')
    expect(french).toContain(';XOF;XOF;1;0;500,00;')
    const types = await read('&group_by=type&transaction_type=RECHARGE')
    expect(types.slice(1, 3)).toEqual([
      `${dayBefore(1)},RECHARGE,XOF,0,1,0.00,0.00,0.00,1`,
      `${dayBefore(0)},RECHARGE,XOF,1,0,8000.00,0.00,8000.00,1`,
    ])
    expect((await read('&group_by=failure_code'))[0]).toBe(
      'date,key,currency,succeeded,failed,amount,fees,net',
    )
    const hours = await read('&step=hour')
    expect(hours[0]).toBe('date,hour,key,currency,succeeded,failed,amount,fees,net,started')
    expect(hours[13]).toMatch(/^[\d-]+,12:00 GMT(\+00:00)?,XOF,XOF,1,0,500.00,/)
  })

  it('is nobody else’s, and nothing for whoever has done nothing', async () => {
    const other = await app.shop()
    const { data } = await other.get(`/stats/transactions/?${whole}`)
    expect([data.series, data.totals, data.is_complete]).toEqual([[], [], true])
  })
})

describe('counting', () => {
  const lines = () => app.owner`
    select to_char(d.day, 'YYYY-MM-DD') as day, d.transaction_type, d.network, d.status,
           d.failure_code, d.count, d.requested
      from (table counted_days union all table counted_later) as d
     where d.merchant_id = ${shop.merchant_id}
     order by 1, 2, 3, 4, 5`
  const mark = async () =>
    (
      await app.owner`
        select to_char(until_day, 'YYYY-MM-DD') as day, due_at > now() as waits
          from counting_marks where merchant_id = ${shop.merchant_id}`
    )[0]

  it('leaves today alone until it is over and settled, and waits for that', async () => {
    await recount()
    // Five minutes after midnight the day before is counted; until then it is read live.
    const days = (await lines()).map(({ day }) => day)
    expect(days).not.toContain(dayBefore(0))
    expect(await mark()).toMatchObject({ waits: true })
    expect([dayBefore(0), dayBefore(1)]).toContain((await mark())?.day)
  })

  it('again, and by two at once, gives the same lines', async () => {
    await recount()
    const before = await lines()
    expect(before.length).toBeGreaterThan(3)
    await countAgain(app.owner, shop.merchant_id)
    const other = connectionTo(app.database).openAlone('pirogue_app', 'test')
    await Promise.all([count(app.service.db), count(other.db)])
    await other.close()
    expect(await lines()).toEqual(before)
  })

  it('that has not come far says so, and what is live is there all the same', async () => {
    await app.owner`
      update counting_marks set until_day = '2000-01-01', due_at = now() + interval '1 hour'
       where merchant_id = ${shop.merchant_id}`
    const found = await series(whole)
    expect(found.is_complete).toBe(false)
    expect(seen(found.series[0]).slice(-2)).toEqual(byDay.slice(-2))
    const recent = await series(`from=${dayBefore(1)}&to=${dayBefore(0)}`)
    expect([recent.is_complete, seen(recent.series[0])]).toEqual([true, byDay.slice(-2)])
    await recount()
    expect(seen((await series(whole)).series[0])).toEqual(byDay)
  })

  it('of what began and of top-ups comes after the days, and says so', async () => {
    await app.owner`
      update counting_marks set later_until_day = ${dayBefore(60)}
       where merchant_id = ${shop.merchant_id}`
    const payouts = await series(`${whole}&transaction_type=RETRAIT&group_by=failure_code`)
    expect(payouts.is_complete).toBe(true)
    for (const query of ['', '&transaction_type=RECHARGE', '&group_by=type']) {
      expect((await series(whole + query)).is_complete, query).toBe(false)
    }
    const old = await series(`from=${dayBefore(80)}&to=${dayBefore(61)}&group_by=type`)
    expect(old.is_complete).toBe(true)
    await count(app.service.db)
    const types = await series(`${whole}&group_by=type`)
    expect(types.is_complete).toBe(true)
    // Within the last days it is read as it is, though the days themselves are counted.
    await app.owner`
      update counting_marks set later_until_day = ${dayBefore(2)}
       where merchant_id = ${shop.merchant_id}`
    await app.owner`
      delete from counted_later
       where merchant_id = ${shop.merchant_id} and day >= ${dayBefore(2)}`
    const live = await series(`${whole}&group_by=type`)
    expect([live.series, live.is_complete]).toEqual([types.series, true])
    await recount()
  })

  it('of very many networks is answered in fewer steps', async () => {
    await app.owner`
      insert into counted_days (merchant_id, environment, day, transaction_type, country, network,
        currency, status, failure_code, count, requested, fees, net)
      select ${shop.merchant_id}, 'SANDBOX', ${dayBefore(70)}, 'PAIEMENT', 'BJ', 'n' || n, 'XOF',
             'SUCCESS', '', 1, 100, 0, 0
        from generate_series(1, 60) as n`
    const days = `from=${dayBefore(1499)}&to=${dayBefore(0)}&group_by=network`
    const long = await shop.get(`/stats/transactions/?${days}`)
    expect([long.status, Object.keys(long.error)]).toEqual([400, ['to']])
    expect((await series(`${days}&step=week`)).series).toHaveLength(62)
    await recount()
    expect((await series(days)).series).toHaveLength(2)
  })

  it('that has come as far as what is asked for has it whole, whatever follows', async () => {
    await recount()
    await app.owner`
      update counting_marks set until_day = ${dayBefore(60)}, due_at = now() + interval '1 hour'
       where merchant_id = ${shop.merchant_id}`
    const old = await series(`from=${dayBefore(80)}&to=${dayBefore(61)}`)
    expect([old.is_complete, seen(old.series[0])]).toEqual([true, byDay.slice(0, 1)])
    const further = await series(`from=${dayBefore(80)}&to=${dayBefore(30)}`)
    expect(further.is_complete).toBe(false)
    await recount()
  })
})

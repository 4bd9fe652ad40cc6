// Days that are counted are what the log of ends says, and what began on them, whatever the history:
// payments that fail, are asked for again days later, elsewhere, and paid after all, days without
// any, time that passes while it is counted, two workers, a history counted again. And no day is
// counted before it is settled.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/platform/ids.ts'
import { keptHours } from '../../src/reports/overview/hours.ts'
import { countAgain, countDays } from '../../src/reports/series/count-days.ts'
import { keptHoursOfLinks } from '../../src/reports/series/read-links.ts'
import { type Grouping, type KeptHours, makeSeries } from '../../src/reports/series/series.ts'
import { keptHoursOfStarts } from '../../src/reports/series/starts-store.ts'
import { seriesTypes } from '../../src/reports/series/store.ts'
import { type Shop, startApp, type TestApp } from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import {
  type Key,
  plantAttempt,
  plantStatusLog,
  plantTransaction,
  type Row,
} from '../setup/transaction-rows.ts'

let app: TestApp
const signal = new AbortController().signal
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

/** At most so many turns of the job; whether it came to rest. */
async function count(turns = 500): Promise<boolean> {
  const job = countDays({ db: app.service.db })
  for (let turn = 0; turn < turns; turn += 1)
    if ((await job.run({ signal })) === 'rest') return true
  return false
}

const ownerOf = ({ merchant_id }: Shop) => ({ merchant_id, environment: 'SANDBOX' }) as const

/** `part`: how far into the merchant's day that is not over: 0 its beginning, 100 now. */
const momentOf = async ({ merchant_id }: Shop, part: number): Promise<Date> => {
  const [row] = await app.owner<{ at: Date }[]>`
    select (d.from + (now() - interval '1 second' - d.from) * ${part / 100})::timestamptz(3) as at
      from (select start_of_merchants_day(${merchant_id}, merchants_day_of(${merchant_id}, now()))
                     as from) as d`
  if (row === undefined) throw new Error('a merchant without a day')
  return row.at
}

/** As many whole days as nothing had happened: what knows a time becomes so much older. */
async function pass({ merchant_id }: Shop, days: number): Promise<void> {
  await app.owner`
    update transaction_status_logs set created_at = created_at - ${days} * interval '1 day'
     where merchant_id = ${merchant_id}`
  await app.owner`
    update transactions set created_at = created_at - ${days} * interval '1 day'
     where merchant_id = ${merchant_id}`
  // In two steps, because a key must not meet its neighbour's on the way.
  for (const by of [100_000, -100_000 - days]) {
    for (const table of ['counted_days', 'counted_links', 'counted_later']) {
      await app.owner`
        update ${app.owner(table)} set day = day + ${by}::int where merchant_id = ${merchant_id}`
    }
  }
  await app.owner`
    update counting_marks
       set until_day = greatest(until_day - ${days}::int, '1970-01-01'),
           links_until_day = greatest(links_until_day - ${days}::int, '1970-01-01'),
           later_until_day = greatest(later_until_day - ${days}::int, '1970-01-01'),
           due_at = due_at - ${days} * interval '1 day'
     where merchant_id = ${merchant_id}`
}

type Planted = Key & { readonly attempt: Key; failed: boolean }
type Scene = Readonly<{
  shop: Shop
  planted: Planted[]
  links: readonly string[]
  kept: { read: KeptHours }
}>

const nothingKept = (): KeptHours => ({
  hoursOf: keptHours(seriesTypes),
  hoursOfStarts: keptHoursOfStarts(),
  hoursOfLinks: keptHoursOfLinks(),
})

const places = [
  { country_code: 'BJ', network_code: 'mtn_bj', currency: 'XOF' },
  { country_code: 'BJ', network_code: 'moov_bj', currency: 'XOF' },
  { country_code: 'GH', network_code: 'mtn_gh', currency: 'GHS' },
] as const

type Begin = Readonly<{
  is: 'begin'
  type: (typeof seriesTypes)[number]
  place: number
  /** Of the shop's links, for a payment; beyond them none. */
  link: number
  amount: number
  part: number
}>
type End = Omit<Begin, 'is'> & Readonly<{ is: 'end'; paid: boolean }>

/** It began and ends at a moment of the day that is not over, or so many seconds ago; or only began. */
async function begin({ shop, planted, links }: Scene, of: Begin | End, ago_s?: number) {
  const where = places[of.place] ?? places[0]
  const asked = BigInt(of.amount) * 100n
  const figures = {
    ...{ requested_amount: asked, client_fee: 200n, gateway_fee: 120n, platform_fee: 80n },
    ...{ net_amount: asked, debited_amount: asked + 200n },
  }
  const created_at =
    ago_s === undefined ? await momentOf(shop, of.part) : new Date(Date.now() - ago_s * 1000)
  const status = of.is === 'begin' ? 'PENDING' : of.paid ? 'SUCCESS' : 'FAILED'
  const failure_code = status === 'FAILED' ? 'EXPIRED' : ''
  const link = of.type === 'PAIEMENT' ? links[of.link] : undefined
  const row: Row = { ...where, ...figures, status, failure_code }
  const key = await plantTransaction(app.owner, shop.merchant_id, {
    ...{ ...row, transaction_type: of.type, created_at },
    ...(link !== undefined && { payment_link: link }),
  })
  const direction = of.type === 'RETRAIT' ? 'DISBURSE' : 'COLLECT'
  const attempt = await plantAttempt(app.owner, key, { ...row, direction })
  if (status === 'PENDING') return
  await plantStatusLog(app.owner, key, { to_status: status, attempt_id: attempt.id, created_at })
  planted.push({ ...key, attempt, failed: status === 'FAILED' && of.type !== 'RETRAIT' })
}

/** What failed is asked for again on another network of its country, and fails there too. */
async function askElsewhere({ shop, planted }: Scene, part: number): Promise<void> {
  const again = planted.find(({ failed }) => failed)
  if (again === undefined) return
  const [was] = await app.owner<Row[]>`
    select country_code, network_code, currency, requested_amount, client_fee, gateway_fee,
           platform_fee, net_amount, debited_amount, failure_code, status
      from attempts where merchant_id = ${again.merchant_id} and id = ${again.attempt.id}`
  const network_code = was?.['network_code'] === 'mtn_bj' ? 'moov_bj' : 'mtn_bj'
  const attempt = await plantAttempt(app.owner, again, { ...was, network_code, priority: 2 })
  await app.owner`
    update transactions set network_code = ${network_code}
     where merchant_id = ${again.merchant_id} and id = ${again.id}`
  const log = { from_status: 'PENDING', to_status: 'FAILED', attempt_id: attempt.id }
  await plantStatusLog(app.owner, again, { ...log, created_at: await momentOf(shop, part) })
}

/** What failed, perhaps long ago, is paid after all: the very attempt that failed. */
async function payLate({ shop, planted }: Scene, part: number): Promise<void> {
  const late = planted.find(({ failed }) => failed)
  if (late === undefined) return
  late.failed = false
  const { merchant_id, id, attempt } = late
  await app.owner`
    update attempts set status = 'SUCCESS', failure_code = ''
     where merchant_id = ${merchant_id} and id = ${attempt.id}`
  await app.owner`
    update transactions set status = 'SUCCESS', failure_code = '', settled_attempt = ${attempt.id}
     where merchant_id = ${merchant_id} and id = ${id}`
  const log = { from_status: 'FAILED', attempt_id: attempt.id }
  await plantStatusLog(app.owner, late, { ...log, created_at: await momentOf(shop, part) })
}

type Type = (typeof seriesTypes)[number]

/**
 * By nothing but the log, the transactions and whom their attempts asked: each end and each
 * beginning on its day.
 */
const plainly = ({ shop }: Scene, type: Type, by: 'network' | 'type' | 'currency') => app.owner<
  Named[]
>`
  with ended as (
    select merchants_day_of(l.merchant_id, l.created_at) as day, t.currency,
           case ${by}::text when 'network' then a.network_code when 'type' then t.transaction_type
                else t.currency end as key,
           count(*) filter (where l.to_status = 'SUCCESS')::int as succeeded,
           count(*) filter (where l.to_status = 'FAILED')::int as failed,
           coalesce(sum(t.requested_amount) filter (where l.to_status = 'SUCCESS'), 0)::bigint
             as amount,
           coalesce(sum(t.client_fee) filter (where l.to_status = 'SUCCESS'), 0)::bigint as fees,
           coalesce(sum(t.net_amount) filter (where l.to_status = 'SUCCESS'), 0)::bigint as net
      from transaction_status_logs l
      join transactions t on t.merchant_id = l.merchant_id and t.id = l.transaction_id
      join attempts a on a.merchant_id = l.merchant_id and a.id = l.attempt_id
     where l.merchant_id = ${shop.merchant_id} and l.to_status in ('SUCCESS', 'FAILED')
       and t.transaction_type = ${type}
     group by 1, 2, 3), started as (
    select merchants_day_of(t.merchant_id, t.created_at) as day, t.currency,
           case ${by}::text when 'network' then a.network_code when 'type' then t.transaction_type
                else t.currency end as key, count(*)::int as started
      from transactions t
      join attempts a on a.merchant_id = t.merchant_id and a.transaction_id = t.id
       and a.priority = 1
     where t.merchant_id = ${shop.merchant_id} and t.transaction_type = ${type}
     group by 1, 2, 3)
  select to_char(day, 'YYYY-MM-DD') as day, currency, key, coalesce(started, 0) as started,
         coalesce(succeeded, 0) as succeeded, coalesce(failed, 0) as failed,
         coalesce(amount, 0)::bigint as amount, coalesce(fees, 0)::bigint as fees,
         coalesce(net, 0)::bigint as net
    from ended full join started using (day, currency, key)
   order by 1, 2, 3`

/** The same of each link, in one country or all. */
const plainlyOfLinks = ({ shop }: Scene, country: string | null) => app.owner`
  select to_char(merchants_day_of(l.merchant_id, l.created_at), 'YYYY-MM-DD') as day, t.currency,
         t.payment_link as key, 0 as started,
         count(*) filter (where l.to_status = 'SUCCESS')::int as succeeded,
         count(*) filter (where l.to_status = 'FAILED')::int as failed,
         coalesce(sum(t.requested_amount) filter (where l.to_status = 'SUCCESS'), 0)::bigint
           as amount,
         coalesce(sum(t.client_fee) filter (where l.to_status = 'SUCCESS'), 0)::bigint as fees,
         coalesce(sum(t.net_amount) filter (where l.to_status = 'SUCCESS'), 0)::bigint as net
    from transaction_status_logs l
    join transactions t on t.merchant_id = l.merchant_id and t.id = l.transaction_id
   where l.merchant_id = ${shop.merchant_id} and l.to_status in ('SUCCESS', 'FAILED')
     and t.payment_link is not null
     and (${country}::text is null or t.country_code = ${country}::text)
   group by 1, 2, 3 order by 1, 2, 3`

/** What the API draws, without days of nothing. */
async function drawn(
  { shop, kept }: Scene,
  type: Type | undefined,
  group_by: Grouping = 'currency',
  country: string | null = null,
) {
  const { today } = await readToday(shop)
  const made = await makeSeries(
    app.service.db,
    ownerOf(shop),
    {
      first: new Date(Date.parse(today) - 300 * 86_400_000).toISOString().slice(0, 10),
      last: '9999-12-31',
      step: 'day',
      group_by,
      type,
      country: country ?? undefined,
    },
    kept.read,
  )
  expect(made.is_complete).toBe(true)
  const days = made.series.flatMap(({ key, currency, points }) =>
    points
      .filter(({ started, succeeded, failed }) => started + succeeded + failed > 0)
      .map(({ date: day, at: _at, is_provisional: _is, ...figures }) => ({
        ...{ day, currency, key, ...figures },
      })),
  )
  return days.sort(byName)
}

type Named = Readonly<{ day: string; currency: string; key: string }>
const byName = (one: Named, other: Named): number => (nameOf(one) < nameOf(other) ? -1 : 1)
const nameOf = ({ day, currency, key }: Named): string => `${day} ${currency} ${key}`

async function readToday({ merchant_id }: Shop): Promise<{ today: string }> {
  const [row] = await app.owner<{ today: string }[]>`
    select to_char(merchants_day_of(${merchant_id}, now()), 'YYYY-MM-DD') as today`
  return row ?? { today: '' }
}

type Step =
  | Begin
  | End
  | Readonly<{ is: 'ask elsewhere'; part: number }>
  | Readonly<{ is: 'pay late'; part: number }>
  | Readonly<{ is: 'pass'; days: number }>
  | Readonly<{ is: 'count'; turns: number }>
  | Readonly<{ is: 'count twice' }>
  | Readonly<{ is: 'count again' }>
  | Readonly<{ is: 'read' }>

const part = fc.integer({ min: 0, max: 100 })
const begun = {
  type: fc.constantFrom(...seriesTypes),
  place: fc.nat({ max: places.length - 1 }),
  link: fc.nat({ max: 2 }),
  amount: fc.integer({ min: 1, max: 9_999 }),
  part,
}
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant('end' as const), paid: fc.boolean(), ...begun }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('begin' as const), ...begun }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('ask elsewhere' as const), part }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('pay late' as const), part }) },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('pass' as const),
      days: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('count' as const),
      turns: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ is: 'count twice' as const }) },
  { weight: 1, arbitrary: fc.constant({ is: 'count again' as const }) },
  { weight: 1, arbitrary: fc.constant({ is: 'read' as const }) },
)

async function take(scene: Scene, one: Step): Promise<void> {
  // A process keeps hours that are settled; here ends are written to any hour of a day.
  if (one.is !== 'read') scene.kept.read = nothingKept()
  switch (one.is) {
    case 'begin':
    case 'end':
      return begin(scene, one)
    case 'ask elsewhere':
      return askElsewhere(scene, one.part)
    case 'pay late':
      return payLate(scene, one.part)
    case 'pass':
      return pass(scene.shop, one.days)
    case 'count':
      await count(one.turns)
      return
    case 'count twice':
      await Promise.all([count(), count()])
      return
    case 'count again':
      await countAgain(app.owner, scene.shop.merchant_id)
      return
    case 'read':
      await count()
      await expectEqual(scene)
  }
}

async function expectEqual(scene: Scene): Promise<void> {
  for (const type of seriesTypes) {
    for (const by of ['currency', 'network'] as const) {
      expect(await drawn(scene, type, by), `${type} ${by}`).toEqual([
        ...(await plainly(scene, type, by)),
      ])
    }
  }
  const all: Named[] = []
  for (const type of seriesTypes) all.push(...(await plainly(scene, type, 'type')))
  expect(await drawn(scene, undefined, 'type')).toEqual(all.sort(byName))
  for (const country of [null, 'BJ']) {
    const ofLinks = await drawn(scene, 'PAIEMENT', 'payment_link', country)
    expect(ofLinks, country ?? 'all').toEqual([...(await plainlyOfLinks(scene, country))])
  }
}

/** Where each moment of the day is somebody's midnight. */
const zones = ['Africa/Porto-Novo', 'UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'] as const

async function shopIn(zone: string): Promise<Shop> {
  const shop = await app.shop()
  await app.owner`
    insert into merchant_time_zones (merchant_id, from_day, from_at, zone)
    values (${shop.merchant_id}, '0001-01-01', '0001-01-01 00:00:00+00', ${zone})`
  await app.owner`
    insert into event_feeds (merchant_id, environment) values (${shop.merchant_id}, 'SANDBOX')
        on conflict do nothing`
  return shop
}

/** Two links of a shop, without which none of its payments comes by one. */
async function linksOf({ merchant_id }: Shop): Promise<string[]> {
  const ids = [newId(), newId()].sort()
  for (const id of ids) {
    await app.owner`
      insert into payment_links (merchant_id, id, environment, name, amount_type, currency, slug)
      values (${merchant_id}, ${id}, 'SANDBOX', 'Lien', 'FREE', 'XOF', ${`s-${id}`})`
  }
  return ids
}

describe('days that are counted', () => {
  it('are the log’s, whatever the history', async () => {
    const history = fc.array(step, { minLength: 5, maxLength: 25 })
    const property = fc.asyncProperty(fc.constantFrom(...zones), history, async (zone, steps) => {
      const shop = await shopIn(zone)
      const links = await linksOf(shop)
      const scene: Scene = { shop, planted: [], links, kept: { read: nothingKept() } }
      for (const one of steps) await take(scene, one)
      expect(await count()).toBe(true)
      await expectEqual(scene)
      // And when nothing of it is live any more.
      await take(scene, { is: 'pass', days: 4 })
      expect(await count()).toBe(true)
      await expectEqual(scene)
    })
    await fc.assert(property, { numRuns: sized(25, 300), seed: 20_261_123 })
  }, 600_000)

  it('are none that are not settled: what is written late to a day is counted on it', async () => {
    const shop = await app.shop()
    const scene: Scene = { shop, planted: [], links: [], kept: { read: nothingKept() } }
    await app.owner`
      insert into event_feeds (merchant_id, environment) values (${shop.merchant_id}, 'SANDBOX')`
    await moveMidnight(shop, 5)
    expect(await count()).toBe(true)
    expect(await markOf(shop)).toMatchObject({ days_before: 1, waits: true })
    // Of the day that was over five seconds ago something was still on its way.
    const late = { is: 'end', paid: true, type: 'PAIEMENT', place: 0, link: 0 } as const
    await begin(scene, { ...late, amount: 7, part: 0 }, 60)
    const paid = [{ started: 1, succeeded: 1, failed: 0, amount: 700n }]
    expect(await drawn(scene, 'PAIEMENT')).toMatchObject(paid)
    // Five minutes pass: the midnight, what was written and what is due are so much older.
    for (const table of ['transaction_status_logs', 'transactions']) {
      await app.owner`
        update ${app.owner(table)} set created_at = created_at - interval '300 seconds'
         where merchant_id = ${shop.merchant_id}`
    }
    await app.owner`
      update counting_marks set due_at = due_at - interval '300 seconds'
       where merchant_id = ${shop.merchant_id}`
    await moveMidnight(shop, 305)
    expect(await count()).toBe(true)
    expect(await markOf(shop)).toMatchObject({ days_before: 0, waits: true })
    for (const table of ['counted_days', 'counted_later']) {
      const [counted] = await app.owner`
        select sum(count)::int as count from ${app.owner(table)}
         where merchant_id = ${shop.merchant_id}`
      expect(counted, table).toEqual({ count: 1 })
    }
    expect(await drawn(scene, 'PAIEMENT')).toMatchObject(paid)
  })
})

/** Gives the merchant clocks of its own, by which midnight was so many seconds ago. */
async function moveMidnight({ merchant_id }: Shop, seconds: number): Promise<void> {
  const now_s = Math.floor(Date.now() / 1000)
  const ahead_s = (((seconds - now_s) % 86_400) + 86_400) % 86_400
  // As POSIX writes it: what is ahead of Greenwich has a minus, and here nobody is ahead by a day.
  const behind_s = 86_400 - ahead_s
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const clock = [behind_s / 3600, (behind_s / 60) % 60, behind_s % 60].map(two).join(':')
  await app.owner`delete from merchant_time_zones where merchant_id = ${merchant_id}`
  await app.owner`
    insert into merchant_time_zones (merchant_id, from_day, from_at, zone)
    values (${merchant_id}, '0001-01-01', '0001-01-01 00:00:00+00', ${`<own>+${clock}`})`
}

const markOf = async ({ merchant_id }: Shop) =>
  (
    await app.owner`
      select merchants_day_of(merchant_id, now()) - until_day as days_before,
             due_at > now() as waits
        from counting_marks where merchant_id = ${merchant_id}`
  )[0]

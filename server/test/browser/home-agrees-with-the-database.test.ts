// Home's figures against the database's own: what was taken, paid out and charged today, by network,
// what failed, what waits, what one has; each counted here by a statement of this test's.

import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeDecimal } from '../../src/pages/write-values.ts'
import { newPayer, type Shop, type SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { plantIncident } from '../setup/transaction-rows.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  await makeADay(fixture.shop)
}, patience_ms)
afterAll(() => fixture?.stop())

const given = '500000'

async function paidOf(shop: Shop, amount: string, network = 'mtn_bj'): Promise<string> {
  const { data } = await shop.pay({ customer: newPayer(), amount, network })
  await shop.becomes(data.id, 'SUCCESS')
  return data.id
}

/** Some of everything that Home counts, and of the week before what it counts and what it does not. */
async function makeADay(shop: Shop): Promise<void> {
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: given })
  await paidOf(shop, '12500')
  await paidOf(shop, '7300')
  await paidOf(shop, '4100', 'moov_bj')
  for (const magic of ['01', '01', '02']) {
    const { data } = await shop.pay({ customer: newPayer(magic) })
    await shop.becomes(data.id, 'FAILED')
  }
  await shop.pay({ customer: newPayer('04'), amount: '9900' })
  const out = await owner.post('/payouts/initialize/', {
    ...{ amount: '25000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    recipient: { msisdn: '+2290197000010' },
  })
  await shop.becomes(out.data.id, 'SUCCESS')
  // The first second of that day counts whenever this runs, the last one never does.
  await ended(await paidOf(shop, '3000'), '0.5 second')
  await ended(await paidOf(shop, '2200'), '23 hours 59 minutes 59.9 seconds')
}

/** As if it had been paid a week ago, so long after midnight. */
const ended = (id: string, after: string) => fixture.app.owner`
  update transaction_status_logs
     set created_at = date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'
                      - interval '7 days' + ${after}::interval
   where transaction_id = ${id} and to_status = 'SUCCESS'`

type Day = Readonly<{
  paid: number
  failed: number
  taken: string
  paid_out: string
  fees: string
  week_before: string
}>

/** Sums in whole units with two digits, as the API writes them; `as_of`: until when Home counts. */
async function dayOf(as_of: string): Promise<Day> {
  const [row] = await fixture.app.owner<Day[]>`
    with ends as (
      select t.*, l.to_status, l.created_at as ended_at,
             date_trunc('day', ${as_of}::timestamptz at time zone 'UTC') at time zone 'UTC' as midnight
        from transaction_status_logs l
        join transactions t on t.merchant_id = l.merchant_id and t.id = l.transaction_id
       where t.merchant_id = ${owner.merchant_id} and l.to_status in ('SUCCESS', 'FAILED')
    ), today as (
      select * from ends where ended_at >= midnight and ended_at <= ${as_of}
    ), last_week as (
      select * from ends
       where ended_at >= midnight - interval '7 days'
         and ended_at <= ${as_of}::timestamptz - interval '7 days'
    )
    select count(*) filter (where transaction_type = 'PAIEMENT' and to_status = 'SUCCESS')::int as paid,
           count(*) filter (where transaction_type = 'PAIEMENT' and to_status = 'FAILED')::int as failed,
           to_char(coalesce(sum(requested_amount) filter (
             where transaction_type = 'PAIEMENT' and to_status = 'SUCCESS'), 0) / 100.0,
             'FM999999990.00') as taken,
           to_char(coalesce(sum(net_amount) filter (
             where transaction_type = 'RETRAIT' and to_status = 'SUCCESS'), 0) / 100.0,
             'FM999999990.00') as paid_out,
           to_char(coalesce(sum(client_fee) filter (where to_status = 'SUCCESS'), 0) / 100.0,
             'FM999999990.00') as fees,
           (select to_char(coalesce(sum(requested_amount), 0) / 100.0, 'FM999999990.00')
              from last_week where transaction_type = 'PAIEMENT' and to_status = 'SUCCESS')
             as week_before
      from today`
  if (row === undefined) throw new Error('no row')
  return row
}

type Network = Readonly<{ code: string; paid: number; ended: number; taken: string; waits: number }>

const networksOf = (as_of: string) => fixture.app.owner<Network[]>`
  select t.network_code as code,
         count(*) filter (where t.status = 'SUCCESS')::int as paid,
         count(*) filter (where t.status in ('SUCCESS', 'FAILED'))::int as ended,
         to_char(coalesce(sum(t.requested_amount) filter (where t.status = 'SUCCESS'), 0) / 100.0,
           'FM999999990.00') as taken,
         count(*) filter (where t.status = 'PENDING')::int as waits
    from transactions t
   where t.merchant_id = ${owner.merchant_id} and t.transaction_type = 'PAIEMENT'
     and (t.status = 'PENDING' or exists (
       select from transaction_status_logs l
        where l.merchant_id = t.merchant_id and l.transaction_id = t.id
          and l.to_status in ('SUCCESS', 'FAILED') and l.created_at <= ${as_of}
          and l.created_at >= date_trunc('day', ${as_of}::timestamptz at time zone 'UTC')
                              at time zone 'UTC'))
   group by 1 order by 1`

type Held = Readonly<{ available: string; pending: string; moved: string }>

/** What the balance says, and what must be left of what was given once all that moved is counted. */
async function heldOf(): Promise<Held> {
  const [row] = await fixture.app.owner<Held[]>`
    select to_char(b.available / 100.0, 'FM999999990.00') as available,
           to_char(b.pending / 100.0, 'FM999999990.00') as pending,
           to_char(${given}::numeric + (
             select sum(case t.transaction_type when 'PAIEMENT' then t.net_amount
                        else -t.debited_amount end) / 100.0
               from transactions t
              where t.merchant_id = b.merchant_id and t.status = 'SUCCESS'),
             'FM999999990.00') as moved
      from balances b where b.merchant_id = ${owner.merchant_id} and b.country = 'BJ'`
  if (row === undefined) throw new Error('no balance')
  return row
}

const money = (decimal: string): string => writeDecimal(decimal, 'XOF', 'en')

/** A figure of the day by its name, with its change: a link to what it counts. */
const cardOf = (page: Page, name: string): Locator =>
  page.locator('.glance .figures > a', { has: page.getByText(name, { exact: true }) })

const figureOf = (page: Page, name: string): Promise<string> =>
  cardOf(page, name).locator('b').innerText()

/** What a figure counts, and back; made today, whenever it ended. */
async function leadsTo(page: Page, name: string, address: RegExp, rows: number): Promise<void> {
  await cardOf(page, name).click()
  await page.waitForURL(address)
  await expect.poll(() => page.locator('main tbody tr').count(), { message: name }).toBe(rows)
  await page.goBack()
  await page.locator('.glance table').last().waitFor()
}

const cellsOf = async (row: Locator): Promise<string[]> =>
  (await row.locator('th, td').allInnerTexts()).map((text) => text.trim())

it(
  'Home shows what the database counts',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, fixture.app.url, owner.merchant_id, '/team')
      await signInAs(page, owner)
      const answered = page.waitForResponse((answer) => answer.url().includes('/overview/'))
      await page.getByRole('link', { name: 'Home' }).first().click()
      const { as_of } = await (await answered).json()
      await page.locator('.glance table').last().waitFor()

      const day = await dayOf(as_of)
      expect(day).toMatchObject({ paid: 3, failed: 3, taken: '23900.00', week_before: '3000.00' })
      const today = cardOf(page, 'Collected')
      await expect.poll(() => today.locator('.big').innerText()).toBe(money(day.taken))
      await expect.poll(() => today.innerText()).toContain(`Successful payments: ${day.paid}`)
      await expect.poll(() => today.innerText()).toContain(`${money('20900.00')} more than`)
      expect(await figureOf(page, 'Success')).toBe(`${day.paid} of ${day.paid + day.failed}`)
      await expect
        .poll(() => cardOf(page, 'Success').innerText())
        .toMatch(/2 more than .+ by the same time/)
      expect(await figureOf(page, 'Paid out')).toBe(money(day.paid_out))
      const paid_out = await cardOf(page, 'Paid out').innerText()
      expect(paid_out).toContain(`${money(day.paid_out)} more than`)
      expect(await figureOf(page, 'Fees')).toBe(money(day.fees))
      await expect
        .poll(() => cardOf(page, 'Fees').innerText())
        .toMatch(/(more|less) than|As much as/)
      // Of all that failed, in whole percent.
      await expect
        .poll(() => page.locator('.glance .cards .card-line').allInnerTexts())
        .toEqual([expect.stringMatching(/\s2\s·\s67%$/), expect.stringMatching(/\s1\s·\s33%$/)])

      const networks = await networksOf(as_of)
      const rows = await page.locator('.glance table').last().locator('tbody tr').all()
      expect(rows).toHaveLength(networks.length)
      for (const [nth, of] of networks.entries()) {
        const [, paid, taken, share, waits] = await cellsOf(rows[nth] ?? page.locator('none'))
        expect([paid, taken, share], of.code).toEqual([
          ...[String(of.paid), money(of.taken), `${of.paid} of ${of.ended}`],
        ])
        expect(waits?.split(',')[0] || '0').toBe(String(of.waits))
      }

      const held = await heldOf()
      expect(held.available).toBe(held.moved)
      expect(held.pending).toBe('0.00')
      const balance = page.locator('section:not(.glance) .cards .balance').first()
      await expect.poll(() => balance.locator('.big').innerText()).toBe(money(held.available))
      await page.getByText('Payments waiting: 1').waitFor()

      // What failed for one reason, and what came by a network, is a press away.
      await page.locator('.glance .cards a').first().click()
      await page.waitForURL(
        /payments\?status=FAILED&type=PAIEMENT&country=BJ&from=[\d-]{10}&reason=INSUFFICIENT_FUNDS$/,
      )
      await page.getByRole('button', { name: /Not enough money/ }).waitFor()
      await expect.poll(() => page.locator('main tbody tr').count()).toBe(2)
      await expectSound(page)
      await page.goBack()
      await leadsTo(
        page,
        'Collected',
        /payments\?status=SUCCESS&type=PAIEMENT&country=BJ&from=[\d-]{10}$/,
        5,
      )
      await leadsTo(page, 'Success', /payments\?type=PAIEMENT&country=BJ&from=[\d-]{10}$/, 9)
      await leadsTo(page, 'Paid out', /payouts\?status=SUCCESS&country=BJ&from=[\d-]{10}$/, 1)
      await cardOf(page, 'Fees').click()
      await page.waitForURL(/reports\?date=[\d-]{10}$/)
      await page.goBack()
      await page.locator('.glance table').last().getByRole('link').first().click()
      await page.waitForURL(/payments\?type=PAIEMENT&network=\w+&from=[\d-]{10}$/)
      await page.locator('main tbody tr').first().waitFor()
    })
  },
  patience_ms,
)

it(
  'what waits since another day is behind its figure, by its network',
  async () => {
    const { app } = fixture
    await app.owner`
      update transactions set created_at = created_at - interval '2 days'
       where merchant_id = ${owner.merchant_id} and status = 'PENDING'`
    for (const width of [360, 1280] as const) {
      await fixture.visit({ language: 'en', width }, async (page) => {
        await openFor(page, app.url, owner.merchant_id, '')
        await signInAs(page, owner)
        const waiting = page.locator('.glance').getByRole('link', { name: /1, since/ })
        await waiting.click()
        await page.waitForURL(/payments\?type=PAIEMENT&status=PENDING&network=mtn_bj$/)
        await page.locator('main').getByText('FCFA\u00a09,900').first().waitFor()
        await page.goBack()
        await waiting.waitFor()
        await expectSound(page)
      })
    }
  },
  patience_ms,
)

it(
  'what is contradicted, and a webhook that fails, are to do; each leads to what it is about',
  async () => {
    const { app } = fixture
    const { merchant_id } = owner
    const attempts = await app.owner<{ id: string; payment: string; type: string }[]>`
      select distinct on (t.transaction_type) a.id, t.id as payment, t.transaction_type as type
        from transactions t
        join attempts a on a.merchant_id = t.merchant_id and a.transaction_id = t.id
       where t.merchant_id = ${merchant_id} and t.status <> 'PENDING'
       order by t.transaction_type, t.created_at`
    for (const { id, payment } of attempts) {
      const type = 'AMOUNT_MISMATCH'
      await plantIncident(app.owner, { merchant_id, id: payment }, { merchant_id, id }, { type })
    }
    await owner.post('/merchant-webhooks/', { url: 'https://hooks.example.com/down' })
    await app.owner`
      update webhooks set failing_since = now() - interval '3 hours'
       where merchant_id = ${merchant_id}`
    const refs = new Map<string, string>()
    for (const { payment, type } of attempts) {
      refs.set(type, (await owner.get(`/transactions/${payment}/`)).data.reference)
    }
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, app.url, merchant_id, '')
      await signInAs(page, owner)
      for (const [name, address, type] of [
        ['Payouts our team is checking: 1', /payouts\?status=INCIDENT$/, 'RETRAIT'],
        ['Payments our team is checking: 1', /payments\?status=INCIDENT$/, 'PAIEMENT'],
      ] as const) {
        await page.getByRole('link', { name }).click()
        await page.waitForURL(address)
        await page.getByRole('button', { name: /Our team is checking/ }).waitFor()
        await expect.poll(() => page.locator('main tbody tr').count()).toBe(1)
        await page.getByText(refs.get(type) ?? 'none').waitFor()
        await expectSound(page)
        await page.goBack()
      }
      const failing = page.getByRole('link', { name: /^Webhooks failing: 1\s*since / })
      await failing.waitFor()
      await expectSound(page)
      await failing.click()
      await page.waitForURL(/developers\/webhooks$/)
      await page.getByText('Failing', { exact: true }).waitFor()
    })
  },
  patience_ms,
)

wholeIt(
  'of several countries one’s own is open, the others a line each; what one has stands below',
  async () => {
    const shop = await fixture.app.shop()
    const other = await fixture.app.member({ merchant_id: shop.merchant_id })
    const pays = [
      { country: 'BJ', network: 'mtn_bj', customer: { phone: '+2290197000010' } },
      { country: 'SN', network: 'freemoney_sn', customer: { phone: '+221760000010' } },
      { country: 'TG', network: 'moov_tg', customer: { phone: '+22896000010' } },
    ]
    for (const at of pays) {
      const { data } = await shop.pay({ ...at, amount: '4500' })
      await shop.becomes(data.id, 'SUCCESS')
    }
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, fixture.app.url, other.merchant_id, '')
      await signInAs(page, other)
      const days = page.locator('main .glance')
      await expect.poll(() => days.count()).toBe(3)
      await expect
        .poll(() => days.locator('h3, summary:has(b)').allInnerTexts())
        .toEqual([
          'Bénin',
          expect.stringMatching(/^Sénégal\s+4\s500\sFCFA$/),
          expect.stringMatching(/^Togo\s+4\s500\sFCFA$/),
        ])
      const heads = await page.locator('main section > h2').allInnerTexts()
      expect(heads.filter((head) => !/réel/.test(head))).toEqual([
        ...['À faire', expect.stringMatching(/^Aujourd’hui/), 'Soldes'],
      ])
      await days.last().locator('summary').first().click()
      await days.last().getByText('Moov Money').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

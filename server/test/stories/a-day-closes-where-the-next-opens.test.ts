// A merchant's daily report: what succeeded, and balances that chain from day to day and are the
// ledger's to the franc, whatever happens while it is read.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { paidPayment, refund, refundEnds, refundingShop } from '../setup/refunds.ts'
import {
  aDayPasses,
  dailyReport,
  daysAgo,
  inHundredths,
  ledgerDay,
  readCsv,
} from '../setup/report-days.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { TRANSFER_AUTO_BELOW: 'XOF:1000000' } })
})
afterAll(() => app.stop())

const payout = (amount: string, magic = '10') => ({
  amount,
  currency: 'XOF',
  country: 'BJ',
  method: 'mtn_bj',
  recipient: { msisdn: newPayer(magic).phone },
  customer: newPayer(magic),
})

async function whitelisted(): Promise<Shop> {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  return shop
}

const fund = (shop: Shop, country: string, amount: string) =>
  shop.post('/sandbox/balances/', { country, amount })

/** Ends with its last word, so that nothing of a day happens on the next. */
async function ended(shop: Shop, reply: { data: Json }, status: string): Promise<void> {
  await shop.becomes(reply.data.id, status)
}

const acts: Readonly<Record<string, (shop: Shop, amount: number) => Promise<void>>> = {
  pay: async (shop, amount) =>
    ended(shop, await shop.pay({ amount: String(amount), customer: newPayer() }), 'SUCCESS'),
  payDeducted: async (shop, amount) => {
    const changes = { amount: String(amount), fee_charge_mode: 'DEDUCTED', customer: newPayer() }
    await ended(shop, await shop.pay(changes), 'SUCCESS')
  },
  payInVain: async (shop, amount) =>
    ended(shop, await shop.pay({ amount: String(amount), customer: newPayer('02') }), 'FAILED'),
  payOut: async (shop, amount) =>
    ended(shop, await shop.post('/payouts/initialize/', payout(String(amount))), 'SUCCESS'),
  payOutInVain: async (shop, amount) =>
    ended(shop, await shop.post('/payouts/initialize/', payout(String(amount), '03')), 'FAILED'),
  transfer: async (shop, amount) => {
    const body = { from_country: 'BJ', to_country: 'CM', from_amount: String(amount) }
    expect((await shop.post('/wallet-transfers/', body)).status).toBe(201)
  },
  fund: async (shop, amount) => {
    await fund(shop, 'CI', String(amount))
  },
}

/** The report of a day against the entries of that day. */
async function expectAsLedger(shop: Shop, date: string): Promise<Json> {
  const report = await dailyReport(shop, date)
  const shown = report.balances.map((one: Json) => ({
    country: one.country,
    opening: one.opening_balance,
    closing: one.closing_balance,
  }))
  expect(shown).toEqual([...(await ledgerDay(app, shop, date))])
  for (const one of report.balances) {
    const sums = [one, ...one.movements].map(
      ({ credits, debits }) => inHundredths(credits) - inHundredths(debits),
    )
    const [whole = 0n, ...parts] = sums
    expect(inHundredths(one.opening_balance) + whole).toBe(inHundredths(one.closing_balance))
    expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(whole)
  }
  return report
}

describe('days that chain', () => {
  it('close where the next opens, as the ledger says, after any days of any acts', async () => {
    const act = fc.tuple(fc.constantFrom(...Object.keys(acts)), fc.integer({ min: 500, max: 9000 }))
    const days = fc.array(fc.array(act, { maxLength: 5 }), { minLength: 2, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(days, async (history) => {
        const shop = await whitelisted()
        await fund(shop, 'BJ', '500000')
        for (const [at, day] of history.entries()) {
          if (at > 0) await aDayPasses(app, shop)
          await Promise.all(day.map(([name, amount]) => acts[name]?.(shop, amount)))
        }
        let before: Json
        for (let ago = history.length; ago >= 0; ago -= 1) {
          const report = await expectAsLedger(shop, daysAgo(ago))
          for (const { country, closing_balance } of before?.balances ?? []) {
            const next = report.balances.find((one: Json) => one.country === country)
            expect(next.opening_balance).toBe(closing_balance)
          }
          before = report
        }
        for (const { country, closing_balance } of before.balances) {
          expect(closing_balance).toBe((await shop.balance(country)).available_amount)
        }
      }),
      { numRuns: 6, interruptAfterTimeLimit: 60_000 },
    )
  }, 120_000)

  it('are exact while payments land', async () => {
    const shop = await app.shop()
    const paying = Promise.all(Array.from({ length: 30 }, () => shop.pay({ customer: newPayer() })))
    const reports: Json[] = []
    for (let times = 0; times < 20; times += 1) reports.push(await dailyReport(shop, daysAgo(0)))
    for (const { data } of await paying) await shop.becomes(data.id, 'SUCCESS')
    reports.push(await dailyReport(shop, daysAgo(0)))
    for (const { balances, transactions } of reports) {
      const net = transactions.map((one: Json) => inHundredths(one.net))
      const closing = balances.map((one: Json) => inHundredths(one.closing_balance))
      expect(net).toEqual(closing)
    }
    expect(reports.at(-1).transactions[0]).toMatchObject({ count: 30, requested: '150000.00' })
  })

  it('take in what began before midnight and waited until after it', async () => {
    const shop = await app.shop()
    for (const amount of ['100', '200', '300']) await fund(shop, 'BJ', amount)
    const midnight = `${daysAgo(1)}T00:00:00Z`
    // The second began just after midnight and had its number before the third, which began before.
    const at = ["- interval '2 hours'", "+ interval '1 second'", "- interval '1 second'"]
    for (const [no, shift] of at.entries()) {
      await app.owner.unsafe(`
        update ledger_entries set created_at = '${midnight}'::timestamptz ${shift}
         where merchant_id = '${shop.merchant_id}' and entry_no = ${no + 1}`)
    }
    const [before, after] = [
      await dailyReport(shop, daysAgo(2)),
      await dailyReport(shop, daysAgo(1)),
    ]
    expect(before.balances[0]).toMatchObject({ credits: '600.00', closing_balance: '600.00' })
    expect(after.balances[0]).toMatchObject({ opening_balance: '600.00', credits: '0.00' })
  })
})

describe('what a day says', () => {
  it('counts what succeeded, by country, network and type, and says what is provisional', async () => {
    const shop = await heldToPublished(await whitelisted())
    await fund(shop, 'BJ', '100000')
    for (const name of ['pay', 'payDeducted', 'payInVain', 'payOut', 'payOutInVain', 'transfer']) {
      await acts[name]?.(shop, 5000)
    }
    const report = await dailyReport(shop, daysAgo(0))
    expect(report).toMatchObject({ date: daysAgo(0), environment: 'SANDBOX', provisional: true })
    const counted = report.transactions.map((one: Json) => [one.network, one.type, one.count])
    expect(counted).toEqual([
      ['', 'TRANSFERT', 1],
      ['mtn_bj', 'PAIEMENT', 2],
      ['mtn_bj', 'RETRAIT', 1],
    ])
    const [, payins] = report.transactions
    expect(payins.requested).toBe('10000.00')
    // One fee was the payer's, the other is taken from what they sent.
    expect(inHundredths(payins.requested) - inHundredths(payins.net)).toBe(
      inHundredths(payins.fees) / 2n,
    )
    const [home] = report.balances
    const held = home.movements.find((one: Json) => one.kind === 'PAYOUT')
    expect(held).toEqual({ kind: 'PAYOUT', count: 3, credits: '5000.00', debits: '10000.00' })
    expect((await dailyReport(shop, daysAgo(2))).provisional).toBe(false)
  })

  it('is one table for a spreadsheet program', async () => {
    const shop = await app.shop()
    await acts['pay']?.(shop, 5000)
    await fund(shop, 'CI', '700')
    const csv = await readCsv(app, shop, `/reports/daily/?date=${daysAgo(0)}&format=csv`)
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.headers.get('content-disposition')).toContain(`daily-${daysAgo(0)}-sandbox.csv`)
    expect(csv.text.startsWith('date,')).toBe(true)
    const by_name = `/reports/daily/?date=${daysAgo(0)}&format=csv&file_label=boutique-awa`
    const named = await readCsv(app, shop, by_name)
    expect(named.headers.get('content-disposition')).toContain('"daily-boutique-awa.csv"')
    const marked = await readCsv(app, shop, `/reports/daily/?date=${daysAgo(0)}&format=csv&bom=1`)
    expect(marked.text).toBe(`\uFEFF${csv.text}`)
    expect(csv.rows).toMatchObject([
      { country: 'BJ', network: 'mtn_bj', type: 'PAIEMENT', count: '1', net: '5000.00' },
      { country: 'BJ', network: '', type: '', movement: 'PAYIN', credits: '5000.00', net: '' },
      { country: 'CI', network: '', count: '0', closing_balance: '700.00', provisional: 'true' },
      { country: 'CI', movement: 'SANDBOX', credits: '700.00', debits: '0.00' },
    ])
  })

  it('adds up in that table, with what was paid out and given back in it', async () => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const made = await refund(shop, payment, { amount: '2000' })
    await refundEnds(shop, made.data.id, 'SUCCESS')
    await acts['payOut']?.(shop, 1000)
    const { rows } = await readCsv(app, shop, `/reports/daily/?date=${daysAgo(0)}&format=csv`)
    const moved = rows.filter(({ movement }) => movement !== '')
    expect(moved.find(({ movement }) => movement === 'REFUND')).toMatchObject({
      count: '1',
      credits: '0.00',
      debits: '2000.00',
    })
    const [{ opening_balance = '', closing_balance = '' } = {}] = moved
    const change = moved.reduce(
      (sum, { credits = '', debits = '' }) => sum + inHundredths(credits) - inHundredths(debits),
      0n,
    )
    expect(moved.map(({ movement }) => movement)).toContain('PAYOUT')
    expect(inHundredths(opening_balance) + change).toBe(inHundredths(closing_balance))
  })

  it('shows nobody another’s, nor one environment the other’s', async () => {
    const shop = await app.shop()
    await fund(shop, 'BJ', '700')
    const stranger = await app.shop()
    expect(await dailyReport(stranger, daysAgo(0))).toMatchObject({
      transactions: [],
      balances: [],
    })
    const member = await app.member({ merchant_id: shop.merchant_id, environment: 'SANDBOX' })
    expect((await dailyReport(member, daysAgo(0))).balances).toHaveLength(1)
  })

  it('is refused for no day, a day that is none and one that has not begun', async () => {
    const shop = await heldToPublished(await app.shop())
    for (const date of ['', '2026-02-30', 'yesterday', '21/11/2026', daysAgo(-1)]) {
      for (const format of ['json', 'csv']) {
        const reply = await shop.get(`/reports/daily/?date=${date}&format=${format}`)
        expect([reply.status, Object.keys(reply.error)], date).toEqual([400, ['date']])
      }
    }
    expect((await shop.get('/reports/daily/')).status).toBe(400)
    const odd = await shop.get(`/reports/daily/?date=${daysAgo(0)}&format=xml`)
    expect([odd.status, Object.keys(odd.error)]).toEqual([400, ['format']])
  })

  it('reads no more of the ledger however old it is', async () => {
    const shop = await app.shop()
    await fund(shop, 'CI', '700')
    await fund(shop, 'BJ', '700')
    // A year of movements of one balance, between two of the other.
    await app.owner`
      insert into ledger_entries (merchant_id, id, environment, country, debit_account,
        credit_account, amount, currency, cause_kind, cause_id, line, available_change, entry_no,
        balance_after, created_at)
      select e.merchant_id, gen_random_uuid(), e.environment, e.country, e.debit_account,
             e.credit_account, 100, e.currency, e.cause_kind, gen_random_uuid(), 1, 100,
             n + 1, e.balance_after + 100 * n, now() - interval '2 days' - n * interval '5 minutes'
        from ledger_entries e cross join generate_series(1, 20000) n
       where e.merchant_id = ${shop.merchant_id} and e.country = 'BJ'`
    await app.owner`
      update ledger_entries set created_at = now() - interval '400 days'
       where merchant_id = ${shop.merchant_id} and country = 'CI'`
    await app.owner`analyze ledger_entries`
    const read = async () => {
      const [row] = await app.owner<{ read: bigint }[]>`
        select idx_tup_fetch as read from pg_stat_user_tables where relname = 'ledger_entries'`
      return Number(row?.read ?? 0)
    }
    await app.owner`select pg_stat_force_next_flush()`
    const before = await read()
    const report = await dailyReport(shop, daysAgo(1))
    expect(report.balances.map((one: Json) => one.country)).toEqual(['BJ', 'CI'])
    // Statistics are sent within a second of the statement.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect((await read()) - before).toBeLessThan(500)
  })
})

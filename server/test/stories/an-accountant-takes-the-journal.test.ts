// The accounting journal: every ledger entry of the merchant's own, once, mirrored into its books;
// every piece balances; in the accounts it chose.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { aDayPasses, dailyReport, daysAgo, inHundredths, readCsv } from '../setup/report-days.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { TRANSFER_AUTO_BELOW: 'XOF:1000000' } })
})
afterAll(() => app.stop())

const journal = (shop: Shop, from = daysAgo(0), to = daysAgo(0)) =>
  readCsv(app, shop, `/reports/journal/?from=${from}&to=${to}`)

const put = (shop: Shop, body: unknown) =>
  shop.call('PUT', '/reports/journal/accounts/', {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

type Line = Readonly<Record<string, string>>

/** `Dr 552 9675.00`, a piece’s lines in their order. */
const legs = (rows: readonly Line[], operation: string): string[] =>
  rows
    .filter((row) => row['operation'] === operation)
    .map(({ account, debit, credit }) =>
      debit === '0.00' ? `Cr ${account} ${credit}` : `Dr ${account} ${debit}`,
    )

function expectBalanced(rows: readonly Line[]): void {
  const sums = new Map<string, bigint>()
  for (const { piece, operation, country, currency, debit = '', credit = '' } of rows) {
    const key = [piece, operation, country, currency].join(' ')
    sums.set(key, (sums.get(key) ?? 0n) + inHundredths(debit) - inHundredths(credit))
  }
  expect([...sums].filter(([, sum]) => sum !== 0n)).toEqual([])
}

const onAccount = (rows: readonly Line[], account: string, country: string): bigint =>
  rows
    .filter((row) => row['account'] === account && row['country'] === country)
    .reduce(
      (sum, { debit = '', credit = '' }) => sum + inHundredths(debit) - inHundredths(credit),
      0n,
    )

async function busyShop(): Promise<Shop> {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  return shop
}

const payout = (magic: string) => ({
  amount: '2000',
  currency: 'XOF',
  country: 'BJ',
  method: 'mtn_bj',
  recipient: { msisdn: newPayer(magic).phone },
  customer: newPayer(magic),
})

describe('the journal', () => {
  it('has each movement of the day, balanced, and ends at the balance that the day closes with', async () => {
    const shop = await busyShop()
    const paid = await shop.pay({ customer: newPayer(), merchant_reference: '=2+3' })
    await shop.becomes(paid.data.id, 'SUCCESS')
    const taken = await shop.pay({ customer: newPayer(), fee_charge_mode: 'DEDUCTED' })
    const { client_fee, net_amount } = await shop.becomes(taken.data.id, 'SUCCESS')
    const out = await shop.post('/payouts/initialize/', payout('10'))
    await shop.becomes(out.data.id, 'SUCCESS')
    const back = await shop.post('/payouts/initialize/', payout('03'))
    await shop.becomes(back.data.id, 'FAILED')
    const transfer = { from_country: 'BJ', to_country: 'CM', from_amount: '1000' }
    expect((await shop.post('/wallet-transfers/', transfer)).status).toBe(201)
    const { rows, text, columns, headers } = await journal(shop)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(text.startsWith('date,piece,')).toBe(true)
    expect(columns).toContain('account')
    expectBalanced(rows)
    const of = (reference: string, name: string) =>
      legs(
        rows.filter((row) => row['piece'] === reference),
        name,
      )
    // The payer bore the first fee: it is no cost of the merchant's.
    expect(of(paid.data.reference, 'TRANSACTION')).toEqual(['Dr 552 5000.00', 'Cr 706 5000.00'])
    expect(of(taken.data.reference, 'TRANSACTION')).toEqual([
      `Dr 552 ${net_amount}`,
      `Dr 6317 ${client_fee}`,
      'Cr 706 5000.00',
    ])
    expect(of(out.data.reference, 'HOLD')).toEqual(['Dr 585 2000.00', 'Cr 552 2000.00'])
    expect(of(out.data.reference, 'TRANSACTION').at(-1)).toBe('Cr 585 2000.00')
    expect(of(back.data.reference, 'HOLD_END')).toEqual(['Dr 552 2000.00', 'Cr 585 2000.00'])
    expect(rows.map((row) => row['merchant_reference'])).toContain("'=2+3")
    const { balances } = await dailyReport(shop, daysAgo(0))
    for (const { country, closing_balance } of balances) {
      expect(onAccount(rows, '552', country)).toBe(inHundredths(closing_balance))
    }
    expect(text).not.toMatch(/gateway|platform/)
  })

  it('says in an accountant’s words what each line is: French, or English on request', async () => {
    const shop = await busyShop()
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '9000' })
    const changes = { customer: newPayer(), fee_charge_mode: 'DEDUCTED' }
    const paid = await shop.pay({ ...changes, merchant_reference: 'ORDER-1042' })
    await shop.becomes(paid.data.id, 'SUCCESS')
    const out = await shop.post('/payouts/initialize/', payout('10'))
    await shop.becomes(out.data.id, 'SUCCESS')
    const back = await shop.post('/payouts/initialize/', payout('03'))
    await shop.becomes(back.data.id, 'FAILED')
    const labels = async (more: string) => {
      const path = `/reports/journal/?from=${daysAgo(0)}&to=${daysAgo(0)}${more}`
      const { rows } = await readCsv(app, shop, path)
      return [...new Set(rows.map((row) => row['label']))].sort()
    }
    expect(await labels('')).toEqual(
      [
        'Encaissement ORDER-1042 MTN MoMo Bénin',
        'Fonds d’essai',
        'Frais sur encaissement ORDER-1042 MTN MoMo Bénin',
        `Frais sur versement ${out.data.reference} MTN MoMo Bénin`,
        `Mise en réserve pour versement ${out.data.reference} MTN MoMo Bénin`,
        `Mise en réserve pour versement ${back.data.reference} MTN MoMo Bénin`,
        `Reprise de réserve (versement non abouti) ${back.data.reference} MTN MoMo Bénin`,
        `Versement ${out.data.reference} MTN MoMo Bénin`,
      ].sort(),
    )
    expect(await labels('&locale=en')).toContain('Payment received ORDER-1042 MTN MoMo Bénin')
  })

  it('has what a process with a wrong clock booked, once, on the day it was booked', async () => {
    const shop = await app.shop()
    const paid = []
    for (let nth = 0; nth < 4; nth += 1) {
      const { data } = await shop.pay({ customer: newPayer() })
      paid.push(await shop.becomes(data.id, 'SUCCESS'))
    }
    const right = await journal(shop)
    const clocks = ['3 hours', '150 days', '-3 hours', '-150 days']
    for (const [nth, ahead] of clocks.entries()) {
      // An id is made before its entry is booked: they are of one clock, and of two when it is
      // wrong.
      await app.owner`
        update ledger_entries
           set id = (left(uuid_floor(created_at + ${ahead}::text::interval)::text, 14)
                     || substr(id::text, 15))::uuid
         where merchant_id = ${shop.merchant_id} and cause_id = ${paid[nth].id}`
    }
    const wrong = await journal(shop)
    const lines = ({ rows: all }: { rows: readonly Line[] }) =>
      all.map((row) => JSON.stringify(row)).sort()
    expect(lines(wrong)).toEqual(lines(right))
    expect(lines(await journal(shop, daysAgo(200)))).toEqual(lines(right))
    expect((await journal(shop, daysAgo(160), daysAgo(140))).rows).toEqual([])
  })

  it('is of its days, and a longer one is theirs together', async () => {
    const shop = await app.shop()
    for (const amount of ['100', '200', '300']) {
      await aDayPasses(app, shop)
      await shop.post('/sandbox/balances/', { country: 'BJ', amount })
    }
    const amounts = async (from: number, to: number) =>
      (await journal(shop, daysAgo(from), daysAgo(to))).rows.map((row) => row['debit'])
    expect(await amounts(0, 0)).toEqual(['300.00', '0.00'])
    expect(await amounts(1, 1)).toEqual(['200.00', '0.00'])
    expect(await amounts(9, 1)).toEqual(['100.00', '0.00', '200.00', '0.00'])
    expect(await amounts(9, 5)).toEqual([])
  })

  it('streams many stretches without cutting a piece in two', async () => {
    const shop = await app.shop()
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100' })
    await app.owner`
      insert into ledger_entries (merchant_id, id, environment, country, debit_account,
        credit_account, amount, currency, cause_kind, cause_id, line, available_change, entry_no,
        balance_after)
      select e.merchant_id,
             (left(uuid_floor(now() - n * interval '10 milliseconds')::text, 14)
              || substr(gen_random_uuid()::text, 15))::uuid,
             e.environment, e.country, e.debit_account, e.credit_account, 100 + at, e.currency,
             e.cause_kind, md5((n / 3)::text)::uuid, at, 100 + at, n + 1,
             e.balance_after + n
        from ledger_entries e
       cross join lateral (select n, n % 3 + 1 as at from generate_series(3, 25001) n) s
       where e.merchant_id = ${shop.merchant_id}`
    // A table that grew at once is planned for as if it were empty until a job has counted it.
    await app.owner`analyze ledger_entries`
    const { rows } = await journal(shop)
    expectBalanced(rows)
    const debits = rows.map(({ debit = '' }) => inHundredths(debit))
    const [whole] = await app.owner<{ sum: string }[]>`
      select sum(amount)::text from ledger_entries where merchant_id = ${shop.merchant_id}`
    expect(debits.reduce((sum, one) => sum + one, 0n).toString()).toBe(whole?.sum)
    // One debited and one credited line a piece, however many entries it has.
    const pieces = new Set(rows.map(({ piece }) => piece))
    expect(pieces.size).toBeGreaterThan(7000)
    expect(rows).toHaveLength(2 * 8334)
  })

  it('is refused for days that are none, that have not begun, or in the wrong order', async () => {
    const shop = await heldToPublished(await app.shop())
    const refused = async (query: string) => {
      const reply = await shop.get(`/reports/journal/?${query}`)
      return [reply.status, Object.keys(reply.error)]
    }
    const today = daysAgo(0)
    expect(await refused('')).toEqual([400, ['from', 'to']])
    expect(await refused(`from=soon&to=2026-02-30`)).toEqual([400, ['from', 'to']])
    expect(await refused(`from=${daysAgo(-1)}&to=${daysAgo(-1)}`)).toEqual([400, ['from']])
    expect(await refused(`from=${today}&to=${daysAgo(1)}`)).toEqual([400, ['to']])
  })
})

describe('its accounts', () => {
  it('are SYSCOHADA’s until a member chooses others, which the audit log tells', async () => {
    const owner = await heldToPublished(await app.member())
    const shop = await app.shop({ merchant_id: owner.merchant_id })
    const first = await shop.get('/reports/journal/accounts/')
    expect(first.data).toMatchObject({
      balance: '552',
      sales: '706',
      fees: '6317',
      reserved: '585',
    })
    const chosen = await put(owner, { sales: '7011', balance: '5211', unknown: 'x' })
    expect([chosen.status, chosen.data.sales, chosen.data.fees]).toEqual([200, '7011', '6317'])
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100' })
    const { rows } = await journal(shop)
    expect(legs(rows, 'SANDBOX')).toEqual(['Dr 5211 100.00', 'Cr 585 100.00'])
    const again = await put(owner, { sales: '7011' })
    expect(again.data).toMatchObject({ balance: '552', sales: '7011' })
    const acts = await app.owner`
      select before, after from audit_logs
       where merchant_id = ${owner.merchant_id} and action = 'journal.accounts_changed'
       order by id`
    expect(acts.map((act: Json) => act.after)).toEqual([
      { balance: '5211', sales: '7011' },
      { balance: '552' },
    ])
    // What changes nothing leaves no line.
    await put(owner, { sales: '7011' })
    const [count] = await app.owner`
      select count(*)::int as acts from audit_logs
       where merchant_id = ${owner.merchant_id} and action = 'journal.accounts_changed'`
    expect(count).toEqual({ acts: 2 })
  })

  it('are numbers, each wrong one named, and changed by those who may', async () => {
    const owner = await heldToPublished(await app.member())
    const wrong = await put(owner, { sales: '=1+1', fees: '0631', balance: '5', debt: '4712' })
    expect([wrong.status, Object.keys(wrong.error).sort()]).toEqual([
      400,
      ['balance', 'fees', 'sales'],
    ])
    const finance = await app.member({ merchant_id: owner.merchant_id, role: 'FINANCE' })
    expect((await put(finance, {})).error.code).toBe('permission_denied')
    const shop = await app.shop({ merchant_id: owner.merchant_id })
    expect((await put(shop, {})).error.code).toBe('dashboard_only')
  })

  it('are one choice when two are made at once', async () => {
    const owner = await app.member()
    const requests = [{ sales: '7011', fees: '6311' }, { payouts: '4011' }]
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) => untilServed(() => put(owner, requests[at % 2]))),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    const { data } = await owner.get('/reports/journal/accounts/')
    expect([
      ['7011', '6311', '4711'],
      ['706', '6317', '4011'],
    ]).toContainEqual([data.sales, data.fees, data.payouts])
  })
})

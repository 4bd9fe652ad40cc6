// Books that keep no line a payment: the journal in totals of days, the same to the franc as piece
// by piece, and with the third party that the merchant's books want on each line.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type Shop, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { aDayPasses, daysAgo, inHundredths, readCsv } from '../setup/report-days.ts'
import { approve, reject, transfer, transferred } from '../setup/transfers.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { TRANSFER_AUTO_BELOW: 'XOF:1000000' } })
})
afterAll(() => app?.stop())

type Line = Readonly<Record<string, string>>

const journal = (shop: Shop, more: string, [from, to] = [daysAgo(9), daysAgo(0)]) =>
  readCsv(app, shop, `/reports/journal/?from=${from}&to=${to}${more}`)

async function busyShop(): Promise<Shop> {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '900000' })
  return shop
}

/** Each ends booked, or on its way with a hold that is. */
const acts = {
  pay: async (shop: Shop, amount: string) => {
    const { data } = await shop.pay({ customer: newPayer(), amount, merchant_reference: 'A-1' })
    await shop.becomes(data.id, 'SUCCESS')
  },
  payWithoutFee: async (shop: Shop, amount: string) => {
    const changes = { customer: newPayer(), amount, fee_charge_mode: 'DEDUCTED' }
    await shop.becomes((await shop.pay(changes)).data.id, 'SUCCESS')
  },
  payOut: async (shop: Shop, amount: string) => {
    const { data } = await shop.post('/payouts/initialize/', payout(amount, '10'))
    await shop.becomes(data.id, 'SUCCESS')
  },
  payOutInVain: async (shop: Shop, amount: string) => {
    const { data } = await shop.post('/payouts/initialize/', payout(amount, '03'))
    await shop.becomes(data.id, 'FAILED')
  },
  transfer: (shop: Shop, from_amount: string) =>
    shop.post('/wallet-transfers/', { from_country: 'BJ', to_country: 'CM', from_amount }),
  fund: (shop: Shop, amount: string) => shop.post('/sandbox/balances/', { country: 'SN', amount }),
}

const payout = (amount: string, magic: string) => ({
  ...{ amount, currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
  recipient: { msisdn: newPayer(magic).phone },
  customer: newPayer(magic),
})

/** What both journals must agree upon, and how many lines of pieces are behind it. */
function sums(rows: readonly Line[], countOf: (row: Line) => number) {
  const found = new Map<string, { debit: bigint; credit: bigint; lines: number }>()
  for (const row of rows) {
    const { date, country, currency, operation, account, debit = '', credit = '' } = row
    const side = debit === '0.00' ? 'credit' : 'debit'
    const key = [date, country, currency, operation, account, side].join(' ')
    const sum = found.get(key) ?? { debit: 0n, credit: 0n, lines: 0 }
    sum.debit += inHundredths(debit)
    sum.credit += inHundredths(credit)
    sum.lines += countOf(row)
    found.set(key, sum)
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const operationsIn = ({ label = '' }: Line): number =>
  Number(/ : total du jour \((\d+) opérations?\)$/.exec(label)?.[1])

const pieceName = ({ date, piece }: Line) => `${date} ${piece}`

function expectSameTotals(daily: readonly Line[], each: readonly Line[]): void {
  expect(sums(daily, operationsIn)).toEqual(sums(each, () => 1))
  for (const name of new Set(daily.map(pieceName))) {
    const lines = daily.filter((row) => pieceName(row) === name)
    const off = lines.reduce(
      (sum, { debit = '', credit = '' }) => sum + inHundredths(debit) - inHundredths(credit),
      0n,
    )
    expect([name, off]).toEqual([name, 0n])
    // One kind of movement in one country, each line of it once.
    expect(new Set(lines.map(({ country, operation }) => `${country} ${operation}`)).size).toBe(1)
    expect(
      new Set(lines.map(({ label, account, debit }) => [label, account, debit].join())).size,
    ).toBe(lines.length)
  }
}

describe('the journal in totals of days', () => {
  it('is to the franc the journal of its pieces, whatever was done', async () => {
    const act = fc.tuple(fc.constantFrom(...Object.keys(acts)), fc.integer({ min: 500, max: 9000 }))
    const days = fc.array(fc.array(act, { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 3,
    })
    await fc.assert(
      fc.asyncProperty(days, async (history) => {
        const shop = await busyShop()
        for (const [at, day] of history.entries()) {
          if (at > 0) await aDayPasses(app, shop)
          for (const [name, amount] of day) {
            await acts[name as keyof typeof acts](shop, `${amount}`)
          }
        }
        for (const country of ['', '&country=BJ', '&country=CM']) {
          const each = await journal(shop, country)
          const daily = await journal(shop, `${country}&grouping=day`)
          expectSameTotals(daily.rows, each.rows)
        }
        const { rows } = await journal(shop, '&grouping=piece')
        expect(rows).toEqual((await journal(shop, '')).rows)
      }),
      { numRuns: 4 },
    )
  })

  it('holds for more entries than one query reads, and for those of a wrong clock', async () => {
    const shop = await app.shop()
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100' })
    await app.owner`
      insert into ledger_entries (merchant_id, id, environment, country, debit_account,
        credit_account, amount, currency, cause_kind, cause_id, line, available_change, entry_no,
        balance_after, created_at)
      select e.merchant_id,
             (left(uuid_floor(case when n = 6001 then now() - interval '45 days'
                                   when n = 6000 then s.at + interval '5 hours'
                                   when n % 50 = 0 then s.at + (n % 7 - 3) * interval '3 hours'
                                   else s.at end)::text, 14)
              || substr(gen_random_uuid()::text, 15))::uuid,
             e.environment, e.country, e.debit_account, e.credit_account, 100 * n, e.currency,
             e.cause_kind, gen_random_uuid(), 1, 100 * n, n, e.balance_after + n, s.at
        from ledger_entries e
       cross join lateral (select n, now() - case when n = 6000 then interval '40 days'
                                                  else n * interval '1 minute' end as at
                             from generate_series(2, 6001) n) s
       where e.merchant_id = ${shop.merchant_id}`
    await app.owner`analyze ledger_entries`
    // One of a wrong clock is alone on its day; another is the first by its id, and not by its day.
    const period: [string, string] = [daysAgo(60), daysAgo(0)]
    const each = await journal(shop, '', period)
    const daily = await journal(shop, '&grouping=day', period)
    expect(each.rows.length).toBe(2 * 6001)
    expectSameTotals(daily.rows, each.rows)
    const dates = new Set(daily.rows.map(({ date }) => date))
    expect(daily.rows).toHaveLength(2 * dates.size)
    expect(daily.rows.map(({ date }) => date)).toEqual(daily.rows.map(({ date }) => date).sort())
    // Days without anything cost nothing: of two thousand years, the few are found.
    const all = await journal(shop, '&grouping=day', ['0001-01-02', '9999-12-31'])
    expect(all.rows).toEqual(daily.rows)
  })

  it('says in words what and how many, French or English, and so do Odoo and Sage', async () => {
    const shop = await app.shop()
    for (const magic of ['11', '12']) {
      const { data } = await shop.pay({ customer: newPayer(magic), fee_charge_mode: 'DEDUCTED' })
      await shop.becomes(data.id, 'SUCCESS')
    }
    const day = daysAgo(0).replaceAll('-', '')
    const today = [daysAgo(0), daysAgo(0)] as [string, string]
    const { rows } = await journal(shop, '&grouping=day', today)
    expect(
      rows.map(({ piece, label, merchant_reference }) => [piece, label, merchant_reference]),
    ).toEqual([
      [`DAY-${day}-BJPAYIN`, 'Encaissement : total du jour (2 opérations)', ''],
      [`DAY-${day}-BJPAYIN`, 'Frais sur encaissement : total du jour (2 opérations)', ''],
      [`DAY-${day}-BJPAYIN`, 'Encaissement : total du jour (2 opérations)', ''],
    ])
    const english = await journal(shop, '&grouping=day&locale=en', today)
    expect(english.rows[0]?.['label']).toBe('Payment received: day’s total (2 operations)')
    const odoo = await journal(shop, '&grouping=day&format=odoo', today)
    const id = `pirogue_day_${day}_${shop.merchant_id}_sandbox_PAYIN_BJ`
    expect(odoo.rows.map((row) => [row['id'], row['line_ids/id']])).toEqual([
      [id, `${id}_balance_debit`],
      ['', `${id}_fees_debit`],
      ['', `${id}_sales_credit`],
    ])
    expect(odoo.rows.map((row) => row['line_ids/debit'])).toEqual(rows.map(({ debit }) => debit))
    const sage = await journal(shop, '&grouping=day&format=sage', today)
    const cells = sage.text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split('\t'))
    expect(cells.map((row) => [row.length, row[3]])).toEqual(Array(3).fill([11, 'BJPAYIN']))
    const comma = ({ credit = '' }: Line) => credit.replace('.', ',')
    expect(cells.map((row) => row[10])).toEqual(rows.map(comma))
  })

  it('is refused for a grouping that is none', async () => {
    const shop = await heldToPublished(await app.shop())
    const period = `from=${daysAgo(0)}&to=${daysAgo(0)}`
    const reply = await shop.get(`/reports/journal/?${period}&grouping=month`)
    expect([reply.status, Object.keys(reply.error)]).toEqual([400, ['grouping']])
  })
})

describe('a transfer between countries that waits for staff', () => {
  it('is one from the first, so that a day imported again is what was imported', async () => {
    const shop = await app.shop()
    const staff = await app.staff({ role: 'FINANCE' })
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '5000000' })
    const large = transfer({ from_amount: '1200000' })
    const [first, second] = [await transferred(shop, large), await transferred(shop, large)]
    expect([first.status, second.status]).toEqual(['PENDING', 'PENDING'])
    const take = async () => ({
      pieces: (await journal(shop, '')).rows,
      odoo: (await journal(shop, '&format=odoo')).rows,
      days: (await journal(shop, '&grouping=day&format=odoo')).rows,
    })
    const before = await take()
    await approve(staff, first.id)
    await reject(staff, second.id)
    const after = await take()
    for (const form of ['pieces', 'odoo', 'days'] as const) {
      expect(after[form]).toEqual(expect.arrayContaining(before[form]))
    }
    const kinds = after.days.flatMap(({ id = '' }) => (id === '' ? [] : [id.split('sandbox_')[1]]))
    expect(kinds).toEqual([
      ...['HOLD_END_TRANSFER_BJ', 'HOLD_TRANSFER_BJ', 'SANDBOX_BJ', 'TRANSFER_BJ', 'TRANSFER_CM'],
    ])
    const labels = new Set(after.pieces.map(({ label }) => label))
    for (const { reference } of [first, second]) {
      expect(labels).toContain(`Mise en réserve pour transfert ${reference}`)
    }
    expect(labels).toContain(`Transfert entre pays ${first.reference}`)
    expect(labels).toContain(`Reprise de réserve (transfert non abouti) ${second.reference}`)
  })
})

describe('third parties', () => {
  const put = (owner: Shop, body: unknown) =>
    owner.call('PUT', '/reports/journal/accounts/', {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  const paidShop = async (owner: SignedInCaller) => {
    const shop = await app.shop({ merchant_id: owner.merchant_id })
    const { data } = await shop.pay({ customer: newPayer(), fee_charge_mode: 'DEDUCTED' })
    await shop.becomes(data.id, 'SUCCESS')
    return shop
  }
  const set = { sales: '4111', third_parties: { sales: 'CDIVERS', fees: 'F.PIROGUE-1' } }

  it('stand on their lines in each form, and on no other', async () => {
    const owner = await heldToPublished(await app.member())
    const none = await owner.get('/reports/journal/accounts/')
    expect(none.data.third_parties).toEqual({})
    const shop = await paidShop(owner)
    const before = await journal(shop, '')
    expect(before.columns.at(-1)).toBe('third_party')
    expect(before.rows.map((row) => row['third_party'])).toEqual(['', '', ''])
    const chosen = await put(owner, set)
    expect([chosen.status, chosen.data]).toEqual([200, { ...none.data, ...set }])
    expect((await shop.get('/reports/journal/accounts/')).data).toEqual(chosen.data)
    const whose = ['552 ', '6317 F.PIROGUE-1', '4111 CDIVERS']
    for (const grouping of ['piece', 'day']) {
      const own = await journal(shop, `&grouping=${grouping}`)
      expect(own.rows.map((row) => `${row['account']} ${row['third_party']}`)).toEqual(whose)
      const odoo = await journal(shop, `&grouping=${grouping}&format=odoo`)
      expect(
        odoo.rows.map((row) => `${row['line_ids/account_id']} ${row['line_ids/partner_id']}`),
      ).toEqual(whose)
      const sage = await journal(shop, `&grouping=${grouping}&format=sage`)
      const cells = sage.text
        .trimEnd()
        .split('\r\n')
        .map((line) => line.split('\t'))
      expect(cells.map((row) => `${row[4]} ${row[5]}`)).toEqual(whose)
    }
  })

  it('are nobody again once they are not named, which the audit log tells', async () => {
    const owner = await app.member()
    const shop = await paidShop(owner)
    await put(owner, set)
    // A column that nobody fills would empty what was entered there by hand.
    expect((await journal(shop, '&format=odoo')).columns).toContain('line_ids/partner_id')
    const again = await put(owner, { sales: '4111' })
    expect([again.data.sales, again.data.third_parties]).toEqual(['4111', {}])
    expect((await journal(shop, '&format=odoo')).columns).not.toContain('line_ids/partner_id')
    const acts = await app.owner`
      select before, after from audit_logs
       where merchant_id = ${owner.merchant_id} and action = 'journal.accounts_changed'
       order by id`
    expect(acts.map(({ after }) => after)).toEqual([set, { third_parties: {} }])
  })

  it('are codes, each wrong one named; what is no line is not kept', async () => {
    const owner = await heldToPublished(await app.member())
    const wrong = { sales: '=1+1', fees: 'two words', payouts: 'X'.repeat(18), debt: 'OK-1' }
    const refused = await put(owner, { third_parties: wrong })
    expect([refused.status, Object.keys(refused.error).sort()]).toEqual([
      400,
      ['third_parties.fees', 'third_parties.payouts', 'third_parties.sales'],
    ])
    const odd = await put(owner, { third_parties: { debt: 'OK-1', other: 'X' } })
    expect([odd.status, odd.data.third_parties]).toEqual([200, { debt: 'OK-1' }])
    const finance = await app.member({ merchant_id: owner.merchant_id, role: 'FINANCE' })
    expect((await put(finance, set)).error.code).toBe('permission_denied')
  })

  it('are one choice with the accounts when two are made at once', async () => {
    const owner = await app.member()
    const choices = [set, { third_parties: { payouts: 'FDIVERS' } }]
    await Promise.all(Array.from({ length: 12 }, (_, at) => put(owner, choices[at % 2])))
    const { data } = await owner.get('/reports/journal/accounts/')
    expect([
      ['4111', set.third_parties],
      ['706', { payouts: 'FDIVERS' }],
    ]).toContainEqual([data.sales, data.third_parties])
  })
})

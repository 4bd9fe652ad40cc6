// The journal in the forms that programs for books import: the same entries as in our own table, in
// the columns, days and decimals of each, every piece whole and balanced.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { holdFile } from '../setup/held-to-published.ts'
import { paidPayment, refund, refundEnds, refundingShop } from '../setup/refunds.ts'
import { daysAgo, inHundredths } from '../setup/report-days.ts'

let app: TestApp
let shop: Shop
beforeAll(async () => {
  app = await startApp({ env: { TRANSFER_AUTO_BELOW: 'XOF:1000000' } })
  shop = await app.shop()
  const paid = await shop.pay({ customer: newPayer(), merchant_reference: 'CMD-1042' })
  await shop.becomes(paid.data.id, 'SUCCESS')
  const taken = await shop.pay({ customer: newPayer(), fee_charge_mode: 'DEDUCTED' })
  await shop.becomes(taken.data.id, 'SUCCESS')
  const transfer = { from_country: 'BJ', to_country: 'CM', from_amount: '1000' }
  expect((await shop.post('/wallet-transfers/', transfer)).status).toBe(201)
})
afterAll(() => app?.stop())

async function take(query: string, of = shop) {
  const period = `from=${daysAgo(0)}&to=${daysAgo(0)}`
  const reply = await fetch(`${app.url}/api/v1/reports/journal/?${period}${query}`, {
    headers: { authorization: `Bearer ${of.key}` },
  })
  await holdFile('/reports/journal/', reply)
  const bytes = Buffer.from(await reply.arrayBuffer())
  return { reply, bytes, name: reply.headers.get('content-disposition') ?? '' }
}

/** No cell of these has a comma or a quotation mark. */
const cellsOf = (text: string, separator: string) =>
  text
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line) => line.split(separator))

const own = async (country = '') => {
  const { bytes } = await take(country === '' ? '' : `&country=${country}`)
  const [, ...rows] = cellsOf(bytes.toString(), ',')
  return rows.map(([, , , account = '', label = '', debit = '', credit = '']) => [
    ...[account, label, debit, credit],
  ])
}

const balance = (pairs: readonly (readonly string[])[]) =>
  pairs.reduce(
    (sum, [debit = '', credit = '']) => sum + inHundredths(debit) - inHundredths(credit),
    0n,
  )

describe('for Odoo', () => {
  it('each piece says what it is on its first row alone, under a name of its own', async () => {
    const { reply, bytes, name } = await take('&format=odoo&journal=MM&locale=fr')
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8',
    ])
    expect(name).toMatch(/journal-.*-sandbox\.odoo\.csv"$/)
    const labelled = await take('&format=odoo&file_label=boutique-awa-live-2026-11')
    expect(labelled.name).toContain('"journal-boutique-awa-live-2026-11.odoo.csv"')
    const [head, ...rows] = cellsOf(bytes.toString(), ',')
    expect(head?.join(',')).toBe(
      'id,date,journal_id,ref,line_ids/id,line_ids/account_id,line_ids/name,line_ids/debit,line_ids/credit',
    )
    // Nothing but the entries of our own table, in their order.
    expect(rows.map((row) => row.slice(5))).toEqual(await own())
    expect(new Set(rows.map((row) => row[4])).size).toBe(rows.length)
    const firsts = rows.filter(([id]) => id !== '')
    expect(new Set(firsts.map(([id]) => id)).size).toBe(firsts.length)
    for (const [id, date, journal, ref] of firsts) {
      expect([date, journal]).toEqual([daysAgo(0), 'MM'])
      expect(id).toMatch(/^pirogue_[0-9a-f-]{36}_(BJ|CM)$/)
      expect(ref).not.toBe('')
    }
    for (const [id, ...others] of rows) {
      if (id === '') expect(others.slice(0, 3)).toEqual(['', '', ''])
    }
    const pieces = rows.reduce<string[][][]>((all, row) => {
      if (row[0] !== '') all.push([])
      all.at(-1)?.push(row)
      return all
    }, [])
    expect(pieces.length).toBeGreaterThan(3)
    for (const piece of pieces) expect(balance(piece.map((row) => row.slice(7)))).toBe(0n)
    const again = await take('&format=odoo&journal=MM&locale=fr')
    expect(again.bytes).toEqual(bytes)
  })

  it('one country is the books of one currency', async () => {
    const { bytes } = await take('&format=odoo&country=cm')
    const [, ...rows] = cellsOf(bytes.toString(), ',')
    expect(rows.map((row) => row.slice(5))).toEqual(await own('CM'))
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(([id]) => id !== '').every(([id]) => id?.endsWith('_CM'))).toBe(true)
  })
})

describe('for Sage', () => {
  it('has eleven columns, days and decimals as its example has, in letters it reads', async () => {
    const { reply, bytes, name } = await take('&format=sage&locale=fr')
    expect(reply.headers.get('content-type')).toBe('text/plain; charset=iso-8859-1')
    expect(name).toMatch(/journal-.*-sandbox\.sage\.txt"$/)
    const rows = cellsOf(bytes.toString('latin1'), '\t')
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([11]))
    const [year = '', month = '', day = ''] = daysAgo(0).split('-')
    for (const [kind, journal, date, number = '', , third, , how, due] of rows) {
      expect([kind, journal, date]).toEqual(['G', 'OD', `${day}${month}${year.slice(2)}`])
      expect(number).toMatch(/^[0-9A-Z]{1,13}$/)
      expect([third, how, due]).toEqual(['', '', ''])
    }
    const entries = rows.map((row) => [row[4], row[6], row[9], row[10]])
    const table = (await own()).map(([account, label = '', debit = '', credit = '']) => [
      ...[account, label.replaceAll('’', "'"), debit.replace('.', ','), credit.replace('.', ',')],
    ])
    expect(entries).toEqual(table)
    expect(bytes.toString('latin1')).toContain('Encaissement CMD-1042 MTN MoMo Bénin')
    // UTF-8 would be two bytes.
    expect(bytes.includes(Buffer.from('é', 'latin1'))).toBe(true)
    expect(bytes.includes(Buffer.from('é', 'utf8'))).toBe(false)
    // Lines of one journal, day and number are one piece there.
    const points = (text = '') => text.replace(',', '.')
    for (const number of new Set(rows.map((row) => row[3]))) {
      const piece = rows.filter((row) => row[3] === number)
      expect(balance(piece.map((row) => [points(row[9]), points(row[10])]))).toBe(0n)
    }
  })

  it('of a day without entries is empty, and no error', async () => {
    const idle = await app.shop()
    const reply = await fetch(
      `${app.url}/api/v1/reports/journal/?from=${daysAgo(0)}&to=${daysAgo(0)}&format=sage`,
      { headers: { authorization: `Bearer ${idle.key}` } },
    )
    expect([reply.status, await reply.text()]).toEqual([200, ''])
  })
})

it.each([
  ['format', 'ciel'],
  ['journal', 'TOO-LONG'],
  ['country', 'Benin'],
])('a %s that is not one is refused: %s', async (field, value) => {
  const { reply, bytes } = await take(`&${field}=${value}`)
  expect([reply.status, Object.keys(JSON.parse(bytes.toString()).error)]).toEqual([400, [field]])
})

describe('two refunds of one payment', () => {
  it('are a piece each, with a number and a label of its own, in every format', async () => {
    const seller = await refundingShop(app)
    const payment = await paidPayment(seller, { merchant_reference: 'CMD-7' })
    const ids: string[] = []
    for (const amount of ['4000', '2500']) {
      const { data } = await refund(seller, payment, { amount })
      ids.push(data.id)
      await refundEnds(seller, data.id, 'SUCCESS')
    }
    const marks = ids.map((id) => `R${id.slice(-8).toUpperCase()}`)
    expect(new Set(marks).size).toBe(2)

    const [, ...rows] = cellsOf((await take('&locale=fr', seller)).bytes.toString(), ';')
    const returned = rows.filter(([, , operation]) => operation === 'REFUND')
    const pieces = new Set(rows.map(([, piece = '']) => piece))
    const named = marks.map((mark) => `${payment.reference}-${mark}`)
    expect(pieces).toEqual(new Set([...pieces, payment.reference, ...named]))
    expect(new Set(returned.map(([, piece]) => piece))).toEqual(new Set(named))
    for (const [, piece = '', , , label] of returned) {
      expect(label).toBe(`Remboursement client CMD-7 ${piece.split('-').at(-1)} MTN MoMo Bénin`)
    }
    for (const piece of pieces) {
      const own = rows.filter((row) => row[1] === piece)
      const sums = own.map((row) => [row[5], row[6]].map((sum = '') => sum.replace(',', '.')))
      expect(balance(sums), piece).toBe(0n)
    }

    const odoo = cellsOf((await take('&format=odoo', seller)).bytes.toString(), ',')
    const refs = odoo.map(([, , , ref]) => ref)
    for (const name of named) expect(refs).toContain(name)
    const sage = cellsOf((await take('&format=sage', seller)).bytes.toString('latin1'), '\t')
    const numbers = new Set(sage.map((row) => row[3]))
    expect(numbers).toEqual(new Set([...numbers, ...marks]))
  })
})

// CSV files as the reader's spreadsheet wants them (contract 8.19): the interface's 21 columns, four
// more or those that are named on request, French form on request, in exports, reports and journal;
// and a journal's `to` in the future is today.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let shop: Shop
let paid: { id: string; reference: string }

const columns = [
  ...['reference', 'external_reference', 'merchant', 'customer_name', 'customer_email'],
  ...['customer_phone', 'country', 'network', 'transaction_type', 'flow_direction'],
  ...['requested_amount', 'client_fee', 'gateway_fee', 'platform_fee', 'debited_amount'],
  ...['net_amount', 'currency', 'status', 'gateway', 'ip_address', 'created_at'],
]
const more = ['merchant_reference', 'paid_at', 'failure_code', 'environment']

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
  const made = await shop.pay({ customer: newPayer(), merchant_reference: 'ORDER-1042' })
  paid = made.data
  await shop.becomes(paid.id, 'SUCCESS')
  const failed = await shop.pay({ customer: newPayer('02'), merchant_reference: '=1;+2' })
  await shop.becomes(failed.data.id, 'FAILED')
})
afterAll(() => app?.stop())

async function file(path: string): Promise<string> {
  const reply = await fetch(`${app.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${shop.key}` },
  })
  expect(reply.status, path).toBe(200)
  expect(reply.headers.get('content-type')).toContain('text/csv')
  return Buffer.from(await reply.arrayBuffer()).toString('utf8')
}

const today = () => new Date().toISOString().slice(0, 10)
const french = (day: string) => day.split('-').reverse().join('/')

describe('the export of transactions', () => {
  it('has the interface’s 21 columns, whoever asks', async () => {
    for (const query of ['', '?columns=default', '?locale=en']) {
      const [header = ''] = (await file(`/transactions/export/${query}`)).split('\n')
      expect(header).toBe(columns.join(','))
    }
  })

  it('appends four with ?columns=all', async () => {
    const lines = (await file('/transactions/export/?columns=all')).trim().split('\n')
    expect(lines[0]).toBe([...columns, ...more].join(','))
    const [failed = [], succeeded = []] = lines.slice(1).map((line) => line.split(','))
    const [reference, paid_at = '', failure_code, environment] = succeeded.slice(-4)
    expect([reference, failure_code, environment]).toEqual(['ORDER-1042', '', 'SANDBOX'])
    expect(paid_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const { data } = await shop.get(`/transactions/${paid.id}/`)
    expect(paid_at).toBe(data.attempts[0].finished_at)
    expect(failed.slice(-4)).toEqual(["'=1;'+2", '', 'NOT_APPROVED', 'SANDBOX'])
  })

  it('has those that are named, of the four too, as they are named', async () => {
    const query = '?columns=merchant_reference,status,reference&status=SUCCESS'
    const text = await file(`/transactions/export/${query}`)
    const head = 'merchant_reference,status,reference'
    expect(text).toBe(`${head}\nORDER-1042,SUCCESS,${paid.reference}\n`)
    const french = await file(`/transactions/export/${query}&locale=fr`)
    expect(french).toBe(`\uFEFF${text.replaceAll(',', ';')}`)
  })

  it('is written for French spreadsheets with ?locale=fr', async () => {
    const text = await file('/transactions/export/?locale=fr&columns=all')
    expect(text.startsWith('\uFEFFreference;external_reference;')).toBe(true)
    const succeeded = text.split('\n').find((line) => line.startsWith(paid.reference)) ?? ''
    const cells = succeeded.split(';')
    expect(cells).toHaveLength(25)
    expect(cells[10]).toBe('5000,00')
    expect(cells[14]).toBe('5163,00')
    const { data } = await shop.get(`/transactions/${paid.id}/`)
    const written = `${french(data.created_at.slice(0, 10))} ${data.created_at.slice(11, 19)}`
    expect(cells[20]).toBe(written)
    expect(cells[22]).toMatch(/^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d$/)
    expect(text).toContain('"\'=1;\'+2"')
  })

  it('refuses other forms, on their names', async () => {
    for (const [name, value] of [
      ['columns', 'some'],
      ['columns', 'reference,paid_on'],
      ['locale', 'de'],
    ]) {
      const { status, error } = await shop.get(`/transactions/export/?${name}=${value}`)
      expect([status, Object.keys(error)]).toEqual([400, [name]])
    }
  })
})

describe('reports and journal', () => {
  it('of a day take the locale too', async () => {
    const text = await file(`/reports/daily/?date=${today()}&format=csv&locale=fr`)
    expect(text.startsWith('\uFEFFdate;provisional;country;')).toBe(true)
    expect(text).toContain(`${french(today())};true;BJ;XOF;mtn_bj;PAIEMENT;1;5000,00;163,00;`)
    const english = await file(`/reports/daily/?date=${today()}&format=csv`)
    expect(english).toContain(`${today()},true,BJ,XOF,mtn_bj,PAIEMENT,1,5000.00,163.00,`)
  })

  it('of a period take it, and read a `to` in the future as today', async () => {
    const period = `from=${today().slice(0, 8)}01`
    const clipped = await file(`/reports/journal/?${period}&to=2999-12-31`)
    expect(clipped).toBe(await file(`/reports/journal/?${period}&to=${today()}`))
    expect(clipped).toContain('5000.00')
    const text = await file(`/reports/journal/?${period}&to=2999-12-31&locale=fr`)
    expect(text.startsWith('\uFEFFdate;piece;operation;')).toBe(true)
    expect(text).toContain(`\n${french(today())};${paid.reference};`)
    expect(text).toContain(';5000,00;')
    expect(text).not.toContain('5000.00')
    const { status, error } = await shop.get('/reports/journal/?from=2999-01-01&to=2999-12-31')
    expect([status, Object.keys(error)]).toEqual([400, ['from']])
  })
})

// The hosted pages as somebody on a cheap phone uses them, no script anywhere: choose, pay, wait,
// done. Whatever he does twice, and wherever the page was lost, he pays once and sees the truth.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { eventually, type House, newPayer, type Shop, startHouse } from '../harness.ts'
import {
  BrowserWithoutScript,
  formOf,
  type Page,
  tagOf,
  textIn,
} from '../setup/browser-without-script.ts'
import { openSession, sessionBecomes } from '../setup/payer-calls.ts'

let house: House
let shop: Shop

beforeAll(async () => {
  house = await startHouse()
  shop = await house.shop()
})
afterAll(async () => {
  const checks = await verifyLedger(house.service.db)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  await house.stop()
})

const open = (changes: Record<string, unknown> = {}) => openSession(shop, changes)
const browser = (language = 'en') => new BrowserWithoutScript(house.url, language)
const national = (magic: string) => newPayer(magic).phone.slice('+229'.length)

const becomes = (own: BrowserWithoutScript, path: string, text: string): Promise<Page> =>
  eventually(async () => {
    const page = await own.open(path)
    if (!page.text.includes(text)) throw new Error(`${text} is not in: ${page.text}`)
    return page
  })

describe('a session', () => {
  it('is paid by choosing a network, entering a number, confirming and waiting', async () => {
    const session = await open({ country: 'BJ', description: 'Order 1042' })
    const own = browser()
    const path = `/checkout/${session.slug}`
    const first = await own.open(path)
    expect(first.status).toBe(200)
    expect(first.text).toContain('Pay XOF 5,000')
    expect(first.text).toContain('Order 1042')
    expect(first.text).toMatch(/MTN MoMo Bénin You pay XOF 5,\d+ · XOF \d+ fee included/)

    const waiting = await own.submit(first, 'pay-form', {
      network: 'mtn_bj',
      phone: national('04'),
    })
    expect([waiting.status, waiting.at]).toEqual([200, path])
    expect(waiting.text).toContain('Confirm on your phone')
    expect(waiting.text).toContain('Do not pay again')
    expect(textIn(waiting, 'number')).toMatch(/^01 \d\d •• •• 04$/)
    expect(waiting.html).toContain('<noscript><meta http-equiv="refresh" content="5"></noscript>')
    expect(tagOf(waiting, 'pay-form')).toBeUndefined()

    const { data } = await shop.get(`/checkout-sessions/${session.id}/`)
    const resolve = `/sandbox/transactions/${data.transaction}/resolve/`
    await shop.post(resolve, { outcome: 'SUCCESS' })
    const paid = await becomes(own, path, 'Payment received')
    const transaction = (await shop.get(`/transactions/${data.transaction}/`)).data
    expect(textIn(paid, 'reference')).toBe(transaction.reference)
    expect(paid.html).toContain(
      '<noscript><meta http-equiv="refresh" content="5;url=https://shop.example.com/thanks?order=1042"></noscript>',
    )
    expect(tagOf(paid, 'return')).toContain('href="https://shop.example.com/thanks?order=1042"')
    expect(formOf(first, 'pay-form').fields).toMatchObject({ country: 'BJ' })
    // Sent once more from the tab that still shows the form: it is led to the truth.
    const again = await own.submit(first, 'pay-form', { network: 'mtn_bj', phone: national('10') })
    expect(again.text).toContain('Payment received')
    await sessionBecomes(shop, session.id, 'PAID')
  })
})

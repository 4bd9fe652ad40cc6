// A merchant takes the invoice of a payment: the right figures and no others, in either language,
// whatever names people have, and never of what went out or has not succeeded.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writePhone } from '../../src/customers/phone.ts'
import { newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { codeOf, fieldsOf } from '../setup/membership.ts'
import { readPdf, textOf } from '../setup/pdf-text.ts'
import { plantIncident, plantTransaction } from '../setup/transaction-rows.ts'
import { untilServed } from '../setup/until-served.ts'
import { waitedFor } from '../setup/waited-for.ts'

let app: TestApp
let shop: Shop
beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app.stop())

const paid = async (changes: Record<string, unknown> = {}): Promise<string> => {
  const { data } = await shop.pay({ customer: newPayer(), ...changes })
  await shop.becomes(data.id, 'SUCCESS')
  return String(data.id)
}

async function invoice(id: string, query = '', headers: Record<string, string> = {}) {
  const reply = await fetch(`${app.url}/api/v1/transactions/${id}/invoice/${query}`, {
    headers: { authorization: `Bearer ${shop.key}`, ...headers },
  })
  return { reply, pdf: Buffer.from(await reply.arrayBuffer()) }
}

describe('an invoice', () => {
  it('is a PDF named by its reference, with three amounts and no other', async () => {
    const id = await paid({
      amount: '12000',
      description: 'Deux pagnes',
      merchant_reference: 'CMD-7',
    })
    // Figures that are found nowhere by chance.
    await app.owner`
      update transactions
         set client_fee = 34500, gateway_fee = 11100, platform_fee = 23400, debited_amount = 1234500,
             net_amount = 1200000
       where id = ${id}`
    const { reply, pdf } = await invoice(id)
    const { data } = await shop.get(`/transactions/${id}/`)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('application/pdf')
    expect(reply.headers.get('content-disposition')).toBe(
      `attachment; filename="${data.reference}.pdf"`,
    )
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    const text = textOf(pdf)
    for (const shown of [
      'FCFA 12,000',
      'FCFA 345',
      'FCFA 12,345',
      data.reference,
      'CMD-7',
      'Deux pagnes',
      'Awa Diop',
      'awa@example.com',
      writePhone(data.operation_msisdn),
      'MTN',
      'no money has moved',
    ]) {
      expect(text).toContain(shown)
    }
    // Not within a number or a reference of chance.
    expect(text).not.toMatch(/\b111\b/)
    expect(text).not.toContain('FCFA 234')
    const [, token = ''] = /receipts\/([\w-]{22})(?![\w-])/.exec(text) ?? []
    const receipt = await shop.get(`/receipts/${token}/`)
    expect(receipt.data.reference).toBe(data.reference)
  })

  it('speaks French or English: by ?lang, else by Accept-Language', async () => {
    const id = await paid()
    const french = { 'accept-language': 'fr' }
    const invoiceText = async (query: string, headers: Record<string, string>) =>
      textOf((await invoice(id, query, headers)).pdf)
    expect(await invoiceText('', {})).toContain('Total paid')
    expect(await invoiceText('', french)).toContain('Total payé')
    const written = await invoiceText('?lang=fr', {})
    // As on the pages; the code, which an accountant needs, stands over the column.
    for (const shown of ['5 000 FCFA', 'Montant (XOF)']) expect(written).toContain(shown)
    expect(await invoiceText('?lang=en', french)).toContain('Total paid')
    const wrong = await shop.get(`/transactions/${id}/invoice/?lang=de`)
    expect(wrong.status).toBe(400)
    expect(Object.keys(wrong.error)).toEqual(['lang'])
  })

  it('shows the letters of every name here, and a dot for what no font has', async () => {
    const id = await paid({
      description: 'Merci 🎉 beaucoup',
      customer: { ...newPayer(), first_name: 'Ŋaa Ɛlɔrɔm', last_name: 'Ẹniọlá محمد' },
    })
    const { pdf } = await invoice(id)
    const text = textOf(pdf).replace(/ /g, '')
    for (const character of 'ŊƐlɔrɔmẸniọlá') expect(text).toContain(character)
    expect(textOf(pdf)).toContain('Merci · beaucoup')
    // Arabic is drawn from the right: its glyphs stand in the order of the page.
    const arabic = [...text].filter((character) => /\p{Script=Arabic}/u.test(character))
    expect(arabic.reverse().join('')).toBe('محمد')
  })

  it('keeps its layout under hostile names', async () => {
    const long = 'W'.repeat(100)
    const id = await paid({
      description: `${'mot '.repeat(60)}`.slice(0, 255),
      merchant_reference: 'R'.repeat(100),
      customer: { ...newPayer(), first_name: long, last_name: `${long.slice(1)}M` },
    })
    await app.owner`
      update transactions
         set customer_first_name = ${'a\nb\tc\u0007d\u202e\u2028e '.repeat(50)},
             description = ${'\u0000x'.slice(1) + '𒀱'.repeat(300)}
       where id = ${id}`
    await app.owner`
      update merchants set brand_name = ${'Ẅ'.repeat(150)} where id = ${shop.merchant_id}`
    const { reply, pdf } = await invoice(id, '?lang=fr')
    await app.owner`update merchants set brand_name = '' where id = ${shop.merchant_id}`
    expect(reply.status).toBe(200)
    const pieces = readPdf(pdf)
    expect(pieces.every(({ text }) => !/[\p{Cc}\p{Cf}\ufffd?]{2}/u.test(text))).toBe(true)
    for (const { x, y, text, size } of pieces) {
      expect(x).toBeGreaterThanOrEqual(55)
      // No letter of ours is wider than 1.2 of its size; a line ends within the page.
      expect(x + text.length * size * 0.2).toBeLessThan(540)
      expect(y).toBeLessThan(800)
    }
    // What follows the names is above the receipt's part, whatever they are.
    const total = pieces.find(({ text }) => text.startsWith('Total'))
    expect(total?.y).toBeLessThan(640)
  })

  it('is made for many at once, each its own', async () => {
    const ids = await Promise.all([paid({ amount: '1100' }), paid({ amount: '2200' })])
    const many = Array.from({ length: 24 }, (_, at) => ids[at % 2] ?? '')
    const pdfs = await Promise.all(many.map(async (id) => textOf((await invoice(id)).pdf)))
    pdfs.forEach((text, at) => {
      expect(text).toContain(at % 2 === 0 ? 'FCFA 1,100' : 'FCFA 2,200')
    })
    const receipts = await app.owner`
      select 1 from receipts where transaction_id in ${app.owner(ids)}`
    expect(receipts.count).toBe(2)
  })
})

const details = {
  legal_name: 'Étoile Commerce SARL',
  address: 'Lot 12, rue 5.043\n01 BP 77, Cotonou',
  id_kind: 'IFU',
  id: '3201810012345',
  rccm: 'RB/COT/18 B 12345',
  vat_percent: '18',
}

const change = (by: Shop, tax: unknown) =>
  by.call('PATCH', '/merchant/', {
    body: JSON.stringify({ tax }),
    headers: { 'content-type': 'application/json' },
  })

/** A merchant of its own, and what it is asked for below. */
async function seller() {
  const owner = await app.member()
  const own = await app.shop({ merchant_id: owner.merchant_id })
  const payment = async (changes: Record<string, unknown> = {}): Promise<string> => {
    const { data } = await own.pay({ customer: newPayer(), ...changes })
    await own.becomes(data.id, 'SUCCESS')
    return String(data.id)
  }
  const paper = async (id: string, lang = 'fr'): Promise<string> => {
    const url = `${app.url}/api/v1/transactions/${id}/invoice/?lang=${lang}`
    const headers = { authorization: `Bearer ${own.key}` }
    const reply = await untilServed(() => fetch(url, { headers }))
    expect(reply.status).toBe(200)
    return textOf(Buffer.from(await reply.arrayBuffer()))
  }
  return { owner, own, payment, paper }
}

const numbersIn = (texts: readonly string[]): number[] =>
  texts.map((text) => Number(/TEST-(\d{6})/.exec(text)?.[1]))

describe('the paper of a payment', () => {
  it('is a receipt until the merchant’s tax details are complete, then an invoice', async () => {
    const { owner, own, payment, paper } = await seller()
    const id = await payment({ amount: '11800', description: 'Deux pagnes' })
    const before = await paper(id)
    expect(before).toMatch(/^Reçu TXN-/)
    expect(before).toContain('Reçu de')
    expect(before).not.toMatch(/Facture|TVA/)
    expect(await paper(id, 'en')).toMatch(/^Receipt TXN-/)

    for (const missing of ['legal_name', 'address', 'id_kind', 'id', 'vat_percent']) {
      const some = await change(owner, { ...details, [missing]: '' })
      expect([some.status, some.data.tax.is_complete], missing).toEqual([200, false])
    }
    expect(await paper(id)).toMatch(/^Reçu TXN-/)

    const whole = await change(owner, { ...details, rccm: '' })
    expect(whole.data.tax).toEqual({
      ...details,
      rccm: '',
      vat_percent: '18.00',
      is_complete: true,
    })
    // What is not named stays.
    expect((await change(owner, { rccm: details.rccm })).data.tax.is_complete).toBe(true)
    const bill = await paper(id)
    for (const shown of [
      'Facture',
      'N° TEST-000001',
      'Émise le',
      'Étoile Commerce SARL',
      '01 BP 77, Cotonou',
      'IFU 3201810012345',
      'RCCM RB/COT/18 B 12345',
      'Facturé à',
      'Deux pagnes (hors taxes)',
      '10 000 FCFA',
      'TVA 18 %',
      '1 800 FCFA',
      '11 800 FCFA',
    ]) {
      expect(bill).toContain(shown)
    }
    const english = await paper(id, 'en')
    expect(english).toContain('No. TEST-000001')
    expect(english).toContain('VAT 18%')
    const { data } = await own.get(`/transactions/${id}/`)
    expect(bill).toContain(data.reference)
  })

  it('keeps the number and the seller it was issued with', async () => {
    const { owner, payment, paper } = await seller()
    await change(owner, { ...details, vat_percent: '0' })
    const id = await payment()
    const first = await paper(id)
    expect(first).toContain('TVA non applicable')
    await change(owner, { legal_name: 'Autre SARL', vat_percent: '18' })
    expect(await paper(id)).toBe(first)
    await change(owner, { legal_name: '' })
    expect(await paper(id)).toBe(first)
    expect(await paper(await payment())).toMatch(/^Reçu TXN-/)
  })

  it('has numbers without a gap, however many are asked for at once', async () => {
    const { owner, payment, paper } = await seller()
    await change(owner, details)
    const ids = await Promise.all(Array.from({ length: 8 }, () => payment()))
    // Each three times, all at the same moment.
    const texts = await Promise.all([...ids, ...ids, ...ids].map((id) => paper(id)))
    const numbers = numbersIn(texts)
    expect(numbers.slice(8)).toEqual([...numbers.slice(0, 8), ...numbers.slice(0, 8)])
    expect(numbers.slice(0, 8).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(numbersIn([await paper(await payment())])).toEqual([9])
  })

  it('takes no number for one that is not issued: a transaction that ended in between', async () => {
    const { owner, own, payment, paper } = await seller()
    await change(owner, details)
    const [first = '', second = ''] = [await payment(), await payment()]
    let hasNumber = () => {}
    const numbered = new Promise<void>((resolve) => {
      hasNumber = resolve
    })
    const lost = app.owner.begin(async (tx) => {
      await tx`
        insert into invoice_numbers (merchant_id, environment, last_number)
        values (${own.merchant_id}, 'SANDBOX', 1)`
      hasNumber()
      await waitedFor(app.owner, tx)
      throw new Error('the process died')
    })
    // It waits for the one that dies, and has its number.
    await Promise.race([numbered, lost])
    const waiting = paper(first)
    await expect(lost).rejects.toThrow('the process died')
    expect(numbersIn([await waiting, await paper(second)])).toEqual([1, 2])
  })

  it('is no new invoice once it was withdrawn, and an old one all the same', async () => {
    const { owner, own, payment, paper } = await seller()
    await change(owner, details)
    const [billed, unbilled] = [await payment(), await payment()]
    await paper(billed)
    for (const id of [billed, unbilled]) {
      expect((await own.post(`/transactions/${id}/receipt/revoke/`)).status).toBe(200)
    }
    expect(numbersIn([await paper(billed)])).toEqual([1])
    expect(await paper(unbilled)).toMatch(/^Reçu TXN-/)
    expect(numbersIn([await paper(await payment())])).toEqual([2])
  })

  it('is no new invoice once all of it was refunded, and an old one all the same', async () => {
    const { owner, payment, paper } = await seller()
    await change(owner, details)
    const [billed, unbilled, in_part] = [await payment(), await payment(), await payment()]
    await paper(billed)
    await app.owner`
      update transactions
         set refund_reserved = debited_amount - (id = ${in_part})::int,
             refunded_amount = debited_amount - (id = ${in_part})::int
       where id in ${app.owner([billed, unbilled, in_part])}`
    expect(numbersIn([await paper(billed)])).toEqual([1])
    expect(await paper(unbilled)).toMatch(/^Reçu TXN-/)
    expect(numbersIn([await paper(in_part)])).toEqual([2])
  })

  it('is no new invoice while people look at a part that was taken back', async () => {
    const { owner, own, payment, paper } = await seller()
    await change(owner, details)
    const id = await payment()
    const { merchant_id } = own
    const [attempt] = await app.owner<{ id: string }[]>`
      select id from attempts where transaction_id = ${id}`
    const of_part = { type: 'AMOUNT_MISMATCH', status: 'OPEN', suspense_side: 'DEBIT' }
    await plantIncident(
      app.owner,
      { merchant_id, id },
      { merchant_id, id: attempt?.id ?? '' },
      { ...of_part, amount: 100_000n, currency: 'XOF', country: 'BJ' },
    )
    expect(await paper(id)).toMatch(/^Reçu TXN-/)
    expect(numbersIn([await paper(await payment())])).toEqual([1])
  })

  it('of a top-up is a receipt: it is the merchant’s own money', async () => {
    const { owner, own, payment, paper } = await seller()
    await change(owner, details)
    const { data } = await own.post('/top-ups/initialize/', {
      ...{ amount: '4000', currency: 'XOF', country: 'BJ', network: 'mtn_bj' },
      phone: newPayer('10').phone,
    })
    await own.becomes(data.id, 'SUCCESS')
    const text = await paper(data.id)
    expect(text).toMatch(/^Reçu TXN-/)
    expect(text).not.toMatch(/Facture|TVA/)
    expect(numbersIn([await paper(await payment())])).toEqual([1])
  })

  it('has details of the right form, set by whoever may', async () => {
    const { owner, own } = await seller()
    const wrong = { ...details, id_kind: 'SIRET', vat_percent: '-1', legal_name: 'x'.repeat(151) }
    expect(fieldsOf(await change(owner, wrong))).toEqual([
      400,
      ['tax.id_kind', 'tax.legal_name', 'tax.vat_percent'],
    ])
    expect(fieldsOf(await change(owner, { vat_percent: '50.01' }))).toEqual([
      400,
      ['tax.vat_percent'],
    ])
    expect((await owner.get('/merchant/')).data.tax.legal_name).toBe('')
    const finance = await app.member({ merchant_id: owner.merchant_id, role: 'FINANCE' })
    expect(codeOf(await change(finance, details))).toEqual([403, 'permission_denied'])
    expect(codeOf(await change(own, details))).toEqual([403, 'dashboard_only'])
  })
})

describe('an invoice is refused', () => {
  const refusal = async (id: string) => {
    const { status, error } = await shop.get(`/transactions/${id}/invoice/`)
    return { status, code: error.code }
  }

  it('for what went out, whatever its status', async () => {
    for (const status of ['PENDING', 'FAILED', 'SUCCESS']) {
      const { id } = await plantTransaction(app.owner, shop.merchant_id, {
        transaction_type: 'RETRAIT',
        status,
      })
      expect(await refusal(id)).toEqual({ status: 409, code: 'invalid_flow' })
    }
  })

  it('for a payment that has not succeeded', async () => {
    for (const status of ['PENDING', 'FAILED']) {
      const { id } = await plantTransaction(app.owner, shop.merchant_id, { status })
      expect(await refusal(id)).toEqual({ status: 409, code: 'not_success' })
    }
  })

  it('to strangers, and where there is nothing', async () => {
    const id = await paid()
    const other = await app.shop()
    expect((await other.get(`/transactions/${id}/invoice/`)).error.code).toBe('permission_denied')
    expect(await refusal('nothing')).toEqual({ status: 404, code: 'not_found' })
    const nobody = await fetch(`${app.url}/api/v1/transactions/${id}/invoice/`)
    expect(nobody.status).toBe(401)
  })
})

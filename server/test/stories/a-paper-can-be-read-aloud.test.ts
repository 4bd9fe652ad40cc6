// Each PDF says what it is made of: its language and title, headings, a table with heads, the order
// in which it is read, and words for its code. Nothing is drawn beside the tags but decoration.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { readTags, type Tag } from '../setup/pdf-tags.ts'

let app: TestApp
let shop: Shop
beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app?.stop())

const pdfAt = async (path: string): Promise<Buffer> => {
  const reply = await fetch(`${app.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${shop.key}` },
  })
  expect(reply.status).toBe(200)
  return Buffer.from(await reply.arrayBuffer())
}

const paid = async (changes: Record<string, unknown> = {}): Promise<string> => {
  const { data } = await shop.pay({ customer: newPayer(), amount: '5000', ...changes })
  await shop.becomes(data.id, 'SUCCESS')
  return String(data.id)
}

/** In the order in which they are read. */
const flat = (tag: Tag): Tag[] => [tag, ...tag.children.flatMap(flat)]
const shape = (tag: Tag): unknown =>
  tag.children.length === 0 ? tag.type : [tag.type, ...tag.children.map(shape)]

describe('a receipt', () => {
  it('is tagged: language, title, headings, tables with heads, a code with words', async () => {
    const tags = readTags(await pdfAt(`/transactions/${await paid()}/invoice/?lang=fr`))
    expect(tags).toMatchObject({ is_marked: true, language: 'fr', shows_title: true, untagged: '' })
    const all = flat(tags.root)
    expect(tags.root.type).toBe('Document')
    expect(all.filter(({ type }) => type === 'H1').map(({ text }) => text)).toEqual(['Reçu'])
    expect(all.filter(({ type }) => type === 'H2').map(({ text }) => text)).toEqual([
      'Reçu de',
      'Paiement',
      'Ce document est-il authentique ?',
    ])
    const [facts, rows] = all.filter(({ type }) => type === 'Table').map(shape)
    const row = ['TR', 'TH', 'TD']
    expect(facts).toEqual(['Table', row, row, row])
    expect(rows).toEqual([
      'Table',
      ['TR', 'TH', 'TH'],
      ['TR', 'TD', 'TD'],
      ['TR', 'TD', 'TD'],
      ['TR', 'TH', 'TD'],
    ])
    const heads = all.filter(({ type }) => type === 'TH').map(({ text, scope }) => [text, scope])
    expect(heads).toEqual([
      ['Payé par', 'Row'],
      ['Numéro', 'Row'],
      ['Réf. opérateur', 'Row'],
      ['Désignation', 'Column'],
      ['Montant (XOF)', 'Column'],
      ['Total payé', 'Row'],
    ])
    const cells = all.filter(({ type }) => type === 'TD').map(({ text }) => text)
    expect(cells[0]).toBe('MTN MoMo Bénin')
    expect(cells.at(-1)).toBe('5 163 FCFA')
    const link = all.find(({ type }) => type === 'Link')
    expect(link).toMatchObject({
      has_link: true,
      children: [{ type: 'Figure', alt: 'Code QR avec l’adresse de ce reçu' }],
    })
  })

  it('is read in its order, whatever place each piece has on the page', async () => {
    const tags = readTags(await pdfAt(`/transactions/${await paid()}/invoice/?lang=en`))
    const text = flat(tags.root)
      .map((tag) => tag.text)
      .filter(Boolean)
      .join(' | ')
    const order = ['Receipt', 'TXN-', 'Shop', 'TEST: no money', 'Received from', 'Payment']
    const places = [...order, 'Paid by', 'Description', 'Service fee', 'Total paid', 'genuine'].map(
      (word) => text.indexOf(word),
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual([...places].sort((one, other) => one - other))
  })

  it('keeps its tags when it was withdrawn, and has no picture then', async () => {
    const id = await paid()
    await pdfAt(`/transactions/${id}/invoice/`)
    await shop.post(`/transactions/${id}/receipt/revoke/`)
    const tags = readTags(await pdfAt(`/transactions/${id}/invoice/?lang=en`))
    const all = flat(tags.root)
    expect([tags.untagged, all.some(({ type }) => type === 'Figure')]).toEqual(['', false])
    expect(all.at(-1)).toMatchObject({
      type: 'P',
      text: 'The merchant has withdrawn the receipt of this payment.',
    })
  })

  it('says a name that is written from the right as it is read', async () => {
    const name = 'محمد الأمين'
    const id = await paid({ customer: { ...newPayer(), first_name: name, last_name: '' } })
    const pdf = (await pdfAt(`/transactions/${id}/invoice/`)).toString('latin1')
    const said = Buffer.from(name, 'utf16le').swap16().toString('latin1')
    expect(pdf).toContain('/ActualText')
    expect(pdf.replace(/\\([()\\])/g, '$1')).toContain(said)
  })
})

describe('a poster', () => {
  it.each(['A5', 'A6'])('is tagged: %s', async (size) => {
    const made = await shop.post('/payment-links/', {
      ...{ name: 'Cotisation 2026', amount: '5000', currency: 'XOF' },
    })
    const path = `/payment-links/${made.data.id}/poster/?size=${size}&lang=fr`
    const tags = readTags(await pdfAt(path))
    expect(tags).toMatchObject({ is_marked: true, language: 'fr', shows_title: true, untagged: '' })
    expect(shape(tags.root)).toEqual([
      ...['Document', 'H1', 'P', 'P', ['Link', 'Figure'], 'H2', 'P', 'P', 'P', 'P'],
    ])
    const all = flat(tags.root)
    expect(all.find(({ type }) => type === 'H2')?.text).toBe('Scannez pour payer')
    expect(all.find(({ type }) => type === 'Figure')?.alt).toBe('Code QR de ce lien de paiement')
    expect(all.find(({ type }) => type === 'Link')?.has_link).toBe(true)
  })
})

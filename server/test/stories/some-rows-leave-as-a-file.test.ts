// A merchant takes some of its transactions away as a file: those it has ticked, by their ids, and
// no others. A file must never say whether somebody else has what is not in it.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Shop, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { plantTransaction } from '../setup/transaction-rows.ts'

let app: TestApp
let shop: Shop
const ids: string[] = []

const plant = async (of: Shop, changes: object): Promise<string> => {
  const { id } = await plantTransaction(app.owner, of.merchant_id, {
    status: 'SUCCESS',
    ...changes,
  })
  return id
}

beforeAll(async () => {
  app = await startApp()
  shop = await heldToPublished(await app.shop())
  for (const reference of ['ONE', 'TWO', 'THREE']) ids.push(await plant(shop, { reference }))
})
afterAll(() => app.stop())

const pathOf = (id: string, more: Record<string, string> = {}) =>
  `/transactions/export/?${new URLSearchParams({ id, ...more })}`

const referencesIn = (text: string): string[] =>
  text
    .replace('\ufeff', '')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[0] ?? '')

async function found(id: string, more: Record<string, string> = {}): Promise<string[]> {
  const reply = await fetch(`${app.url}/api/v1${pathOf(id, more)}`, {
    headers: { authorization: `Bearer ${shop.key}` },
  })
  expect(reply.status).toBe(200)
  expect(reply.headers.get('ignored-fields')).toBeNull()
  return referencesIn(await reply.text())
}

describe('the file of some rows', () => {
  it('has these and no others, newest first, each once, however they are named', async () => {
    const [one = '', two = '', three = ''] = ids
    expect(await found(one)).toEqual(['ONE'])
    expect(await found(`${one},${three}`)).toEqual(['THREE', 'ONE'])
    expect(await found(`${three}, ${one.toUpperCase()},${one}`)).toEqual(['THREE', 'ONE'])
    expect(await found(`${one},${two},${three}`)).toEqual(await found(''))
  })

  it('is called by what it has where it has a label, and by its contract otherwise', async () => {
    const nameOf = async (more: Record<string, string>) => {
      const reply = await fetch(`${app.url}/api/v1${pathOf(ids[0] ?? '', more)}`, {
        headers: { authorization: `Bearer ${shop.key}` },
      })
      return reply.headers.get('content-disposition')
    }
    const file_label = 'awa-2026'
    const named = (name: string) => `attachment; filename="${name}"`
    expect(await nameOf({ flow_direction: 'INBOUND' })).toBe(named('transactions.csv'))
    expect(await nameOf({ file_label })).toBe(named('transactions-awa-2026.csv'))
    for (const [query, name] of [
      [{ flow_direction: 'INBOUND' }, 'payments'],
      [{ transaction_type: 'RECHARGE' }, 'payments'],
      [{ transaction_type: 'RETRAIT' }, 'payouts'],
      [{ flow_direction: 'OUTBOUND' }, 'transactions'],
    ] as const) {
      expect(await nameOf({ ...query, file_label })).toBe(named(`${name}-awa-2026.csv`))
    }
  })

  it('is narrowed by the other filters and by a search', async () => {
    const [one = '', two = ''] = ids
    expect(await found(`${one},${two}`, { status: 'FAILED' })).toEqual([])
    expect(await found(`${one},${two}`, { status: 'SUCCESS' })).toEqual(['TWO', 'ONE'])
    await app.owner`
      insert into transaction_search (merchant_id, id, environment, created_at,
        status, transaction_type, currency, country_code, network_code, words,
        members, moments)
      select merchant_id, id, environment, created_at, status, transaction_type, currency,
             country_code, network_code, fold_text(concat(' ', reference)),
             array[id], array[created_at]
        from transactions where merchant_id = ${shop.merchant_id}`
    expect(await found(`${one},${two}`, { search: 'two' })).toEqual(['TWO'])
    expect(await found(one, { search: 'two' })).toEqual([])
  })

  it('leaves out what is another’s, of the other environment or nowhere, and says nothing', async () => {
    const theirs = await plant(await app.shop(), { reference: 'THEIRS' })
    const live = await plant(shop, { reference: 'LIVE', environment: 'LIVE' })
    for (const other of [theirs, live, randomUUID()]) {
      expect(await found(other)).toEqual([])
      expect(await found(`${other},${ids[0]}`)).toEqual(['ONE'])
    }
  })

  it('takes a hundred, also by a ticket', async () => {
    const many = [...ids, ...Array.from({ length: 97 }, () => randomUUID())].join(',')
    expect(await found(many)).toEqual(['THREE', 'TWO', 'ONE'])
    const member = await app.member({ merchant_id: shop.merchant_id })
    const path = pathOf(many, { columns: 'all', locale: 'en', bom: 'true' })
    const { status, data } = await member.post('/downloads/', { path })
    expect(status).toBe(201)
    const reply = await fetch(data.url)
    expect(reply.status).toBe(200)
    expect(referencesIn(await reply.text())).toEqual(['THREE', 'TWO', 'ONE'])
  })
})

describe('is refused with `id` named, by where each wrong one stands,', () => {
  it.each([
    ['what is no id', 'x', ['Id 1 must be a UUID.']],
    ['one among good ones', '{good},1,{good},2', ['Id 2 must be a UUID.', 'Id 4 must be a UUID.']],
    ['a comma too many', '{good},', ['Id 2 must be a UUID.']],
    ['only commas', ',', ['Id 1 must be a UUID.', 'Id 2 must be a UUID.']],
    ['a part of a statement', `{good}'::uuid) or true --`, ['Id 1 must be a UUID.']],
    ['braces', '{{good}}', ['Id 1 must be a UUID.']],
  ])('%s', async (_, text, texts) => {
    const reply = await shop.get(pathOf(text.replaceAll('{good}', ids[0] ?? '')))
    expect([reply.status, reply.error]).toEqual([400, { id: texts }])
  })

  it('more than a hundred', async () => {
    const many = Array.from({ length: 101 }, () => randomUUID()).join(',')
    const reply = await shop.get(pathOf(many), { 'accept-language': 'fr' })
    const text = 'Doit compter au plus 100 identifiants. Exportez les autres dans un autre fichier.'
    expect([reply.status, reply.error]).toEqual([400, { id: [text] }])
  })

  it('beside what else is wrong, and in the reader’s language', async () => {
    const reply = await shop.get(pathOf('x', { status: 'x', amount__gte: 'x' }), {
      'accept-language': 'fr',
    })
    expect(Object.keys(reply.error).sort()).toEqual(['amount__gte', 'id', 'status'])
    expect(reply.error.id).toEqual(['L’identifiant 1 doit être un UUID.'])
  })
})

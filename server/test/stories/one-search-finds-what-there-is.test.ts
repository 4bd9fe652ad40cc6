// A customer says “I have paid”, an accountant holds a slip, a developer an id: one call finds it,
// whatever it is, and nothing of anybody else's.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { roles } from '../../src/merchants/roles.ts'
import { type Json, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
import { path as keyList, liveKey, make, newMember } from '../setup/api-keys.ts'
import { refund } from '../setup/refunds.ts'
import { type Settler, settlerOf } from '../setup/settling.ts'

let app: TestApp
let shop: Settler
let made: Readonly<Record<string, Json>>

beforeAll(async () => {
  app = await startApp()
  shop = settlerOf(app, await app.shop({ live: true }))
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  const customer = { email: 'aicha@example.com', first_name: 'Aïcha', last_name: 'Kérékou' }
  const { data } = await shop.pay({
    ...{ amount: '10000', customer: { ...customer, phone: '+2290197040410' } },
    merchant_reference: 'CMD-4711',
  })
  const payment = await shop.becomes(data.id, 'SUCCESS')
  const transfer = { from_country: 'BJ', to_country: 'CM', from_amount: '1000' }
  made = {
    payment,
    link: (await shop.post('/payment-links/', { name: 'Tissus wax', currency: 'XOF' })).data,
    session: (
      await shop.post('/checkout-sessions/', {
        ...{ amount: '900', currency: 'XOF', description: 'Panier de mangues' },
        ...{ customer_name: 'Kofi Mensah', customer_email: 'kofi@example.com' },
      })
    ).data,
    refund: (await refund(shop, payment, { amount: '4000', reference: 'RETOUR-17' })).data,
    settlement: (await shop.settle('bank')).data,
    transfer: (await shop.post('/wallet-transfers/', transfer)).data,
  }
})
afterAll(() => app?.stop())

const ask = (q: string, by: Shop = shop) => by.get(`/search/?q=${encodeURIComponent(q)}`)

/** Kind and ids of each group, in order. */
const found = async (q: string, by: Shop = shop) => {
  const { status, data } = await ask(q, by)
  expect(status).toBe(200)
  return data.groups.map(({ kind, results }: Json) => [kind, ...results.map(({ id }: Json) => id)])
}

describe('one search', () => {
  it('finds a person by a part of their name, with what they paid', async () => {
    const { payment } = made
    const { data } = await ask('aicha kerek')
    expect(data).toEqual({
      groups: [
        {
          kind: 'TRANSACTION',
          more: false,
          results: [
            {
              ...{ id: payment.id, title: 'Aïcha Kérékou', detail: payment.reference },
              ...{ transaction_type: 'PAIEMENT', transaction: null, status: 'SUCCESS' },
              ...{ amount: '10000.00', currency: 'XOF', outcome_unknown: false, incident: null },
              ...{ rotated_to: null, last_used_at: null },
              ...{ is_exact: false, at: payment.created_at },
            },
          ],
        },
        {
          kind: 'CUSTOMER',
          more: false,
          results: [
            {
              ...{ id: payment.customer, title: 'Aïcha Kérékou', detail: '+2290197040410' },
              ...{
                transaction_type: null,
                transaction: null,
                status: null,
                amount: null,
                currency: null,
              },
              ...{ outcome_unknown: false, incident: null },
              ...{ rotated_to: null, last_used_at: null },
              ...{ is_exact: false, at: expect.any(String) },
            },
          ],
        },
      ],
    })
  })

  it('finds whatever has this id, and says that it is the very thing', async () => {
    for (const [name, kind] of Object.entries({
      payment: 'TRANSACTION',
      link: 'PAYMENT_LINK',
      session: 'CHECKOUT_SESSION',
      refund: 'REFUND',
      settlement: 'SETTLEMENT',
      transfer: 'WALLET_TRANSFER',
    })) {
      const { id } = made[name]
      expect(await found(id), name).toEqual([[kind, id]])
      const { data } = await ask(` ${id.toUpperCase()} `)
      expect(data.groups[0].results[0], name).toMatchObject({ id, is_exact: true })
    }
    expect(await found(made['payment'].customer)).toEqual([['CUSTOMER', made['payment'].customer]])
  })

  it('finds by reference, ours and the merchant’s own, the thing itself first', async () => {
    const { payment, settlement, transfer } = made
    expect(await found(payment.reference.toLowerCase())).toEqual([['TRANSACTION', payment.id]])
    expect(await found(settlement.reference)).toEqual([['SETTLEMENT', settlement.id]])
    expect(await found(transfer.reference.slice(0, -3))).toEqual([['WALLET_TRANSFER', transfer.id]])
    const { data: back } = await ask('retour-17')
    expect(back.groups).toMatchObject([
      { kind: 'REFUND', results: [{ id: made['refund'].id, transaction: payment.id }] },
    ])
    const { data } = await ask('CMD-4711')
    expect(data.groups).toMatchObject([
      { kind: 'TRANSACTION', results: [{ id: payment.id, is_exact: true }] },
    ])
  })

  it('finds a phone in any form: whole it is the customer first', async () => {
    const { payment } = made
    for (const typed of ['+229 01 97 04 04 10', '002290197040410', '+2290197040410']) {
      expect((await found(typed))[0], typed).toEqual(['CUSTOMER', payment.customer])
    }
    const parts = await found('97 04 04')
    expect(parts).toContainEqual(['TRANSACTION', payment.id])
    expect(parts).toContainEqual(['CUSTOMER', payment.customer])
  })

  it('hides the number of who received a refund without a reference', async () => {
    const given = await refund(shop, made['payment'], { amount: '200' })
    expect(given.status, JSON.stringify(given.body)).toBe(201)
    for (const typed of [given.data.id, '97040410']) {
      const { data } = await ask(typed)
      const { results } = data.groups.find(({ kind }: Json) => kind === 'REFUND')
      const title = results.find(({ id }: Json) => id === given.data.id)?.title
      expect([typed, title]).toEqual([typed, given.data.msisdn_masked])
      expect(title).toBe(`${'*'.repeat(12)}10`)
    }
  })

  it('finds a link by its name and a session by its basket', async () => {
    expect(await found('WAX tissus')).toEqual([['PAYMENT_LINK', made['link'].id]])
    expect(await found('mangues')).toEqual([['CHECKOUT_SESSION', made['session'].id]])
  })

  it('shows five of a kind, the newest first, and says that there are more', async () => {
    const ids: string[] = []
    for (const at of [1, 2, 3, 4, 5, 6]) {
      const name = `Sandales ${at}`
      ids.unshift((await shop.post('/payment-links/', { name, currency: 'XOF' })).data.id)
    }
    const { data } = await ask('sandales')
    expect(data.groups).toHaveLength(1)
    expect(data.groups[0]).toMatchObject({ kind: 'PAYMENT_LINK', more: true })
    expect(data.groups[0].results.map(({ id }: Json) => id)).toEqual(ids.slice(0, 5))
    await shop.call('DELETE', `/payment-links/${ids[0]}/`)
    const after = await ask('sandales')
    expect(after.data.groups[0]).toMatchObject({ more: false })
    expect(after.data.groups[0].results.map(({ id }: Json) => id)).toEqual(ids.slice(1))
  })

  it('shows the very thing before newer ones whose text has it too', async () => {
    const own = settlerOf(app, await app.shop())
    const ids: string[] = []
    for (const email of ['ali', 'khali', 'bali', 'mali', 'somali', 'halali', 'kigali', 'dhali']) {
      const made = await own.post('/customers/', { email: `${email}@example.com` })
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      ids.push(made.data.id)
    }
    const { data } = await ask('Ali@example.com', own)
    expect(data.groups[0].results[0]).toMatchObject({ id: ids[0], is_exact: true })
    const refunds: string[] = []
    for (const reference of ['R-1', 'R-10', 'R-11', 'R-12', 'R-13', 'R-14', 'R-15', 'R-16']) {
      const given = await refund(shop, made['payment'], { amount: '100', reference })
      expect(given.status, JSON.stringify(given.body)).toBe(201)
      refunds.push(given.data.id)
    }
    const back = (await ask('r-1')).data.groups.find(({ kind }: Json) => kind === 'REFUND')
    expect(back.results[0]).toMatchObject({ id: refunds[0], is_exact: true })
  })

  it('finds nothing of another merchant, nor of the other environment', async () => {
    const stranger = await app.shop()
    const live = await app.shop({ merchant_id: shop.merchant_id, environment: 'LIVE' })
    for (const q of ['aicha', made['payment'].id, made['settlement'].reference, 'mangues']) {
      expect(await found(q, stranger), q).toEqual([])
      expect(await found(q, live), q).toEqual([])
    }
  })

  it('takes nothing that is typed for a wildcard, and finds nothing by signs alone', async () => {
    for (const q of ['%%', '__', "a' or '1'='1", '@@@', 'a\\']) {
      expect(await found(q), q).toEqual([])
    }
  })

  it('refuses what is shorter than two characters, in the caller’s language', async () => {
    for (const q of ['', 'a', '  a  ']) {
      const { status, error } = await ask(q)
      expect([status, Object.keys(error)], q).toEqual([400, ['q']])
    }
    const french = await shop.get('/search/?q=a', { 'accept-language': 'fr' })
    expect(french.error.q).toEqual(['Doit avoir au moins deux caractères.'])
  })
})

describe('one search for API keys', () => {
  const keysIn = ({ data }: { data: Json }): Json[] =>
    data.groups.find(({ kind }: Json) => kind === 'API_KEY')?.results ?? []
  /** The ids of the keys that are found, in order. */
  const keysFound = async (q: string, by: Shop) => keysIn(await ask(q, by)).map(({ id }) => id)

  it('finds one by its name, its id and what is shown of its secret, never the secret', async () => {
    const member = await newMember(app)
    const name = 'Boutique Ganvié'
    const { id, secret, key_prefix, last4, created_at: at } = await make(member, { name })
    const shown = `${key_prefix}…${last4}`
    for (const [typed, is_exact] of [
      ...([
        ['ganvie', false],
        ['sk_test_', false],
        [last4, false],
      ] as const),
      ...([
        [id, true],
        [shown, true],
        [key_prefix, true],
      ] as const),
      [key_prefix.toUpperCase(), true],
    ]) {
      const reply = await ask(typed, member)
      const of = { id, title: name, detail: shown, status: 'ACTIVE', is_exact, at }
      const others = { transaction_type: null, transaction: null, amount: null, currency: null }
      const never = { outcome_unknown: false, incident: null }
      const use = { rotated_to: null, last_used_at: null }
      expect([typed, keysIn(reply)]).toEqual([typed, [{ ...of, ...others, ...never, ...use }]])
      expect(JSON.stringify(reply.body)).not.toMatch(/sk_(test|live)_[\w-]{5}/)
    }
    expect(await found(secret, member)).toEqual([])
  })

  it('names one that has no name by what is shown of its secret', async () => {
    const member = await newMember(app)
    const { id, key_prefix, last4 } = await make(member)
    const [one] = keysIn(await ask(id, member))
    expect(one).toMatchObject({ title: `${key_prefix}…${last4}`, detail: '' })
  })

  it('is for whoever may list keys, which no API key may', async () => {
    const owner = await newMember(app)
    const { merchant_id } = owner
    const { id, secret } = await make(owner, { name: 'Caisse du port' })
    const members = await Promise.all(roles.map((role) => app.member({ merchant_id, role })))
    const holder = shopWith(app.url, merchant_id, secret)
    const seen: number[] = []
    for (const caller of [...members, holder]) {
      const { status } = await caller.get(keyList)
      seen.push(status)
      for (const typed of ['port', id]) {
        expect(await keysFound(typed, caller)).toEqual(status === 200 ? [id] : [])
      }
    }
    expect(seen).toEqual([...roles.map(() => 200), 403])
  })

  it('finds none of the other mode, nor of another merchant', async () => {
    const sandbox = await newMember(app, { live: true, second_factor: 'FRESH' })
    const { merchant_id } = sandbox
    const live = await app.member({ merchant_id, environment: 'LIVE', second_factor: 'FRESH' })
    const stranger = await newMember(app)
    const name = 'Comptoir'
    const tested = await make(sandbox, { name })
    const used = await make(live, { name, ...liveKey })
    for (const typed of [name, tested.id, used.id, tested.key_prefix, used.key_prefix]) {
      const isOf = (key: Json) => [name, key.id, key.key_prefix].includes(typed)
      expect(await keysFound(typed, sandbox), typed).toEqual(isOf(tested) ? [tested.id] : [])
      expect(await keysFound(typed, live), typed).toEqual(isOf(used) ? [used.id] : [])
      expect(await keysFound(typed, stranger), typed).toEqual([])
    }
  })

  it('says of one that it was revoked or has expired, and finds none that was deleted', async () => {
    const member = await newMember(app)
    const standing = async () =>
      keysIn(await ask('entrepot', member)).map(({ id, status }) => [id, status])
    const { id } = await make(member, { name: 'Entrepôt' })
    const other = await make(member, { name: 'Entrepôt, avant' })
    await member.post(`${keyList}${id}/revoke/`, {})
    await app.owner`
      update api_keys set expires_at = now() - interval '1 second' where id = ${other.id}`
    expect(await standing()).toEqual([
      [other.id, 'EXPIRED'],
      [id, 'REVOKED'],
    ])
    await member.call('DELETE', `${keyList}${id}/`)
    expect(await standing()).toEqual([[other.id, 'EXPIRED']])
    expect(await found(id, member)).toEqual([])
  })

  it('says of one that still works what its list says: its successor, its last use', async () => {
    const member = await newMember(app)
    const { id } = await make(member, { name: 'Atelier' })
    const body = { overlap_seconds: 3_600 }
    const next = await member.post(`${keyList}${id}/rotate/`, body)
    expect(next.status, JSON.stringify(next.body)).toBe(201)
    await app.owner`update api_keys set last_used_at = now() where id = ${id}`
    const use = (of: Json) => [of.id, of.status, of.rotated_to, of.last_used_at]
    const seen = keysIn(await ask('atelier', member)).map(use)
    const { data } = await member.get(keyList)
    expect(seen).toEqual(data.results.map(use))
    expect(seen).toContainEqual([id, 'ACTIVE', next.data.id, expect.any(String)])
    expect(seen).toContainEqual([next.data.id, 'ACTIVE', null, null])
  })

  it('shows five, the newest first, and says that there are more', async () => {
    const member = await newMember(app)
    const ids: string[] = []
    for (const at of [1, 2, 3, 4, 5, 6]) {
      ids.unshift((await make(member, { name: `Camion ${at}` })).id)
    }
    const { data } = await ask('camion', member)
    expect(data.groups).toMatchObject([{ kind: 'API_KEY', more: true }])
    expect(keysIn({ data }).map(({ id }) => id)).toEqual(ids.slice(0, 5))
  })
})

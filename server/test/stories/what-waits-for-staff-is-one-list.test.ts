// Staff find in one list everything that waits for a decision, and nothing that is decided: the
// merchant who asks for LIVE, the transfer, the settlement, the adjustment, the proposed end of an
// incident.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, type Reply, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { plantMethod } from '../setup/settling.ts'
import { plantAttempt, plantIncident, plantTransaction } from '../setup/transaction-rows.ts'

let app: TestApp
let staff: SignedInCaller
let owner: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'SUPERADMIN' })
  owner = await app.member({ second_factor: 'FRESH' })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '10000' })
})
afterAll(() => app?.stop())

const list = (query = '') => staff.get(`/admin/approvals/?${query}`)
const ours = async (query = ''): Promise<Json[]> => {
  const reply = await list(`merchant=${owner.merchant_id}&${query}`)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.data.results
}
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]
const made = ({ status, data, body }: Reply): string => {
  expect(status, JSON.stringify(body)).toBe(201)
  return String(data.id)
}

async function requestAll() {
  const transfer = { from_country: 'BJ', to_country: 'CM', from_amount: '700' }
  const wallet_transfer = made(await owner.post('/wallet-transfers/', transfer))
  const payout_method = await plantMethod(app, owner.merchant_id)
  const settlement = made(
    await owner.post('/settlements/', { country: 'BJ', requested_amount: '2000', payout_method }),
  )
  const paid = await plantTransaction(app.owner, owner.merchant_id)
  const attempt = await plantAttempt(app.owner, paid)
  const { id: incident } = await plantIncident(app.owner, paid, attempt)
  return { wallet_transfer, settlement, incident }
}

describe('GET /admin/approvals/', () => {
  it('shows each kind while it waits, the longest first, and no longer', async () => {
    const { wallet_transfer, settlement, incident } = await requestAll()
    // An incident that nobody has proposed to end waits for no second person.
    expect((await ours()).map(({ id }) => id)).toEqual([wallet_transfer, settlement])

    const resolution = { resolution: 'RECOVERED', amount: '0', note: 'seen' }
    const proposing = await staff.post(`/admin/incidents/${incident}/resolve/`, resolution)
    expect(proposing.status, JSON.stringify(proposing.body)).toBe(200)
    await app.owner`
      update merchants set kyc_status = 'PENDING' where id = ${owner.merchant_id}`
    const { data: balances } = await owner.get('/merchant-balances/')
    const balance = balances.results.find((one: Json) => one['country'] === 'BJ')['id']
    const request = { balance, kind: 'CREDIT_MERCHANT' }
    const adjustment = made(
      await staff.post('/admin/adjustments/', { ...request, amount: '50', reason: 'goodwill' }),
    )
    await app.owner`
      update merchants set updated_at = now() where id = ${owner.merchant_id}`
    const all = await ours()
    expect(all).toMatchObject([
      { kind: 'WALLET_TRANSFER', id: wallet_transfer, amount: '700.00', environment: 'SANDBOX' },
      { kind: 'SETTLEMENT', id: settlement, amount: '2000.00', country: 'BJ', currency: 'XOF' },
      { kind: 'INCIDENT_RESOLUTION', id: incident, proposed_by: proposing.data.proposed_by },
      { kind: 'ADJUSTMENT', id: adjustment, amount: '50.00' },
      { kind: 'MERCHANT', id: owner.merchant_id, amount: null, environment: null },
    ])
    for (const { merchant } of all) expect(merchant).toBe(owner.merchant_id)
    expect(all[1]?.['path']).toBe(`/admin/settlements/${settlement}/`)
    expect(all[1]?.['reference']).toMatch(/^STL-/)

    expect(await ours('ordering=-since')).toEqual([...all].reverse())
    expect(await ours('kind=SETTLEMENT')).toEqual([all[1]])
    expect(await ours('page_size=1&page=2')).toEqual([all[1]])

    // What is decided is gone from the list.
    await staff.post(`/admin/wallet-transfers/${wallet_transfer}/approve/`)
    await staff.post(`/admin/settlements/${settlement}/approve/`)
    await staff.post(`/admin/incidents/${incident}/withdraw/`)
    await staff.post(`/admin/adjustments/${adjustment}/refuse/`, { reason: 'no' })
    await staff.post(`/admin/merchants/${owner.merchant_id}/approve/`)
    expect(await ours()).toEqual([])
  })

  it('keeps the environments apart, and shows a merchant in both', async () => {
    const other = await app.member({ second_factor: 'FRESH' })
    await other.post('/sandbox/balances/', { country: 'BJ', amount: '1000' })
    const transfer = { from_country: 'BJ', to_country: 'CM', from_amount: '700' }
    const id = made(await other.post('/wallet-transfers/', transfer))
    await app.owner`update merchants set kyc_status = 'PENDING' where id = ${other.merchant_id}`
    const kinds = async (environment: string) => {
      const path = `/admin/approvals/?merchant=${other.merchant_id}`
      const { data } = await staff.get(path, { 'x-environment': environment })
      return data.results.map((one: Json) => [one['kind'], one['id']])
    }
    const merchant = ['MERCHANT', other.merchant_id]
    expect(await kinds('SANDBOX')).toEqual(
      expect.arrayContaining([['WALLET_TRANSFER', id], merchant]),
    )
    expect(await kinds('LIVE')).toEqual([merchant])
  })

  it('names the fields that are wrong', async () => {
    const wrong = await list('kind=PAYOUT&merchant=me&ordering=amount&page=0')
    expect(fieldsOf(wrong)).toEqual([400, ['kind', 'merchant', 'ordering', 'page']])
    expect((await list('page=1000')).status).toBe(404)
  })
})

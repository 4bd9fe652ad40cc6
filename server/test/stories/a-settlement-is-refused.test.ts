// What is refused of settlements, in the order of the checks, and that a refusal holds nothing; who
// may see one; and what staff cannot do with one.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { type Reply, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import {
  brokenLaws,
  plantMethod,
  plantPhone,
  richSettler,
  type Settler,
  settlerOf,
} from '../setup/settling.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'FINANCE' })
})
afterAll(async () => {
  const broken = await brokenLaws(app)
  await app.stop()
  expect(broken).toEqual([])
})

const codeOf = ({ status, error }: Reply) => [status, error.code ?? Object.keys(error)]
const untouched = async (shop: Settler) => expect(await shop.sums()).toEqual(['100000.00', '0.00'])

const inAnHour = () => new Date(Date.now() + 3_600_000)

describe('a request is refused', () => {
  let shop: Settler
  beforeAll(async () => {
    shop = await richSettler(app)
  })

  it('for a country that is not served, before its payout method is looked at', async () => {
    const reply = await shop.settle('bank', { country: 'ZZ' })
    expect(codeOf(reply)).toEqual([422, 'invalid_country'])
  })

  it('for another merchant’s payout method, nobody’s, or one that was taken away', async () => {
    const stranger = await app.shop()
    const gone = await plantMethod(app, shop.merchant_id, { deleted_at: new Date() })
    const others = await plantMethod(app, stranger.merchant_id)
    for (const method of [others, gone, stranger.merchant_id]) {
      expect(codeOf(await shop.settle(method))).toEqual([400, ['payout_method']])
    }
  })

  it('for a payout method of another country, before its cooling-off is looked at', async () => {
    const changes = { country: 'SN', usable_from: inAnHour() }
    const method = await plantMethod(app, shop.merchant_id, changes)
    expect(codeOf(await shop.settle(method))).toEqual([400, ['payout_method']])
  })

  it('for a payout method that is too new, with the time to wait', async () => {
    const live = settlerOf(app, await app.shop({ environment: 'LIVE', live: true }))
    const { merchant_id } = live
    const method = await plantMethod(app, merchant_id, { usable_from: inAnHour() })
    const reply = await live.settle(method, { requested_amount: '999999999' })
    expect(codeOf(reply)).toEqual([422, 'payout_method_cooling_off'])
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(3_500)
    // The same shop goes on testing with play money.
    const testing = await richSettler(app, '100000', { merchant_id })
    expect((await testing.settle(method)).status).toBe(201)
  })

  it('for a network that was switched off, or takes no payouts any more', async () => {
    const method = await plantPhone(app, shop.merchant_id, '10', 'coris_bj')
    const change = async (columns: Record<string, unknown>) => {
      await app.owner`update networks set ${app.owner(columns)} where code = 'coris_bj'`
      await app.owner`update catalogue_version set version = version + 1`
    }
    await change({ is_active: false })
    expect(codeOf(await shop.settle(method))).toEqual([422, 'invalid_method'])
    await change({ is_active: true, takes_payouts: false })
    expect(codeOf(await shop.settle(method))).toEqual([422, 'payout_not_enabled'])
    await change({ takes_payouts: true })
  })

  it('for an amount outside the tiers of its network, or eaten by the fee', async () => {
    const low = await shop.settle('10', { requested_amount: '1' })
    expect(codeOf(low)).toEqual([400, ['requested_amount']])
    expect(low.error.requested_amount[0]).toMatch(/fee/)
    const high = await shop.settle('10', { requested_amount: '999999999999' })
    expect(high.error.requested_amount[0]).toMatch(/maximum/)
  })

  it('for another fee_charge_mode than the merchant’s settings fix', async () => {
    const locked = await richSettler(app)
    await app.owner`
      update merchants set fee_charge_mode_locked = 'ADD_ON' where id = ${locked.merchant_id}`
    const reply = await locked.settle('bank', { fee_charge_mode: 'DEDUCTED' })
    expect(codeOf(reply)).toEqual([422, 'fee_charge_mode_locked'])
    for (const to of ['bank', '10']) {
      expect((await locked.settle(to)).data.fee_charge_mode).toBe('ADD_ON')
    }
  })

  it('for a frozen balance, however little there is in it', async () => {
    const frozen = await richSettler(app, '100')
    await app.owner`
      update balances set is_frozen = true where merchant_id = ${frozen.merchant_id}`
    expect(codeOf(await frozen.settle('bank'))).toEqual([422, 'balance_frozen'])
    expect(await frozen.sums()).toEqual(['100.00', '0.00'])
  })

  it('for a balance that is one franc short, or is not there', async () => {
    const unfunded = await richSettler(app, '9999')
    expect(codeOf(await unfunded.settle('bank'))).toEqual([422, 'insufficient_balance'])
    const none = await richSettler(app, '0')
    expect(codeOf(await none.settle('bank'))).toEqual([422, 'insufficient_balance'])
  })

  it('in LIVE where no operator pays', async () => {
    const { merchant_id } = shop
    await app.owner`update merchants set live_enabled = true where id = ${merchant_id}`
    const live = settlerOf(app, await app.shop({ merchant_id, environment: 'LIVE' }))
    expect(codeOf(await live.settle('10'))).toEqual([422, 'no_route_available'])
    expect(codeOf(await live.settle('bank'))).toEqual([422, 'insufficient_balance'])
  })

  it('to a key for payins, to a role without the right, to nobody without a key', async () => {
    const { merchant_id } = shop
    const payin = settlerOf(app, await app.shop({ merchant_id, scope: 'PAYIN' }))
    expect(codeOf(await payin.settle('bank'))).toEqual([403, 'api_key_scope_forbidden'])
    for (const role of ['VIEWER', 'DEVELOPER'] as const) {
      const member = settlerOf(app, await app.member({ merchant_id, role }))
      expect(codeOf(await member.settle('bank'))).toEqual([403, 'permission_denied'])
    }
    const nobody = await fetch(`${app.url}/api/v1/settlements/`, { method: 'POST' })
    expect(nobody.status).toBe(401)
  })

  it('by session in LIVE without a code of the second factor', async () => {
    const { merchant_id } = shop
    const make = (second_factor: 'STALE' | 'FRESH') =>
      app.member({ merchant_id, role: 'FINANCE', environment: 'LIVE', second_factor })
    const stale = settlerOf(app, await make('STALE'))
    expect(codeOf(await stale.settle('bank'))).toEqual([403, 'totp_required'])
    const fresh = settlerOf(app, await make('FRESH'))
    expect(codeOf(await fresh.settle('bank'))).toEqual([422, 'insufficient_balance'])
  })

  it('and after all of these nothing is held', () => untouched(shop))

  it('but not to a member who may, whose name is then on it', async () => {
    const own = await richSettler(app)
    const { merchant_id } = own
    const member = await app.member({ merchant_id, role: 'FINANCE' })
    const { data } = await settlerOf(app, member).settle('bank')
    const [row] = await app.owner`
      select member_id, api_key_id, request_id <> '' as has_request from settlements
       where id = ${data.id}`
    expect(row).toEqual({ member_id: member.person_id, api_key_id: null, has_request: true })
  })
})

describe('a settlement is seen', () => {
  it('by its merchant, in its environment; by no other', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    const path = `/settlements/${data.id}/`
    expect((await shop.get(path)).data).toEqual(data)
    const stranger = await app.shop()
    expect(codeOf(await stranger.get(path))).toEqual([403, 'permission_denied'])
    expect(codeOf(await stranger.post(`${path}cancel/`))).toEqual([403, 'permission_denied'])
    const { merchant_id } = shop
    await app.owner`update merchants set live_enabled = true where id = ${merchant_id}`
    const live = await app.shop({ merchant_id, environment: 'LIVE' })
    expect(codeOf(await live.get(path))).toEqual([404, 'not_found'])
    expect(codeOf(await live.post(`${path}cancel/`))).toEqual([404, 'not_found'])
    const viewer = await app.member({ merchant_id, role: 'VIEWER' })
    expect((await viewer.get(path)).status).toBe(200)
    expect(codeOf(await viewer.post(`${path}cancel/`))).toEqual([403, 'permission_denied'])
  })

  it('in a list of pages, by status, country and reference, in the order asked for', async () => {
    const shop = await richSettler(app)
    const made = []
    for (const amount of ['300', '100', '200']) {
      made.push((await shop.settle('bank', { requested_amount: amount })).data)
    }
    await shop.post(`/settlements/${made[1].id}/cancel/`)
    const list = async (query: string) => (await shop.get(`/settlements/${query}`)).data
    const ids = async (query: string) =>
      (await list(query)).results.map(({ id }: { id: string }) => id)
    const [a, b, c] = made.map(({ id }) => id)
    expect(await ids('')).toEqual([c, b, a])
    expect(await ids('?ordering=requested_amount')).toEqual([b, c, a])
    expect(await ids('?ordering=-requested_amount')).toEqual([a, c, b])
    expect(await ids('?status=PENDING')).toEqual([c, a])
    expect(await ids('?country=bj&status=CANCELLED')).toEqual([b])
    expect(await ids('?country=SN')).toEqual([])
    expect(await ids(`?search=${made[2].reference.slice(-6).toLowerCase()}`)).toEqual([c])
    const page = await list('?page_size=2')
    expect([page.count, page.results.length]).toEqual([3, 2])
    expect(page.next).toMatch(/page=2/)
    expect(codeOf(await shop.get('/settlements/?page=9'))).toEqual([404, 'not_found'])
    expect(codeOf(await shop.get('/settlements/?ordering=net_amount'))).toEqual([400, ['ordering']])
  })

  it('by staff over all merchants, in the environment that they look at', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    const of = `merchant=${shop.merchant_id}`
    const seen = await staff.get(`/admin/settlements/?${of}&status=PENDING`)
    expect(seen.data.results).toMatchObject([{ id: data.id, merchant: shop.merchant_id }])
    expect(seen.data.results[0].merchant_name).toMatch(/^Shop/)
    expect((await staff.get(`/admin/settlements/?${of}&status=SUCCESS`)).data.count).toBe(0)
    const live = { 'x-environment': 'LIVE' }
    expect((await staff.get(`/admin/settlements/?${of}`, live)).data.count).toBe(0)
    const one = `/admin/settlements/${data.id}/`
    expect(codeOf(await staff.get(one, live))).toEqual([404, 'not_found'])
    for (const act of ['approve', 'execute', 'fail']) {
      const body = { gateway_reference: 'X', reason: 'X' }
      const reply = await staff.post(`${one}${act}/`, body, live)
      expect(codeOf(reply)).toEqual([404, 'not_found'])
    }
    expect(codeOf(await staff.get('/admin/settlements/?status=pending'))).toEqual([400, ['status']])
    expect(codeOf(await staff.get('/admin/settlements/?merchant=x'))).toEqual([400, ['merchant']])
  })

  it('with where it goes, only by staff who approve', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    const support = await app.staff({ role: 'SUPPORT' })
    expect((await support.get('/admin/settlements/')).status).toBe(200)
    const one = `/admin/settlements/${data.id}/`
    expect(codeOf(await support.get(one))).toEqual([403, 'permission_denied'])
    expect(codeOf(await support.post(`${one}approve/`))).toEqual([403, 'permission_denied'])
    expect(codeOf(await shop.get(one))).toEqual([403, 'permission_denied'])
  })
})

describe('staff are refused', () => {
  const act = (id: string, what: string, body: object = {}) =>
    staff.post(`/admin/settlements/${id}/${what}/`, body)
  const paid = { gateway_reference: 'VIR-1' }

  it('what comes before its turn, or for another kind of payout method', async () => {
    const shop = await richSettler(app)
    const bank = (await shop.settle('bank')).data.id
    const phone = (await shop.settle('04')).data.id
    expect(codeOf(await act(bank, 'execute', paid))).toEqual([409, 'settlement_not_approved'])
    expect(codeOf(await act(phone, 'execute', paid))).toEqual([409, 'settlement_not_by_bank'])
    await act(bank, 'approve')
    expect(codeOf(await act(bank, 'approve'))).toEqual([409, 'settlement_already_approved'])
    await act(phone, 'approve')
    expect(codeOf(await act(phone, 'approve'))).toEqual([409, 'settlement_already_approved'])
    expect(codeOf(await act(phone, 'execute', paid))).toEqual([409, 'settlement_not_by_bank'])
  })

  it('what comes after the end', async () => {
    const shop = await richSettler(app)
    const { id } = (await shop.settle('bank')).data
    await act(id, 'approve')
    await act(id, 'execute', paid)
    for (const what of ['approve', 'execute', 'fail']) {
      const reply = await act(id, what, { ...paid, reason: 'Too late.' })
      expect(codeOf(reply)).toEqual([409, 'transaction_terminal'])
    }
  })

  it('what names nobody’s settlement, or says nothing', async () => {
    const shop = await richSettler(app)
    const { id } = (await shop.settle('bank')).data
    for (const unknown of ['x', shop.merchant_id]) {
      expect(codeOf(await act(unknown, 'approve'))).toEqual([404, 'not_found'])
      expect(codeOf(await act(unknown, 'execute', paid))).toEqual([404, 'not_found'])
      expect(codeOf(await act(unknown, 'fail', { reason: 'X' }))).toEqual([404, 'not_found'])
    }
    await act(id, 'approve')
    for (const gateway_reference of [undefined, '', ' ', 5, 'x'.repeat(101)]) {
      const reply = await act(id, 'execute', { gateway_reference })
      expect(codeOf(reply)).toEqual([400, ['gateway_reference']])
    }
    for (const proof_url of ['', 'x', 'ftp://bank.example.com/x', 'javascript:alert(1)']) {
      const reply = await act(id, 'execute', { ...paid, proof_url })
      expect(codeOf(reply)).toEqual([400, ['proof_url']])
    }
    for (const reason of [undefined, '', ' ', 5, 'x'.repeat(501)]) {
      expect(codeOf(await act(id, 'fail', { reason }))).toEqual([400, ['reason']])
    }
    expect((await shop.settlement(id)).status).toBe('APPROVED')
  })

  it('a suspended merchant’s: it waits, and can be given up', async () => {
    const shop = await richSettler(app)
    const waiting = (await shop.settle('bank')).data.id
    const approved = (await shop.settle('bank')).data.id
    await act(approved, 'approve')
    await suspendMerchant(app.service.db, shop.merchant_id, 'a test')
    expect(codeOf(await act(waiting, 'approve'))).toEqual([403, 'merchant_suspended'])
    expect(codeOf(await act(approved, 'execute', paid))).toEqual([403, 'merchant_suspended'])
    expect(codeOf(await shop.post(`/settlements/${waiting}/cancel/`))).toEqual([
      403,
      'merchant_suspended',
    ])
    expect((await shop.get(`/settlements/${waiting}/`)).status).toBe(200)
    expect((await act(waiting, 'fail', { reason: 'Suspended.' })).data.status).toBe('FAILED')
    expect(await shop.sums()).toEqual(['90000.00', '10000.00'])
  })

  it('one whose gateway has it goes on, though its merchant is suspended', async () => {
    const shop = await richSettler(app)
    const { id } = (await shop.settle('05')).data
    await act(id, 'approve')
    await suspendMerchant(app.service.db, shop.merchant_id, 'a test')
    await shop.ends(id, 'SUCCESS', 20_000)
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
  })

  it('what would leave a frozen balance; it can be given up, and comes back frozen', async () => {
    const shop = await richSettler(app)
    const waiting = (await shop.settle('10')).data.id
    const approved = (await shop.settle('bank')).data.id
    await act(approved, 'approve')
    await app.owner`
      update balances set is_frozen = true where merchant_id = ${shop.merchant_id}`
    expect(codeOf(await act(waiting, 'approve'))).toEqual([422, 'balance_frozen'])
    expect(codeOf(await act(approved, 'execute', paid))).toEqual([422, 'balance_frozen'])
    expect((await act(waiting, 'fail', { reason: 'Frozen.' })).data.status).toBe('FAILED')
    expect(await shop.sums()).toEqual(['90000.00', '10000.00'])
    expect((await shop.post(`/settlements/${approved}/cancel/`)).status).toBe(409)
  })

  it('nothing of a payout method that was taken away since: it goes where it was meant to', async () => {
    const shop = await richSettler(app)
    const { id, payout_method } = (await shop.settle('10')).data
    await app.owner`update payout_methods set deleted_at = now() where id = ${payout_method}`
    await act(id, 'approve')
    await shop.ends(id, 'SUCCESS')
  })

  it('nothing silently: each act is in the audit log, with who did it', async () => {
    const shop = await richSettler(app)
    const { id } = (await shop.settle('bank')).data
    await act(id, 'approve')
    await act(id, 'execute', paid)
    const cancelled = (await shop.settle('bank')).data.id
    await shop.post(`/settlements/${cancelled}/cancel/`)
    const acts = await app.owner`
      select action, actor_kind, actor_id, before ->> 'status' as before,
             after ->> 'status' as after, environment
        from audit_logs
       where target_id in (${id}, ${cancelled}) order by id`
    const by = { actor_kind: 'STAFF', actor_id: staff.person_id, environment: 'SANDBOX' }
    expect(acts).toMatchObject([
      { ...by, action: 'settlement.approved', before: 'PENDING', after: 'APPROVED' },
      { ...by, action: 'settlement.executed', before: 'APPROVED', after: 'SUCCESS' },
      { actor_kind: 'KEY', action: 'settlement.cancelled', before: 'PENDING', after: 'CANCELLED' },
    ])
  })
})

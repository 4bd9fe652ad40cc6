// Who may give money back, and what may not be given back: each refusal has its code, and none of
// them leaves anything behind.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lapseRefunds } from '../../src/refunds/decide-refund.ts'
import { type Json, type Shop, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import {
  booksAgree,
  oldPayment,
  paidPayment,
  refund,
  refundEnds,
  refundedOf,
  refundingShop,
  sumsOf,
} from '../setup/refunds.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await booksAgree(app).finally(() => app.stop())
})

const codeOf = ({ status, error }: { status: number; error: Json }) => [status, error?.code]

/** Nothing was written for it. */
async function leftNothing(shop: Shop, payment: Json, before: readonly string[]) {
  expect(await sumsOf(shop)).toEqual(before)
  expect((await shop.get(`/payments/${payment.id}/refunds/`)).data.results).toEqual([])
  expect(await refundedOf(shop, payment)).toMatchObject({ refund_status: 'NONE' })
}

describe('a key', () => {
  it.each(['PAYIN', 'PAYOUT'] as const)(
    'of scope %s may read refunds and make none',
    async (scope) => {
      const shop = await refundingShop(app)
      const { merchant_id } = shop
      const payment = await paidPayment(shop)
      const other = await app.shop({ merchant_id, scope })
      const refused = await refund(other, payment)
      expect(codeOf(refused)).toEqual([403, 'api_key_scope_forbidden'])
      expect(refused.error.message).toContain('needs BOTH')
      expect((await other.get('/refunds/')).status).toBe(200)
    },
  )

  it('from an address that is not listed makes none', async () => {
    const shop = await app.shop()
    const payment = await paidPayment(shop)
    expect(codeOf(await refund(shop, payment))).toEqual([403, 'ip_not_whitelisted'])
    const shown = await shop.post(`/payments/${payment.id}/refunds/preview/`, {})
    expect(codeOf(shown)).toEqual([403, 'ip_not_whitelisted'])
  })

  it('of another merchant is told so, and of the other environment finds nothing', async () => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const made = await refund(shop, payment, { amount: '100' })
    const stranger = await refundingShop(app)
    expect(codeOf(await refund(stranger, payment))).toEqual([403, 'permission_denied'])
    const seen = await stranger.get(`/refunds/${made.data.id}/`)
    expect(codeOf(seen)).toEqual([403, 'permission_denied'])
    const none = await stranger.get('/refunds/01981f3a-0000-7000-8000-00000000ef09/')
    expect(codeOf(none)).toEqual([404, 'not_found'])
    await refundEnds(shop, made.data.id, 'SUCCESS')
  })
})

describe('a payment', () => {
  it('that has not succeeded, a payout, and one nobody has are not refundable', async () => {
    const shop = await refundingShop(app)
    const pending = await shop.pay({ customer: payer('04') })
    expect(codeOf(await refund(shop, pending.data))).toEqual([409, 'not_refundable'])
    await shop.post(`/sandbox/transactions/${pending.data.id}/resolve/`, { outcome: 'FAILED' })
    expect(codeOf(await refund(shop, pending.data))).toEqual([409, 'not_refundable'])
    const paid = await shop.post('/payouts/initialize/', {
      amount: '1000',
      currency: 'XOF',
      country: 'BJ',
      method: 'mtn_bj',
      recipient: { msisdn: '+2290197000010' },
    })
    await shop.becomes(paid.data.id, 'SUCCESS')
    expect(codeOf(await refund(shop, paid.data))).toEqual([404, 'not_found'])
    const id = '01981f3a-0000-7000-8000-00000000ef09'
    expect(codeOf(await refund(shop, { id }))).toEqual([404, 'not_found'])
  })

  it('is given back by its reference too', async () => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const made = await refund(shop, { id: payment.reference }, { amount: '100' })
    expect([made.status, made.data?.payment_id]).toEqual([201, payment.id])
    await refundEnds(shop, made.data.id, 'SUCCESS')
  })

  it.each([
    [{ amount: '0' }, 'amount'],
    [{ amount: '-5' }, 'amount'],
    [{ amount: '100.50' }, 'amount'],
    [{ amount: 'all' }, 'amount'],
    [{ amount: '100', recipient: { msisdn: '+2290197000010' } }, 'recipient.msisdn'],
    [{ reason: 'x'.repeat(256) }, 'reason'],
  ])('asked for as %j is 400 on the field', async (body, field) => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    const before = await sumsOf(shop)
    const refused = await refund(shop, payment, body)
    expect([refused.status, Object.keys(refused.error)]).toEqual([400, [field]])
    await leftNothing(shop, payment, before)
  })

  it('is given back out of what is there, and of no frozen balance', async () => {
    const shop = await refundingShop(app, {}, '0')
    const payment = await paidPayment(shop)
    const before = await sumsOf(shop)
    // The fee of an ADD_ON payment is not in the balance.
    expect(codeOf(await refund(shop, payment))).toEqual([422, 'insufficient_balance'])
    await app.owner`
      update balances set is_frozen = true where merchant_id = ${shop.merchant_id}`
    expect(codeOf(await refund(shop, payment, { amount: '100' }))).toEqual([422, 'balance_frozen'])
    await leftNothing(shop, payment, before)
  })

  it('whose merchant is suspended waits for better days', async () => {
    const shop = await refundingShop(app)
    const payment = await paidPayment(shop)
    await app.owner`update merchants set status = 'SUSPENDED' where id = ${shop.merchant_id}`
    expect(codeOf(await refund(shop, payment))).toEqual([403, 'merchant_suspended'])
  })
})

describe('limits of payouts', () => {
  it('count refunds: a single one, and a day’s, given back when one fails', async () => {
    const shop = await refundingShop(app)
    const { merchant_id } = shop
    const owner = await app.member({ merchant_id })
    const payment = await paidPayment(shop)
    await owner.post('/merchant-payout-limits/', {
      country: 'BJ',
      per_payout: '3000',
      per_day: '5000',
    })
    const large = await refund(shop, payment, { amount: '3001' })
    expect(codeOf(large)).toEqual([422, 'payout_limit_exceeded'])
    const failed = await refund(shop, payment, { amount: '3000', reason: 'sandbox:01' })
    await refundEnds(shop, failed.data.id, 'FAILED')
    const one = await refund(shop, payment, { amount: '3000' })
    const two = await refund(shop, payment, { amount: '2000' })
    expect([one.status, two.status]).toEqual([201, 201])
    const more = await refund(shop, payment, { amount: '1' })
    expect(codeOf(more)).toEqual([422, 'payout_limit_exceeded'])
    await refundEnds(shop, one.data.id, 'SUCCESS')
    await refundEnds(shop, two.data.id, 'SUCCESS')
  })

  it('want a second member above a sum, and small ones add up to it', async () => {
    const shop = await refundingShop(app)
    const { merchant_id } = shop
    const owner = await app.member({ merchant_id })
    const finance = await app.member({ merchant_id, role: 'FINANCE' })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '3000' })
    const payment = await paidPayment(shop)
    const small = await refund(owner, payment, { amount: '2000' })
    expect(small.data).toMatchObject({ status: 'PENDING', waiting_for: null })
    await refundEnds(shop, small.data.id, 'SUCCESS')
    const split = await refund(owner, payment, { amount: '2000' })
    expect(split.data).toMatchObject({ waiting_for: 'SECOND_MEMBER', attempts: [] })
    const path = `/refunds/${split.data.id}`
    const isOffered = async (who: Shop) => (await who.get(`${path}/`)).data.may_approve
    expect(await Promise.all([owner, finance, shop].map(isOffered))).toEqual([false, true, false])
    const { data } = await finance.get(`/payments/${payment.id}/refunds/`)
    expect(data.results.map((one: Json) => one.may_approve)).toEqual([true, false])
    expect(codeOf(await owner.post(`${path}/approve/`))).toEqual([409, 'same_person'])
    expect(codeOf(await shop.post(`${path}/approve/`))).toEqual([403, 'dashboard_only'])
    const both = await Promise.all([
      finance.post(`${path}/approve/`),
      finance.post(`${path}/approve/`),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    await refundEnds(shop, split.data.id, 'SUCCESS')
    const done = await finance.get(`${path}/`)
    expect(done.data.attempts).toHaveLength(1)
    expect(done.data.may_approve).toBe(false)
    expect(codeOf(await shop.post(`${path}/cancel/`))).toEqual([409, 'not_cancellable'])
  })
})

describe('one that waits', () => {
  async function waiting() {
    const shop = await refundingShop(app)
    const { merchant_id } = shop
    const owner = await app.member({ merchant_id })
    const finance = await app.member({ merchant_id, role: 'FINANCE' })
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '100' })
    const payment = await paidPayment(shop)
    const before = await sumsOf(shop)
    const made = await refund(owner, payment, { amount: '2000' })
    expect(made.data.waiting_for).toBe('SECOND_MEMBER')
    return { shop, owner, finance, payment, before, id: made.data.id }
  }

  it('is cancelled by its merchant, once, whoever approves meanwhile', async () => {
    const { shop, finance, payment, before, id } = await waiting()
    const [cancelled, approved] = await Promise.all([
      shop.post(`/refunds/${id}/cancel/`),
      finance.post(`/refunds/${id}/approve/`),
    ])
    expect([cancelled.status, approved.status].filter((status) => status === 200)).toHaveLength(1)
    if (approved.status === 200) return void (await refundEnds(shop, id, 'SUCCESS'))
    expect(cancelled.data).toMatchObject({ status: 'CANCELLED', waiting_for: null })
    expect(await sumsOf(shop)).toEqual(before)
    expect(await refundedOf(shop, payment)).toMatchObject({
      refundable_amount: payment.debited_amount,
    })
  })

  it('is rejected with a reason, and its money is there again', async () => {
    const { shop, finance, before, id } = await waiting()
    const reason = 'Not to 0197000012.'
    const rejected = await finance.post(`/refunds/${id}/reject/`, { reason })
    const [act] = await app.owner`
      select after from audit_logs where action = 'refund.rejected' and target_id = ${id}`
    expect(act?.['after']).toEqual({ reason: 'Not to 0197***12.' })
    expect(rejected.data).toMatchObject({
      status: 'FAILED',
      failure_code: 'REJECTED_BY_MERCHANT',
    })
    expect(await sumsOf(shop)).toEqual(before)
    const again = await finance.post(`/refunds/${id}/reject/`, { reason: 'No.' })
    expect(codeOf(again)).toEqual([409, 'approval_not_required'])
  })

  it('is offered in LIVE to nobody who came a moment ago, nor for one who did', async () => {
    const { shop, owner, payment, id } = await waiting()
    const { merchant_id } = shop
    const byKey = await refund(shop, payment, { amount: '1000' })
    expect(byKey.data).toMatchObject({ waiting_for: 'SECOND_MEMBER', may_approve: false })
    await app.owner`update merchants set live_enabled = true where id = ${merchant_id}`
    const self = await app.member({ merchant_id, second_factor: 'FRESH', environment: 'LIVE' })
    const inEnvironment = (environment: 'LIVE' | 'SANDBOX') => app.owner`
      update refunds set environment = ${environment} where merchant_id = ${merchant_id}`
    const since = async ({ person_id }: SignedInCaller, hours: number) => {
      const moment = app.owner`now() - ${hours} * interval '1 hour'`
      await app.owner`
        update memberships set updated_at = ${moment}
         where merchant_id = ${merchant_id} and person_id = ${person_id}`
      await app.owner`
        update people set totp_enrolled_at = ${moment}
         where id = ${person_id} and totp_enrolled_at is not null`
    }
    const offered = async () =>
      (await self.get('/refunds/')).data.results.map((one: Json) => one.may_approve)
    const hindered = async (who: Shop) =>
      (await who.get('/refunds/')).data.results.map((one: Json) => one.may_not_approve)
    expect(await hindered(owner)).toEqual(['OWN', 'OWN'])
    await inEnvironment('LIVE')
    await since(owner, 100)
    expect(await offered()).toEqual([false, false])
    expect(await hindered(self)).toEqual(['TOO_NEW', 'TOO_NEW'])
    const refused = await self.post(`/refunds/${id}/approve/`)
    expect(codeOf(refused)).toEqual([409, 'second_member_required'])
    await since(self, 100)
    await since(owner, 1)
    expect(await offered()).toEqual([false, false])
    await since(owner, 100)
    expect(await offered()).toEqual([true, true])
    expect(await hindered(self)).toEqual([null, null])
    await inEnvironment('SANDBOX')
    for (const one of [id, byKey.data.id]) await shop.post(`/refunds/${one}/cancel/`)
  })

  it('ends by itself when nobody decides, and cannot be approved after its time', async () => {
    const { shop, finance, before, id } = await waiting()
    await app.owner`update refunds set lapses_at = now() - interval '1 s' where id = ${id}`
    expect((await finance.get(`/refunds/${id}/`)).data.may_approve).toBe(false)
    const late = await finance.post(`/refunds/${id}/approve/`)
    expect(codeOf(late)).toEqual([409, 'approval_not_required'])
    await lapseRefunds({ db: app.service.db, wake: () => undefined })
    await refundEnds(shop, id, 'FAILED')
    expect(await sumsOf(shop)).toEqual(before)
  })
})

describe('when the operator’s time to give it back is over', () => {
  it('the payer who approved on the phone is paid out, and it succeeds', async () => {
    const shop = await refundingShop(app)
    const payment = await oldPayment(app, shop)
    const made = await refund(shop, payment, { amount: '4000' })
    expect(made.data).toMatchObject({ method: 'PAYOUT', waiting_for: null })
    const done = await refundEnds(shop, made.data.id, 'SUCCESS')
    expect(done.amount).toBe('4000.00')
    const failed = await refund(shop, payment, { amount: '1000', reason: 'sandbox:01' })
    await refundEnds(shop, failed.data.id, 'FAILED')
    const next = await refund(shop, payment, { amount: '1000', reason: 'sandbox:06' })
    const paid = await refundEnds(shop, next.data.id, 'SUCCESS')
    expect(paid.attempts.map(({ status }: Json) => status)).toEqual(['FAILED', 'SUCCESS'])
  })

  it('after a page the merchant names the number, and another person lets it go', async () => {
    const shop = await refundingShop(app)
    const { merchant_id } = shop
    const owner = await app.member({ merchant_id })
    const payment = await oldPayment(app, shop)
    await app.owner`
      update attempts set checkout_url = 'https://operator.example/pay'
       where transaction_id = ${payment.id}`
    const unnamed = await refund(owner, payment, { amount: '4000' })
    expect([unnamed.status, Object.keys(unnamed.error)]).toEqual([400, ['recipient.msisdn']])
    const recipient = { msisdn: '+2290197000010' }
    const wrong = await refund(owner, payment, { recipient: { msisdn: '12' } })
    expect([wrong.status, Object.keys(wrong.error)]).toEqual([400, ['recipient.msisdn']])
    const alone = await refund(owner, payment, { amount: '1000', recipient })
    expect(alone.data).toMatchObject({ waiting_for: 'STAFF', method: 'PAYOUT', attempts: [] })
    const staff = await app.staff()
    const waiting = await staff.get(`/admin/approvals/?merchant=${merchant_id}`)
    expect(waiting.data.results).toMatchObject([
      { kind: 'REFUND', path: `/admin/refunds/${alone.data.id}/`, amount: '1000.00' },
    ])
    const seen = await staff.get(`/admin/refunds/${alone.data.id}/`)
    expect(seen.data.status).toBe('PENDING')
    const approved = await staff.post(`/admin/refunds/${alone.data.id}/approve/`)
    expect([approved.status, approved.data?.waiting_for]).toEqual([200, null])
    await refundEnds(shop, alone.data.id, 'SUCCESS')
    const again = await staff.post(`/admin/refunds/${alone.data.id}/approve/`)
    expect(codeOf(again)).toEqual([409, 'approval_not_required'])

    const finance = await app.member({ merchant_id, role: 'FINANCE' })
    // One who is switched off could let nothing go.
    const switched = (how: string) =>
      staff.post(`/admin/members/${finance.person_id}/${how}/`, { reason: 'Lost telephone' })
    expect((await switched('disable')).status).toBe(200)
    const nobody = await refund(owner, payment, { amount: '1000', recipient })
    expect(nobody.data.waiting_for).toBe('STAFF')
    await staff.post(`/admin/refunds/${nobody.data.id}/reject/`, { reason: 'No.' })
    expect((await switched('enable')).status).toBe(200)
    finance.goOnWith((await app.member({ merchant_id, role: 'FINANCE' })).key)
    const two = await refund(owner, payment, { amount: '1000', recipient })
    expect(two.data.waiting_for).toBe('SECOND_MEMBER')
    const staffs = await staff.post(`/admin/refunds/${two.data.id}/approve/`)
    expect(codeOf(staffs)).toEqual([409, 'approval_not_required'])
    expect((await finance.post(`/refunds/${two.data.id}/approve/`)).status).toBe(200)
    await refundEnds(shop, two.data.id, 'SUCCESS')
    const three = await refund(owner, payment, { amount: '1000', recipient })
    const refused = await staff.post(`/admin/refunds/${three.data.id}/reject/`, { reason: 'No.' })
    expect(refused.data).toMatchObject({ status: 'FAILED', failure_code: 'CANCELLED_BY_STAFF' })
  })
})

describe('an account that is switched off', () => {
  it('is sent no refund of what it collected, until it is on again', async () => {
    const shop = await refundingShop(app)
    const { merchant_id } = shop
    const [owner, second] = [
      await app.member({ merchant_id }),
      await app.member({ merchant_id, role: 'FINANCE' }),
    ]
    const payment = await paidPayment(shop)
    await owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '2000' })
    const waiting = await refund(owner, payment, { amount: '3000' })
    expect(waiting.data).toMatchObject({ method: 'OPERATOR', waiting_for: 'SECOND_MEMBER' })
    const staff = await app.staff()
    const { data } = await staff.get('/admin/gateways/')
    const { id } = data.results.find(({ code }: Json) => code === 'simulator_a')
    const turn = async (is_active: boolean) => {
      const headers = { 'content-type': 'application/json' }
      const init = { body: JSON.stringify({ is_active }), headers }
      expect((await staff.call('PATCH', `/admin/gateways/${id}/`, init)).status).toBe(200)
    }
    const before = await sumsOf(shop)
    await turn(false)
    try {
      const none = [422, 'no_route_available']
      const made = await refund(shop, payment, { amount: '1000' }, 'later')
      expect(codeOf(made)).toEqual(none)
      expect(made.error.retryable).toBe(true)
      const approve = await second.post(`/refunds/${waiting.data.id}/approve/`)
      expect(codeOf(approve)).toEqual(none)
      expect(await sumsOf(shop)).toEqual(before)
    } finally {
      await turn(true)
    }
    const made = await refund(shop, payment, { amount: '1000' }, 'later')
    await refundEnds(shop, made.data.id, 'SUCCESS')
    expect((await second.post(`/refunds/${waiting.data.id}/approve/`)).status).toBe(200)
    await refundEnds(shop, waiting.data.id, 'SUCCESS')
  })
})

const payer = (magic: string) => ({
  phone: `+22901970000${magic}`,
  first_name: 'Awa',
  last_name: 'Diop',
})

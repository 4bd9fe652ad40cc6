// A large payout needs a second person's word. Until it is given nothing is sent, and the money is
// held from the start.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { lapseApprovals } from '../../src/payouts/decide-payout.ts'
import { newPayer, type Shop, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { eventsAbout } from '../setup/events.ts'
import { limit, openPayingShop, payOut, payout, sums } from '../setup/payout-calls.ts'
import { untilServed } from '../setup/until-served.ts'
import { wholeDump } from '../setup/whole-dump.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app.stop()
  expect(broken).toEqual([])
})

const codeOf = ({ status, error }: { status: number; error: { code?: string } | undefined }) => [
  status,
  error?.code,
]

describe('a payout above the amount that two must agree on', () => {
  async function waiting(magic = '10') {
    const opened = await openPayingShop(app)
    await limit(opened.owner, { approval_above: '50000' })
    const made = await payOut(opened.finance, '60000', magic)
    return { ...opened, made, id: String(made.data.id) }
  }
  const decide = (who: Shop, id: string, how: 'approve' | 'reject') =>
    who.post(`/payouts/${id}/${how}/`, how === 'reject' ? { reason: 'no' } : {})

  it('exists, holds its money and is sent to nobody', async () => {
    const { shop, made, id } = await waiting()
    expect(made.status).toBe(201)
    expect(made.data).toMatchObject({ status: 'PENDING', approval: 'REQUIRED' })
    expect(await sums(shop)).toEqual(['940000.00', '60000.00'])
    const detail = await shop.get(`/transactions/${id}/`)
    expect(detail.data).toMatchObject({ approval: 'REQUIRED', attempts: [] })
    expect((await shop.get(`/payouts/${id}/verify/`)).data.status).toBe('PENDING')
  })

  it('at the amount needs nobody', async () => {
    const { finance } = await waiting()
    expect((await payOut(finance, '50000')).data.approval).toBe(null)
  })

  it('split over a day to one phone needs the second person as the whole of it would', async () => {
    const { shop, owner, finance } = await openPayingShop(app)
    await limit(owner, { approval_above: '50000' })
    const recipient = { msisdn: newPayer('04').phone }
    const part = async (amount: string) =>
      (await finance.post('/payouts/initialize/', { ...payout(amount), recipient })).data
    expect((await part('30000')).approval).toBe(null)
    const second = await part('20000')
    expect(second.approval).toBe(null)
    const third = await part('1000')
    expect(third).toMatchObject({ status: 'PENDING', approval: 'REQUIRED' })
    expect((await shop.get(`/transactions/${third.id}/`)).data.attempts).toEqual([])
    // Another phone is another matter, and what failed went nowhere.
    expect((await payOut(finance, '30000')).data.approval).toBe(null)
    await shop.post(`/sandbox/transactions/${second.id}/resolve/`, { outcome: 'FAILED' })
    expect((await part('20000')).approval).toBe(null)
    // What the second person has seen is not counted again.
    expect((await decide(owner, third.id, 'approve')).status).toBe(200)
    await app.owner`
      update transactions set created_at = now() - interval '25 hours'
       where merchant_id = ${shop.merchant_id} and id <> ${third.id}`
    expect((await part('50000')).approval).toBe(null)
  })

  it('split over many at the same moment, too', async () => {
    const { owner, finance } = await openPayingShop(app)
    await limit(owner, { approval_above: '50000' })
    const recipient = { msisdn: newPayer('04').phone }
    const all = await Promise.all(
      Array.from({ length: 10 }, () =>
        untilServed(() => finance.post('/payouts/initialize/', { ...payout('20000'), recipient })),
      ),
    )
    const approvals = all.map(({ data }) => data.approval)
    expect(approvals.filter((approval) => approval === null)).toHaveLength(2)
    expect(approvals.filter((approval) => approval === 'REQUIRED')).toHaveLength(8)
  })

  it('is no smaller because whom it went to is erased in between', async () => {
    const { shop, owner, finance } = await openPayingShop(app)
    const { merchant_id } = shop
    await limit(owner, { approval_above: '50000' })
    const recipient = { msisdn: newPayer().phone }
    const part = () => finance.post('/payouts/initialize/', { ...payout('40000'), recipient })
    const { id } = (await part()).data
    const paid = await shop.becomes(id, 'SUCCESS')
    const change = (of: object) => app.owner`
      update transactions set ${app.owner(of)} where merchant_id = ${merchant_id}`
    await change({ environment: 'LIVE' })
    const erase = () => shop.call('DELETE', `/customers/${paid.customer}/`)
    expect(codeOf(await erase())).toEqual([409, 'retention_required'])
    const foreseen = await shop.get(`/customers/${paid.customer}/erasure/`)
    expect(foreseen.data).toMatchObject({
      possible: false,
      reason: 'PAYOUT_RECENT',
      possible_from: new Date(Date.parse(paid.created_at) + 24 * 3_600_000).toISOString(),
    })
    await change({ environment: 'SANDBOX' })
    const { data: second } = await part()
    expect(second.approval).toBe('REQUIRED')
    // A day later no limit counts what was paid, and what failed was never counted.
    expect((await decide(owner, second.id, 'reject')).status).toBe(200)
    await change({ environment: 'LIVE' })
    await app.owner`
      update transactions set created_at = now() - interval '25 hours' where id = ${id}`
    expect((await erase()).status).toBe(204)
    await change({ environment: 'SANDBOX' })
  })

  it('leaves nothing of its recipient in why it was rejected once they are erased', async () => {
    const { shop, owner, finance } = await openPayingShop(app)
    await limit(owner, { approval_above: '50000' })
    const { phone } = newPayer()
    const customer = { first_name: 'Adjoa', last_name: 'Quenum', email: 'adjoa@quenum.example' }
    const body = { ...payout('60000'), recipient: { msisdn: phone }, customer }
    const { id } = (await finance.post('/payouts/initialize/', body)).data
    const reason = `Not Adjoa Quenum, ${phone}, ${customer.email}`
    expect((await owner.post(`/payouts/${id}/reject/`, { reason })).status).toBe(200)
    const traces = ['adjoa', phone.slice(4)]
    const left = async () =>
      (await wholeDump(app)).split('\n').filter((line) => traces.some((one) => line.includes(one)))
    const [act] = await app.owner<{ after: { reason: string } }[]>`
      select after from audit_logs where action = 'payout.rejected' and target_id = ${id}`
    expect(act?.after.reason).toBe(`Not ***, ${phone.slice(0, 4)}***10, ad***@quenum.example`)
    // As people note them where an operator contradicts itself, or is asked to give one back.
    await app.owner`
      insert into incidents (merchant_id, id, environment, type, callback_id, transaction_id,
        gateway_id, resolution_note)
      select merchant_id, gen_random_uuid(), environment, 'UNMATCHED_CALLBACK',
             gen_random_uuid(), id, gen_random_uuid(), ${reason}
        from transactions where id = ${id}`
    await app.owner`
      update incidents set status = 'RESOLVED', resolved_at = now(), resolution = 'WRITE_OFF',
             proposed_by = gen_random_uuid(), confirmed_by = gen_random_uuid()
       where transaction_id = ${id}`
    await app.owner`
      insert into payout_reversals (merchant_id, id, environment, transaction_id, attempt_id,
        status, note, proposed_by, confirmed_by, due_at, ended_at)
      select merchant_id, gen_random_uuid(), environment, id, gen_random_uuid(), 'FAILED',
             ${reason}, gen_random_uuid(), gen_random_uuid(), null, now()
        from transactions where id = ${id}`
    expect((await left()).length).toBeGreaterThan(3)
    const paid = (await shop.get(`/transactions/${id}/`)).data
    expect((await shop.call('DELETE', `/customers/${paid.customer}/`)).status).toBe(204)
    expect(await left()).toEqual([])
    await app.owner`delete from payout_reversals where transaction_id = ${id}`
    await app.owner`delete from incidents where transaction_id = ${id}`
  })

  it('is not approved by who asked for it', async () => {
    const { finance, id } = await waiting()
    expect(codeOf(await decide(finance, id, 'approve'))).toEqual([409, 'same_person'])
  })

  it('says to whom it may be approved, and until when', async () => {
    const { shop, owner, finance, id } = await waiting()
    const viewer = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
    const seenBy = async (who: Shop) => (await who.get(`/transactions/${id}/`)).data
    const [row] = await app.owner<{ lapses_at: Date }[]>`
      select lapses_at from payout_approvals where transaction_id = ${id}`
    const all = await Promise.all([owner, finance, viewer, shop].map(seenBy))
    expect(all.map(({ may_approve }) => may_approve)).toEqual([true, false, false, false])
    expect(all.map(({ may_not_approve }) => may_not_approve)).toEqual([null, 'OWN', null, null])
    const ends = all.map(({ approval_ends_at }) => approval_ends_at)
    expect(new Set(ends)).toEqual(new Set([row?.lapses_at.toISOString()]))
    await app.owner`
      update payout_approvals set lapses_at = now() - interval '1 second'
       where transaction_id = ${id}`
    expect((await seenBy(owner)).may_approve).toBe(false)
    await app.owner`
      update payout_approvals set lapses_at = now() + interval '1 hour'
       where transaction_id = ${id}`
    await decide(owner, id, 'reject')
    expect(await seenBy(owner)).toMatchObject({ may_approve: false, approval_ends_at: null })
  })

  it('approved by another goes out, once, however often it is approved', async () => {
    const { shop, owner, id } = await waiting()
    const all = await Promise.all(
      Array.from({ length: 10 }, () => untilServed(() => decide(owner, id, 'approve'))),
    )
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(
      new Set(
        all
          .filter(({ status }) => status !== 200)
          .map(codeOf)
          .map(String),
      ),
    ).toEqual(new Set(['409,approval_not_required']))
    const paid = await shop.becomes(id, 'SUCCESS')
    expect(paid.approval).toBe('APPROVED')
    expect(paid.attempts).toHaveLength(1)
    expect(await sums(shop)).toEqual(['940000.00', '0.00'])
  })

  it('rejected fails, and its money is back', async () => {
    const { shop, owner, id } = await waiting()
    const decision = await decide(owner, id, 'reject')
    expect(decision.data).toMatchObject({
      status: 'FAILED',
      failure_code: 'REJECTED_BY_MERCHANT',
      approval: 'REJECTED',
    })
    expect(await sums(shop)).toEqual(['1000000.00', '0.00'])
    const rows = await app.owner<{ type: string }[]>`
      select type from events where transaction_id = ${id} order by id`
    expect(rows.map(({ type }) => type)).toEqual(['transaction.created', 'transaction.failed'])
  })

  it('approved and rejected at the same moment is one of the two, and the money agrees', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { shop, owner, id } = await waiting('04')
      const other = await app.member({ merchant_id: shop.merchant_id })
      const both = await Promise.all([decide(owner, id, 'approve'), decide(other, id, 'reject')])
      expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
      const rejected = both[1]?.status === 200
      expect(await sums(shop)).toEqual(
        rejected ? ['1000000.00', '0.00'] : ['940000.00', '60000.00'],
      )
    }
  })

  it('forgotten for 72 hours fails by itself', async () => {
    const { shop, owner, id } = await waiting()
    await app.owner`
      update payout_approvals set lapses_at = now() - interval '1 second'
       where transaction_id = ${id}`
    expect(codeOf(await decide(owner, id, 'approve'))).toEqual([409, 'approval_not_required'])
    const lapsing = { db: app.service.db, wake: () => undefined }
    await Promise.all([lapseApprovals(lapsing), lapseApprovals(lapsing)])
    const ended = await shop.get(`/transactions/${id}/`)
    expect(ended.data).toMatchObject({ status: 'FAILED', approval: 'LAPSED' })
    expect(await sums(shop)).toEqual(['1000000.00', '0.00'])
  })

  it('that cannot lapse keeps no other held, of whatever merchant, and is tried again later', async () => {
    const [bad, good] = [await waiting(), await waiting()]
    // Its balance is full to the edge: what is released overflows.
    const room = 9_223_372_036_854_775_000n - 96_000_000n
    const fill = (amount: bigint) => app.owner`
      update balances set available = available + ${amount}
       where merchant_id = ${bad.shop.merchant_id} and country = 'BJ'`
    await fill(room)
    await app.owner`
      update payout_approvals set lapses_at = now() - interval '1 hour'
       where transaction_id = ${bad.id}`
    await app.owner`
      update payout_approvals set lapses_at = now() - interval '1 minute'
       where transaction_id = ${good.id}`
    const lapsing = { db: app.service.db, wake: () => undefined }
    await expect(lapseApprovals(lapsing)).rejects.toThrow()
    await good.shop.becomes(good.id, 'FAILED')
    expect((await bad.shop.get(`/transactions/${bad.id}/`)).data.approval).toBe('REQUIRED')
    // Put off: it is not in the way of the next run.
    expect(await lapseApprovals(lapsing)).toBe(0)
    await fill(-room)
    await app.owner`
      update payout_approvals set lapse_again_at = now() - interval '1 s' where transaction_id = ${bad.id}`
    await lapseApprovals(lapsing)
    await bad.shop.becomes(bad.id, 'FAILED')
    expect(await sums(bad.shop)).toEqual(['1000000.00', '0.00'])
  })

  it('made by a key is not approved by who made the key, and is by another', async () => {
    const { shop, owner, finance } = await openPayingShop(app)
    await limit(owner, { approval_above: '50000' })
    await app.owner`
      update api_keys set created_by_member = ${finance.person_id}
       where merchant_id = ${shop.merchant_id}`
    const { data } = await payOut(shop, '60000')
    expect(codeOf(await decide(finance, data.id, 'approve'))).toEqual([409, 'same_person'])
    expect((await decide(owner, data.id, 'approve')).status).toBe(200)
    await shop.becomes(data.id, 'SUCCESS')
  })

  it('made by a key that nobody made is not approved by the first owner, who stands for it', async () => {
    const { shop, owner, finance } = await openPayingShop(app)
    await limit(owner, { approval_above: '50000' })
    const { data } = await payOut(shop, '60000')
    expect(codeOf(await decide(owner, data.id, 'approve'))).toEqual([409, 'same_person'])
    expect((await decide(finance, data.id, 'approve')).status).toBe(200)
  })

  it('is sent at the net that the second person saw, though the price has changed', async () => {
    const { shop, owner, id } = await waiting('04')
    const seen = (await shop.get(`/transactions/${id}/`)).data
    const staff = await app.staff({ role: 'FINANCE' })
    const rules = await staff.get('/admin/pricing-rules/?network=mtn_bj&direction=DISBURSE')
    const change = (tiers: object[]) =>
      staff.call('PUT', `/admin/pricing-rules/${rules.data.results[0].id}/`, {
        body: JSON.stringify({ tiers }),
        headers: { 'content-type': 'application/json' },
      })
    const tier = { min_amount: '200', max_amount: '1000000', percent: '9' }
    expect((await change([{ ...tier, fee_charge_mode: 'DEDUCTED' }])).status).toBe(200)
    expect((await decide(owner, id, 'approve')).status).toBe(200)
    const sent = (await shop.get(`/transactions/${id}/`)).data
    expect(sent.attempts).toHaveLength(1)
    for (const figure of ['net_amount', 'debited_amount', 'client_fee']) {
      expect(sent[figure]).toBe(seen[figure])
      expect(sent.attempts[0][figure] ?? seen[figure]).toBe(seen[figure])
    }
    const [created] = await eventsAbout(app.owner, id)
    expect(created?.type).toBe('transaction.created')
    expect(created?.data.net_amount).toBe(sent.attempts[0].net_amount)
  })

  it('is approved in LIVE by nobody who came a moment ago, nor for one who did', async () => {
    const { shop, finance, id } = await waiting('04')
    const { merchant_id } = shop
    const inEnvironment = async (environment: 'LIVE' | 'SANDBOX') => {
      await app.owner`update transactions set environment = ${environment} where id = ${id}`
      await app.owner`
        update payout_approvals set environment = ${environment} where transaction_id = ${id}`
    }
    const since = async ({ person_id }: SignedInCaller, hours: number) => {
      const moment = app.owner`now() - ${hours} * interval '1 hour'`
      await app.owner`
        update memberships set updated_at = ${moment}
         where merchant_id = ${merchant_id} and person_id = ${person_id}`
      await app.owner`
        update people set totp_enrolled_at = ${moment}
         where id = ${person_id} and totp_enrolled_at is not null`
    }
    await app.owner`update merchants set live_enabled = true where id = ${merchant_id}`
    const self = await app.member({ merchant_id, second_factor: 'FRESH', environment: 'LIVE' })
    await inEnvironment('LIVE')
    const tooNew = [409, 'second_member_required']
    const isOffered = async () => (await self.get(`/transactions/${id}/`)).data.may_approve
    const hindrance = async () => (await self.get(`/transactions/${id}/`)).data.may_not_approve
    await since(finance, 100)
    expect(await isOffered()).toBe(false)
    expect(await hindrance()).toBe('TOO_NEW')
    await app.owner`update people set totp_enrolled_at = null where id = ${self.person_id}`
    expect(await hindrance()).toBe('NO_SECOND_FACTOR')
    await app.owner`update people set totp_enrolled_at = now() where id = ${self.person_id}`
    expect(codeOf(await decide(self, id, 'approve'))).toEqual(tooNew)
    await since(self, 100)
    await since(finance, 1)
    expect(await isOffered()).toBe(false)
    expect(codeOf(await decide(self, id, 'approve'))).toEqual(tooNew)
    await since(finance, 100)
    expect(await isOffered()).toBe(true)
    expect(await hindrance()).toBe(null)
    // It goes on to what comes next: no operator of this test pays out in LIVE.
    expect(codeOf(await decide(self, id, 'approve'))).toEqual([422, 'no_route_available'])
    await inEnvironment('SANDBOX')
  })

  it('is decided in LIVE only with a fresh code, and never by a key or without the right', async () => {
    const { shop, id } = await waiting()
    const developer = await app.member({ merchant_id: shop.merchant_id, role: 'DEVELOPER' })
    expect(codeOf(await decide(developer, id, 'approve'))).toEqual([403, 'permission_denied'])
    expect(codeOf(await decide(shop, id, 'approve'))).toEqual([403, 'dashboard_only'])
    const stranger = await app.member()
    expect(codeOf(await decide(stranger, id, 'approve'))).toEqual([403, 'permission_denied'])
    const payin = await shop.pay()
    const owner = await app.member({ merchant_id: shop.merchant_id })
    expect((await decide(owner, payin.data.id, 'approve')).status).toBe(404)
  })
})

describe('a balance that staff froze meanwhile', () => {
  it('lets nothing be approved, and what waits goes out when it is lifted', async () => {
    const { shop, owner, finance } = await openPayingShop(app)
    await limit(owner, { approval_above: '50000' })
    const { data } = await payOut(finance, '60000')
    const staff = await app.staff({ role: 'FINANCE' })
    const balance = (await shop.get('/merchant-balances/')).data.results[0].id
    const mark = (how: string) =>
      staff.post(`/admin/balances/${balance}/${how}/`, { reason: 'a test' })
    await mark('freeze')
    const frozen = await owner.post(`/payouts/${data.id}/approve/`)
    expect(codeOf(frozen)).toEqual([422, 'balance_frozen'])
    const waiting = await shop.get(`/transactions/${data.id}/`)
    expect(waiting.data).toMatchObject({ approval: 'REQUIRED', attempts: [] })
    await mark('unfreeze')
    expect((await owner.post(`/payouts/${data.id}/approve/`)).status).toBe(200)
    await shop.becomes(data.id, 'SUCCESS')
  })
})

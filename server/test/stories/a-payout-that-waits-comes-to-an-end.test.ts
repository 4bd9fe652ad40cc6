// A payout that no operator has heard of ends in one of few ways, and by itself at the latest after
// 72 hours: sent, cancelled by its merchant or by staff, or given up. Its hold ends once, whoever
// comes at the same moment, and no row of one merchant keeps another's waiting.

import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { restoreMerchant, suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { lapseApprovals } from '../../src/payouts/decide-payout.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'SUPERADMIN' })
})
beforeEach(() => floats(true))
afterAll(async () => {
  const broken = (await verifyLedger(app.owner)).filter(({ ok }) => !ok)
  await app.stop()
  expect(broken).toEqual([])
})

const put = (path: string, body: object, method = 'PUT') =>
  staff.call(method, path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
async function floats(is_empty: boolean): Promise<void> {
  for (const gateway of ['simulator_a', 'simulator_b']) {
    await put('/admin/gateway-floats/', { gateway, country: 'bj', is_empty, note: 'a test' })
  }
}

async function openShop() {
  const shop = await app.shop()
  const { merchant_id } = shop
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
  const owner = await app.member({ merchant_id })
  const finance = await app.member({ merchant_id, role: 'FINANCE' })
  return { shop, owner, finance }
}

const pay = (who: Shop, amount = '10000', changes: object = {}) =>
  who.post('/payouts/initialize/', {
    amount,
    currency: 'XOF',
    country: 'BJ',
    method: 'mtn_bj',
    recipient: { msisdn: newPayer().phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    ...changes,
  })

/** One that waits for a float, of a merchant of its own. */
async function waiting(changes: object = {}) {
  const opened = await openShop()
  const { data } = await pay(opened.shop, '10000', changes)
  return { ...opened, id: String(data.id) }
}

/** One that waits for a second person. */
async function unapproved() {
  const opened = await openShop()
  await opened.owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '5000' })
  const { data } = await pay(opened.finance)
  expect(data.approval).toBe('REQUIRED')
  return { ...opened, id: String(data.id) }
}

async function sums(shop: Shop) {
  const { available_amount, pending_amount } = await shop.balance('BJ')
  return [available_amount, pending_amount]
}
const codeOf = ({ status, error }: { status: number; error: { code?: string } | undefined }) => [
  status,
  error?.code,
]
const eventsOf = async (id: string) =>
  (
    await app.owner<{ type: string }[]>`
      select type from events where transaction_id = ${id} order by id`
  ).map(({ type }) => type)
const lookAgain = (id: string) => app.owner`
  update payout_waits set due_at = now() - interval '1 second' where transaction_id = ${id}`
const passDays = (id: string) => app.owner`
  update payout_waits
     set created_at = now() - interval '73 hours', due_at = now() - interval '1 second'
   where transaction_id = ${id}`
/** Since its first look that found it above every limit. */
const passAnHour = (id: string) => app.owner`
  update payout_looks
     set since = now() - interval '61 minutes', above_limits_since = now() - interval '61 minutes'
   where transaction_id = ${id}`
/** Below what is paid out here, of one account at all and of the other in one payment. */
async function lowerLimits(): Promise<void> {
  onTestFinished(async () => {
    await app.owner`
      update gateways set exposure_limit_disburse = null, payment_limit_disburse = null`
    await app.owner`update catalogue_version set version = version + 1`
  })
  await app.owner`
    update gateways set exposure_limit_disburse = 500000 where code = 'simulator_a'`
  await app.owner`
    update gateways set payment_limit_disburse = 500000 where code = 'simulator_b'`
}
async function lapse(id: string) {
  await app.owner`update payout_approvals set lapses_at = now() - interval '1 s' where transaction_id = ${id}`
  await lapseApprovals({ db: app.service.db, wake: () => undefined })
  return { status: 0 }
}
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 6_000))
const cancel = (who: Shop, id: string) => who.post(`/payouts/${id}/cancel/`)

describe('what waits for a float', () => {
  it('ends after 72 hours, its money back, and its merchant is told', async () => {
    const { shop, id } = await waiting()
    await passDays(id)
    const ended = await shop.becomes(id, 'FAILED', 20_000)
    expect(ended).toMatchObject({ failure_code: 'EXPIRED', waiting_reason: null, attempts: [] })
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
    expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.failed'])
    const logs = await shop.get(`/transactions/${id}/`)
    expect(logs.data.status_logs.at(-1)).toMatchObject({ triggered_by: 'SYSTEM' })
  }, 40_000)

  it('above what each account may be sent by now goes another way, or ends after an hour', async () => {
    const [first, second] = [await waiting(), await waiting()]
    // That they have waited for longer than that says nothing about a limit of now.
    await app.owner`
      update payout_waits set created_at = now() - interval '5 hours'
       where transaction_id in (${first.id}, ${second.id})`
    await lowerLimits()
    await floats(false)
    for (const { id } of [first, second]) await lookAgain(id)
    await eventually(async () => {
      for (const { shop, id } of [first, second]) {
        const { data } = await shop.get(`/transactions/${id}/`)
        expect(data).toMatchObject({ waiting_reason: 'NO_ROUTE', attempts: [] })
      }
    }, 30_000)
    // Whoever lowered it by mistake had an hour since it was found to be in the way.
    await eventually(async () => {
      await passAnHour(first.id)
      await lookAgain(first.id)
      const { data } = await first.shop.get(`/transactions/${first.id}/`)
      expect(data).toMatchObject({ failure_code: 'LIMIT_REACHED', waiting_reason: null })
    }, 30_000)
    expect((await second.shop.get(`/transactions/${second.id}/`)).data.status).toBe('PENDING')
    expect(await sums(first.shop)).toEqual(['100000.00', '0.00'])
    // The other account may be sent more again: the one that is left takes it.
    await app.owner`update gateways set payment_limit_disburse = null where code = 'simulator_b'`
    await floats(false)
    await lookAgain(second.id)
    const paid = await second.shop.becomes(second.id, 'SUCCESS', 45_000)
    expect(paid.attempts.map((one: Json) => one.gateway_code)).toEqual(['simulator_b'])
  }, 90_000)

  it('ends after an hour above every limit, though one of its routes fails more and more', async () => {
    const [ended, beside] = [await waiting(), await waiting()]
    await lowerLimits()
    await app.owner`update routes set breaker = true`
    const failed = (times: number) => app.owner`
      insert into route_health (route_id, turned_at, broken_since, skip_until, skip_reason)
      select r.id, now(), now(), now() + interval '1 hour', ${`${times} failures in a row`}
        from routes r join networks n on n.id = r.network_id
        join gateways g on g.id = r.gateway_id and g.code = 'simulator_b'
       where n.code = 'mtn_bj' and r.direction = 'DISBURSE'
      on conflict (route_id) do update
         set turned_at = excluded.turned_at, skip_reason = excluded.skip_reason`
    onTestFinished(async () => {
      await app.owner`update route_health set turned_at = now(), broken_since = null`
      await app.owner`update routes set breaker = false`
    })
    const saidOf = async (id: string) => {
      const { data } = await staff.get(`/admin/transactions/${id}/`)
      return data.waited_for.passed_over.map(({ reason }: Json) => reason)
    }
    const isFound = (times: number, ids: readonly string[]) =>
      eventually(async () => {
        for (const id of ids) await lookAgain(id)
        const said = [`${times} failures in a row`, 'exposure_limit', 'payment_limit']
        for (const id of ids) expect((await saidOf(id)).toSorted()).toEqual(said)
      }, 30_000)
    await failed(5)
    await floats(false)
    await isFound(5, [ended.id, beside.id])
    // The next look comes an hour later, and by then it has failed again.
    await app.owner`
      update payout_waits set due_at = now() + interval '1 hour' where transaction_id = ${ended.id}`
    await passAnHour(ended.id)
    await failed(6)
    await isFound(6, [beside.id])
    await lookAgain(ended.id)
    const { failure_code } = await ended.shop.becomes(ended.id, 'FAILED', 20_000)
    expect(failure_code).toBe('LIMIT_REACHED')
    expect((await beside.shop.get(`/transactions/${beside.id}/`)).data.status).toBe('PENDING')
    await cancel(beside.owner, beside.id)
  }, 120_000)

  const ofSuspended =
    'of a suspended merchant is not sent before they are restored, and ends all the same'

  wholeIt(ofSuspended, { timeout: 90_000 }, async () => {
    const [one, two] = [await waiting(), await waiting()]
    for (const { shop } of [one, two]) {
      await suspendMerchant(app.owner, shop.merchant_id, 'a test')
    }
    await floats(false)
    for (const { id } of [one, two]) await lookAgain(id)
    await aMoment()
    for (const { shop, id } of [one, two]) {
      expect((await shop.get(`/transactions/${id}/`)).data).toMatchObject({
        status: 'PENDING',
        attempts: [],
      })
    }
    await restoreMerchant(app.owner, one.shop.merchant_id)
    await one.shop.becomes(one.id, 'SUCCESS', 45_000)
    await passDays(two.id)
    await two.shop.becomes(two.id, 'FAILED', 20_000)
    expect(await sums(two.shop)).toEqual(['100000.00', '0.00'])
  })

  it('goes out at the net that was promised, though the price has changed', async () => {
    const { shop, id } = await waiting()
    const promised = (await shop.get(`/transactions/${id}/`)).data
    const [rule] = (await staff.get('/admin/pricing-rules/?network=mtn_bj&direction=DISBURSE')).data
      .results
    const tiers = [
      { min_amount: '200', max_amount: '1000000', percent: '9', fee_charge_mode: 'ADD_ON' },
    ]
    expect((await put(`/admin/pricing-rules/${rule.id}/`, { tiers })).status).toBe(200)
    await floats(false)
    await lookAgain(id)
    const paid = await shop.becomes(id, 'SUCCESS', 20_000)
    for (const figure of ['net_amount', 'client_fee', 'debited_amount', 'fee_charge_mode']) {
      expect(paid[figure], figure).toBe(promised[figure])
    }
    expect(paid.attempts[0].net_amount).toBe(promised.net_amount)
  }, 40_000)

  const forClosed =
    'for a network that takes no payouts any more goes on waiting, says so, and is asked about less'

  wholeIt(forClosed, { timeout: 60_000 }, async () => {
    const { shop, id } = await waiting()
    const list = await staff.get('/admin/networks/?page_size=100')
    const network = list.data.results.find(({ code }: { code: string }) => code === 'mtn_bj')
    const takes = (takes_payouts: boolean) =>
      put(`/admin/networks/${network.id}/`, { takes_payouts }, 'PATCH')
    expect((await takes(false)).status).toBe(200)
    await floats(false)
    await lookAgain(id)
    await aMoment()
    const held = await shop.get(`/transactions/${id}/`)
    expect(held.data).toMatchObject({
      status: 'PENDING',
      waiting_reason: 'NO_ROUTE',
      attempts: [],
    })
    await app.owner`update payout_waits set tries = 8 where transaction_id = ${id}`
    await lookAgain(id)
    await aMoment()
    const [rest] = await app.owner<{ s: number }[]>`
      select extract(epoch from due_at - now())::float8 as s from payout_waits
       where transaction_id = ${id}`
    expect(rest?.s).toBeGreaterThan(600)
    await takes(true)
    await lookAgain(id)
    await shop.becomes(id, 'SUCCESS', 20_000)
  })

  it('is counted, with the age of the oldest', async () => {
    const { id } = await waiting()
    await app.owner`
      update payout_waits set created_at = now() - interval '5 hours' where transaction_id = ${id}`
    const text = await (await fetch(`${app.url}/metrics`)).text()
    const value = (name: string, environment = 'SANDBOX') =>
      Number(new RegExp(`^${name}\\{environment="${environment}"\\} (\\S+)$`, 'm').exec(text)?.[1])
    expect(value('pirogue_waiting_payouts')).toBeGreaterThanOrEqual(1)
    expect(value('pirogue_waiting_payouts', 'LIVE')).toBe(0)
    expect(value('pirogue_oldest_waiting_payout_seconds', 'LIVE')).toBe(0)
    expect(value('pirogue_oldest_waiting_payout_seconds')).toBeGreaterThan(17_000)
    expect(value('pirogue_overdue_payouts')).toBeGreaterThanOrEqual(0)
  })

  it('and cannot be sent for what its row says keeps nobody else’s waiting', async () => {
    const [bad, good] = [await waiting(), await waiting()]
    // No room is left in this balance: what is released into it overflows.
    const fill = (amount: bigint) => app.owner`
      update balances set available = available + ${amount}
       where merchant_id = ${bad.shop.merchant_id} and country = 'BJ'`
    const room = 9_223_372_036_854_775_000n - 9_000_000n
    await fill(room)
    await passDays(bad.id)
    await passDays(good.id)
    await good.shop.becomes(good.id, 'FAILED', 20_000)
    expect((await bad.shop.get(`/transactions/${bad.id}/`)).data.status).toBe('PENDING')
    await fill(-room)
    await lookAgain(bad.id)
    await bad.shop.becomes(bad.id, 'FAILED', 20_000)
    expect(await sums(bad.shop)).toEqual(['100000.00', '0.00'])
  }, 60_000)
})

describe('a payout that nobody outside has heard of', () => {
  it('is cancelled while it waits for a float: failed, released, told, written down', async () => {
    const { shop, owner, id } = await waiting()
    const answer = await cancel(owner, id)
    expect(answer.status).toBe(200)
    expect(answer.data).toMatchObject({
      id,
      status: 'FAILED',
      failure_code: 'CANCELLED_BY_MERCHANT',
      waiting_reason: null,
    })
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
    expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.failed'])
    const { data } = await shop.get(`/transactions/${id}/`)
    expect(data.status_logs).toHaveLength(1)
    expect(data.status_logs[0]).toMatchObject({ to_status: 'FAILED', triggered_by: 'DASHBOARD' })
    const acts = await app.owner`
      select 1 from audit_logs where action = 'payout.cancelled' and target_id = ${id}`
    expect(acts).toHaveLength(1)
    expect(codeOf(await cancel(owner, id))).toEqual([409, 'not_cancellable'])
    await floats(false)
  })

  it('is cancelled while it waits for a person, by a key too', async () => {
    const { shop, id } = await unapproved()
    expect((await cancel(shop, id)).data).toMatchObject({
      status: 'FAILED',
      failure_code: 'CANCELLED_BY_MERCHANT',
      approval: 'CANCELLED',
    })
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
  })

  it('is cancelled by staff, in their name', async () => {
    const { shop, id } = await waiting()
    const path = `/admin/payouts/${id}/cancel/`
    expect((await staff.post(path, {})).status).toBe(400)
    const done = await staff.post(path, { reason: 'a stolen key' })
    expect(done.data).toMatchObject({ status: 'FAILED', failure_code: 'CANCELLED_BY_STAFF' })
    expect(await sums(shop)).toEqual(['100000.00', '0.00'])
    const { data } = await shop.get(`/transactions/${id}/`)
    expect(data.status_logs.at(-1)).toMatchObject({ triggered_by: 'ADMIN' })
    expect(codeOf(await staff.post(path, { reason: 'again' }))).toEqual([409, 'not_cancellable'])
    const payin = await shop.pay()
    expect(
      (await staff.post(`/admin/payouts/${payin.data.id}/cancel/`, { reason: 'x' })).status,
    ).toBe(404)
  })

  it('is not cancelled once it was sent, from elsewhere, by a stranger or with the wrong key', async () => {
    await floats(false)
    const { shop, owner } = await openShop()
    const sent = await pay(shop, '10000', { recipient: { msisdn: newPayer('04').phone } })
    expect(codeOf(await cancel(owner, sent.data.id))).toEqual([409, 'not_cancellable'])
    const stranger = await app.member()
    expect(codeOf(await cancel(stranger, sent.data.id))).toEqual([403, 'permission_denied'])
    const payin = await shop.pay()
    expect((await cancel(owner, payin.data.id)).status).toBe(404)
    const { merchant_id } = shop
    const collecting = await app.shop({ merchant_id, scope: 'PAYIN' })
    expect(codeOf(await cancel(collecting, sent.data.id))).toEqual([403, 'api_key_scope_forbidden'])
    await app.owner`delete from ip_whitelist where merchant_id = ${merchant_id}`
    expect(codeOf(await cancel(shop, sent.data.id))).toEqual([403, 'ip_not_whitelisted'])
  })

  it('is approved, cancelled, lapsed or sent, and its hold ends once, whoever comes together', async () => {
    for (let round = 0; round < sized(3, 6); round += 1) {
      const { shop, owner, finance, id } = await unapproved()
      const other = await app.shop({ merchant_id: shop.merchant_id })
      await floats(round % 2 === 0)
      const all = await Promise.all([
        untilServed(() => owner.post(`/payouts/${id}/approve/`)),
        untilServed(() => cancel(shop, id)),
        untilServed(() => cancel(other, id)),
        untilServed(() => finance.post(`/payouts/${id}/reject/`, { reason: 'no' })),
        untilServed(() => staff.post(`/admin/payouts/${id}/cancel/`, { reason: 'a test' })),
        lookAgain(id).then(() => ({ status: 0 })),
        round % 3 === 2 ? lapse(id) : { status: 0 },
      ])
      expect(all.every(({ status }) => [0, 200, 409].includes(status))).toBe(true)
      const { data } = await shop.get(`/transactions/${id}/`)
      if (data.status === 'FAILED') {
        expect(await sums(shop)).toEqual(['100000.00', '0.00'])
        expect(data.attempts).toEqual([])
      } else {
        await floats(false)
        await lookAgain(id)
        await shop.becomes(id, 'SUCCESS', 45_000)
        expect(await sums(shop)).toEqual(['90000.00', '0.00'])
      }
      const ends = await app.owner`
        select 1 from hold_ends where merchant_id = ${shop.merchant_id} and hold_id = ${id}`
      expect(ends).toHaveLength(1)
      await floats(true)
    }
  }, 120_000)
})

// A session from the merchant's call to the money in their balance, over real HTTP, the payer
// without any credential: what they see, what they may not, and that however often they press they
// pay once.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { eventually, type Json, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
import { eventsAbout } from '../setup/events.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { attemptsOf, confirmed, receive } from '../setup/incidents.ts'
import {
  callPublic,
  openSession,
  paymentBody,
  sessionBecomes,
  sessionBody,
} from '../setup/payer-calls.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await heldToPublished(await app.shop())
})
afterAll(async () => {
  const checks = await verifyLedger(app.service.db)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  await app.stop()
})

const open = (changes: Record<string, unknown> = {}) => openSession(shop, changes)
const look = (path: string) => callPublic(app, 'GET', path)
const pay = (slug: string, body: unknown = paymentBody()) =>
  callPublic(app, 'POST', `/checkout/${slug}/pay/`, body)
const becomes = (id: string, status: string) => sessionBecomes(shop, id, status)

const eventsOf = async (id: string) => {
  const rows = await app.owner`select type from events where subject_id = ${id} order by id`
  return rows.map((row) => row['type'])
}

const transactionsOf = async (id: string) => {
  const rows = await app.owner<Json[]>`
    select id, status, version from transactions where checkout_session = ${id} order by id`
  return rows.map(({ id, status }) => ({ id, status }))
}

describe('a session', () => {
  it('and a link name the member who answers for them, with a key too', async () => {
    const owner = await app.member()
    const { merchant_id } = owner
    const developer = await app.member({ merchant_id, role: 'DEVELOPER' })
    const request = { environment: 'SANDBOX', scope: 'PAYIN' }
    const { data: key } = await developer.post('/merchant-api-keys/', request)
    const made = shopWith(app.url, merchant_id, key.secret)
    const unmade = await app.shop({ merchant_id })
    for (const [caller, answers] of [
      [owner, owner],
      [made, developer],
      [unmade, owner],
    ] as const) {
      const created_by_member = answers.person_id
      const { data: session } = await caller.post('/checkout-sessions/', sessionBody())
      expect(session).toMatchObject({ merchant: merchant_id, created_by_member })
      const body = { name: 'Tontine', currency: 'XOF', amount: '1000' }
      const { data: link } = await caller.post('/payment-links/', body)
      expect(link.created_by_member).toBe(created_by_member)
      const customer = { email: 'kofi@example.com', first_name: 'Kofi', last_name: 'Mensah' }
      await callPublic(app, 'POST', `/payment-links/public/${link.slug}/checkout/`, { customer })
      const { data } = await caller.get('/checkout-sessions/?page_size=1')
      expect(data.results[0]).toMatchObject({ payment_link: link.id, created_by_member })
    }
  })

  it('is opened, seen, paid, and told of', async () => {
    const session = await open({ country: 'bj', metadata: { order: 1042 } })
    expect(session).toMatchObject({
      status: 'PENDING',
      amount: '5000.00',
      currency: 'XOF',
      country: 'BJ',
      transaction: null,
      payment_link: null,
      paid_at: null,
      customer_phone: '',
      metadata: { order: 1042 },
      checkout_url: `${app.url}/checkout/${session.slug}`,
    })
    expect(session.slug).toMatch(/^[\w-]{32}$/)

    const seen = await look(`/checkout/${session.slug}/`)
    expect(seen.status).toBe(200)
    expect(Object.keys(seen.data).toSorted()).toEqual([
      'amount',
      'currency',
      'customer',
      'description',
      'expires_at',
      'fee_charge_mode',
      'is_usable',
      'merchant',
      'merchant_name',
      'networks',
      'next_action',
      'payment_url',
      'slug',
      'status',
      'transaction_status',
    ])
    expect(JSON.stringify(seen.data)).not.toMatch(/awa@|Diop|thanks|1042/)

    const networks = await look(`/checkout/${session.slug}/networks/?country=BJ`)
    const mtn = networks.data.networks.find((one: Json) => one.code === 'mtn_bj')
    expect(mtn).toMatchObject({ currency: 'XOF', unavailable: false, otp_required: false })
    // Its own country's networks stand in the session too.
    expect(seen.data.networks).toEqual(networks.data.networks)
    expect(seen.data).toMatchObject({ is_usable: true, payment_url: '' })
    expect(seen.data.merchant_name).toBe(seen.data.merchant.name)
    expect((await look(`/checkout/${session.slug}/status/`)).data).toEqual({
      slug: session.slug,
      status: 'PENDING',
      transaction_status: null,
      next_action: 'NONE',
      amount: '5000.00',
      currency: 'XOF',
      transaction_id: null,
      transaction_reference: null,
      otp_required: false,
      instructions: '',
      payment_url: '',
    })

    const paid = await pay(session.slug)
    expect(paid).toMatchObject({ status: 201, data: { status: 'PENDING', payment_url: '' } })
    const after = await becomes(session.id, 'PAID')
    expect(after).toMatchObject({ transaction: paid.data.transaction_id })
    expect(after.paid_at).not.toBeNull()

    const { data: transaction } = await shop.get(`/transactions/${paid.data.transaction_id}/`)
    expect(transaction).toMatchObject({
      status: 'SUCCESS',
      checkout_session: session.id,
      debited_amount: mtn.total,
      client_fee: mtn.fee,
      metadata: { order: 1042 },
    })
    expect((await shop.balance()).available_amount).toBe('5000.00')
    expect(await eventsOf(session.id)).toEqual(['checkout_session.paid'])
    const shown = await look(`/checkout/${session.slug}/`)
    expect(shown.data).toMatchObject({ status: 'PAID', return_url: session.return_url })
    const again = await pay(session.slug)
    expect(again).toMatchObject({ status: 410, error: { code: 'paid' } })
    const cancel = await shop.post(`/checkout-sessions/${session.id}/cancel/`)
    expect(cancel.error.code).toBe('transaction_terminal')
  })

  it('says while a payment is under way what the payer is to do, and nothing that is not theirs', async () => {
    const nowhere = await look(`/checkout/${(await open()).slug}/`)
    expect(nowhere.data).toMatchObject({ is_usable: true, networks: [] })
    const session = await open({ country: 'SN' })
    const status = () => look(`/checkout/${session.slug}/status/`)
    const body = { network: 'wizall_sn', country: 'SN', customer: { phone: '+221771234599' } }
    const { data: paid } = await pay(session.slug, body)
    const { data: shown } = await status()
    expect(shown).toMatchObject({
      transaction_id: paid.transaction_id,
      transaction_reference: expect.stringMatching(/^TXN-/),
      otp_required: true,
      next_action: 'ENTER_OTP',
      instructions: paid.instructions,
      amount: '5000.00',
      payment_url: '',
    })
    expect(shown.instructions).not.toBe('')
    expect(JSON.stringify(shown)).not.toMatch(/awa@|Diop|thanks|77123/)
    expect((await look(`/checkout/${session.slug}/`)).data).toMatchObject({
      is_usable: false,
      networks: [],
    })
    await callPublic(app, 'POST', `/checkout/${session.slug}/confirm-otp/`, { otp: '123456' })
    await becomes(session.id, 'PAID')
    expect((await status()).data).toMatchObject({
      status: 'PAID',
      otp_required: false,
      instructions: '',
      return_url: session.return_url,
    })
    // What ended unpaid says no more than that.
    const gone = await open({ country: 'BJ' })
    await shop.post(`/checkout-sessions/${gone.id}/cancel/`)
    for (const path of ['', 'status/']) {
      const reply = await look(`/checkout/${gone.slug}/${path}`)
      expect([reply.status, reply.error.code]).toEqual([410, 'cancelled'])
    }
  })

  it('that leads to the operator’s page names its address', async () => {
    const session = await open({ country: 'SN' })
    const body = { network: 'wave_sn', country: 'SN', customer: { phone: '+221771234598' } }
    const { data } = await pay(session.slug, body)
    expect(data.next_action).toBe('REDIRECT')
    expect(data.payment_url).toMatch(/^http/)
    const { data: seen } = await look(`/checkout/${session.slug}/status/`)
    expect(seen.payment_url).toBe(data.payment_url)
    expect((await look(`/checkout/${session.slug}/`)).data.payment_url).toBe(data.payment_url)
  })

  it('is paid once however many press at the same moment', async () => {
    const session = await open()
    const body = paymentBody('04')
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => untilServed(() => pay(session.slug, body))),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status, error } of replies.filter((one) => one.status !== 201)) {
      expect([status, error.code]).toEqual([409, 'payment_already_pending'])
    }
    expect(await transactionsOf(session.id)).toHaveLength(1)
    const cancel = await shop.post(`/checkout-sessions/${session.id}/cancel/`)
    expect([cancel.status, cancel.error.code]).toEqual([409, 'payment_already_pending'])
    const id = (await transactionsOf(session.id)).at(0)?.id
    const by = { outcome: 'SUCCESS' }
    expect((await shop.post(`/sandbox/transactions/${id}/resolve/`, by)).status).toBe(200)
    const { data } = await shop.get(`/checkout-sessions/${session.id}/status/`)
    expect(data).toMatchObject({
      status: 'PAID',
      transaction_id: id,
      transaction_status: 'SUCCESS',
    })
  })

  it('is tried again on the same transaction, elsewhere by a new one', async () => {
    const session = await open()
    const first = await pay(session.slug, paymentBody('01'))
    const { transaction_id } = first.data
    await shop.becomes(transaction_id, 'FAILED')
    const same = await pay(session.slug, paymentBody('02', { network: 'moov_bj' }))
    expect(same).toMatchObject({ status: 201, data: { transaction_id } })
    await shop.becomes(transaction_id, 'FAILED')
    const elsewhere = await pay(session.slug, {
      network: 'orange_ci',
      country: 'CI',
      customer: { phone: '+2250707000110' },
      otp: '123456',
    })
    expect(elsewhere.status, JSON.stringify(elsewhere.error)).toBe(201)
    expect(elsewhere.data.transaction_id).not.toBe(transaction_id)
    const paid = await becomes(session.id, 'PAID')
    expect(paid.transaction).toBe(elsewhere.data.transaction_id)
    // The first, which failed, cannot be tried again by anybody.
    const retry = await shop.post(`/payments/${transaction_id}/retry/`, {})
    expect(retry.status).toBe(410)
  })

  it('is asked for again by its merchant at the number that was tried last', async () => {
    const session = await open()
    const first = await pay(session.slug, paymentBody('01'))
    const { transaction_id } = first.data
    await shop.becomes(transaction_id, 'FAILED')
    const right = paymentBody('02', { network: 'moov_bj' })
    await pay(session.slug, right)
    const failed = await shop.becomes(transaction_id, 'FAILED')
    expect(failed.operation_msisdn).toBe(right.customer.phone)
    const retry = await shop.post(`/payments/${transaction_id}/retry/`, {})
    expect(retry.status, JSON.stringify(retry.error)).toBe(200)
    const asked = await app.owner`
      select operation_msisdn, network_code from attempts
       where transaction_id = ${transaction_id} order by priority`
    expect(asked.slice(1)).toEqual([
      { operation_msisdn: right.customer.phone, network_code: 'moov_bj' },
      { operation_msisdn: right.customer.phone, network_code: 'moov_bj' },
    ])
  })

  it('is open while it is being paid, and a success after its end pays it', async () => {
    const session = await open()
    const { data } = await pay(session.slug, paymentBody('04'))
    await app.owner`
      update checkout_sessions set expires_at = now() - interval '1 s' where id = ${session.id}`
    expect((await look(`/checkout/${session.slug}/`)).data.transaction_status).toBe('PENDING')
    await shop.post(`/sandbox/transactions/${data.transaction_id}/resolve/`, { outcome: 'FAILED' })
    await becomes(session.id, 'EXPIRED')
    expect(await eventsOf(session.id)).toEqual(['checkout_session.expired'])
    const gone = await look(`/checkout/${session.slug}/`)
    expect(gone).toMatchObject({ status: 410, error: { code: 'expired' } })
    expect((await pay(session.slug)).error.code).toBe('expired')
  })

  /** `09`: the failure is followed by a success within a second, which a busy machine may miss. */
  async function cancelledForNow(): Promise<string> {
    for (let tries = 1; tries < 40; tries += 1) {
      const { id, slug } = await open()
      const { data } = await pay(slug, paymentBody('09'))
      const status = await eventually(async () => {
        const seen = await shop.get(`/transactions/${data.transaction_id}/`)
        expect(seen.data.status).not.toBe('PENDING')
        return seen.data.status
      })
      if (status !== 'FAILED') continue
      const cancel = await shop.post(`/checkout-sessions/${id}/cancel/`)
      if (cancel.status === 200) return id
    }
    throw new Error('no failure was seen before its success')
  }

  it('is paid late, after it was cancelled', async () => {
    await becomes(await cancelledForNow(), 'PAID')
  })

  it('expires by itself in several workers once, and is cancelled once', async () => {
    const other = await app.another()
    const sessions = await Promise.all(Array.from({ length: 8 }, () => open()))
    const ids = sessions.map(({ id }) => id)
    await app.owner`
      update checkout_sessions set expires_at = now() - interval '1 s', due_at = now() - interval '1 second' where id = any(${ids})`
    for (const id of ids) await becomes(id, 'EXPIRED')
    for (const id of ids) expect(await eventsOf(id)).toEqual(['checkout_session.expired'])
    await other.stop()

    const session = await open()
    const cancels = await Promise.all(
      Array.from({ length: 10 }, () => shop.post(`/checkout-sessions/${session.id}/cancel/`)),
    )
    expect(cancels.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await eventsOf(session.id)).toEqual(['checkout_session.cancelled'])
    expect((await pay(session.slug)).error.code).toBe('cancelled')
  })
})

describe('a second success for one session', () => {
  it('opens an incident, credits nothing, and leaves nothing pending', async () => {
    const session = await open()
    const first = await pay(session.slug, paymentBody('01'))
    await shop.becomes(first.data.transaction_id, 'FAILED')
    const otherwhere = { network: 'orange_ci', country: 'CI', otp: '123456' }
    const customer = { phone: '+2250707000104' }
    const second = await pay(session.slug, { ...otherwhere, customer })
    expect(second.status, JSON.stringify(second.error)).toBe(201)
    // The first operator has said no; now another payment has paid while this one is under way.
    await app.owner`
      update checkout_sessions
         set status = 'PAID', paid_by = ${first.data.transaction_id}, paid_at = now(),
             version = version + 1
       where id = ${session.id}`
    const { transaction_id } = second.data
    await shop.post(`/sandbox/transactions/${transaction_id}/resolve/`, { outcome: 'SUCCESS' })
    const failed = await shop.becomes(transaction_id, 'FAILED')
    expect(failed.incident).toMatchObject({ type: 'DUPLICATE_CAPTURE', status: 'OPEN' })
    expect((await shop.balance('CI')).available_amount).toBe('5000.00')
    const [row] = await app.owner`
      select pending_payment from checkout_sessions where id = ${session.id}`
    expect(row).toEqual({ pending_payment: null })
  })

  it('leaves nothing pending either where all of it is with people already', async () => {
    const session = await open()
    const { data } = await pay(session.slug, paymentBody('04'))
    const [attempt] = await attemptsOf(shop, data.transaction_id)
    const key = { shop, attempt_id: attempt.id }
    const amount = BigInt(Math.round(Number(attempt.debited_amount) * 100))
    await receive(app, key, confirmed(amount + 7_500n))
    await app.owner`
      update checkout_sessions
         set status = 'PAID', paid_by = ${crypto.randomUUID()}, paid_at = now(),
             version = version + 1
       where id = ${session.id}`
    for (const _again of [1, 2]) await receive(app, key, confirmed(amount))
    const failed = await shop.becomes(data.transaction_id, 'FAILED')
    expect(failed).toMatchObject({
      ...{ incident: { type: 'AMOUNT_MISMATCH' }, attempts: [{ status: 'SUCCESS' }] },
    })
    const types = (await eventsAbout(app.owner, data.transaction_id)).map(({ type }) => type)
    expect(types.filter((type) => type === 'transaction.failed')).toHaveLength(1)
    const [row] = await app.owner`
      select pending_payment from checkout_sessions where id = ${session.id}`
    expect(row).toEqual({ pending_payment: null })
  })

  it('by two pages of one payment pays it, and does not fail it first', async () => {
    const session = await open()
    const { data } = await pay(session.slug, paymentBody('04'))
    const id = data.transaction_id
    const [attempt] = await attemptsOf(shop, id)
    const amount = BigInt(Math.round(Number(attempt.debited_amount) * 100))
    const page = (external_reference: string) => ({ external_reference, amount, currency: 'XOF' })
    const captures = [page('cos-1'), page('cos-2')] as const
    await receive(app, { shop, attempt_id: attempt.id }, { is: 'several', captures })
    await becomes(session.id, 'PAID')
    const paid = (await shop.get(`/transactions/${id}/`)).data
    expect(paid).toMatchObject({ status: 'SUCCESS', incident: { type: 'DUPLICATE_CAPTURE' } })
    const logs = paid.status_logs.map((one: Json) => [one.from_status, one.to_status])
    expect(logs).toEqual([['PENDING', 'SUCCESS']])
    const types = (await eventsAbout(app.owner, id)).map(({ type }) => type)
    expect(types).not.toContain('transaction.failed')
  })
})

describe('what is refused', () => {
  it('names every invalid field of a new session', async () => {
    const { status, error } = await shop.post('/checkout-sessions/', {
      amount: '100.50',
      currency: 'XOF',
      customer_email: 'nobody',
      country: 'BEN',
      return_url: 'javascript:alert(1)',
      metadata: { long: 'x'.repeat(9000) },
      fee_charge_mode: 'NONE',
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    })
    expect(status).toBe(400)
    expect(Object.keys(error).toSorted()).toEqual([
      'amount',
      'country',
      'customer_email',
      'customer_name',
      'expires_at',
      'fee_charge_mode',
      'metadata',
      'return_url',
    ])
    const far = new Date(Date.now() + 31 * 86_400_000).toISOString()
    const late = await shop.post('/checkout-sessions/', sessionBody({ expires_at: far }))
    expect(Object.keys(late.error)).toEqual(['expires_at'])
    const odd = await shop.post('/checkout-sessions/', sessionBody({ currency: 'ISK' }))
    expect([odd.status, odd.error.code]).toEqual([422, 'no_exchange_rate'])
  })

  it('a name of nothing but white space, in one plain sentence', async () => {
    for (const customer_name of ['', ' ', '\n\t']) {
      const { status, error } = await shop.post(
        '/checkout-sessions/',
        sessionBody({ customer_name }),
      )
      expect([status, error]).toEqual([400, { customer_name: ['Must not be empty.'] }])
    }
  })

  it('ids and slugs of nobody, of others, of the other scope', async () => {
    const session = await open()
    const stranger = await app.shop()
    const payout = await app.shop({ merchant_id: shop.merchant_id, scope: 'PAYOUT' })
    for (const path of ['', 'status/']) {
      const reply = await stranger.get(`/checkout-sessions/${session.id}/${path}`)
      expect([reply.status, reply.error.code]).toEqual([403, 'permission_denied'])
    }
    expect((await payout.get(`/checkout-sessions/${session.id}/`)).status).toBe(200)
    const made = await payout.post('/checkout-sessions/', sessionBody())
    expect(made.error.code).toBe('api_key_scope_forbidden')
    for (const slug of ['x', session.slug.toLowerCase(), `${session.slug}A`]) {
      expect((await look(`/checkout/${slug}/`)).status).toBe(404)
      expect((await pay(slug)).status).toBe(404)
    }
  })

  it('networks, countries, numbers and codes that cannot be', async () => {
    const { slug } = await open()
    const code = async (changes: Record<string, unknown>) => {
      const { status, error } = await pay(slug, { ...paymentBody(), ...changes })
      return [status, error.code ?? Object.keys(error)]
    }
    expect(await code({ network: 'no_net' })).toEqual([422, 'invalid_method'])
    expect(await code({ country: 'FR' })).toEqual([422, 'invalid_country'])
    expect(await code({ country: 'SN' })).toEqual([422, 'invalid_method'])
    expect(await code({ customer: { phone: '12' } })).toEqual([422, 'invalid_customer'])
    expect(await code({ customer: {} })).toEqual([400, ['customer.phone']])
    expect(await code({ network: undefined })).toEqual([400, ['network']])
    const otp = await callPublic(app, 'POST', `/checkout/${slug}/confirm-otp/`, { otp: '1' })
    expect([otp.status, otp.error.code]).toEqual([409, 'no_attempt'])
    // A country that is not served preselects nothing.
    for (const session of [{ slug }, await open({ country: 'FR' })]) {
      const bare = await look(`/checkout/${session.slug}/networks/`)
      expect([bare.status, Object.keys(bare.error)]).toEqual([400, ['country']])
    }
  })

  it('everything of a suspended merchant', async () => {
    const closed = await app.shop()
    const { slug } = await openSession(closed)
    await suspendMerchant(app.service.db, closed.merchant_id, 'a test')
    for (const reply of [await look(`/checkout/${slug}/`), await pay(slug)]) {
      expect([reply.status, reply.error.code]).toEqual([422, 'no_route_available'])
    }
  })
})

describe('limits', () => {
  it('stop a session that was tried as often as it may be, and name no time to wait', async () => {
    const strict = await app.another({ LIMIT_SESSION_PAYMENTS: '2' })
    const session = await open()
    const tryIt = (magic: string) =>
      callPublic(
        { url: strict.public_url },
        'POST',
        `/checkout/${session.slug}/pay/`,
        paymentBody(magic),
      )
    for (const status of ['FAILED', 'FAILED']) {
      expect(await tryIt('03')).toMatchObject({ status: 201, data: { status } })
    }
    const refused = await tryIt('10')
    expect([refused.status, refused.error]).toEqual([
      429,
      {
        code: 'rate_limited',
        message: 'This checkout session allows no more attempts. Ask the merchant for a new one.',
      },
    ])
    // The count never falls, so the answer is the same until the session's own end: a day.
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(86_000)
    expect(wait).toBeLessThanOrEqual(86_400)
    const [failed] = await transactionsOf(session.id)
    const merchant = shopWith(strict.public_url, shop.merchant_id, shop.key)
    const retried = await merchant.post(`/payments/${failed?.id}/retry/`)
    expect([retried.status, retried.error]).toEqual([429, refused.error])
    await strict.stop()
  })

  it('stop an address that asks too often', async () => {
    const session = await open()
    const narrow = await app.another({ LIMIT_PUBLIC_PER_IP_MINUTE: '3' })
    const statuses: number[] = []
    for (let i = 0; i < 5; i += 1) {
      const reply = await fetch(`${narrow.public_url}/api/v1/checkout/${session.slug}/`)
      statuses.push(reply.status)
    }
    expect(statuses.at(-1)).toBe(429)
    await narrow.stop()
  })
})

it('tells in the reader’s language what to dial', async () => {
  const { slug } = await open()
  const reply = await fetch(`${app.url}/api/v1/checkout/${slug}/networks/?country=CI`, {
    headers: { 'accept-language': 'fr' },
  })
  const { data }: Json = await reply.json()
  const orange = data.networks.find((one: Json) => one.code === 'orange_ci')
  expect(orange.otp_instructions).toMatch(/^Composez #144\*82# et choisissez l’option 2/)
})

it('takes a code after the push', async () => {
  const session = await open({ country: 'SN' })
  const { data } = await pay(session.slug, {
    network: 'wizall_sn',
    customer: { phone: '+221771234599' },
  })
  expect(data).toMatchObject({ next_action: 'ENTER_OTP', otp_required: true })
  const give = (otp: string) =>
    callPublic(app, 'POST', `/checkout/${session.slug}/confirm-otp/`, { otp })
  expect((await give('000000')).error.code).toBe('otp_confirmation_failed')
  expect((await give('123456')).status).toBe(200)
  await eventually(() => becomes(session.id, 'PAID'))
  const logs = await shop.get(`/transaction-status-logs/?transaction=${data.transaction_id}`)
  expect(logs.data.results.length).toBeGreaterThan(0)
})

// An account whose payers go to a page, and whose operator names no amount, signs no notice and can
// be asked only with what its answer gave: paid, refused, lost, forged, told twice, told first. Over
// the operator's own wire.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Orange, startOrange } from '../../../simulator/src/dialects/orange/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import type { WireBetween } from '../../src/gateways/conformance-bench.ts'
import { orangeAdapter } from '../../src/gateways/orange-web-payment/orange-gateway.ts'
import { compareGatewayBooks, verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import { withOrange } from '../setup/orange-account.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'
import { wholeDump } from '../setup/whole-dump.ts'
import { wireBetween } from '../setup/wire-between.ts'

const code = 'orange_ml_test'

let app: TestApp
let orange: Orange
let wire: WireBetween
let shop: Shop
let hooks: Receiver

beforeAll(async () => {
  app = await startApp()
  orange = await startOrange({ port: 0, speed: 4, notices: 'none' })
  wire = await wireBetween(orange.url)
  shop = await app.shop()
  hooks = await startReceiver()
  const hook = await shop.post('/merchant-webhooks/', { url: hooks.url })
  expect(hook.status, JSON.stringify(hook.body)).toBe(201)
  const staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = withOrange({ ...orange, url: wire.url })
  const account = await addAccount(deps, orangeAdapter, {
    ...{ code, name: 'Orange Mali', environment: 'SANDBOX', country: 'ML', settings, secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  const route = { network: 'orange_ml', gateway: code, direction: 'COLLECT', priority: 9 }
  const made = await staff.post('/admin/routes/', route)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
})
afterAll(async () => {
  await app?.stop()
  await wire?.close()
  await orange?.stop()
  await hooks?.close()
})
afterEach(async () => {
  wire.spoils(undefined)
  orange.behave({ notices: 'none', plays: false })
  expect((await verifyLedger(app.owner)).filter(({ ok }) => !ok)).toEqual([])
  const paid = orange.books().filter(({ status }) => status === 'SUCCESS')
  const collected = String(paid.reduce((sum, { amount }) => sum + amount, 0))
  const books = { [code]: { XOF: { collected, paid: '0' } } }
  expect(await compareGatewayBooks(app.owner, books)).toMatchObject({ broken: 0 })
})

const phone = '+22370000010'
const pay = () =>
  shop.pay({
    ...{ country: 'ML', network: 'orange_ml', preferred_gateway: code },
    ...{ return_url: 'https://shop.example/back?order=7' },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diarra', phone },
  })

/** A payment whose payer has its page. */
async function begun(): Promise<Json> {
  const { status, data, body } = await pay()
  expect(status, JSON.stringify(body)).toBe(201)
  const page = expect.stringMatching(`^${orange.url}/payment/pay_token/[0-9a-f]{64}$`)
  expect(data).toMatchObject({ status: 'PENDING', next_action: 'REDIRECT', checkout_url: page })
  return data
}

const actOn = (page: string, act: 'pay' | 'fail') =>
  fetch(page, { method: 'POST', body: new URLSearchParams({ act }), redirect: 'manual' })

const bookOf = (page: string) => orange.books().find((one) => one.page === page)

const callbacksOf = (id: string) => app.owner<Json[]>`
  select c.proof, c.outcome
    from gateway_callbacks c
    join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
   where a.transaction_id = ${id} order by c.created_at, c.id`

/** Its next question is minutes away, and the last one was a moment ago. */
const askedJustNow = (id: string) => app.owner`
  update attempts set due_at = now() + interval '5 minutes', asked_at = now()
   where transaction_id = ${id}`

/** In seconds from now; below one when it is due. */
async function dueIn(id: string): Promise<number> {
  const [row] = await app.owner<{ due_s: number }[]>`
    select extract(epoch from due_at - now())::float8 as due_s
      from attempts where transaction_id = ${id}`
  return row?.due_s ?? Number.NaN
}

const verified = (id: string, status: string): Promise<Json> =>
  eventually(async () => {
    const { data } = await shop.get(`/payments/${id}/verify/`)
    expect(data.status).toBe(status)
    return data
  }, 30_000)

/** The operator has its sum once, and its merchant has heard of it once. */
async function settledOnce(id: string, page: string): Promise<void> {
  const [{ asked = 0n } = {}] = await app.owner<{ asked: bigint }[]>`
    select debited_amount as asked from attempts where transaction_id = ${id} limit 1`
  expect(bookOf(page)).toMatchObject({ status: 'SUCCESS', amount: Number(asked) / 100 })
  const heard = () =>
    hooks.received.filter(({ body }) => body.event === 'transaction.success' && body.data.id === id)
  await eventually(async () => expect(heard().length).toBeGreaterThan(0))
  expect(heard()).toHaveLength(1)
  const incidents = await app.owner`select 1 from incidents where transaction_id = ${id}`
  expect(incidents).toHaveLength(0)
}

describe('a payment on Orange’s page', () => {
  it('is woken by the notice and settled by the answer to our own question', async () => {
    orange.behave({ notices: 'once' })
    const { id, checkout_url } = await begun()
    const back = await actOn(checkout_url, 'pay')
    expect(back.headers.get('location')).toBe('https://shop.example/back?order=7')
    const done = await shop.becomes(id, 'SUCCESS')
    expect(done.status_logs).toMatchObject([{ to_status: 'SUCCESS', triggered_by: 'POLLER' }])
    expect(await callbacksOf(id)).toMatchObject([{ proof: 'BEARER' }])
    await settledOnce(id, checkout_url)
  })

  it('is settled by a sum that the operator never names: its evidence says so', async () => {
    const { id, checkout_url } = await begun()
    await actOn(checkout_url, 'pay')
    await verified(id, 'SUCCESS')
    const [log] = await app.owner<Json[]>`
      select evidence_kind from transaction_status_logs
       where transaction_id = ${id} and to_status = 'SUCCESS'`
    expect(log.evidence_kind).toBe('ANSWER_ASKED')
    await settledOnce(id, checkout_url)
  })

  it('that its payer refuses is FAILED, and they may try again', async () => {
    orange.behave({ notices: 'once' })
    const { id, checkout_url } = await begun()
    const back = await actOn(checkout_url, 'fail')
    expect(back.status).toBe(303)
    expect(await shop.becomes(id, 'FAILED')).toMatchObject({ failure_code: 'NOT_APPROVED' })
    const again = await shop.post(`/payments/${id}/retry/`, {})
    expect([again.status, again.data.status]).toEqual([200, 'PENDING'])
    expect(again.data.checkout_url).not.toBe(checkout_url)
    await actOn(again.data.checkout_url, 'pay')
    await shop.becomes(id, 'SUCCESS')
    await settledOnce(id, again.data.checkout_url)
  })

  it('is booked once when it is told of twice', async () => {
    orange.behave({ notices: 'twice' })
    const { id, checkout_url } = await begun()
    await actOn(checkout_url, 'pay')
    await shop.becomes(id, 'SUCCESS')
    await settledOnce(id, checkout_url)
  })

  it('is booked once when it is told of before its create was answered', async () => {
    orange.behave({ notices: 'once', plays: true })
    const before = orange.told()
    const come = eventually(async () => expect(orange.told()).toBe(before + 1))
    wire.spoils(({ path }) =>
      path.endsWith('/webpayment') ? { reaches: true, answer: 'theirs', after: come } : undefined,
    )
    const { id, checkout_url } = await begun()
    await verified(id, 'SUCCESS')
    await settledOnce(id, checkout_url)
  })

  it('is believed by no notice with another token', async () => {
    orange.behave({ notices: 'forged' })
    const { id, checkout_url } = await begun()
    await actOn(checkout_url, 'pay')
    await shop.becomes(id, 'SUCCESS')
    const proofs = (await callbacksOf(id)).map(({ proof }) => proof).sort()
    expect(proofs).toEqual(['BEARER', 'UNSIGNED'])
    await settledOnce(id, checkout_url)
  })

  it.each(['foreign', 'bare'] as const)(
    'is asked about at once only for its own token: %s, it is a hint, ten seconds later',
    async (notices) => {
      const { id, checkout_url } = await begun()
      await askedJustNow(id)
      orange.behave({ notices })
      const before = orange.told()
      await actOn(checkout_url, 'pay')
      await eventually(async () => expect(orange.told()).toBe(before + 1))
      expect(await callbacksOf(id)).toEqual([{ proof: 'UNSIGNED', outcome: 'WOKE' }])
      const due_s = await dueIn(id)
      expect(due_s).toBeGreaterThan(3)
      expect(due_s).toBeLessThanOrEqual(10)
      expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('PENDING')
      await shop.becomes(id, 'SUCCESS', 30_000)
      await settledOnce(id, checkout_url)
    },
    60_000,
  )

  it('is asked about at once for its own token, whatever else is due', async () => {
    const { id, checkout_url } = await begun()
    await askedJustNow(id)
    orange.behave({ notices: 'once' })
    await actOn(checkout_url, 'pay')
    // Five minutes was its time, and ten seconds that of a hint.
    const done = await shop.becomes(id, 'SUCCESS', 9_000)
    expect(done.status_logs).toMatchObject([{ to_status: 'SUCCESS', triggered_by: 'POLLER' }])
    expect(await callbacksOf(id)).toEqual([{ proof: 'BEARER', outcome: 'WOKE' }])
    await settledOnce(id, checkout_url)
  })

  it('is not settled by a notice with its own token while the operator has no payment', async () => {
    const { id, checkout_url } = await begun()
    wire.spoils(({ path }) =>
      path.endsWith('/transactionstatus')
        ? { reaches: false, answer: { status: 500, body: '' } }
        : undefined,
    )
    orange.behave({ notices: 'once' })
    await actOn(checkout_url, 'pay')
    const asked = () => wire.passed.filter(({ path }) => path.endsWith('/transactionstatus')).length
    const before = asked()
    await eventually(async () => {
      expect(await callbacksOf(id)).toEqual([{ proof: 'BEARER', outcome: 'WOKE' }])
      expect(asked()).toBeGreaterThan(before)
    })
    expect((await shop.get(`/transactions/${id}/`)).data.status).toBe('PENDING')
    wire.spoils(undefined)
    await verified(id, 'SUCCESS')
    await settledOnce(id, checkout_url)
  })

  it('stays open on an answer about another order, or none that we know', async () => {
    const { id, checkout_url } = await begun()
    const answers = [
      { status: 'SUCCESS', order_id: 'ANOTHER', txnid: 'MP261123.1200.A00001' },
      { status: 'PAID', order_id: '', txnid: '' },
      { status: 201, message: 'OK' },
    ]
    for (const answer of answers) {
      wire.spoils(({ path }) =>
        path.endsWith('/transactionstatus')
          ? { reaches: true, answer: { status: 201, body: JSON.stringify(answer) } }
          : undefined,
      )
      const { data } = await shop.get(`/payments/${id}/verify/`)
      expect(data.status).toBe('PENDING')
    }
    wire.spoils(undefined)
    await actOn(checkout_url, 'pay')
    await verified(id, 'SUCCESS')
    await settledOnce(id, checkout_url)
  })
})

describe('a payment whose create was lost', () => {
  it.each(['broken', 'cut'] as const)(
    'is closed at once, and nobody could pay it: %s',
    async (how) => {
      const known = new Set(orange.books().map(({ page }) => page))
      wire.spoils(({ path }) =>
        path.endsWith('/webpayment') ? { reaches: true, answer: how } : undefined,
      )
      const { status, data } = await pay()
      expect([status, data.status, data.failure_code]).toEqual([
        ...[201, 'FAILED', 'GATEWAY_UNAVAILABLE'],
      ])
      wire.spoils(undefined)
      const made = orange.books().filter(({ page }) => !known.has(page))
      expect(made).toMatchObject([{ status: 'INITIATED' }])
      // Whoever would pay needs the page, and its token is nowhere with us.
      const token = String(made[0]?.page.split('/').at(-1))
      expect(token).toHaveLength(64)
      expect(JSON.stringify(data)).not.toContain(token)
      expect(await wholeDump(app)).not.toContain(token)
      expect(JSON.stringify(hooks.received.map(({ raw }) => raw))).not.toContain(token)
      const again = await shop.post(`/payments/${data.id}/retry/`, {})
      expect([again.status, again.data.status]).toEqual([200, 'PENDING'])
      await actOn(again.data.checkout_url, 'pay')
      await verified(data.id, 'SUCCESS')
      await settledOnce(data.id, again.data.checkout_url)
      expect(made[0] === undefined ? '' : bookOf(made[0].page)?.status).toBe('INITIATED')
    },
  )
})

describe('a payment that Orange does not make', () => {
  it('goes on to the next route', async () => {
    wire.spoils(({ path }) =>
      path.endsWith('/webpayment')
        ? {
            reaches: false,
            answer: { status: 400, body: '{"code":23,"message":"Missing body field"}' },
          }
        : undefined,
    )
    const { data } = await pay()
    const { attempts } = (await shop.get(`/transactions/${data.id}/`)).data
    expect(attempts[0]).toMatchObject({ gateway_code: code, failure_code: 'GATEWAY_REFUSED' })
    expect(attempts[1].gateway_code).not.toBe(code)
  })
})

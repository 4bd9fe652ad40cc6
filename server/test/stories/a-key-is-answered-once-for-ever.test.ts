// Idempotency under crashes and rivals (contract 4): whatever dies in between, a key moves money
// once and its first stored answer stands. Without these a merchant's retry is a second payment, or
// a rival's refusal becomes the answer of a payment that was made.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { paymentErrors } from '../../src/planning/errors.ts'
import { refuse } from '../../src/platform/errors.ts'
import { renderRefusal } from '../../src/platform/http/errors.ts'
import type { Input } from '../../src/platform/http/route.ts'
import { runOnce } from '../../src/platform/idempotency/run-once.ts'
import type { Json } from '../harness.ts'
import {
  byCode,
  byMadeCode,
  lost,
  neverSent,
  notFound,
  openPaymentFixture,
  type PaymentFixture,
  paid,
  refusedBy,
  type ScriptedOperator,
  softpayOf,
  waits,
  waitsForCode,
} from '../setup/scripted-operator.ts'

let fixture: PaymentFixture
let one: ScriptedOperator
let two: ScriptedOperator
let keys = 0

beforeAll(async () => {
  fixture = await openPaymentFixture()
  one = fixture.one
  two = fixture.two
})
afterAll(() => fixture?.stop())

afterEach(async () => {
  for (const { script } of [one, two]) {
    for (const queue of Object.values(script)) queue.length = 0
  }
  expect((await verifyLedger(fixture.owner)).filter((check) => !check.ok)).toEqual([])
})

const newKey = () => {
  keys += 1
  return `key-${keys}`
}

const keyRow = async (key: string): Promise<Json> =>
  (await fixture.owner`select * from idempotency_keys where key = ${key}`)[0]

/** The process that held the key, and the attempt, is dead and their leases are over. */
async function die(key: string) {
  await fixture.owner`
    update idempotency_keys
       set leased_until = now() - interval '1 second', status = null, plain = null,
           packed = null
     where key = ${key}`
  await fixture.owner`
    update attempts set leased_until = now() - interval '1 s', due_at = now() - interval '1 second',
           asked_at = null`
}

/** Dies in the middle of this call to the operator. */
const crash = () => {
  throw new Error('the process died here')
}

async function countOf(table: 'transactions' | 'attempts'): Promise<number> {
  const [row] = await fixture.owner`select count(*)::int as n from ${fixture.owner(table)}`
  return row?.['n']
}

describe('a crash between the operator’s call and the stored answer', () => {
  it('softpay: in_progress under the lease, then the same payment as it stands, for ever', async () => {
    const [key, sent] = [newKey(), one.sent.length]
    one.script.collect.push(crash)
    await expect(fixture.call('initialize', { key, body: softpayOf() })).rejects.toThrow('died')
    const early = await fixture.call('initialize', { key, body: softpayOf() })
    expect(early).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } })
    await die(key)
    one.script.ask.push(notFound)
    const replay = await fixture.call('initialize', { key, body: softpayOf(), locale: 'fr' })
    expect(replay).toMatchObject({ status: 201, replayed: true, body: { status: 'PENDING' } })
    // Sent again with the same key at the operator: it says that it does not know it.
    const orders = one.sent.slice(sent)
    expect(new Set(orders.map((order) => order.our_key)).size).toBe(1)
    expect(orders).toHaveLength(2)
    const attempts = await fixture.attemptsOf(replay.body.id)
    expect(attempts).toHaveLength(1)
    // The operator ends it; the key's answer stays what it was, in its language.
    await die('nobody')
    one.script.ask.push(paid(attempts[0].debited_amount))
    await fixture.call('verify', { id: replay.body.id })
    const last = await fixture.call('initialize', { key, body: softpayOf(), locale: 'en' })
    expect(last).toMatchObject({ status: 201, text: replay.text, replayed: true })
  })

  it('two replays at once after it give one answer', async () => {
    const key = newKey()
    one.script.collect.push(crash)
    await expect(fixture.call('initialize', { key, body: softpayOf() })).rejects.toThrow('died')
    await die(key)
    const before = await countOf('transactions')
    const replays = await Promise.all(
      [1, 2, 3].map(() => fixture.call('initialize', { key, body: softpayOf() })),
    )
    const done = replays.filter(({ status }) => status === 201)
    expect(done.length).toBeGreaterThan(0)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    for (const { status, body } of replays) {
      if (status !== 201) expect(body.code).toBe('idempotency_in_progress')
    }
    expect(await countOf('transactions')).toBe(before)
  })

  it('the first of two processes that answer is the answer of both', async () => {
    const key = newKey()
    let replay: Json
    one.script.collect.push(async () => {
      await die(key)
      one.script.ask.push(lost)
      replay = await fixture.call('initialize', { key, body: softpayOf() })
      return waits
    })
    const slow = await fixture.call('initialize', { key, body: softpayOf() })
    expect(replay).toMatchObject({ status: 201 })
    expect(slow).toMatchObject({ status: 201, text: replay.text })
  })

  it('a payer’s made code is sent again by the replay that brings it, though the poller was there', async () => {
    const key = newKey()
    one.script.collect.push(crash)
    await expect(fixture.call('initialize', { key, body: byMadeCode })).rejects.toThrow('died')
    await die(key)
    // The poller has just asked: it may not send, because the code is not stored.
    await fixture.owner`update attempts set asked_at = now() where status = 'PENDING'`
    const sent = one.sent.length
    one.script.ask.push(notFound)
    const replay = await fixture.call('initialize', { key, body: byMadeCode })
    expect(one.sent.slice(sent).map((order) => order.otp)).toEqual(['123456'])
    expect(replay.body).toMatchObject({ status: 'PENDING', next_action: 'APPROVE_ON_PHONE' })
  })

  it('retry: the same payment as it stands, one attempt, and its made code is sent again', async () => {
    one.script.collect.push(refusedBy('payer'))
    const { body } = await fixture.call('initialize', { body: byMadeCode })
    const [key, id] = [newKey(), body.id]
    one.script.collect.push(crash)
    const call = { key, id, body: { otp: '654321' } }
    await expect(fixture.call('retry', call)).rejects.toThrow('died')
    await die(key)
    const sent = one.sent.length
    one.script.ask.push(notFound)
    const replay = await fixture.call('retry', call)
    expect(replay).toMatchObject({ status: 200, replayed: true, body: { id, status: 'PENDING' } })
    expect(one.sent.slice(sent).map((order) => order.otp)).toEqual(['654321'])
    expect(await fixture.attemptsOf(id)).toHaveLength(2)
    expect((await fixture.call('retry', call)).text).toBe(replay.text)
  })

  it('confirm-otp: the code is given once, and the payment answers as it stands', async () => {
    one.script.collect.push(waitsForCode)
    const { body } = await fixture.call('initialize', { body: byCode })
    const [attempt] = await fixture.attemptsOf(body.id)
    const call = { key: newKey(), id: body.id, body: { otp: '123456' } }
    const codes = one.codes.length
    one.script.confirmOtp.push(crash)
    await expect(fixture.call('confirm-otp', call)).rejects.toThrow('died')
    await die(call.key)
    one.script.ask.push(paid(attempt.debited_amount))
    const replay = await fixture.call('confirm-otp', call)
    expect(replay).toMatchObject({ status: 200, replayed: true, body: { status: 'SUCCESS' } })
    expect(one.codes.length - codes).toBe(1)
  })

  it('a key that was taken and made nothing is free after its lease', async () => {
    one.script.collect.push(refusedBy('payer'))
    const { body } = await fixture.call('initialize', { body: softpayOf() })
    const call = { key: newKey(), id: body.id }
    // The process dies before it has begun anything.
    await fixture.call('retry', { ...call, body: { methods: ['nobody'] } })
    await fixture.owner`delete from idempotency_keys where key = ${call.key}`
    const fingerprint = Buffer.alloc(32, 1)
    await fixture.owner`
      insert into idempotency_keys (merchant_id, environment, key, fingerprint, leased_until)
      values (${fixture.caller.merchant_id}, 'SANDBOX', ${call.key}, ${fingerprint}, now())`
    const other = await fixture.call('retry', call)
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
    const ours = fixture.deps.macs.mac(
      'idempotency-fingerprint',
      `/payments/:payment_id/retry/ ${body.id} {}`,
    )
    await fixture.owner`update idempotency_keys set fingerprint = ${ours} where key = ${call.key}`
    const replay = await fixture.call('retry', call)
    expect(replay).toMatchObject({ status: 200, replayed: false, body: { status: 'PENDING' } })
    expect(await fixture.attemptsOf(body.id)).toHaveLength(2)
  })
})

describe('refusals under a key', () => {
  it('422 is kept; 400, 404, 409 and a retryable 422 that made nothing are not', async () => {
    const key = newKey()
    const wrong = softpayOf({ network: 'nobody' })
    const first = await fixture.call('initialize', { key, body: wrong, locale: 'fr' })
    expect(first).toMatchObject({ status: 422, body: { code: 'invalid_method' } })
    const replay = await fixture.call('initialize', { key, body: wrong, locale: 'en' })
    expect(replay).toMatchObject({ status: 422, text: first.text, replayed: true })
    const other = await fixture.call('initialize', { key, body: softpayOf() })
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })

    const free = newKey()
    const small = await fixture.call('initialize', { key: free, body: softpayOf({ amount: '1' }) })
    expect(small.status).toBe(400)
    const none = { key: free, id: '01981f3a-5b60-7c11-9a52-0242ac120002' }
    await expect(fixture.call('retry', none)).resolves.toMatchObject({ status: 404 })
    const { body } = await fixture.call('initialize', { body: softpayOf() })
    const pending = await fixture.call('retry', { key: free, id: body.id })
    expect(pending).toMatchObject({ status: 409, body: { code: 'payment_already_pending' } })
    const currency = softpayOf({ currency: 'ISK' })
    const rate = await fixture.call('initialize', { key: free, body: currency })
    expect(rate).toMatchObject({ status: 422, body: { code: 'no_exchange_rate', retryable: true } })
    expect(await keyRow(free)).toBeUndefined()
  })

  it('no route left is kept with its transaction, and is not called retryable', async () => {
    const key = newKey()
    one.script.collect.push(refusedBy('gateway'))
    two.script.collect.push(neverSent)
    const first = await fixture.call('initialize', { key, body: softpayOf() })
    expect(first).toMatchObject({ status: 422, body: { code: 'no_route_available' } })
    expect(first.body.retryable).toBeUndefined()
    expect((await fixture.attemptsOf(first.body.transaction)).map((a) => a.status)).toEqual([
      'FAILED',
      'FAILED',
    ])
    const replay = await fixture.call('initialize', { key, body: softpayOf() })
    expect(replay).toMatchObject({ status: 422, text: first.text, replayed: true })
  })

  it('a wrong code is answered once: its replay does not count again', async () => {
    one.script.collect.push(waitsForCode)
    const { body } = await fixture.call('initialize', { body: byCode })
    const call = { key: newKey(), id: body.id, body: { otp: '000000' } }
    one.script.confirmOtp.push({ is: 'wrong_otp' })
    const first = await fixture.call('confirm-otp', call)
    expect(first).toMatchObject({ status: 422, body: { code: 'otp_confirmation_failed' } })
    const replay = await fixture.call('confirm-otp', call)
    expect(replay).toMatchObject({ text: first.text, replayed: true })
    expect(await fixture.attemptsOf(body.id)).toMatchObject([{ wrong_otps: 1 }])
  })

  it('a rival’s refusal never becomes the answer of a payment that was made', async () => {
    // The other body finds the key unused and is refused; before that is kept, a payment takes the
    // key and is still at the operator's.
    const key = newKey()
    const [looked, taken, release] = [gate(), gate(), gate()]
    const slowly = new Proxy(fixture.db, {
      apply(db, _this, [strings, ...values]: [TemplateStringsArray, ...never[]]) {
        if (!strings.join('').includes('insert into')) return db(strings, ...values)
        looked.open()
        return taken.opened.then(() => db(strings, ...values))
      },
    })
    const rival = runOnce({
      db: slowly,
      fingerprint: (text) => fixture.deps.macs.mac('another', text),
      render: renderRefusal,
      lease_s: 13,
    })
    const input = { caller: fixture.caller, locale: 'en' } as Input
    const call = { route: { claims: 'verb' as const }, input, key, canonical: 'another body' }
    const refused = rival.run(call, async () => {
      throw refuse(paymentErrors.invalid_method)
    })
    await looked.opened
    one.script.collect.push(() => {
      taken.open()
      return release.opened.then(() => waits)
    })
    const made = fixture.call('initialize', { key, body: softpayOf() })
    await expect(refused).rejects.toThrow('idempotency_conflict')
    release.open()
    expect(await made).toMatchObject({ status: 201, body: { status: 'PENDING' } })
  })
})

function gate() {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

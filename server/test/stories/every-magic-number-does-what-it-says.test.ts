// The sandbox's magic numbers (contract 6.9), each over real HTTP: what the merchant sees, how
// often the operator debited, and that the balance follows the operator's books to the franc.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { createEnds } from '../setup/ends.ts'

let app: TestApp

const ends = createEnds()

beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await ends.all()
  await app?.stop()
})

type Paid = { shop: Shop; reply: Awaited<ReturnType<Shop['pay']>>; id: string }

async function pay(
  magic: string,
  changes: Record<string, unknown> = {},
  at: TestApp = app,
): Promise<Paid> {
  const shop = await at.shop()
  const reply = await shop.pay({ customer: newPayer(magic), ...changes })
  return { shop, reply, id: reply.data?.id ?? reply.error?.transaction }
}

/** The operator's own record of what it took for a transaction, by our keys. */
async function debits(id: string, at: TestApp = app): Promise<Json[]> {
  const keys = await at.owner`select our_key from attempts where transaction_id = ${id}`
  const ours = new Set(keys.map((row) => row['our_key']))
  return at.simulator
    .books()
    .filter((book) => ours.has(book.reference) && book.status === 'SUCCESSFUL')
}

describe('magic numbers', () => {
  it('01 fails for want of funds and moves nothing', async () => {
    const { shop, id } = await pay('01')
    expect(await shop.becomes(id, 'FAILED')).toMatchObject({ failure_code: 'INSUFFICIENT_FUNDS' })
    expect(await shop.balance()).toMatchObject({ available_amount: '0.00' })
    expect(await debits(id)).toHaveLength(0)
  })

  it('02 fails because the payer did not approve', async () => {
    const { shop, id } = await pay('02')
    expect(await shop.becomes(id, 'FAILED')).toMatchObject({ failure_code: 'NOT_APPROVED' })
  })

  it('03 is refused at once, and is an answer, not an error', async () => {
    const { shop, reply, id } = await pay('03')
    expect(reply.status).toBe(201)
    expect(reply.data).toMatchObject({ status: 'FAILED', failure_code: 'PAYER_NOT_FOUND' })
    expect(await shop.becomes(id, 'FAILED')).toMatchObject({ attempts: [{ status: 'FAILED' }] })
  })

  it('04 stays pending until it is resolved', async () => {
    const { shop, id } = await pay('04')
    const verified = await shop.get(`/payments/${id}/verify/`)
    expect(verified.data).toMatchObject({ status: 'PENDING', message: 'Payment status checked.' })
    const resolved = await shop.post(`/sandbox/transactions/${id}/resolve/`, { outcome: 'SUCCESS' })
    expect(resolved.status, JSON.stringify(resolved.body)).toBe(200)
    expect(resolved.data).toMatchObject({ id, status: 'SUCCESS' })
    const again = await shop.post(`/sandbox/transactions/${id}/resolve/`, { outcome: 'FAILED' })
    expect(again).toMatchObject({ status: 409, error: { code: 'transaction_terminal' } })
  })

  it('04 resolved as failed carries the wanted failure code', async () => {
    const { shop, id } = await pay('04')
    const body = { outcome: 'FAILED', failure_code: 'LIMIT_REACHED' }
    const resolved = await shop.post(`/sandbox/transactions/${id}/resolve/`, body)
    expect(resolved.data).toMatchObject({ status: 'FAILED', failure_code: 'LIMIT_REACHED' })
  })

  it('04 resolved as failed takes the code of a merchant who refused', async () => {
    const { shop, id } = await pay('04')
    const failure_code = 'REJECTED_BY_MERCHANT'
    const body = { outcome: 'FAILED', failure_code }
    const resolved = await shop.post(`/sandbox/transactions/${id}/resolve/`, body)
    expect(resolved.status, JSON.stringify(resolved.body)).toBe(200)
    expect(resolved.data).toMatchObject({ status: 'FAILED', failure_code })
  })

  it('05 loses the answer, ends SUCCESS, and the operator debited once', async () => {
    const { shop, reply, id } = await pay('05')
    expect(reply.status).toBe(201)
    expect(reply.data.status).toBe('PENDING')
    expect(reply.data.instructions).toMatch(/not pay again/)
    // A lost answer is no question that was put: the first one waits for nobody.
    expect((await shop.get(`/payments/${id}/verify/`)).data.status).toBe('SUCCESS')
    const paid = await shop.becomes(id, 'SUCCESS')
    expect(paid.attempts).toHaveLength(1)
    expect(await debits(id)).toHaveLength(1)
    expect(await shop.balance()).toMatchObject({ available_amount: '5000.00' })
  })

  it('06 leaves two attempts: the first route down, the second succeeds', async () => {
    const { shop, reply, id } = await pay('06')
    expect(reply.status).toBe(201)
    const paid = await shop.becomes(id, 'SUCCESS')
    expect(paid.attempts.map((one: Json) => [one.gateway_code, one.status, one.priority])).toEqual([
      ['simulator_a', 'FAILED', 1],
      ['simulator_b', 'SUCCESS', 2],
    ])
    expect(paid.attempts[0].failure_code).toBe('GATEWAY_UNAVAILABLE')
    expect(await debits(id)).toHaveLength(1)
  })

  it('07 calls back three times and late: money moves once', async () => {
    const { shop, id } = await pay('07')
    await shop.becomes(id, 'SUCCESS')
    await eventually(async () => {
      const [row] = await app.owner`
        select count(*)::int as kept from gateway_callbacks c
          join attempts a on a.id = c.attempt_id where a.transaction_id = ${id}`
      expect(row?.['kept']).toBe(1)
    })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await shop.balance()).toMatchObject({ available_amount: '5000.00' })
  })

  it('08 calls back before the call is answered: the answer says how it stands', async () => {
    const { shop, reply, id } = await pay('08')
    expect(reply.status).toBe(201)
    expect(reply.data).toMatchObject({ status: 'SUCCESS', next_action: 'NONE' })
    const paid = await shop.becomes(id, 'SUCCESS')
    expect(paid.attempts).toMatchObject([{ status: 'SUCCESS' }])
    expect(await shop.balance()).toMatchObject({ available_amount: '5000.00' })
  })

  it('09 fails, then succeeds after all, and both moves are logged', async () => {
    // At its real pace: of two words that come close together the second may be heard first.
    const slow = await startApp({ speed: 1 })
    ends.add(slow.stop)
    const { shop, id } = await pay('09', {}, slow)
    const paid = await shop.becomes(id, 'SUCCESS')
    expect(paid.status_logs.map((log: Json) => [log.from_status, log.to_status])).toEqual([
      ['PENDING', 'FAILED'],
      ['FAILED', 'SUCCESS'],
    ])
    expect(paid.failure_code).toBe('')
    expect(await debits(id, slow)).toHaveLength(1)
    expect(await shop.balance()).toMatchObject({ available_amount: '5000.00' })
  })
})

describe('networks that ask the payer in another way', () => {
  it('a redirect network answers a checkout_url and is pending until the payer acts', async () => {
    const customer = { ...newPayer(), phone: '+2250700000010' }
    const changes = { country: 'CI', network: 'wave_ci', customer }
    const { shop, reply, id } = await pay('10', changes)
    expect(reply.data).toMatchObject({ status: 'PENDING', next_action: 'REDIRECT' })
    const page = await fetch(reply.data.checkout_url)
    expect(page.status).toBe(200)
    const html = await page.text()
    const [, action = ''] = /<form[^>]*action="([^"]+)"/.exec(html) ?? []
    expect(html).toContain('approve')
    const approved = await fetch(new URL(action || '', reply.data.checkout_url), {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: /name="([^"]+)" value="(approve)"/.test(html)
        ? `${/name="([^"]+)" value="approve"/.exec(html)?.[1]}=approve`
        : '',
    })
    expect(approved.status).toBeLessThan(400)
    await shop.becomes(id, 'SUCCESS')
  })

  it('a pre-payment code: missing is told how to make one, wrong is refused, right succeeds', async () => {
    const customer = { ...newPayer(), phone: '+2250700000010' }
    const changes = { country: 'CI', network: 'orange_ci', customer }
    const missing = await pay('10', changes)
    expect(missing.reply).toMatchObject({ status: 422, error: { code: 'prepayment_otp_missing' } })
    expect(missing.reply.error.message).toContain('#144*82#')
    const wrong = await pay('10', { ...changes, otp: '000000' })
    expect(wrong.reply.status).toBe(201)
    expect(wrong.reply.data).toMatchObject({ status: 'FAILED', failure_code: 'INVALID_OTP' })
    const right = await pay('10', { ...changes, otp: '123456' })
    expect(right.reply.data.status).toBe('PENDING')
    await right.shop.becomes(right.id, 'SUCCESS')
  })

  it('a code after the push: wrong keeps it pending, the fifth wrong ends it', async () => {
    const customer = { ...newPayer(), phone: '+221770000010' }
    const changes = { country: 'SN', network: 'wizall_sn', customer }
    const { shop, reply, id } = await pay('10', changes)
    expect(reply.data).toMatchObject({ next_action: 'ENTER_OTP', otp_required: true })
    const blank = await shop.post(`/payments/${id}/confirm-otp/`, { otp: '  ' })
    expect([blank.status, Object.keys(blank.error)]).toEqual([400, ['otp']])
    for (let tries = 1; tries <= 5; tries += 1) {
      const wrong = await shop.post(`/payments/${id}/confirm-otp/`, { otp: '000000' })
      expect(wrong).toMatchObject({ status: 422, error: { code: 'otp_confirmation_failed' } })
      const { data } = await shop.get(`/transactions/${id}/`)
      expect(data.status).toBe(tries < 5 ? 'PENDING' : 'FAILED')
    }
    const late = await shop.post(`/payments/${id}/confirm-otp/`, { otp: '123456' })
    expect(late).toMatchObject({ status: 409, error: { code: 'transaction_terminal' } })
  })

  it('a code after the push: the right one reports SUCCESS', async () => {
    const customer = { ...newPayer(), phone: '+221770000010' }
    const { shop, id } = await pay('10', { country: 'SN', network: 'wizall_sn', customer })
    const right = await shop.post(`/payments/${id}/confirm-otp/`, { otp: '123456' })
    expect(right.status, JSON.stringify(right.body)).toBe(200)
    expect(right.data).toMatchObject({ id, status: 'SUCCESS' })
    expect(await shop.balance('SN')).toMatchObject({ available_amount: '5000.00' })
  })
})

// A merchant's own money on its way to it: held when it asks, given to an operator or paid by the
// bank when staff have approved it, spent when it has arrived, released when it will not, and never
// sent a second time.

import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { attemptsOf, booksAgree, brokenLaws, eventsOf, richSettler } from '../setup/settling.ts'
import { startReceiver } from '../setup/webhook-receiver.ts'

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

const approve = (id: string) => staff.post(`/admin/settlements/${id}/approve/`)

describe('a settlement by mobile money', () => {
  it('holds the money at once, waits for staff, and is spent when the operator has paid', async () => {
    const shop = await richSettler(app)
    const made = await shop.settle('10')
    expect([made.status, made.body]).toMatchObject([201, { success: true }])
    expect(made.data).toMatchObject({
      reference: expect.stringMatching(/^STL-\d{8}-[A-Z0-9]{10}$/),
      merchant: shop.merchant_id,
      country: 'BJ',
      currency: 'XOF',
      requested_amount: '10000.00',
      debited_amount: '10000.00',
      fee_charge_mode: 'DEDUCTED',
      status: 'PENDING',
      ip_address: '127.0.0.1',
      approved_at: null,
      executed_at: null,
      completed_at: null,
      gateway_reference: '',
      proof_url: '',
      failure_reason: '',
    })
    const fee = Number(made.data.client_fee)
    expect(fee).toBeGreaterThan(0)
    expect(Number(made.data.net_amount)).toBe(10_000 - fee)
    expect(Number(made.data.gateway_fee) + Number(made.data.platform_fee)).toBe(fee)
    expect(await shop.sums()).toEqual(['90000.00', '10000.00'])
    expect(await attemptsOf(app, made.data.id)).toEqual([])

    const approved = await approve(made.data.id)
    expect([approved.status, approved.data.status]).toEqual([200, 'PROCESSING'])
    expect(approved.data.approved_at).not.toBeNull()
    const paid = await shop.ends(made.data.id, 'SUCCESS')
    expect(paid.gateway_reference).not.toBe('')
    expect(paid.net_amount).toBe(made.data.net_amount)
    expect(paid.completed_at).not.toBeNull()
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
    const attempts = await attemptsOf(app, made.data.id)
    expect(attempts).toMatchObject([{ status: 'SUCCESS', sends: 1 }])
    // By the operator's own callback, kept in the commit that it caused.
    const confirmed = await app.owner`
      select proof, outcome from gateway_callbacks where attempt_id = ${attempts[0]?.id ?? ''}`
    expect(confirmed).toEqual([{ proof: 'SIGNED', outcome: 'APPLIED' }])
  })

  it('tells the merchant each move, as the settlement then is', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('10')
    await approve(data.id)
    const paid = await shop.ends(data.id, 'SUCCESS')
    const events = await eventsOf(app, data.id)
    expect(events.map(({ type }) => type)).toEqual([
      'settlement.requested',
      'settlement.approved',
      'settlement.success',
    ])
    expect(events.map((one) => [one.data.status, one.data.version])).toEqual([
      ['PENDING', 1],
      ['APPROVED', 2],
      ['SUCCESS', 4],
    ])
    expect(events[0]?.data).toEqual({ ...data, amount: data.requested_amount, version: 1 })
    expect(events[2]?.data).toEqual({ ...paid, amount: data.requested_amount, version: 4 })
  })

  it('takes amount and fee when the fee is on top', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('10', { fee_charge_mode: 'ADD_ON' })
    expect(data.net_amount).toBe('10000.00')
    await approve(data.id)
    await shop.ends(data.id, 'SUCCESS')
    const left = (100_000 - Number(data.debited_amount)).toFixed(2)
    expect(await shop.sums()).toEqual([left, '0.00'])
  })

  it('to a number that nobody has fails at once and gives everything back', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('03')
    const approved = await approve(data.id)
    expect(approved.data).toMatchObject({ status: 'FAILED', failure_code: 'RECIPIENT_NOT_FOUND' })
    expect(approved.data.failure_reason).toMatch(/no account/)
    expect(await shop.sums()).toEqual(['100000.00', '0.00'])
    const types = (await eventsOf(app, data.id)).map(({ type }) => type)
    expect(types).toEqual(['settlement.requested', 'settlement.approved', 'settlement.failed'])
    const french = await shop.get(`/settlements/${data.id}/`, { 'accept-language': 'fr' })
    expect(french.data.failure_reason).toMatch(/compte/)
  })

  it('that the operator refuses later gives everything back by their own answer', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('01')
    await approve(data.id)
    expect(await shop.ends(data.id, 'FAILED')).toMatchObject({
      failure_code: 'INSUFFICIENT_FUNDS',
    })
    expect(await shop.sums()).toEqual(['100000.00', '0.00'])
  })

  it('whose first route is down is paid by the second, once', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('06')
    await approve(data.id)
    const paid = await shop.ends(data.id, 'SUCCESS')
    const attempts = await attemptsOf(app, data.id)
    expect(attempts.map(({ status }) => status)).toEqual(['FAILED', 'SUCCESS'])
    expect(new Set(attempts.map(({ gateway_code }) => gateway_code)).size).toBe(2)
    expect(paid.net_amount).toBe(data.net_amount)
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
  })

  it('whose answer is lost keeps its hold, is not sent again, and ends by the answer', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('05')
    const approved = await approve(data.id)
    expect(approved.data.status).toBe('PROCESSING')
    expect(await shop.sums()).toEqual(['90000.00', '10000.00'])
    await shop.ends(data.id, 'SUCCESS', 20_000)
    expect(await attemptsOf(app, data.id)).toMatchObject([{ status: 'SUCCESS', sends: 1 }])
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
  })

  it('is booked once, however often and whenever its success is called back', async () => {
    const shop = await richSettler(app)
    for (const magic of ['07', '08']) {
      const { data } = await shop.settle(magic)
      await approve(data.id)
      await shop.ends(data.id, 'SUCCESS')
    }
    // The third callback of 07 comes last of all.
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(await shop.sums()).toEqual(['80000.00', '0.00'])
  })

  it('that was refused and then paid moves no balance: an incident waits for two people', async () => {
    // The operator, at its own pace, refuses for two seconds: we may be late on a busy machine.
    const slow = await startApp({ speed: 1 })
    const its_staff = await slow.staff({ role: 'FINANCE' })
    const attempt = async () => {
      const shop = await richSettler(slow)
      const { data } = await shop.settle('09')
      await its_staff.post(`/admin/settlements/${data.id}/approve/`)
      const { status } = await eventually(async () => {
        const now = await shop.settlement(data.id)
        if (!['FAILED', 'SUCCESS'].includes(now.status)) throw new Error(now.status)
        return now
      })
      return { shop, data, status }
    }
    let tried = await attempt()
    for (let more = 3; tried.status === 'SUCCESS' && more > 0; more -= 1) tried = await attempt()
    const { shop, data } = tried
    const incidents = () => slow.owner`
      select type, settlement_id, amount from incidents where settlement_id = ${data.id}`
    const [incident] = await eventually(async () => {
      const rows = await incidents()
      if (rows.length === 0) throw new Error('no incident')
      return rows
    })
    expect(incident).toMatchObject({ type: 'PAID_AFTER_RELEASE' })
    expect((await shop.settlement(data.id)).status).toBe('FAILED')
    expect(await shop.sums()).toEqual(['100000.00', '0.00'])
    expect(await brokenLaws(slow)).toEqual([])
    await slow.stop()
  })

  it('that waits for its operator can neither be cancelled nor given up', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('04')
    await approve(data.id)
    const cancelled = await shop.post(`/settlements/${data.id}/cancel/`)
    expect([cancelled.status, cancelled.error.code]).toEqual([409, 'transaction_terminal'])
    const failed = await staff.post(`/admin/settlements/${data.id}/fail/`, { reason: 'No.' })
    expect([failed.status, failed.error.code]).toEqual([409, 'settlement_in_flight'])
    expect(await shop.sums()).toEqual(['90000.00', '10000.00'])
  })

  it('ends as a test tells the sandbox operator, once', async () => {
    const shop = await richSettler(app)
    const resolve = (id: string, body: object) =>
      shop.post(`/sandbox/settlements/${id}/resolve/`, body)
    const [one, two] = [(await shop.settle('04')).data.id, (await shop.settle('04')).data.id]
    const early = await resolve(one, { outcome: 'SUCCESS' })
    expect([early.status, early.error.code]).toEqual([409, 'not_resolvable'])
    await approve(one)
    await approve(two)
    expect((await resolve(one, { outcome: 'SUCCESS' })).data.status).toBe('SUCCESS')
    const failure = { outcome: 'FAILED', failure_code: 'LIMIT_REACHED' }
    expect((await resolve(two, failure)).data).toMatchObject({
      status: 'FAILED',
      failure_code: 'LIMIT_REACHED',
    })
    const late = await resolve(one, failure)
    expect([late.status, late.error.code]).toEqual([409, 'transaction_terminal'])
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
  })
})

describe('an operator who has nothing left to pay with', () => {
  const operations = () => app.staff({ role: 'OPERATIONS' })
  const setFloat = async (gateway: string, is_empty: boolean) => {
    const by = await operations()
    const body = JSON.stringify({ gateway, country: 'BJ', is_empty })
    const headers = { 'content-type': 'application/json' }
    const { status } = await by.call('PUT', '/admin/gateway-floats/', { body, headers })
    expect(status).toBe(200)
  }

  it('is passed over; when none has anything it waits as APPROVED, and goes when one has', async () => {
    const shop = await richSettler(app)
    const [one, two] = [await shop.settle('10'), await shop.settle('10')]
    await setFloat('simulator_a', true)
    try {
      await approve(one.data.id)
      await shop.ends(one.data.id, 'SUCCESS')
      const [attempt] = await attemptsOf(app, one.data.id)
      expect(attempt?.gateway_code).toBe('simulator_b')
      await setFloat('simulator_b', true)
      const approved = await approve(two.data.id)
      expect(approved.data).toMatchObject({ status: 'APPROVED', executed_at: null })
      expect(await attemptsOf(app, two.data.id)).toEqual([])
      expect(await shop.sums()).toEqual(['80000.00', '10000.00'])
      const executed = await staff.post(`/admin/settlements/${two.data.id}/execute/`, {
        gateway_reference: 'VIR-1',
      })
      expect([executed.status, executed.error.code]).toEqual([409, 'settlement_not_by_bank'])
    } finally {
      await setFloat('simulator_a', false)
      await setFloat('simulator_b', false)
    }
    await shop.ends(two.data.id, 'SUCCESS')
    expect(await shop.sums()).toEqual(['80000.00', '0.00'])
    const events = await eventsOf(app, two.data.id)
    expect(events.map((event) => [event.type, event.data.version])).toEqual([
      ['settlement.requested', 1],
      ['settlement.approved', 2],
      ['settlement.success', 4],
    ])
  })

  it('keeps one waiting that staff may still give up, or have stopped', async () => {
    const shop = await richSettler(app)
    const made = [await shop.settle('10'), await shop.settle('10')]
    const [given, stopped] = made.map(({ data }) => String(data.id))
    await setFloat('simulator_a', true)
    await setFloat('simulator_b', true)
    try {
      await approve(given ?? '')
      await approve(stopped ?? '')
      const failed = await staff.post(`/admin/settlements/${given}/fail/`, { reason: 'Enough.' })
      expect(failed.data.status).toBe('FAILED')
    } finally {
      await app.owner`
        update balances set is_frozen = true where merchant_id = ${shop.merchant_id}`
      await setFloat('simulator_a', false)
      await setFloat('simulator_b', false)
    }
    const other = await richSettler(app)
    const { data } = await other.settle('10')
    await approve(data.id)
    await other.ends(data.id, 'SUCCESS')
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    expect((await shop.settlement(stopped ?? '')).status).toBe('APPROVED')
    await app.owner`
      update balances set is_frozen = false where merchant_id = ${shop.merchant_id}`
    await shop.ends(stopped ?? '', 'SUCCESS')
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
  })
})

describe('a settlement by bank', () => {
  it('costs what the platform’s terms say, and is spent when staff have paid it', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    expect(data).toMatchObject({ client_fee: '0.00', net_amount: '10000.00' })
    const approved = await approve(data.id)
    expect(approved.data).toMatchObject({ status: 'APPROVED', executed_at: null })
    expect(await shop.sums()).toEqual(['90000.00', '10000.00'])
    const executed = await staff.post(`/admin/settlements/${data.id}/execute/`, {
      gateway_reference: ' VIR-1 ',
      proof_url: 'https://bank.example.com/proof/1',
    })
    expect([executed.status, executed.data.status]).toEqual([200, 'SUCCESS'])
    const paid = await shop.settlement(data.id)
    expect(paid).toMatchObject({
      status: 'SUCCESS',
      gateway_reference: 'VIR-1',
      proof_url: 'https://bank.example.com/proof/1',
    })
    expect(paid.executed_at).toBe(paid.completed_at)
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
    const events = await eventsOf(app, data.id)
    expect(events.map((one) => [one.type, one.data.status, one.data.version])).toEqual([
      ['settlement.requested', 'PENDING', 1],
      ['settlement.approved', 'APPROVED', 2],
      ['settlement.success', 'SUCCESS', 4],
    ])
    const [bank] = await app.owner`
      select sum(e.amount)::text as sum from ledger_entries e
        join accounts a on a.merchant_id = e.merchant_id and a.id = e.credit_account
       where e.cause_id = ${data.id} and a.kind = 'bank'`
    expect(bank).toEqual({ sum: '1000000' })
  })

  it('shows staff where it goes, whole, and the merchant never', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    const seen = await staff.get(`/admin/settlements/${data.id}/`)
    expect(seen.data.destination).toEqual({
      type: 'BANK_ACCOUNT',
      network: null,
      msisdn: null,
      bank_name: 'Banque du Golfe',
      account_number: 'BJ66BJ0610100100144390000769',
      account_name: 'Boutique Awa SARL',
    })
    const own = await shop.get(`/settlements/${data.id}/`)
    expect(JSON.stringify(own.body)).not.toContain('00144390000769')
    const listed = await staff.get(`/admin/settlements/?merchant=${shop.merchant_id}`)
    expect(listed.data.count).toBe(1)
    expect(JSON.stringify(listed.body)).not.toContain('00144390000769')
  })

  it.each(['before', 'after'])('that staff give up %s its approval is released', async (when) => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('bank')
    if (when === 'after') await approve(data.id)
    const failed = await staff.post(`/admin/settlements/${data.id}/fail/`, { reason: 'Closed.' })
    expect(failed.data).toMatchObject({ status: 'FAILED', failure_reason: 'Closed.' })
    expect(await shop.sums()).toEqual(['100000.00', '0.00'])
    expect((await eventsOf(app, data.id)).at(-1)?.type).toBe('settlement.failed')
  })
})

describe('a settlement that nobody has approved', () => {
  it('is taken back by its merchant, and all of it is available again', async () => {
    const shop = await richSettler(app)
    const { data } = await shop.settle('10')
    const cancelled = await shop.post(`/settlements/${data.id}/cancel/`)
    expect([cancelled.status, cancelled.data.status]).toEqual([200, 'CANCELLED'])
    expect(cancelled.data).toEqual(await shop.settlement(data.id))
    expect(await shop.sums()).toEqual(['100000.00', '0.00'])
    const events = await eventsOf(app, data.id)
    expect(events.map(({ type }) => type)).toEqual(['settlement.requested', 'settlement.cancelled'])
    expect(events[1]?.data).toEqual({
      ...cancelled.data,
      amount: cancelled.data.requested_amount,
      version: 2,
    })
    const again = await shop.post(`/settlements/${data.id}/cancel/`)
    expect([again.status, again.error.code]).toEqual([409, 'transaction_terminal'])
    const late = await approve(data.id)
    expect([late.status, late.error.code]).toEqual([409, 'transaction_terminal'])
  })
})

it('a webhook hears of each move, signed and in the order of the versions', async () => {
  const { url, received, close } = await startReceiver()
  try {
    const shop = await richSettler(app)
    const events = ['settlement.requested', 'settlement.approved', 'settlement.failed']
    const hook = await shop.post('/merchant-webhooks/', { url, events })
    const { data } = await shop.settle('bank')
    await approve(data.id)
    await staff.post(`/admin/settlements/${data.id}/fail/`, { reason: 'Closed.' })
    await eventually(async () => expect(received).toHaveLength(3))
    const inOrder = received.toSorted((a, b) => a.body.data.version - b.body.data.version)
    expect(inOrder.map(({ body }) => [body.event, body.data.id, body.data.status])).toEqual([
      ['settlement.requested', data.id, 'PENDING'],
      ['settlement.approved', data.id, 'APPROVED'],
      ['settlement.failed', data.id, 'FAILED'],
    ])
    for (const { body } of inOrder) {
      expect(body.data.amount).toBe(data.requested_amount)
      expect(body.data.requested_amount).toBe(data.requested_amount)
    }
    for (const { headers, raw } of inOrder) {
      const signed = createHmac('sha256', hook.data.signing_secret)
        .update(`${headers['x-webhook-timestamp']}.${raw}`)
        .digest('hex')
      expect(headers['x-webhook-signature']).toBe(signed)
    }
  } finally {
    await close()
  }
})

it('the operator’s own books agree with ours, when nothing is under way', async () => {
  const shop = await richSettler(app)
  const { data } = await shop.settle('10')
  await approve(data.id)
  await shop.ends(data.id, 'SUCCESS')
  await eventually(async () => {
    expect(await booksAgree(app)).toMatchObject({ ok: true, broken: 0 })
  })
})

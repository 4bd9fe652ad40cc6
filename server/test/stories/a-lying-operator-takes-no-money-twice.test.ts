// The operator answers late, out of order, or not what it said before; our own process is slow or
// dead in between. Without these, a payment is collected twice, or booked as taken back when it
// was not, or a payer's code has nowhere to go.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { applyCallback } from '../../src/attempts/apply-callback.ts'
import { callbackToken } from '../../src/attempts/callback-token.ts'
import { queryAttempt } from '../../src/attempts/query-attempt.ts'
import { receiveCallback } from '../../src/attempts/receive-callback.ts'
import { receivedOf } from '../../src/gateways/conformance-bench.ts'
import type { Answer } from '../../src/gateways/gateway.ts'
import { listOpenIncidents } from '../../src/incidents/store.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { newTally } from '../../src/platform/throttle/throttle.ts'
import { eventually, type Json } from '../harness.ts'
import {
  byCode,
  byRedirect,
  collected,
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

const poll = { triggered_by: 'POLLER', request_id: 'poll' } as const

async function pay(body: Json = softpayOf()): Promise<{ id: string; body: Json }> {
  const called = await fixture.call('initialize', { body })
  return { id: called.body.id ?? called.body.transaction, body: called.body }
}

async function only(id: string): Promise<Json> {
  const attempts = await fixture.attemptsOf(id)
  expect(attempts).toHaveLength(1)
  return attempts[0]
}

/**
 * Everybody's lease is over and the next question may be put, as after some time. A second ago, not
 * now: the clock of a busy machine can be set back by a little between two statements.
 */
const letTimePass = (attempt_id: string) => fixture.owner`
  update attempts set leased_until = now() - interval '1 second', asked_at = null,
                      due_at = now() - interval '1 second'
   where id = ${attempt_id}`

async function query(attempt_id: string): Promise<'queried' | 'busy'> {
  const key = { ...fixture.caller, id: attempt_id }
  return queryAttempt(fixture.deps, key, poll)
}

/** Until so many statements wait for a lock. */
const waiters = (count: number) =>
  eventually(async () => {
    const [row] = await fixture.owner`
      select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`
    expect(row?.['n']).toBeGreaterThanOrEqual(count)
  })

async function statusOf(id: string): Promise<string> {
  const [row] = await fixture.owner`select status from transactions where id = ${id}`
  return row?.['status']
}

type Calling = { key: string; answer: Answer; proof?: string; gateway?: string }

/** The operator calls the address of this attempt. */
async function callBack(attempt: Json, { key, answer, proof, gateway }: Calling) {
  const rows = await fixture.owner<{ id: string; code: string }[]>`select id, code from gateways`
  const stated = answer.is === 'confirmed' ? { ...answer, amount: Number(answer.amount) } : answer
  for (const operator of [one, two]) {
    operator.readCallback = ({ body }) => {
      const reading = JSON.parse(body.toString())
      const { amount } = reading.answer
      const read =
        amount === undefined ? reading.answer : { ...reading.answer, amount: BigInt(amount) }
      return { ...reading, answer: read }
    }
  }
  const said = { proof: proof ?? 'SIGNED', key, answer: stated, at: Math.random() }
  return receiveCallback(
    {
      ...fixture.deps,
      gateway_ids: new Map(rows.map((row) => [row.code, { id: row.id, environment: 'SANDBOX' }])),
      apply: (signed) => applyCallback(fixture.deps, signed),
      wakePoller: () => undefined,
      limits: { unmatched_callbacks_per_ip_hour: 1, unmatched_callbacks_per_gateway_hour: 1 },
      tally: newTally(),
    },
    {
      gateway_code: gateway ?? attempt.gateway_code,
      token: callbackToken(fixture.deps.macs, {
        merchant_id: fixture.caller.merchant_id,
        id: attempt.id,
      }),
      received: receivedOf({ body: JSON.stringify(said), headers: {} }, Date.now()),
      request_id: 'callback',
      ip: '192.0.2.1',
    },
  )
}

const incidentsOf = async (id: string) =>
  (await listOpenIncidents(fixture.owner, 1000))
    .filter((incident) => incident.transaction_id === id)
    .map(({ type }) => type)

describe('what was sent once is not proven unsent by a second send', () => {
  it('a resend that never left proves nothing about the first send', async () => {
    one.script.collect.push(lost, neverSent)
    one.script.ask.push(notFound)
    const { id } = await pay()
    const attempt = await only(id)
    await letTimePass(attempt.id)
    await query(attempt.id)
    expect(await statusOf(id)).toBe('PENDING')
    expect(await only(id)).toMatchObject({ status: 'UNKNOWN', sends: 2, gateway_ended: false })
    // The first send had arrived after all.
    await letTimePass(attempt.id)
    one.script.ask.push(paid(collected))
    await query(attempt.id)
    expect(await statusOf(id)).toBe('SUCCESS')
  })

  it.each([
    ['refused', refusedBy('gateway')],
    ['never_sent', neverSent],
  ] as const)(
    'a stalled sender hears %s after the poller resent: no second route',
    async (_, late) => {
      const before = two.sent.length
      one.script.collect.push(async () => {
        const [row] = await fixture.owner`
        select id from attempts where status = 'PENDING' and leased_until > now()
         order by created_at desc limit 1`
        await letTimePass(row?.['id'])
        one.script.ask.push(notFound)
        one.script.collect.push(waits)
        await query(row?.['id'])
        return late
      })
      const { id } = await pay()
      expect(two.sent.length).toBe(before)
      expect(await only(id)).toMatchObject({ status: 'PENDING', gateway_ended: false })
      expect(await statusOf(id)).toBe('PENDING')
    },
  )
})

describe('an answer that is older than what is known', () => {
  it('a refusal that was asked for before the success is no reversal', async () => {
    const { id } = await pay()
    const attempt = await only(id)
    await letTimePass(attempt.id)
    one.script.ask.push(async () => {
      await callBack(attempt, { key: attempt.our_key, answer: paid(collected) })
      return refusedBy('payer')
    })
    await query(attempt.id)
    expect(await statusOf(id)).toBe('SUCCESS')
    expect(await incidentsOf(id)).toEqual([])
    // It is asked once more, because the operator has contradicted itself.
    expect(await only(id)).toMatchObject({ is_due: true })
    await letTimePass(attempt.id)
    one.script.ask.push(refusedBy('payer'))
    await query(attempt.id)
    expect(await incidentsOf(id)).toEqual(['REVERSED_AFTER_SUCCESS'])
  })

  it('a create call answered “refused” after the success callback is no reversal', async () => {
    one.script.collect.push(async () => {
      const [attempt] = await fixture.owner`
        select id, our_key, gateway_code from attempts order by created_at desc limit 1`
      await callBack(attempt, { key: attempt?.['our_key'], answer: paid(collected) })
      return refusedBy('payer')
    })
    const { id, body } = await pay()
    expect(body.status).toBe('SUCCESS')
    expect(await incidentsOf(id)).toEqual([])
    expect(await only(id)).toMatchObject({ status: 'SUCCESS', is_due: true })
  })

  it('a wake-up during a question is kept, on an ended attempt too', async () => {
    const { id } = await pay()
    const attempt = await only(id)
    await letTimePass(attempt.id)
    one.script.ask.push(async () => {
      await callBack(attempt, { key: '', answer: waits, proof: 'BEARER' })
      return waits
    })
    await query(attempt.id)
    expect(await only(id)).toMatchObject({ is_due: true, leased_until: null })

    await callBack(attempt, { key: attempt.our_key, answer: paid(collected) })
    await letTimePass(attempt.id)
    one.script.ask.push(async () => {
      await callBack(attempt, { key: attempt.our_key, answer: refusedBy('payer') })
      return paid(collected)
    })
    await query(attempt.id)
    expect(await statusOf(id)).toBe('SUCCESS')
    expect(await only(id)).toMatchObject({ status: 'SUCCESS', is_due: true })
  })

  it('a refusal of the route before does not fail the payment that the next route has', async () => {
    // Both wait for the row: first the statement that goes on, then the callback's, which was
    // decided from what was true before it.
    const session = await fixture.owner.reserve()
    let answered: Promise<number> | undefined
    one.script.collect.push(async () => {
      const [attempt] = await fixture.owner`
        select id, our_key, gateway_code, transaction_id from attempts
         where gateway_code = 'simulator_a' order by created_at desc limit 1`
      await session`begin`
      await session`select 1 from transactions where id = ${attempt?.['transaction_id']} for update`
      void (async () => {
        await waiters(1)
        answered = callBack(attempt, { key: attempt?.['our_key'], answer: refusedBy('payer') })
        await waiters(2)
        await session`commit`
      })()
      return refusedBy('gateway')
    })
    const { id, body } = await pay()
    session.release()
    expect(await answered).toBe(200)
    expect(body.status).toBe('PENDING')
    expect(await statusOf(id)).toBe('PENDING')
    expect((await fixture.attemptsOf(id)).map(({ status }) => status)).toEqual([
      'FAILED',
      'PENDING',
    ])
  })
})

describe('a callback says what it says about its own payment only', () => {
  it('one that names another payment wakes a question and settles nothing', async () => {
    const { id } = await pay()
    const other = await pay()
    const attempt = await only(id)
    const named = await only(other.id)
    const answer = paid(collected)
    expect(await callBack(attempt, { key: named.our_key, answer })).toBe(200)
    expect(await statusOf(id)).toBe('PENDING')
    expect(await only(id)).toMatchObject({ is_due: true })
    const kept = await fixture.owner`
      select outcome from gateway_callbacks where attempt_id = ${attempt.id}`
    expect(kept).toEqual([{ outcome: 'WOKE' }])
    expect(await callBack(attempt, { key: 'OP-1', answer })).toBe(200)
    expect(await statusOf(id)).toBe('SUCCESS')
  })

  it('one by another operator than the attempt’s is to no address of ours', async () => {
    const { id } = await pay()
    const attempt = await only(id)
    const calling = { key: attempt.our_key, answer: paid(collected), gateway: 'simulator_b' }
    expect(await callBack(attempt, calling)).toBe(404)
    expect(await statusOf(id)).toBe('PENDING')
  })
})

describe('an operator that has it after all', () => {
  it('waits for the payer’s code: the code can be given', async () => {
    one.script.collect.push(lost)
    const { id } = await pay(byCode)
    const attempt = await only(id)
    await letTimePass(attempt.id)
    one.script.ask.push(waitsForCode)
    await query(attempt.id)
    expect(await only(id)).toMatchObject({ status: 'PENDING', next_action: 'ENTER_OTP' })
    one.script.confirmOtp.push(paid(attempt.debited_amount))
    const confirmed = await fixture.call('confirm-otp', { id, body: { otp: '123456' } })
    expect(confirmed).toMatchObject({ status: 200, body: { status: 'SUCCESS' } })
  })

  it('waits on its page: the address is kept', async () => {
    one.script.collect.push(lost)
    const { id } = await pay(byRedirect)
    const attempt = await only(id)
    await letTimePass(attempt.id)
    const redirect_to = 'https://operator.example/pay/1'
    one.script.ask.push({ is: 'waiting', external_reference: 'OP-1', next: { redirect_to } })
    await query(attempt.id)
    expect(await only(id)).toMatchObject({ checkout_url: redirect_to, next_action: 'REDIRECT' })
  })
})

// An attempt whose outcome nobody knows always has somebody who will ask: the poller, a retry, a
// verify. Without these a payment stays PENDING for ever, is sent twice, or is paid twice by a
// retry that did not wait.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readAges } from '../../src/app/store.ts'
import { pollJobs } from '../../src/attempts/jobs.ts'
import { queryAttempt } from '../../src/attempts/query-attempt.ts'
import type { Answer, Gateway } from '../../src/gateways/gateway.ts'
import { listOpenIncidents } from '../../src/incidents/store.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { Json } from '../harness.ts'
import {
  byCode,
  byMadeCode,
  collected,
  lost,
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
let queryOne: ScriptedOperator['query']

beforeAll(async () => {
  fixture = await openPaymentFixture('STATIC')
  one = fixture.one
  two = fixture.two
  queryOne = one.query
})
afterAll(() => fixture?.stop())

afterEach(async () => {
  one.query = queryOne
  for (const { script } of [one, two]) {
    for (const queue of Object.values(script)) queue.length = 0
  }
  expect((await verifyLedger(fixture.owner)).filter((check) => !check.ok)).toEqual([])
  // The law of this file: what is open has a next question, by somebody, some time.
  const stranded = await fixture.owner`
    select id, status from attempts where status in ('PENDING', 'UNKNOWN') and due_at is null`
  expect(stranded).toEqual([])
})

const crash = () => {
  throw new Error('the process died here')
}

/** A payment whose process died before, or in, the call to the operator. */
async function dies(body: Json = softpayOf()): Promise<{ id: string; attempt: Json }> {
  one.script.collect.push(crash)
  await expect(fixture.call('initialize', { body })).rejects.toThrow('died')
  const [row] = await fixture.owner`select id from transactions order by created_at desc limit 1`
  const id = row?.['id']
  return { id, attempt: (await fixture.attemptsOf(id))[0] }
}

async function pay(body: Json = softpayOf()): Promise<{ id: string; attempt: Json }> {
  const { body: data } = await fixture.call('initialize', { body })
  return { id: data.id, attempt: (await fixture.attemptsOf(data.id))[0] }
}

const letTimePass = (attempt_id: string) => fixture.owner`
  update attempts set leased_until = now() - interval '1 s', due_at = now() - interval '1 second',
           asked_at = null
   where id = ${attempt_id}`

/** No settlement is made here. */
const pollDeps = () => ({ ...fixture.deps, log })

/** What the pollers had to say, one line a failure. */
const logged: string[] = []
const log = { error: (about: object) => void logged.push(JSON.stringify(about)) }

/** One run of the pollers, as the worker of any process would do it; only this one is due. */
async function poll(attempt_id: string, gateway_ids?: Map<string, string>): Promise<void> {
  // What other stories left open would take the answers that are meant for this one.
  await fixture.owner`
    update attempts set due_at = now() + interval '1 hour'
     where due_at is not null and id <> ${attempt_id}`
  await letTimePass(attempt_id)
  await fixture.owner`delete from leases`
  const rows = await fixture.owner<{ id: string; code: string }[]>`select id, code from gateways`
  const ids = gateway_ids ?? new Map(rows.map(({ code, id }) => [code, id]))
  for (const job of pollJobs(pollDeps(), ids)) {
    await job.run({ signal: new AbortController().signal })
  }
}

async function statusOf(id: string): Promise<Json> {
  const [row] = await fixture.owner`
    select status, failure_code from transactions where id = ${id}`
  return row
}

describe('an attempt that was written and never sent', () => {
  it('is sent by the poller with the same key, and its callbacks are at home', async () => {
    const { id, attempt } = await dies()
    // Under the lease of the process that wrote it nobody asks.
    const key = { ...fixture.caller, id: attempt.id }
    const question = { triggered_by: 'POLLER', request_id: 'poll' } as const
    expect(await queryAttempt(fixture.deps, key, question)).toBe('busy')
    await fixture.owner`delete from callback_directory where attempt_id = ${attempt.id}`
    const sent = one.sent.length
    one.script.ask.push(notFound)
    await poll(attempt.id)
    expect(one.sent.slice(sent).map((order) => order.our_key)).toEqual([attempt.our_key])
    expect((await fixture.attemptsOf(id))[0]).toMatchObject({ status: 'PENDING', sends: 2 })
    const home = await fixture.owner`
      select key from callback_directory where attempt_id = ${attempt.id}`
    expect(home).toEqual([{ key: attempt.our_key }])
  })

  it('is never sent after its two minutes: it is UNKNOWN, then FAILED after the grace', async () => {
    const { id, attempt } = await dies()
    await fixture.owner`update attempts set send_deadline = now() where id = ${attempt.id}`
    const sent = one.sent.length
    one.script.ask.push(notFound)
    await poll(attempt.id)
    expect((await fixture.attemptsOf(id))[0]).toMatchObject({ status: 'UNKNOWN', is_due: false })
    expect(await statusOf(id)).toMatchObject({ status: 'PENDING' })
    await fixture.owner`
      update attempts set send_started_at = now() - interval '16 minutes'
       where id = ${attempt.id}`
    one.script.ask.push(notFound)
    await poll(attempt.id)
    expect(await statusOf(id)).toEqual({ status: 'FAILED', failure_code: 'GATEWAY_UNAVAILABLE' })
    expect(one.sent.length).toBe(sent)
  })

  it('is never sent by the poller when it needs a code that the payer made', async () => {
    const { id, attempt } = await dies(byMadeCode)
    const sent = one.sent.length
    one.script.ask.push(notFound)
    await poll(attempt.id)
    expect(one.sent.length).toBe(sent)
    expect((await fixture.attemptsOf(id))[0]).toMatchObject({ status: 'UNKNOWN', sends: 1 })
  })

  it('whose resend is lost as well is asked about, not sent blindly', async () => {
    const { id, attempt } = await dies()
    one.script.ask.push(notFound, waits)
    one.script.collect.push(lost)
    await poll(attempt.id)
    const sent = one.sent.length
    await poll(attempt.id)
    expect(one.sent.length).toBe(sent)
    expect(await statusOf(id)).toMatchObject({ status: 'PENDING' })
  })
})

describe('a gateway that is gone', () => {
  it('leaves its attempts to others while the asking time lasts, and then closes them', async () => {
    const { id, attempt } = await dies()
    const { gateways } = fixture.deps
    const without = { get: () => undefined, all: () => [] as readonly Gateway[] }
    Object.assign(fixture.deps, { gateways: without })
    try {
      await poll(attempt.id, new Map())
      expect((await fixture.attemptsOf(id))[0]).toMatchObject({ status: 'PENDING', is_due: true })
      const verified = await fixture.call('verify', { id })
      expect(verified.body).toMatchObject({ status: 'PENDING' })
      await fixture.owner`update attempts set asking_until = now() - interval '1 s' where id = ${attempt.id}`
      await poll(attempt.id, new Map())
    } finally {
      Object.assign(fixture.deps, { gateways })
    }
    expect(await statusOf(id)).toEqual({ status: 'FAILED', failure_code: 'UNKNOWN' })
    const incidents = await listOpenIncidents(fixture.owner, 100)
    expect(incidents.filter((one) => one.transaction_id === id)).toMatchObject([
      { type: 'OUTCOME_UNKNOWN' },
    ])
  })

  it('is asked at the pace that was agreed on since its poller began', async () => {
    const due = [await pay(), await pay(), await pay()]
    await fixture.owner`update attempts set due_at = now() + interval '1 hour' where due_at <= now()`
    for (const { attempt } of due) await letTimePass(attempt.id)
    const rows = await fixture.owner<{ id: string; code: string }[]>`select id, code from gateways`
    const { gateways } = fixture.deps
    let pace = 50
    const get = (code: string) => {
      const gateway = gateways.get(code)
      return gateway && { ...gateway, facts: { ...gateway.facts, queries_per_second: pace } }
    }
    const deps = { ...pollDeps(), gateways: { ...gateways, get } }
    const [job] = pollJobs(deps, new Map(rows.map((row) => [row.code, row.id])))
    pace = 2
    one.script.ask.push(paid(collected), paid(collected), paid(collected))
    await fixture.owner`delete from leases`
    expect(await job?.run({ signal: new AbortController().signal })).toBe('more')
    expect(one.script.ask).toHaveLength(1)
    pace = 50
    expect(await job?.run({ signal: new AbortController().signal })).toBe('rest')
    expect(one.script.ask).toHaveLength(0)
  })

  it('one poisoned answer does not hold up the others', async () => {
    const [bad, good] = [await pay(), await pay()]
    await letTimePass(good.attempt.id)
    one.query = async ({ attempt_id }) => {
      if (attempt_id === bad.attempt.id) throw new Error('poison')
      return { answer: paid(collected), hash: Buffer.alloc(32) }
    }
    const key = good.attempt.id
    await fixture.owner`update attempts set due_at = now() + interval '1 hour' where due_at <= now()`
    await letTimePass(bad.attempt.id)
    await letTimePass(key)
    const rows = await fixture.owner<{ id: string; code: string }[]>`select id, code from gateways`
    const jobs = pollJobs(pollDeps(), new Map(rows.map((row) => [row.code, row.id])))
    await fixture.owner`delete from leases`
    await jobs[0]?.run({ signal: new AbortController().signal })
    expect(logged.at(-1)).toContain(bad.attempt.id)
    expect(await statusOf(good.id)).toMatchObject({ status: 'SUCCESS' })
  })

  it('thirty that cannot be booked slow nobody, and move away by growing steps', async () => {
    // As an older version could leave it: a balance in another currency than its country's.
    const { merchant_id } = fixture.caller
    await fixture.owner`
      insert into balances (merchant_id, id, environment, country, currency)
      values (${merchant_id}, gen_random_uuid(), 'SANDBOX', 'CM', 'XOF')`
    const phone = '+237670000010'
    const customer = { ...softpayOf().customer, phone }
    const cameroon = softpayOf({ country: 'CM', network: 'mtn_cm', currency: 'XAF', customer })
    const bad: Awaited<ReturnType<typeof pay>>[] = []
    for (let made = 0; made < 30; made += 1) bad.push(await pay(cameroon))
    const poisoned = bad.map(({ attempt }) => attempt.id)
    one.query = async ({ attempt_id }) => {
      const [row] = await fixture.owner`
        select debited_amount, currency from attempts where id = ${attempt_id}`
      const answer = paid(row?.['debited_amount']) as Extract<Answer, { is: 'confirmed' }>
      return { answer: { ...answer, currency: row?.['currency'] }, hash: Buffer.alloc(32) }
    }
    const rows = await fixture.owner<{ id: string; code: string }[]>`select id, code from gateways`
    const [job] = pollJobs(pollDeps(), new Map(rows.map((row) => [row.code, row.id])))
    const run = async () => {
      await fixture.owner`delete from leases`
      return job?.run({ signal: new AbortController().signal })
    }
    const steps: number[] = []
    for (let round = 1; round <= 10; round += 1) {
      const good = await pay()
      await fixture.owner`
        update attempts set due_at = now() + interval '1 hour'
         where due_at <= now() and id <> all(${poisoned}::uuid[])`
      for (const id of [...poisoned, good.attempt.id]) await letTimePass(id)
      expect(await run()).toBe('rest')
      expect(await statusOf(good.id)).toMatchObject({ status: 'SUCCESS' })
      const [away] = await fixture.owner`
        select min(extract(epoch from due_at - now()))::int as least,
               max(extract(epoch from due_at - now()))::int as most
          from attempts where id = any(${poisoned}::uuid[])`
      expect(away?.['most'] - away?.['least']).toBeLessThan(15)
      // Seconds may pass before the look.
      steps.push(Math.ceil(away?.['most'] / 15) * 15)
    }
    expect(steps).toEqual(steps.toSorted((a, b) => a - b))
    expect(steps[0]).toBeLessThanOrEqual(15)
    expect(steps.at(-1)).toBeGreaterThan(1800)
    expect(steps.at(-1)).toBeLessThanOrEqual(3600)
    for (const id of poisoned) {
      expect(logged.filter((line) => line.includes(id))).toHaveLength(10)
    }
    // What failed, and no row's data.
    expect(logged.at(-1)).toContain('ledger_entries_check')
    expect(logged.join()).not.toMatch(/Failing row|516300|XAF/)
    // These, and at most the one of the test before.
    expect([30, 31]).toContain((await readAges(fixture.db)).of.SANDBOX.failing_attempts)
    // What is right again is no trouble any more.
    await fixture.owner`delete from balances where merchant_id = ${merchant_id} and country = 'CM'`
    for (const id of poisoned) await letTimePass(id)
    await run()
    expect(await statusOf(bad[29]?.id ?? '')).toMatchObject({ status: 'SUCCESS' })
    expect((await readAges(fixture.db)).of.SANDBOX.failing_attempts).toBeLessThan(2)
  }, 60_000)

  it('words that the database cannot hold settle all the same', async () => {
    const { id, attempt } = await pay()
    const reference = 'OP\u0000\ud800'
    one.query = async () => ({
      answer: {
        ...(paid(collected) as Extract<Answer, { is: 'confirmed' }>),
        external_reference: reference,
      },
      hash: Buffer.alloc(32),
    })
    await poll(attempt.id)
    expect(await statusOf(id)).toMatchObject({ status: 'SUCCESS' })
  })
})

describe('the fifth wrong code', () => {
  it('fails the payment, not the attempt: what the operator confirms after it is paid', async () => {
    one.script.collect.push(waitsForCode)
    const { id, attempt } = await pay(byCode)
    for (const _ of [1, 2, 3, 4, 5]) {
      expect(await statusOf(id)).toMatchObject({ status: 'PENDING' })
      one.script.confirmOtp.push({ is: 'wrong_otp' })
      const called = await fixture.call('confirm-otp', { id, body: { otp: '000000' } })
      expect(called).toMatchObject({ status: 422, body: { code: 'otp_confirmation_failed' } })
    }
    expect(await statusOf(id)).toEqual({ status: 'FAILED', failure_code: 'INVALID_OTP' })
    expect((await fixture.attemptsOf(id))[0]).toMatchObject({ status: 'UNKNOWN', wrong_otps: 5 })
    const sixth = await fixture.call('confirm-otp', { id, body: { otp: '123456' } })
    expect(sixth).toMatchObject({ status: 409, body: { code: 'transaction_terminal' } })
    one.script.ask.push(paid(attempt.debited_amount))
    await poll(attempt.id)
    expect(await statusOf(id)).toEqual({ status: 'SUCCESS', failure_code: '' })
  })

  it('codes are confirmed one at a time', async () => {
    one.script.collect.push(waitsForCode)
    const { id } = await pay(byCode)
    const before = one.codes.length
    let answered = () => {}
    const held = new Promise<Answer>((resolve) => {
      answered = () => resolve(waits)
    })
    one.script.confirmOtp.push(() => held, waits)
    const calls = ['123456', '654321'].map((otp) =>
      fixture.call('confirm-otp', { id, body: { otp } }),
    )
    // The operator answers the first only when the other has its answer, however late it comes.
    await Promise.race(calls)
    answered()
    const both = await Promise.all(calls)
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)?.body.code).toBe('idempotency_in_progress')
    expect(one.codes.length - before).toBe(1)
  })

  it('an unknown outcome of a code is no wrong code', async () => {
    one.script.collect.push(waitsForCode)
    const { id } = await pay(byCode)
    one.script.confirmOtp.push(lost)
    const called = await fixture.call('confirm-otp', { id, body: { otp: '123456' } })
    expect(called).toMatchObject({ status: 200, body: { status: 'PENDING' } })
    expect((await fixture.attemptsOf(id))[0]).toMatchObject({ wrong_otps: 0, leased_until: null })
  })
})

describe('that nothing is known', () => {
  const unknown = async (): Promise<number> => {
    await fixture.deps.health.exchange(fixture.db)
    const [row] = await fixture.owner`
      select coalesce(sum(unknown), 0)::int as unknown from route_stats`
    return row?.['unknown']
  }

  it.each([lost, { is: 'never_sent', because: 'connect_timeout' } as const])(
    'is counted until something is, once, however often it was sent and asked about: %j',
    async (again) => {
      const before = await unknown()
      one.script.collect.push(lost)
      const { attempt } = await pay()
      expect(await unknown()).toBe(before + 1)
      // Within the two minutes in which the same may be sent again.
      one.script.ask.push(notFound)
      one.script.collect.push(again)
      await poll(attempt.id)
      expect(await unknown()).toBe(before + 1)
      for (const _ of ['it has it', 'and again']) {
        one.script.ask.push(waits)
        await poll(attempt.id)
        expect(await unknown()).toBe(before)
      }
    },
  )

  it('is not taken back of what was known, and was closed by us', async () => {
    const before = await unknown()
    one.script.collect.push(waitsForCode)
    const { id, attempt } = await pay(byCode)
    for (const _ of [1, 2, 3, 4, 5]) {
      one.script.confirmOtp.push({ is: 'wrong_otp' })
      await fixture.call('confirm-otp', { id, body: { otp: '000000' } })
    }
    expect((await fixture.attemptsOf(id))[0]).toMatchObject({ status: 'UNKNOWN' })
    one.script.ask.push(waits, waits, paid(attempt.debited_amount))
    for (const _ of ['waits', 'waits', 'paid']) await poll(attempt.id)
    expect(await statusOf(id)).toMatchObject({ status: 'SUCCESS' })
    expect(await unknown()).toBe(before)
  })
})

describe('a retry while the outcome of the attempt before is unknown', () => {
  /** FAILED by us (five wrong codes): the operator has not ended it. */
  async function unended(): Promise<{ id: string; attempt: Json }> {
    one.script.collect.push(waitsForCode)
    const made = await pay(byCode)
    for (const _ of [1, 2, 3, 4, 5]) {
      one.script.confirmOtp.push({ is: 'wrong_otp' })
      await fixture.call('confirm-otp', { id: made.id, body: { otp: '000000' } })
    }
    await letTimePass(made.attempt.id)
    return made
  }

  it('cancels it at the operator first, then sends one new attempt', async () => {
    const { id, attempt } = await unended()
    const cancelled = one.cancelled.length
    const both = await Promise.all([fixture.call('retry', { id }), fixture.call('retry', { id })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const refused = both.find(({ status }) => status === 409)
    expect(refused?.body).toMatchObject({ code: 'payment_already_pending' })
    expect(refused?.body.retry_after_s).toBeGreaterThan(0)
    expect(one.cancelled.slice(cancelled)[0]).toMatchObject({ our_key: attempt.our_key })
    const attempts = await fixture.attemptsOf(id)
    expect(attempts.map(({ status }) => status)).toEqual(['FAILED', 'PENDING'])
    expect(new Set(attempts.map(({ our_key }) => our_key)).size).toBe(2)
  })

  it('answers 409 with Retry-After while the operator has not ended it', async () => {
    const { id } = await unended()
    const key = 'retry-unended'
    one.script.cancel.push(lost)
    one.script.ask.push(waits)
    const called = await fixture.call('retry', { id, key })
    expect(called).toMatchObject({ status: 409, body: { code: 'payment_already_pending' } })
    expect(called.body.retry_after_s).toBeGreaterThan(0)
    expect(await fixture.attemptsOf(id)).toHaveLength(1)
    // The key is not consumed: the same call goes through when the operator has ended it.
    await fixture.owner`update attempts set asked_at = null where transaction_id = ${id}`
    one.script.collect.push(waitsForCode)
    expect(await fixture.call('retry', { id, key })).toMatchObject({ status: 200 })
    expect(await fixture.attemptsOf(id)).toHaveLength(2)
  })

  it('finds it paid: not_retryable, settled by it, and no second attempt', async () => {
    const { id, attempt } = await unended()
    one.script.cancel.push(paid(attempt.debited_amount))
    const called = await fixture.call('retry', { id })
    expect(called).toMatchObject({ status: 409, body: { code: 'not_retryable' } })
    expect(await statusOf(id)).toMatchObject({ status: 'SUCCESS' })
    expect(await fixture.attemptsOf(id)).toHaveLength(1)
  })

  it('of a payment that is PENDING is refused at once, whatever its attempt is', async () => {
    one.script.collect.push(lost)
    const { id } = await pay()
    const called = await fixture.call('retry', { id })
    expect(called).toMatchObject({ status: 409, body: { code: 'payment_already_pending' } })
    expect(called.body.retry_after_s).toBeGreaterThan(0)
  })

  it('is a prompt like any other: above the limit it is 429, and FAILED stays FAILED', async () => {
    one.script.collect.push(refusedBy('payer'))
    const phone = '+2290197000099'
    const { id } = await pay(softpayOf({ customer: { ...softpayOf().customer, phone } }))
    const { limits } = fixture.deps
    const underLimit = async (narrow: Partial<typeof limits>) => {
      Object.assign(fixture.deps, { limits: { ...limits, ...narrow } })
      const called = await fixture.call('retry', { id, key: 'prompted' })
      Object.assign(fixture.deps, { limits })
      expect(called).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
      return called.body.retry_after_s
    }
    expect(await underLimit({ phone_prompts_10min: 1 })).toBeLessThanOrEqual(600)
    expect(await underLimit({ phone_prompts_day: 1 })).toBeGreaterThan(86_000)
    expect(await statusOf(id)).toMatchObject({ status: 'FAILED' })
    expect(await fixture.call('retry', { id, key: 'prompted' })).toMatchObject({ status: 200 })
  })

  it('a route that refuses is followed by the next one, under the new attempt', async () => {
    one.script.collect.push(refusedBy('payer'))
    const { id } = await pay()
    one.script.collect.push(refusedBy('gateway'))
    expect(await fixture.call('retry', { id })).toMatchObject({ body: { status: 'PENDING' } })
    const attempts = await fixture.attemptsOf(id)
    expect(attempts.map((a) => [a.gateway_code, a.status])).toEqual([
      ['simulator_a', 'FAILED'],
      ['simulator_a', 'FAILED'],
      ['simulator_b', 'PENDING'],
    ])
  })
})

// Histories of chance: whatever operators answer, and whatever is asked of us meanwhile, no second
// attempt leaves while one is unknown; and nothing leaves that would go above what an account is
// trusted with, to the franc.

import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../src/gateways/gateway.ts'
import type { Json } from '../harness.ts'
import { newPayer } from '../harness.ts'
import { sized } from '../setup/proof-size.ts'
import {
  lost,
  neverSent,
  notFound,
  openPaymentFixture,
  type PaymentFixture,
  refusedBy,
  type ScriptedOperator,
  waits,
} from '../setup/scripted-operator.ts'

let stand: PaymentFixture
beforeAll(async () => {
  stand = await openPaymentFixture()
})
afterAll(() => stand?.stop())
afterEach(async () => {
  await limitTo(null)
})

const body = (amount = '1000') => ({
  ...{ amount, currency: 'XOF', country: 'BJ', network: 'mtn_bj' },
  ...{ customer: newPayer(), description: 'A test' },
})

/** As in all processes: the routes are read again. */
async function limitTo(hundredths: bigint | null): Promise<void> {
  await stand.owner`update gateways set exposure_limit_collect = ${hundredths}`
  await stand.owner`update catalogue_version set version = version + 1`
}

const callNow = async (call: Parameters<PaymentFixture['call']>) => {
  const [row] = await stand.owner<{ version: bigint }[]>`select version from catalogue_version`
  Object.assign(stand.caller, { catalogue_version: row?.version ?? 0n })
  return stand.call(...call)
}

const refusedByOperator = refusedBy('gateway')
const answers: readonly Answer[] = [lost, neverSent, refusedByOperator, refusedBy('payer'), waits]

/** What an operator saw, and said to it. */
type Call = Readonly<{ is: 'send' | 'question'; key: string; answer: Answer }>

/** What reaches the operators, in order, with what they say to it. */
function journal(operators: readonly ScriptedOperator[], sends: readonly Answer[]): Call[] {
  const calls: Call[] = []
  let at = 0
  for (const operator of operators) {
    operator.script.collect = []
    operator.collect = async (order) => {
      operator.sent.push(order)
      const answer = sends[at] ?? waits
      at += 1
      calls.push({ is: 'send', key: order.our_key, answer })
      return { answer, hash: Buffer.alloc(32, 1) }
    }
    const say = async (key: string, scripted: unknown, usual: Answer) => {
      const answer = (scripted as Answer | undefined) ?? usual
      calls.push({ is: 'question', key, answer })
      return { answer, hash: Buffer.alloc(32, 1) }
    }
    operator.query = ({ our_key }) => say(our_key, operator.script.ask.shift(), waits)
    operator.cancel = ({ our_key }) =>
      say(our_key, operator.script.cancel.shift(), refusedBy('payer'))
  }
  return calls
}

/** Sends of unknown outcome after which another key left, and the operator had not ended them. */
function endedByNobody(calls: readonly Call[]): Call[] {
  return calls.filter((one, at) => {
    if (one.is !== 'send' || one.answer.is !== 'unknown') return false
    const later = calls.slice(at + 1)
    const next = later.findIndex(({ is, key }) => is === 'send' && key !== one.key)
    if (next === -1) return false
    const said = later.slice(0, next).filter(({ is, key }) => is === 'question' && key === one.key)
    return !said.some(({ answer }) => answer.is === 'refused' || answer.is === 'not_found')
  })
}

describe('no schedule of failures', () => {
  it('sends a second attempt while one is unknown', { timeout: 300_000 }, async () => {
    const step = fc.record({
      act: fc.constantFrom('verify', 'retry'),
      ask: fc.constantFrom<Answer>(lost, waits, notFound, refusedByOperator),
      cancel: fc.constantFrom<Answer>(lost, waits, refusedBy('payer')),
    })
    const history = fc.record({
      sends: fc.array(fc.constantFrom(...answers), { minLength: 1, maxLength: 6 }),
      steps: fc.array(step, { maxLength: 5 }),
    })
    let unknown = 0
    await fc.assert(
      fc.asyncProperty(history, async ({ sends, steps }) => {
        const calls = journal([stand.one, stand.two], sends)
        const made = await callNow(['initialize', { body: body() }])
        const id = String((made.body as Json)?.id ?? (made.body as Json)?.transaction ?? '')
        for (const { act, ask, cancel } of steps) {
          for (const { script } of [stand.one, stand.two]) {
            Object.assign(script, { ask: [ask], cancel: [cancel] })
          }
          // A question of a moment ago counts as made: let its pause be over.
          await stand.owner`
            update attempts set asked_at = asked_at - interval '1 minute', leased_until = null
             where transaction_id = ${id}`
          await callNow([act, { id }])
        }
        const rows = await stand.attemptsOf(id)
        expect(
          rows.filter(({ status }) => ['PENDING', 'UNKNOWN'].includes(status)).length,
        ).toBeLessThanOrEqual(1)
        expect(endedByNobody(calls)).toEqual([])
        unknown += calls.filter((one) => one.is === 'send' && one.answer.is === 'unknown').length
      }),
      { numRuns: sized(40, 400) },
    )
    // Chance decides how many: in forty histories some 20 are usual, and none would prove nothing.
    expect(unknown).toBeGreaterThan(0)
  })
})

describe('what an account is trusted with', () => {
  it('stops what is new at the franc, and lets it go on when something has ended', async () => {
    journal([stand.one, stand.two], [])
    await stand.owner`update attempts set due_at = null where due_at is not null`
    const first = await callNow(['initialize', { body: body('1000') }])
    const [sent] = await stand.attemptsOf(first.body.id)
    const each: bigint = sent?.debited_amount
    // Room for three at each of the two operators, and a franc less than a fourth.
    await limitTo(each * 4n - 100n)
    const made = await Promise.all(
      Array.from({ length: 12 }, () => callNow(['initialize', { body: body('1000') }])),
    )
    const open = await stand.owner<{ gateway_code: string; open: bigint }[]>`
      select gateway_code, sum(debited_amount)::bigint as open from attempts
       where due_at is not null and status in ('PENDING', 'UNKNOWN') group by gateway_code`
    for (const one of open) expect(one.open).toBeLessThanOrEqual(each * 4n - 100n)
    const refused = made.filter(({ status }) => status !== 201)
    expect(refused.length).toBeGreaterThanOrEqual(12 - 5)
    for (const one of refused) {
      expect([one.status, one.body.code]).toEqual([422, 'no_route_available'])
    }
    // One after the other: each operator is filled to its last whole payment, and no further.
    for (let i = 0; i < 8; i += 1) await callNow(['initialize', { body: body('1000') }])
    const full = await stand.owner<{ open: bigint }[]>`
      select sum(debited_amount)::bigint as open from attempts
       where due_at is not null and status in ('PENDING', 'UNKNOWN') group by gateway_code`
    expect(full.map((one) => one.open)).toEqual([each * 3n, each * 3n])
    await stand.owner`
      update attempts set status = 'FAILED', finished_at = now(), due_at = null
       where id = (select id from attempts where due_at is not null limit 1)`
    expect((await callNow(['initialize', { body: body('1000') }])).status).toBe(201)
    expect((await callNow(['initialize', { body: body('1000') }])).status).toBe(422)
  })

  it('counts what its operator never ends for a day: then it is with people, and asked daily', async () => {
    journal([stand.one, stand.two], [])
    await stand.owner`update attempts set due_at = null where due_at is not null`
    const first = await callNow(['initialize', { body: body('1000') }])
    const [sent] = await stand.attemptsOf(first.body.id)
    await limitTo(sent?.debited_amount)
    const ids = [String(first.body.id)]
    const pay = () => callNow(['initialize', { body: body('1000') }])
    for (let made = await pay(); made.status === 201; made = await pay()) ids.push(made.body.id)
    // One at each of the two operators, which say for ever that they wait.
    expect(ids).toHaveLength(2)
    for (const { script } of [stand.one, stand.two]) script.ask = []
    const pass = (asking_until: string) => stand.owner`
      update attempts
         set asking_until = now() + ${asking_until}::interval, asked_at = null,
             due_at = now() - interval '1 second', leased_until = null
       where transaction_id = any(${ids}::uuid[])`
    const open = async () => {
      const rows = await stand.owner<Json[]>`
        select a.status, t.status as payment, i.type,
               a.due_at > now() + interval '23 hours' as is_daily
          from attempts a
          join transactions t on t.merchant_id = a.merchant_id and t.id = a.transaction_id
          left join incidents i on i.merchant_id = a.merchant_id and i.attempt_id = a.id
         where a.transaction_id = any(${ids}::uuid[]) and a.status <> 'FAILED'`
      return [...rows]
    }
    await pass('1 minute')
    for (const id of ids) await callNow(['verify', { id }])
    expect((await pay()).status).toBe(422)
    const unknown = { status: 'UNKNOWN', payment: 'FAILED', type: 'OUTCOME_UNKNOWN' }
    const left = { ...unknown, is_daily: true }
    // The day is over; then a daily question that learns nothing.
    for (let day = 1; day <= 2; day += 1) {
      await pass('-1 minute')
      for (const id of ids) await callNow(['verify', { id }])
      expect(await open()).toEqual([left, left])
      expect((await pay()).status).toBe(201)
    }
    expect((await pay()).status).toBe(422)
  })
})

describe('an account that carries several currencies', () => {
  it('counts each for what it is worth, and one without a rate as too much', async () => {
    journal([stand.one, stand.two], [])
    await stand.owner`update attempts set due_at = null where due_at is not null`
    const first = await callNow(['initialize', { body: body('1000') }])
    const [sent] = await stand.attemptsOf(first.body.id)
    const each: bigint = sent?.debited_amount
    await limitTo(each * 2n)
    const pay = async () => (await callNow(['initialize', { body: body('1000') }])).status
    for (let i = 0; i < 3; i += 1) expect(await pay()).toBe(201)
    expect(await pay()).toBe(422)
    const asIfIn = (currency: string) =>
      stand.owner`update attempts set currency = ${currency} where due_at is not null`
    // Fifteen Guinean francs are worth one, a dollar more than five hundred.
    await asIfIn('GNF')
    expect(await pay()).toBe(201)
    await asIfIn('USD')
    expect(await pay()).toBe(422)
    await asIfIn('GNF')
    expect(await pay()).toBe(201)
    await asIfIn('BTN')
    expect(await pay()).toBe(422)
  })
})

describe('what was written before its account was full, and perhaps not sent', () => {
  it('is not sent again while that would go above the limit', async () => {
    const calls = journal([stand.one, stand.two], [lost])
    const left = () => calls.filter((one) => one.is === 'send')
    await stand.owner`update attempts set due_at = null where due_at is not null`
    const { body: made } = await callNow(['initialize', { body: body('1000') }])
    const id = String(made.transaction ?? made.id)
    const ask = async () => {
      for (const { script } of [stand.one, stand.two]) script.ask = [notFound]
      await stand.owner`
        update attempts set asked_at = null, leased_until = null where transaction_id = ${id}`
      await callNow(['verify', { id }])
    }
    await limitTo(100n)
    await ask()
    expect(left()).toHaveLength(1)
    await limitTo(null)
    await ask()
    expect(left().map(({ key }) => key)).toEqual([calls[0]?.key, calls[0]?.key])
  })
})

describe('a process that stands still while it looks at what is open', () => {
  it('sends nothing: by now another may have the attempt', async () => {
    journal([stand.one, stand.two], [])
    await stand.owner`update attempts set due_at = null where due_at is not null`
    await limitTo(1_000_000_00n)
    const { db, clock } = stand.deps
    let stood_ms = 0
    const slow = new Proxy(db, {
      apply(target, self, [text, ...values]) {
        if (Array.isArray(text) && text.join('').includes('::bigint as open')) stood_ms = 60_000
        return Reflect.apply(target, self, [text, ...values])
      },
    })
    Object.assign(stand.deps, { db: slow, clock: () => Date.now() + stood_ms })
    const sent = () => [stand.one.sent.length, stand.two.sent.length]
    const before = sent()
    await callNow(['initialize', { body: body('1000') }])
    Object.assign(stand.deps, { db, clock })
    expect([stood_ms, sent()]).toEqual([60_000, before])
  })
})

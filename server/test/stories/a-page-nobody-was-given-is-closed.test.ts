// Operators whose payers go to a page, and that are searched or asked by what they gave: an answer
// that is lost costs the payer no double payment and no day of waiting, and what was paid twice is
// booked once.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Attempt } from '../../src/attempts/attempt.ts'
import { findAttempt } from '../../src/attempts/attempt-statements.ts'
import { callbackToken } from '../../src/attempts/callback-token.ts'
import { dropOldMemos, findMemo } from '../../src/attempts/memo-statements.ts'
import { queryAttempt } from '../../src/attempts/query-attempt.ts'
import { receiveCallback } from '../../src/attempts/receive-callback.ts'
import { receivedOf } from '../../src/gateways/conformance-bench.ts'
import type { Answer, Capture, GatewayFacts } from '../../src/gateways/gateway.ts'
import { openContradiction } from '../../src/incidents/open-contradiction.ts'
import { allowedFor, totalAnswered } from '../../src/incidents/resolution.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { newTally } from '../../src/platform/throttle/throttle.ts'
import type { Json } from '../harness.ts'
import {
  byRedirect,
  lost,
  notFound,
  openPaymentFixture,
  type PaymentFixture,
  refusedBy,
  type ScriptedOperator,
} from '../setup/scripted-operator.ts'

let fixture: PaymentFixture
let one: ScriptedOperator
const keyring = openKeyring(Buffer.alloc(32, 7).toString('base64'))

beforeAll(async () => {
  fixture = await openPaymentFixture()
  one = fixture.one
})
afterAll(() => fixture?.stop())
afterEach(async () => {
  for (const queue of Object.values(one.script)) queue.length = 0
  for (const calls of [one.sent, one.queried, one.cancelled]) calls.length = 0
  expect((await verifyLedger(fixture.owner)).filter((check) => !check.ok)).toEqual([])
})

/** What the operator is like from here on, and that its memos are sealed. */
function isLike(changes: Partial<GatewayFacts>): void {
  Object.assign(one, {
    facts: { ...one.facts, create_is_idempotent: false, unshown_is_proof: true, ...changes },
  })
  Object.assign(fixture.deps, { seals: keyring })
}
const searched = () => isLike({ ask_by: 'SEARCH', search_lag_s: 60 })
const askedByTheirs = () => isLike({ ask_by: 'THEIR_REFERENCE' })

const page = (external_reference: string): Answer => ({
  is: 'waiting',
  external_reference,
  next: { redirect_to: `https://pay.example/${external_reference}` },
})

async function pay(): Promise<string> {
  const { body } = await fixture.call('initialize', { body: byRedirect })
  return body.id ?? body.transaction
}

async function only(id: string): Promise<Json> {
  const attempts = await fixture.attemptsOf(id)
  expect(attempts).toHaveLength(1)
  return attempts[0]
}

/** So many seconds later, with nobody at work on it. */
const later = (attempt_id: string, seconds: number) => fixture.owner`
  update attempts
     set leased_until = now() - interval '1 second', asked_at = null,
         due_at = now() - interval '1 second',
         send_started_at = send_started_at - ${seconds} * interval '1 second',
         send_deadline = send_deadline - ${seconds} * interval '1 second'
   where id = ${attempt_id}`

async function ask(id: string, seconds = 0): Promise<void> {
  await askAttempt((await only(id)).id, seconds)
}

async function askAttempt(id: string, seconds = 0): Promise<void> {
  await later(id, seconds)
  const key = { ...fixture.caller, id }
  const poll = { triggered_by: 'POLLER', request_id: 'poll' } as const
  expect(await queryAttempt(fixture.deps, key, poll)).toBe('queried')
}

async function stateOf(id: string) {
  const [row] = await fixture.owner<{ status: string; failure_code: string }[]>`
    select status, failure_code from transactions where id = ${id}`
  return row
}

const pending = { status: 'PENDING', failure_code: '' }
const closed = { status: 'FAILED', failure_code: 'GATEWAY_UNAVAILABLE' }

describe('an operator that is searched, when the answer to a create is lost', () => {
  it('is asked first; what it has is adopted, and its payer is sent to that page', async () => {
    searched()
    one.script.collect.push(lost)
    const id = await pay()
    one.script.ask.push(notFound, page('cos-1'))
    await ask(id)
    expect(await stateOf(id)).toEqual(pending)
    await ask(id, 30)
    expect(await only(id)).toMatchObject({
      ...{ status: 'PENDING', external_reference: 'cos-1', next_action: 'REDIRECT' },
      checkout_url: 'https://pay.example/cos-1',
    })
    expect(one.sent).toHaveLength(1)
  })

  it('makes another page once the search would have found the first, and never a third', async () => {
    searched()
    one.script.collect.push(lost, lost)
    const id = await pay()
    one.script.ask.push(notFound, notFound, notFound, notFound)
    await ask(id, 59)
    expect(one.sent).toHaveLength(1)
    await ask(id, 2)
    expect(one.sent.map(({ our_key }) => our_key)).toEqual([
      one.sent[0]?.our_key,
      one.sent[0]?.our_key,
    ])
    await ask(id, 30)
    expect(await stateOf(id)).toEqual(pending)
    await ask(id, 31)
    expect(await stateOf(id)).toEqual(closed)
    expect(one.sent).toHaveLength(2)
    expect(one.queried.at(-1)).toMatchObject({ sends: 2 })
    expect(await only(id)).toMatchObject({ status: 'FAILED', gateway_ended: false })
  })

  it('is paid after all by what it turns out to have had', async () => {
    searched()
    one.script.collect.push(lost)
    const id = await pay()
    one.script.ask.push(notFound)
    await ask(id, 130)
    expect(await stateOf(id)).toEqual(closed)
    const { debited_amount: amount } = await only(id)
    one.script.ask.push({ is: 'confirmed', external_reference: 'cos-1', amount, currency: 'XOF' })
    await ask(id)
    expect(await stateOf(id)).toEqual({ status: 'SUCCESS', failure_code: '' })
  })

  it('is booked once where two pages were paid, and the other sum waits for people', async () => {
    searched()
    one.script.collect.push(lost, page('cos-2'))
    const id = await pay()
    one.script.ask.push(notFound)
    await ask(id, 61)
    const { debited_amount: amount } = await only(id)
    const capture = (external_reference: string): Capture => ({
      ...{ external_reference, amount, currency: 'XOF' },
    })
    const several: Answer = { is: 'several', captures: [capture('cos-1'), capture('cos-2')] }
    one.script.ask.push(several, several)
    await ask(id)
    expect(await stateOf(id)).toEqual({ status: 'SUCCESS', failure_code: '' })
    // Told a second time, it is no news.
    await ask(id)
    const incidents = await fixture.owner<Json[]>`
      select type, amount, detail from incidents where transaction_id = ${id}`
    expect(incidents).toMatchObject([
      { type: 'DUPLICATE_CAPTURE', amount, detail: { references: ['cos-1', 'cos-2'] } },
    ])
    expect(await only(id)).toMatchObject({ status: 'SUCCESS', external_reference: 'cos-2' })
  })

  it('is booked each time where another attempt and then both of its pages were paid', async () => {
    searched()
    one.script.collect.push(lost, lost)
    const id = await pay()
    const { id: first, debited_amount: amount } = await only(id)
    one.script.ask.push(notFound, notFound)
    await ask(id, 61)
    await ask(id, 61)
    expect(await stateOf(id)).toEqual(closed)
    const capture = (external_reference: string): Capture => ({
      ...{ external_reference, amount, currency: 'XOF' },
    })
    one.script.collect.push({ is: 'confirmed', ...capture('cos-3') })
    expect((await fixture.call('retry', { id })).body).toMatchObject({ status: 'SUCCESS' })
    const several: Answer = { is: 'several', captures: [capture('cos-1'), capture('cos-2')] }
    one.script.ask.push({ is: 'confirmed', ...capture('cos-1') }, several, several)
    await askAttempt(first)
    // The other page may still be paid, whatever its callback.
    expect((await fixture.attemptsOf(id)).find((of) => of['id'] === first)).toMatchObject({
      ...{ status: 'SUCCESS', due_at: expect.any(Date) },
    })
    for (let told = 0; told < 2; told += 1) await askAttempt(first)
    await expectSeconds(id, amount, ['cos-1', 'cos-2'])
  })

  it('is booked each time where the second was known before another attempt paid', async () => {
    searched()
    one.script.collect.push(lost, lost)
    const id = await pay()
    const { id: first, debited_amount: amount } = await only(id)
    one.script.ask.push(notFound, notFound)
    await ask(id, 61)
    await ask(id, 61)
    const capture = (external_reference: string): Capture => ({
      ...{ external_reference, amount, currency: 'XOF' },
    })
    const captures: [Capture, Capture] = [capture('cos-1'), capture('cos-2')]
    // Whoever heard of both died before the one that pays was booked.
    const attempt = await findAttempt(fixture.db, { ...fixture.caller, id: first })
    expect(
      await openContradiction(
        fixture.deps,
        { ...asked, merchant_id: fixture.caller.merchant_id, attempt_id: first },
        { attempt: attempt as Attempt, eventsOf: () => [] },
        {
          ...{ is: 'incident', type: 'DUPLICATE_CAPTURE', amount, currency: 'XOF' },
          ...{ external_reference: 'cos-1', references: ['cos-1', 'cos-2'] },
          ...{ beside: [captures[1]], then_confirm: captures[0] },
        },
      ),
    ).toBe('moved')
    one.script.collect.push({ is: 'confirmed', ...capture('cos-3') })
    expect((await fixture.call('retry', { id })).body).toMatchObject({ status: 'SUCCESS' })
    one.script.ask.push({ is: 'several', captures }, { is: 'several', captures })
    for (let told = 0; told < 2; told += 1) await askAttempt(first)
    await expectSeconds(id, amount, ['cos-2', 'cos-1'])
  })

  it('is not booked again where another amount of it was put into an incident before', async () => {
    searched()
    one.script.collect.push(lost, lost)
    const id = await pay()
    const { id: first, debited_amount: amount } = await only(id)
    const less = BigInt(amount) - 100n
    one.script.ask.push(notFound, notFound)
    await ask(id, 61)
    await ask(id, 61)
    const other = { external_reference: 'cos-1', amount: less, currency: 'XOF' }
    one.script.collect.push(page('cos-3'))
    expect((await fixture.call('retry', { id })).body).toMatchObject({ status: 'PENDING' })
    one.script.ask.push({ is: 'confirmed', ...other })
    await askAttempt(first)
    const again = (await fixture.attemptsOf(id)).find((of) => of['id'] !== first)
    one.script.ask.push({
      ...{ is: 'confirmed', external_reference: 'cos-3', amount, currency: 'XOF' },
    })
    await askAttempt(again?.['id'])
    expect(await stateOf(id)).toMatchObject({ status: 'SUCCESS' })
    const second = { external_reference: 'cos-2', amount, currency: 'XOF' }
    one.script.ask.push({ is: 'several', captures: [other, second] })
    await askAttempt(first)
    const incidents = await fixture.owner<Json[]>`
      select type, amount, detail from incidents
       where transaction_id = ${id} order by created_at`
    expect(incidents).toMatchObject([
      { type: 'AMOUNT_MISMATCH', amount: less, detail: { external_reference: 'cos-1' } },
      { type: 'DUPLICATE_CAPTURE', amount, detail: { captured: ['cos-2'] } },
    ])
  })
})

const asked = {
  answer: lost,
  hash: Buffer.alloc(32),
  triggered_by: 'POLLER',
  request_id: 'story',
  evidence_kind: 'STATUS_ANSWER',
  gateway: { create_is_idempotent: false, not_found_grace_s: 900 },
} as const

/** Two incidents, each of its own money, which people end as they end any second capture. */
async function expectSeconds(
  id: string,
  amount: bigint,
  captured: readonly string[],
): Promise<void> {
  const incidents = await fixture.owner<(Json & Parameters<typeof allowedFor>[0])[]>`
    select id, type, amount, detail, follows, currency, suspense_side from incidents
     where transaction_id = ${id} order by created_at`
  const type = 'DUPLICATE_CAPTURE'
  expect(incidents).toMatchObject(
    captured.map((one) => ({ type, amount, detail: { external_reference: one, captured: [one] } })),
  )
  const [first, second] = incidents
  expect(first?.follows).toBeNull()
  expect(second).toMatchObject({ follows: first?.['id'], detail: { follows: first?.['id'] } })
  const attempt = {
    direction: 'COLLECT',
    currency: 'XOF',
    status: 'SUCCESS',
    booked_amount: null,
  } as const
  for (const one of incidents) {
    expect(allowedFor(one, { attempt, unended: 'none' })).toEqual([
      'REFUND_PAYER',
      'CREDIT_MERCHANT',
    ])
  }
}

describe('an account that is gone', () => {
  it('leaves what contradicts a payment due, later and later', async () => {
    searched()
    one.script.collect.push(page('cos-4'))
    const id = await pay()
    const { id: attempt_id, debited_amount: amount } = await only(id)
    one.script.ask.push({ is: 'confirmed', external_reference: 'cos-4', amount, currency: 'XOF' })
    await ask(id, 5)
    expect(await stateOf(id)).toEqual({ status: 'SUCCESS', failure_code: '' })
    const gone = { ...fixture.deps, gateways: { ...fixture.deps.gateways, get: () => undefined } }
    const dueIn = async (): Promise<number | null> => {
      await later(attempt_id, 0)
      const key = { ...fixture.caller, id: attempt_id }
      await queryAttempt(gone, key, { triggered_by: 'POLLER', request_id: 'poll' })
      const [row] = await fixture.owner<{ due_s: number | null }[]>`
        select extract(epoch from due_at - now())::int as due_s
          from attempts where id = ${attempt_id}`
      return row?.due_s ?? null
    }
    expect(await dueIn()).toBeGreaterThan(50)
    await fixture.owner`
      update attempts set asking_until = now() - interval '1 second' where id = ${attempt_id}`
    expect(await dueIn()).toBeGreaterThan(3_500)
  })
})

describe('an operator that is asked by what it gave', () => {
  it('leaves a lost create closed at once, and its payer may try again', async () => {
    askedByTheirs()
    one.script.collect.push(lost)
    const { status, body } = await fixture.call('initialize', { body: byRedirect })
    expect([status, body.status, body.failure_code]).toEqual([201, 'FAILED', 'GATEWAY_UNAVAILABLE'])
    const [log] = await fixture.owner`
      select reason, evidence_kind from transaction_status_logs
       where transaction_id = ${body.id} and to_status = 'FAILED'`
    expect(log?.['reason']).toBe('abandoned: nobody was given its page')
    expect(one.queried).toEqual([])
    one.script.collect.push(page('OR-1'))
    const retried = await fixture.call('retry', { id: body.id })
    expect(retried.body).toMatchObject({
      ...{ status: 'PENDING', checkout_url: 'https://pay.example/OR-1' },
    })
  })

  it('is closed by the poller where the process died before it wrote the answer', async () => {
    askedByTheirs()
    one.script.collect.push(page('OR-2'))
    const id = await pay()
    await fixture.owner`
      update attempts set checkout_url = '', external_reference = '', accepted_at = null,
                          next_action = 'NONE', status = 'PENDING'
       where transaction_id = ${id}`
    one.script.ask.push({ is: 'unknown', because: 'nothing to ask by', cannot_ask: true })
    await ask(id)
    expect(await stateOf(id)).toEqual(closed)
  })

  it('is asked with its memo, which is sealed with the answer and gone a month after', async () => {
    askedByTheirs()
    const memo = { ask: 'pay-token-of-theirs', notice: 'notice-token-of-theirs' }
    one.script.collect.push({ ...page('OR-3'), memo } as Answer)
    const id = await pay()
    const { id: attempt_id } = await only(id)
    const key = { merchant_id: fixture.caller.merchant_id, id: attempt_id }
    const [row] = await fixture.owner`
      select sealed from attempt_memos where attempt_id = ${attempt_id}`
    expect(row?.['sealed'].includes('pay-token')).toBe(false)
    one.script.ask.push(refusedBy('payer'))
    await ask(id)
    expect(one.queried.at(-1)).toMatchObject({ memo, external_reference: 'OR-3' })
    expect(await dropOldMemos(fixture.db)).toBe(0)
    const age = (days: number) => fixture.owner`
      with aged as (update attempts set finished_at = now() - ${days} * interval '1 day'
                     where id = ${attempt_id} returning 1)
      update attempt_memos set created_at = now() - ${days} * interval '1 day'
       where attempt_id = ${attempt_id}`
    await age(29)
    expect(await dropOldMemos(fixture.db)).toBe(0)
    expect(await findMemo({ db: fixture.db, seals: keyring }, key)).toEqual(memo)
    await age(31)
    expect(await dropOldMemos(fixture.db)).toBe(1)
    expect(await findMemo({ db: fixture.db, seals: keyring }, key)).toBeUndefined()
  })

  it('is woken at once by a callback that brings its token, and by no other', async () => {
    askedByTheirs()
    const memo = { ask: 'x', notice: 'right' }
    one.script.collect.push({ ...page('OR-4'), memo } as Answer)
    const id = await pay()
    const { id: attempt_id } = await only(id)
    const key = { merchant_id: fixture.caller.merchant_id, id: attempt_id }
    const token = callbackToken(fixture.deps.macs, key)
    const tell = (notice: string) =>
      receiveCallback(
        {
          ...{ db: fixture.db, gateways: fixture.deps.gateways, macs: fixture.deps.macs },
          gateway_ids: new Map([[one.code, { id: gateway_id, environment: 'SANDBOX' }]]),
          seals: keyring,
          apply: async () => 'nobody',
          wakePoller: () => undefined,
          limits: {
            unmatched_callbacks_per_ip_hour: 100,
            unmatched_callbacks_per_gateway_hour: 100,
          },
          tally: newTally(),
        },
        {
          ...{ gateway_code: one.code, token, request_id: 'told', ip: '127.0.0.1' },
          received: receivedOf(
            {
              body: JSON.stringify({
                ...{ proof: 'UNSIGNED', key: '', notice },
                answer: { is: 'unknown', because: 'a notice' },
              }),
              headers: {},
            },
            Date.now(),
          ),
        },
      )
    const [gateway] = await fixture.owner`
      select gateway_id from attempts where id = ${attempt_id}`
    const gateway_id: string = gateway?.['gateway_id']
    expect([await tell('wrong'), await tell('right')]).toEqual([200, 200])
    const kept = await fixture.owner`
      select proof, outcome from gateway_callbacks where attempt_id = ${attempt_id}`
    expect(kept.map((it) => it['proof']).sort()).toEqual(['BEARER', 'UNSIGNED'])
    expect(await stateOf(id)).toEqual(pending)
  })
})

describe('a payer who has had their time', () => {
  it('is not waited for: it is cancelled, and what the operator says then counts', async () => {
    isLike({ ask_by: 'SEARCH', prompt_lifetime_s: 1_800 })
    one.script.collect.push(page('cos-8'), page('cos-9'))
    const [left, quick] = [await pay(), await pay()]
    one.script.ask.push(page('cos-8'))
    await ask(left, 1_799)
    expect(one.cancelled).toEqual([])
    one.script.ask.push(page('cos-8'))
    await ask(left, 1)
    expect(one.cancelled).toMatchObject([{ external_reference: 'cos-8' }])
    expect(await stateOf(left)).toEqual({ status: 'FAILED', failure_code: 'NOT_APPROVED' })
    const { debited_amount: amount } = await only(quick)
    one.script.ask.push(page('cos-9'))
    one.script.cancel.push({
      ...{ is: 'confirmed', external_reference: 'cos-9', amount, currency: 'XOF' },
    })
    await ask(quick, 1_800)
    expect(await stateOf(quick)).toEqual({ status: 'SUCCESS', failure_code: '' })
  })
})

describe('an operator that names no amount', () => {
  it('is believed by the question that named it, and the log says so', async () => {
    askedByTheirs()
    one.script.collect.push(page('OR-5'))
    const id = await pay()
    const { debited_amount: amount } = await only(id)
    one.script.ask.push({
      ...{ is: 'confirmed', external_reference: 'MP-1', amount, currency: 'XOF' },
      amount_is: 'ASKED',
    })
    await ask(id)
    const { body } = await fixture.call('verify', { id })
    expect(body.status).toBe('SUCCESS')
    const [log] = await fixture.owner`
      select evidence_kind from transaction_status_logs
       where transaction_id = ${id} and to_status = 'SUCCESS'`
    expect(log?.['evidence_kind']).toBe('ANSWER_ASKED')
  })
})

describe('a page that comes later than the answer to its create', () => {
  it('is given to its payer once the operator shows it', async () => {
    isLike({ ask_by: 'OUR_KEY', unshown_is_proof: false })
    one.script.collect.push({ is: 'waiting', external_reference: 'cos-9', next: 'page_soon' })
    const id = await pay()
    expect(await only(id)).toMatchObject({ next_action: 'REDIRECT', checkout_url: '' })
    one.script.ask.push(page('cos-9'), page('cos-9'))
    await ask(id)
    const shown = { status: 'PENDING', checkout_url: 'https://pay.example/cos-9' }
    expect(await only(id)).toMatchObject(shown)
    await ask(id)
    expect(await only(id)).toMatchObject({ ...shown, next_action: 'REDIRECT' })
  })
})

describe('a payment that is taken back in parts', () => {
  it('is in incidents with the whole of what came back, and no more', async () => {
    isLike({ ask_by: 'OUR_KEY', unshown_is_proof: false })
    one.script.collect.push(page('cos-10'))
    const id = await pay()
    const { debited_amount: amount } = await only(id)
    const paid = { external_reference: 'cos-10', amount, currency: 'XOF' }
    one.script.ask.push({ is: 'confirmed', ...paid })
    await ask(id)
    const detail = 'EXTERNAL_REFUND'
    const taken = async (back: bigint) => {
      one.script.ask.push({ is: 'reversed', external_reference: 'cos-10', amount: back, detail })
      await ask(id)
      const rows = await fixture.owner<{ type: string; amount: bigint }[]>`
        select type, amount from incidents where transaction_id = ${id} order by created_at, id`
      expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(['AMOUNT_MISMATCH']))
      return rows.map((row) => row.amount)
    }
    expect(await taken(100_000n)).toEqual([100_000n])
    expect(await taken(100_000n)).toEqual([100_000n])
    expect(await taken(250_000n)).toEqual([100_000n, 150_000n])
    expect(await taken(amount)).toEqual([100_000n, 150_000n, amount - 250_000n])
    expect(await taken(amount)).toHaveLength(3)
    // Each of them is the merchant's to bear, and is no total that later reports are measured by.
    const attempt = { direction: 'COLLECT', currency: 'XOF', status: 'SUCCESS' } as const
    const settled = { ...attempt, booked_amount: null }
    const [, , last] = await fixture.owner<Parameters<typeof totalAnswered>[0][]>`
      select * from incidents where transaction_id = ${id} order by created_at, id`
    if (last === undefined) throw new Error('no incident')
    const ways = ['CHARGE_MERCHANT', 'RECOVERED', 'WRITE_OFF'] as const
    expect(allowedFor(last, { attempt: settled, unended: 'none' })).toEqual(ways)
    for (const way of ways) expect(totalAnswered(last, way, settled)).toBeUndefined()
  })
})

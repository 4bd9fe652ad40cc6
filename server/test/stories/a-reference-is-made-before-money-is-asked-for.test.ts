// An operator that makes its own reference is asked for it first, and we keep it before the call
// that takes money. What was lost before that is made again; what was lost after it is asked about,
// and never sent twice. And an operator that is asked by a replay is, until its key is dead.

import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { queryAttempt } from '../../src/attempts/query-attempt.ts'
import type { Alarm } from '../../src/gateways/alarms.ts'
import type { GatewayFacts, GatewayOrder, Prepared } from '../../src/gateways/gateway.ts'
import type { Health } from '../../src/gateways/health.ts'
import type { Json } from '../harness.ts'
import {
  byRedirect,
  collected,
  lost,
  neverSent,
  notFound,
  openPaymentFixture,
  type PaymentFixture,
  paid,
  type ScriptedOperator,
  softpayOf,
} from '../setup/scripted-operator.ts'

let fixture: PaymentFixture
const prepared: GatewayOrder[] = []
let answers: (Prepared | (() => Promise<Prepared>))[] = []

const made: Prepared = { is: 'prepared', external_reference: 'THEIRS-1' }

/** The scripted operator, as one whose creates have two steps. */
function asPreparing(operator: ScriptedOperator): void {
  Object.assign(operator, {
    facts: { ...operator.facts, create_is_idempotent: false } satisfies GatewayFacts,
    async prepare(order: GatewayOrder) {
      prepared.push(order)
      const next = answers.shift() ?? made
      const answer = typeof next === 'function' ? await next() : next
      return { answer, hash: createHash('sha256').update(answer.is).digest() }
    },
  })
}

beforeAll(async () => {
  fixture = await openPaymentFixture('STATIC')
})
afterAll(() => fixture?.stop())
afterEach(() => {
  for (const { script, sent, queried } of [fixture.one, fixture.two]) {
    for (const queue of Object.values(script)) queue.length = 0
    sent.length = 0
    queried.length = 0
  }
  prepared.length = 0
  answers = []
})

const pay = async (body: unknown = softpayOf()): Promise<string> => {
  const { body: answered } = await fixture.call('initialize', { body })
  return String(answered.data?.id ?? answered.id)
}

const attemptOf = async (id: string): Promise<Json> => (await fixture.attemptsOf(id))[0]

/** The attempt is so much older, and whoever sent it is gone. */
async function older(id: string, by: string): Promise<void> {
  await fixture.owner`
    update attempts
       set created_at = created_at - ${by}::interval,
           send_started_at = send_started_at - ${by}::interval,
           send_deadline = send_deadline - ${by}::interval,
           leased_until = now() - interval '1 second', asked_at = null
     where transaction_id = ${id}`
}

async function ask(id: string): Promise<void> {
  const { id: attempt_id } = await attemptOf(id)
  await fixture.owner`
    update attempts set asked_at = null, leased_until = null where id = ${attempt_id}`
  const key = { ...fixture.caller, id: attempt_id }
  const question = { triggered_by: 'POLLER', request_id: 'poll' } as const
  expect(await queryAttempt(fixture.deps, key, question)).toBe('queried')
}

const statusOf = async (id: string): Promise<string> => {
  const [row] = await fixture.owner<{ status: string }[]>`
    select status from transactions where id = ${id}`
  return row?.status ?? ''
}

describe('a create in two steps', () => {
  beforeAll(() => asPreparing(fixture.one))

  it('names the operator’s reference in the call that takes money, and finds callbacks by it', async () => {
    const id = await pay()
    expect(fixture.one.sent.map((order) => order.external_reference)).toEqual(['THEIRS-1'])
    expect(prepared.map((order) => order.external_reference)).toEqual([''])
    const attempt = await attemptOf(id)
    const [row] = await fixture.owner<Json[]>`
      select attempt_id from callback_directory where key = 'THEIRS-1'`
    expect(row).toEqual({ attempt_id: attempt.id })
    await fixture.owner`delete from callback_directory where key = 'THEIRS-1'`
  })

  it('makes a lost reference again, once, and takes money once', async () => {
    answers = [lost as Prepared]
    await pay()
    expect([prepared.length, fixture.one.sent.length]).toEqual([2, 1])
  })

  it('that is refused before its reference is made counts as any other, and raises the alarm', async () => {
    const { health, alarm } = fixture.deps
    const [alarms, failed]: [string[], (string | undefined)[]] = [[], []]
    const record: Health['record'] = (route, took_ms, why) => {
      failed.push(why)
      health.record(route, took_ms, why)
    }
    Object.assign(fixture.deps, {
      alarm: async ({ kind }: Alarm) => void alarms.push(kind),
      health: { ...health, record },
    })
    const refused = { is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' } as const
    answers = [{ ...refused, detail: 'status 401', external_reference: '', alarm: 'CREDENTIAL' }]
    await pay()
    answers = [lost as Prepared, lost as Prepared]
    await pay()
    Object.assign(fixture.deps, { health, alarm })
    expect(alarms).toEqual(['CREDENTIAL'])
    const ours = failed.filter((why) => why !== undefined)
    expect(ours).toEqual(['status 401', expect.stringMatching(/^never_sent not prepared/)])
  })

  it('goes to the next operator where no reference could be had: nothing was taken', async () => {
    answers = [lost as Prepared, lost as Prepared]
    const id = await pay()
    expect([fixture.one.sent.length, fixture.two.sent.length]).toEqual([0, 1])
    const attempts = await fixture.attemptsOf(id)
    expect(attempts.map(({ status, gateway_code }) => [status, gateway_code])).toEqual([
      ['FAILED', 'simulator_a'],
      ['PENDING', 'simulator_b'],
    ])
  })

  it('never makes the money call again when its answer was lost: it asks', async () => {
    fixture.one.script.collect.push(lost)
    const id = await pay()
    expect(await attemptOf(id)).toMatchObject({ status: 'UNKNOWN', external_reference: 'THEIRS-1' })
    fixture.one.script.ask.push(notFound, lost, paid(collected))
    await ask(id)
    await ask(id)
    expect(await statusOf(id)).toBe('PENDING')
    await ask(id)
    expect(await statusOf(id)).toBe('SUCCESS')
    expect([prepared.length, fixture.one.sent.length]).toEqual([1, 1])
    expect(fixture.one.queried.at(-1)?.external_reference).toBe('THEIRS-1')
  })

  it('is made whole after a crash before the reference was kept', async () => {
    // The process dies in the first step: the test stops there, and time passes.
    let die: (reason: Error) => void = () => undefined
    answers = [() => new Promise((_, reject) => (die = reject))]
    const begun = fixture.call('initialize', { body: softpayOf() }).catch(() => undefined)
    const [{ transaction_id: id } = {}] = await eventuallyOpen()
    await older(id, '30 seconds')
    fixture.one.script.ask.push(notFound)
    await ask(id)
    expect(fixture.one.sent.map((order) => order.external_reference)).toEqual(['THEIRS-1'])
    expect(await attemptOf(id)).toMatchObject({ status: 'PENDING', sends: 2 })
    die(new Error('died'))
    await begun
  })

  it('sends no money call when another process has taken the attempt over meanwhile', async () => {
    let go: (answer: Prepared) => void = () => undefined
    answers = [() => new Promise((resolve) => (go = resolve))]
    const begun = fixture.call('initialize', { body: softpayOf() })
    const [{ transaction_id: id } = {}] = await eventuallyOpen()
    await older(id, '30 seconds')
    fixture.one.script.ask.push(notFound)
    await ask(id)
    expect(fixture.one.sent).toHaveLength(1)
    go({ is: 'prepared', external_reference: 'THEIRS-2' })
    await begun
    expect(fixture.one.sent).toHaveLength(1)
    expect(await attemptOf(id)).toMatchObject({ external_reference: 'OP-1' })
  })

  it('fails where the second step never left, and the operator is not asked', async () => {
    fixture.one.script.collect.push(neverSent)
    fixture.two.script.collect.push(neverSent)
    expect((await fixture.call('initialize', { body: softpayOf() })).status).toBe(422)
    expect([fixture.one.queried.length, prepared.length]).toEqual([0, 1])
  })
})

/** The attempt that a call has just written: open, and not accepted yet. */
async function eventuallyOpen(): Promise<Json[]> {
  for (;;) {
    const rows = await fixture.owner<Json[]>`
      select transaction_id from attempts
       where accepted_at is null and status = 'PENDING' and gateway_code = 'simulator_a'`
    if (rows.length > 0) return rows
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('an operator that is asked by a replay', () => {
  const day = 24 * 3600
  const usual: GatewayFacts = {
    create_is_idempotent: true,
    not_found_grace_s: 900,
    call_timeout_ms: 3_000,
    queries_per_second: 50,
    first_ask_after_s: { callbacks_seen: 5, callbacks_silent: 5 },
    callback_address: 'STATIC',
  }
  beforeAll(() => {
    for (const operator of [fixture.one, fixture.two]) {
      Object.assign(operator, { facts: { ...usual, ask_by: 'REPLAY', idempotency_s: day } })
      Reflect.deleteProperty(operator, 'prepare')
    }
  })

  async function lostPayment(): Promise<Readonly<{ id: string; operator: ScriptedOperator }>> {
    for (const { script } of [fixture.one, fixture.two]) script.collect.push(lost)
    const id = await pay(byRedirect)
    const { gateway_code } = await attemptOf(id)
    const operator = [fixture.one, fixture.two].find(({ code }) => code === gateway_code)
    for (const { script } of [fixture.one, fixture.two]) script.collect.length = 0
    if (operator === undefined) throw new Error('no operator')
    return { id, operator }
  }

  it('gets the same order within its time of grace, and its payer a page', async () => {
    const { id, operator } = await lostPayment()
    await older(id, '14 minutes')
    operator.script.ask.push(notFound)
    const page = { redirect_to: 'https://pay.example/1' }
    operator.script.collect.push({ is: 'waiting', external_reference: 'OP-1', next: page })
    await ask(id)
    const [first, again] = operator.sent
    expect(again).toEqual({ ...first, external_reference: '' })
    expect(await attemptOf(id)).toMatchObject({ status: 'PENDING', checkout_url: page.redirect_to })
  })

  it('whose key keeps an answer that says nothing lets its payer go after the grace, not after a day', async () => {
    const { id, operator } = await lostPayment()
    const asked = async (by: string) => {
      await older(id, by)
      operator.script.ask.push(notFound)
      operator.script.collect.push(lost)
      await ask(id)
      return [operator.sent.length, await statusOf(id)]
    }
    expect(await asked('1 minute')).toEqual([2, 'PENDING'])
    expect(await asked('13 minutes')).toEqual([3, 'PENDING'])
    expect(await asked('2 minutes')).toEqual([3, 'PENDING'])
    expect(await asked('13 minutes')).toEqual([3, 'FAILED'])
  })

  it('gets nothing more at 25 hours, and is asked only', async () => {
    const { id, operator } = await lostPayment()
    await older(id, '25 hours')
    operator.script.ask.push(notFound)
    await ask(id)
    expect(operator.sent).toHaveLength(1)
    expect(operator.queried.length).toBeGreaterThan(0)
    expect(await statusOf(id)).toBe('FAILED')
  })
})

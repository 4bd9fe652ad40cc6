// Callbacks that prove nothing, and the questions that they make due, go in groups under load: what
// holds of one holds of each in a group, whoever comes twice, dies, or holds a row.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { applyCallback } from '../../src/attempts/apply-callback.ts'
import { callbackToken } from '../../src/attempts/callback-token.ts'
import { queryAttempt } from '../../src/attempts/query-attempt.ts'
import { type CallbackDeps, receiveCallback } from '../../src/attempts/receive-callback.ts'
import { createMerchant } from '../../src/merchants/merchant.ts'
import type { PaymentDeps } from '../../src/planning/facts.ts'
import { setBatchPools } from '../../src/platform/batch-calls.ts'
import { type Db, openDb } from '../../src/platform/db.ts'
import { newTally } from '../../src/platform/throttle/throttle.ts'
import { eventually, type Json } from '../harness.ts'
import { openPaymentFixture, type PaymentFixture, softpayOf } from '../setup/scripted-operator.ts'

let fixture: PaymentFixture
/** A second process of the service: connections, and groups, of its own. */
let other: Db
let ids: CallbackDeps['gateway_ids']

const open = (role: 'pirogue_app' | 'pirogue_owner', settings = {}) =>
  openDb({
    ...{ ...fixture.options, role },
    ...{ connections_max: 10, durable: true, application_name: 'second', ...settings },
  })

/** As at a start: what goes in groups has connections of its own, and waits for no row for long. */
function withGroups(db: Db): Db {
  const pool = open('pirogue_app', { connections_max: 4, lock_timeout_ms: 500 })
  pools.push(pool)
  setBatchPools(db, { LIVE: pool, SANDBOX: pool })
  return db
}
const pools: Db[] = []

beforeAll(async () => {
  fixture = await openPaymentFixture()
  const rows = await fixture.owner<{ id: string; code: string }[]>`select id, code from gateways`
  ids = new Map(rows.map(({ id, code }) => [code, { id, environment: 'SANDBOX' }]))
  const unproven = { proof: 'UNSIGNED', key: '', answer: { is: 'unknown', because: 'a hint' } }
  for (const one of [fixture.one, fixture.two]) {
    one.readCallback = () => unproven as ReturnType<typeof one.readCallback>
  }
  other = withGroups(open('pirogue_app'))
  withGroups(fixture.db)
})
afterAll(async () => {
  await Promise.all([...pools, other].map((db) => db?.end({ timeout: 5 })))
  await fixture?.stop()
})
beforeEach(() => {
  fixture.one.queried.length = 0
  fixture.one.script.ask.length = 0
})

const first = (): Db => fixture.db
const depsOn = (db: Db): PaymentDeps => ({ ...fixture.deps, db })

/** An operator's call to the address of this attempt. */
function call(
  db: Db,
  attempt: Json,
  body = `about ${attempt['id']}`,
  gateway_code = 'simulator_a',
) {
  const deps = depsOn(db)
  const { merchant_id, id } = attempt as { merchant_id: string; id: string }
  return receiveCallback(
    {
      ...deps,
      gateway_ids: ids,
      apply: (signed) => applyCallback(deps, signed),
      wakePoller: () => undefined,
      limits: { unmatched_callbacks_per_ip_hour: 1, unmatched_callbacks_per_gateway_hour: 1 },
      tally: newTally(() => 0),
    },
    {
      gateway_code,
      token: callbackToken(deps.macs, { merchant_id, id }),
      received: {
        ...{ method: 'POST', authority: 'pirogue.example', path: '/', query: '', headers: {} },
        ...{ body: Buffer.from(body), at_ms: Date.now() },
      },
      request_id: 'callback',
      ip: '192.0.2.1',
    },
  )
}

/** So many pending payments of this merchant, whose attempts are due in five minutes. */
async function openPayments(count: number, merchant_id = ours): Promise<Json[]> {
  const before = fixture.caller.merchant_id
  Object.assign(fixture.caller, { merchant_id })
  try {
    const made = await Promise.all(
      Array.from({ length: count }, () => fixture.call('initialize', { body: softpayOf() })),
    )
    const payments = made.map(({ body }) => body.id)
    return await fixture.owner<Json[]>`
      update attempts set due_at = now() + interval '5 minutes', asked_at = null, asks = 0
       where transaction_id = any(${payments}::uuid[])
      returning merchant_id, environment, id`
  } finally {
    Object.assign(fixture.caller, { merchant_id: before })
  }
}
let ours = ''
beforeAll(() => {
  ours = fixture.caller.merchant_id
})

async function stateOf(attempts: readonly Json[]) {
  const list = attempts.map(({ id }) => id)
  const [row] = await fixture.owner<Record<'kept' | 'due' | 'statements' | 'asked', number>[]>`
    select (select count(*)::int from gateway_callbacks where attempt_id = any(${list}::uuid[]))
             as kept,
           -- What one statement wrote has one number.
           (select count(distinct xmin::text)::int from gateway_callbacks
             where attempt_id = any(${list}::uuid[])) as statements,
           count(*) filter (where due_at <= now())::int as due, sum(asks)::int as asked
      from attempts where id = any(${list}::uuid[])`
  return row
}

const question = { triggered_by: 'POLLER', request_id: 'poll' } as const
const ask = (db: Db, attempt: Json) =>
  queryAttempt(depsOn(db), attempt as Parameters<typeof queryAttempt>[1], question)

const secondOfAll = <T>(all: readonly T[]): T[] => all.toReversed()

describe('callbacks that come at once', () => {
  it('go in a few statements, and each is kept and wakes its own attempt', async () => {
    const attempts = await openPayments(30)
    const answers = await Promise.all(attempts.map((one) => call(first(), one)))
    expect(new Set(answers)).toEqual(new Set([200]))
    const state = await stateOf(attempts)
    expect(state).toMatchObject({ kept: 30, due: 30 })
    // The first goes alone, whatever came meanwhile goes together.
    expect(state?.statements).toBeLessThanOrEqual(3)
  })

  it('twice, by two processes, in opposite order: each is kept once, nobody fails', async () => {
    const attempts = await openPayments(30)
    for (let round = 0; round < 5; round += 1) {
      await fixture.owner`
        update attempts set due_at = now() + interval '5 minutes'
         where id = any(${attempts.map(({ id }) => id)}::uuid[])`
      const answers = await Promise.all([
        ...attempts.flatMap((one) => [call(first(), one), call(first(), one)]),
        ...secondOfAll(attempts).flatMap((one) => [call(other, one), call(other, one)]),
      ])
      expect(new Set(answers)).toEqual(new Set([200]))
      expect(await stateOf(attempts)).toMatchObject({ kept: 30, due: 30 })
    }
  })

  it('and one that names an attempt of another operator is refused, and keeps nothing', async () => {
    const attempts = await openPayments(10)
    const [stranger, ...theirs] = attempts
    const answers = await Promise.all(
      attempts.map((one) =>
        call(first(), one, `about ${one['id']}`, one === stranger ? 'simulator_b' : undefined),
      ),
    )
    expect(answers).toEqual([404, ...theirs.map(() => 200)])
    expect(await stateOf([stranger ?? {}])).toMatchObject({ kept: 0, due: 0 })
    expect(await stateOf(theirs)).toMatchObject({ kept: 9, due: 9 })
  })

  it('about one attempt are kept as often as they may be, and no oftener', async () => {
    const [attempt] = await openPayments(1)
    const bodies = Array.from({ length: 30 }, (_, at) => `body ${at}`)
    await Promise.all(bodies.map((body) => call(first(), attempt ?? {}, body)))
    expect(await stateOf([attempt ?? {}])).toMatchObject({ kept: 20, due: 1 })
  })
})

/** The rows of these attempts are held by somebody until `work` has ended. */
async function whileHeld(attempt: Json, work: () => Promise<void>): Promise<void> {
  const holder = open('pirogue_owner')
  try {
    await holder.begin(async (tx) => {
      await tx`select 1 from attempts where id = ${attempt['id']} for update`
      await work()
    })
  } finally {
    await holder.end({ timeout: 5 })
  }
}

/** The process of PostgreSQL that waits for a row dies, as it would with its machine. */
const waitsForRow = () =>
  eventually(async () => {
    const rows = await fixture.owner`
      select 1 as one from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`
    expect(rows.length).toBeGreaterThan(0)
  })
const killWaiting = () =>
  eventually(async () => {
    const rows = await fixture.owner`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`
    expect(rows.length).toBeGreaterThan(0)
  })

describe('a death between', () => {
  it('the callback kept and its attempt woken: neither is there, and the next one does both', async () => {
    const [attempt = {}] = await openPayments(1)
    await whileHeld(attempt, async () => {
      const called = call(first(), attempt).catch(() => 'failed')
      await killWaiting()
      expect(await called).toBe('failed')
    })
    expect(await stateOf([attempt])).toMatchObject({ kept: 0, due: 0 })
    expect(await call(first(), attempt)).toBe(200)
    expect(await stateOf([attempt])).toMatchObject({ kept: 1, due: 1 })
  })

  it('of a group: no lease is taken twice or kept, and whoever was not asked is asked next', async () => {
    const attempts = await openPayments(12)
    const [held = {}] = attempts
    await whileHeld(held, async () => {
      const asked = attempts.map((one) => ask(first(), one))
      await killWaiting()
      await Promise.allSettled(asked)
      expect(await leftOf(attempts)).toContainEqual({ id: held['id'] })
    })
    const left = await leftOf(attempts)
    expect((await stateOf(attempts))?.asked).toBe(attempts.length - left.length)
    const key = { merchant_id: ours, environment: 'SANDBOX' }
    for (const { id } of left) expect(await ask(other, { ...key, id })).toBe('queried')
    expect((await stateOf(attempts))?.asked).toBe(attempts.length)
  })
})

/** Those that nobody has asked about, and whose lease is free. */
const leftOf = (attempts: readonly Json[]) => fixture.owner<{ id: string }[]>`
  select id from attempts
   where id = any(${attempts.map(({ id }) => id)}::uuid[]) and asks = 0 and leased_until is null`

describe('questions that are due at once', () => {
  it('are asked once each, whichever of two processes takes the lease', async () => {
    const attempts = await openPayments(30)
    const outcomes = await Promise.all([
      ...attempts.map((one) => ask(first(), one)),
      ...secondOfAll(attempts).map((one) => ask(other, one)),
      ...attempts.map((one) => ask(first(), one)),
    ])
    expect(outcomes.filter((one) => one === 'queried')).toHaveLength(30)
    expect(fixture.one.queried).toHaveLength(30)
    expect(new Set(fixture.one.queried.map(({ attempt_id }) => attempt_id)).size).toBe(30)
    expect(await stateOf(attempts)).toMatchObject({ asked: 30 })
  })

  it('have their leases in a few statements', async () => {
    const attempts = await openPayments(30)
    const list = attempts.map(({ id }) => id)
    let taken: number | undefined
    // Whoever is answered first looks, before any answer is written.
    const seen = new Promise<void>((resolve) => {
      let waiting = 0
      fixture.one.script.ask.push(
        ...attempts.map(() => async () => {
          waiting += 1
          if (waiting === attempts.length) {
            const [row] = await fixture.owner<{ n: number }[]>`
              select count(distinct xmin::text)::int as n from attempts
               where id = any(${list}::uuid[])`
            taken = row?.n
            resolve()
          }
          await seen
          return { is: 'waiting', external_reference: 'OP-1', next: 'payer' } as const
        }),
      )
    })
    await Promise.all(attempts.map((one) => ask(first(), one)))
    expect(taken).toBeLessThanOrEqual(3)
  })
})

describe('a merchant whose rows are held', () => {
  it('keeps no other merchant waiting', async () => {
    const made = open('pirogue_owner')
    const merchant = await createMerchant(made, {
      name: `Neighbour ${randomBytes(4).toString('hex')}`,
      ...{ rate_limit_per_minute: 100_000, live_enabled: false },
    })
    await made.end()
    const [held = {}] = await openPayments(1)
    const others = await openPayments(6, merchant.id)
    await whileHeld(held, async () => {
      const stuck = [call(other, held), ask(other, held)].map((one) => one.catch(() => 'refused'))
      await waitsForRow()
      const began_ms = performance.now()
      expect(await Promise.all(others.map((one) => call(other, one)))).toEqual(
        others.map(() => 200),
      )
      expect(await Promise.all(others.map((one) => ask(other, one)))).toEqual(
        others.map(() => 'queried'),
      )
      // By itself a statement waits twenty seconds for a row.
      expect(performance.now() - began_ms).toBeLessThan(10_000)
      expect(await Promise.all(stuck)).toEqual(['refused', 'refused'])
    })
  })
})

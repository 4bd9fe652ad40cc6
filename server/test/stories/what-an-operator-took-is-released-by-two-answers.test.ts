// A payout, or a settlement through a gateway, that its operator has taken by any word of theirs
// (an answer, an empty 202, a callback, a reference) keeps its hold when they say once that they do
// not know it: they may be answering from a copy that has not heard of it. Twice, past the time of
// grace and an hour apart, releases it; whatever they say in between begins anew. (contract 8.13)

import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { applyCallback } from '../../src/attempts/apply-callback.ts'
import { queryAttempt } from '../../src/attempts/query-attempt.ts'
import { receiveCallback } from '../../src/attempts/receive-callback.ts'
import { receivedOf } from '../../src/gateways/conformance-bench.ts'
import type { Answer, CallbackProof, Gateway } from '../../src/gateways/gateway.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { payoutRoutes } from '../../src/payouts/routes.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { type Db, openDb } from '../../src/platform/db.ts'
import { answerError } from '../../src/platform/http/errors.ts'
import { type Input, notOnce } from '../../src/platform/http/route.ts'
import { newTally } from '../../src/platform/throttle/throttle.ts'
import { approveSettlement } from '../../src/settlements/approve-settlement.ts'
import { eventually, type Json, newPayer } from '../harness.ts'
import { connectTo } from '../setup/database.ts'
import { lost, notFound, paid, refusedBy, waits } from '../setup/scripted-operator.ts'
import {
  openSettlementFixture,
  person,
  type SettlementFixture,
} from '../setup/settlement-fixture.ts'

let fixture: SettlementFixture
beforeAll(async () => {
  fixture = await openSettlementFixture()
})
afterAll(() => fixture?.stop())
afterEach(async () => {
  for (const { script } of [fixture.one, fixture.two]) {
    for (const queue of Object.values(script)) queue.length = 0
  }
  expect((await verifyLedger(fixture.owner)).filter((check) => !check.ok)).toEqual([])
})

type Kind = 'payout' | 'settlement'
const kinds: readonly Kind[] = ['payout', 'settlement']
const rowsOf = { payout: 'transactions', settlement: 'settlements' } as const

async function payout(db: Db = fixture.db): Promise<string> {
  const [initialize] = payoutRoutes({
    ...fixture.deps,
    db,
    keyring: openKeyring(randomBytes(32).toString('base64')),
    cooling_hours: 0,
  })
  const input: Input = {
    caller: fixture.caller,
    person,
    params: {},
    query: {},
    body: {
      amount: '10000',
      currency: 'XOF',
      country: 'BJ',
      method: 'mtn_bj',
      // Nobody's before: one whose outcome is unknown guards its receiver.
      recipient: { msisdn: newPayer('10').phone },
      customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    },
    headers: {},
    once: notOnce,
    locale: 'en',
    ip: fixture.caller.ip,
    request_id: 'test',
    url: new URL('http://127.0.0.1/'),
  }
  const reply = await initialize?.handler(input as Input<never>)
  const text = reply !== undefined && 'json' in reply ? reply.json : undefined
  const data = text === undefined ? (reply as Json).data : JSON.parse(text)
  return String((data.data ?? data).id)
}

const makers: Readonly<Record<Kind, (db?: Db) => Promise<string>>> = {
  payout,
  async settlement(db: Db = fixture.db) {
    const id = await fixture.waiting()
    await approveSettlement({ ...fixture.deps, db }, person, id)
    return id
  },
}

async function attemptOf(id: string): Promise<Json> {
  const [row] = await fixture.owner`
    select id, our_key, gateway_code, gateway_id, net_amount, status, external_reference
      from attempts where coalesce(transaction_id, settlement_id) = ${id}`
  return row
}

const statusOf = async (id: string): Promise<string> => {
  const [row] = await fixture.owner`
    select status from transactions where id = ${id}
    union all select status from settlements where id = ${id}`
  return String(row?.['status'])
}

/** For everything that the attempt knows a time of. */
const pass = (id: string, by: string) => fixture.owner`
  update attempts
     set send_started_at = send_started_at - ${by}::interval,
         send_deadline = send_deadline - ${by}::interval,
         not_found_at = not_found_at - ${by}::interval,
         leased_until = least(leased_until - ${by}::interval, now() - interval '1 second'),
         asked_at = null
   where coalesce(transaction_id, settlement_id) = ${id}`

async function query(id: string): Promise<void> {
  const { id: attempt_id } = await attemptOf(id)
  const key = { ...fixture.caller, id: attempt_id }
  const question = { triggered_by: 'POLLER', request_id: 'poll' } as const
  const outcome = await queryAttempt(fixture.deps, key, question)
  expect(outcome).toBe('queried')
}

/** A question that the operator answers so; an hour and a bit after the one before, if any. */
async function queriedWith(
  id: string,
  answer: Answer | (() => Promise<Answer>),
  after = '61 minutes',
) {
  await pass(id, after)
  fixture.one.script.ask.push(answer)
  await query(id)
  return statusOf(id)
}

/** Sums are whole numbers in a callback's body. */
const readable = (gateway: Gateway | undefined): Gateway | undefined =>
  gateway && {
    ...gateway,
    readCallback: ({ body }) =>
      JSON.parse(body.toString(), (name, value) => (name === 'amount' ? BigInt(value) : value)),
  }

/** The operator calls, by its one fixed address; a signature is what the scripted one says it is. */
async function calls(id: string, answer: Answer, proof: CallbackProof): Promise<void> {
  const { our_key, gateway_code, gateway_id } = await attemptOf(id)
  const { deps, db } = fixture
  const body = JSON.stringify({ proof, key: our_key, answer }, (_, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  )
  const status = await receiveCallback(
    {
      db,
      gateways: { get: (code) => readable(deps.gateways.get(code)), all: () => [] },
      gateway_ids: new Map([[gateway_code, { id: gateway_id, environment: 'SANDBOX' as const }]]),
      macs: deps.macs,
      apply: (signed) => applyCallback(deps, signed),
      wakePoller: () => undefined,
      limits: {
        unmatched_callbacks_per_ip_hour: 1_000,
        unmatched_callbacks_per_gateway_hour: 1_000,
      },
      tally: newTally(),
    },
    {
      gateway_code,
      token: '',
      received: receivedOf({ body, headers: {} }, Date.now()),
      request_id: 'callback',
      ip: '127.0.0.1',
    },
  )
  expect(status).toBe(200)
}

const unnamed: Answer = { is: 'waiting', external_reference: '', next: 'payer' }

/** Ways in which an operator says that they have it. */
const words: Readonly<Record<string, (make: () => Promise<string>) => Promise<string>>> = {
  'an answer with a reference': async (make) => {
    fixture.one.script.collect.push(waits)
    return make()
  },
  'an empty 202': async (make) => {
    fixture.one.script.collect.push(unnamed)
    return make()
  },
  'a callback without a signature': async (make) => {
    fixture.one.script.collect.push(lost)
    const id = await make()
    await calls(id, unnamed, 'UNSIGNED')
    return id
  },
  'an answer to a question': async (make) => {
    fixture.one.script.collect.push(lost)
    const id = await make()
    await queriedWith(id, unnamed, '1 minute')
    return id
  },
  'an answer to a question when its asking time was over': async (make) => {
    fixture.one.script.collect.push(lost)
    const id = await make()
    await fixture.owner`
      update attempts set asking_until = now() - interval '1 second'
       where coalesce(transaction_id, settlement_id) = ${id}`
    await queriedWith(id, unnamed, '1 minute')
    return id
  },
  'another amount, without a reference': async (make) => {
    fixture.one.script.collect.push(lost)
    const id = await make()
    const { net_amount } = await attemptOf(id)
    await queriedWith(
      id,
      { ...paid(net_amount - 100n), external_reference: '' } as Answer,
      '1 minute',
    )
    return id
  },
  'an answer that came after its sender had lost it': async (make) => {
    fixture.one.script.collect.push(async () => {
      await fixture.owner`update attempts set lease_no = lease_no + 1 where lease_no = 1
        and created_at > now() - interval '1 minute'`
      return unnamed
    })
    return make()
  },
}

const table = kinds.flatMap((kind) => Object.keys(words).map((word) => [kind, word] as const))

describe('taken by a word of theirs', () => {
  it.each(table)('a %s by %s: two answers release it', async (kind, word) => {
    const before = await fixture.sums()
    const make = () => makers[kind]()
    const id = await (words[word] ?? make)(make)
    const pending = kind === 'payout' ? 'PENDING' : 'PROCESSING'
    expect(await queriedWith(id, notFound)).toBe(pending)
    // Not a second one, so soon.
    expect(await queriedWith(id, notFound, '58 minutes')).toBe(pending)
    expect((await fixture.sums())[1]).toBe(before[1] + 10_000n)
    expect(await queriedWith(id, notFound, '3 minutes')).toBe('FAILED')
    expect(await fixture.sums()).toEqual(before)
  })

  it.each(kinds)('a %s that they never took is released by the first', async (kind) => {
    fixture.one.script.collect.push(lost)
    const before = await fixture.sums()
    const id = await makers[kind]()
    expect(await queriedWith(id, notFound, '16 minutes')).toBe('FAILED')
    expect(await fixture.sums()).toEqual(before)
  })

  it.each(kinds)('a %s: what they do not find within the grace counts nothing', async (kind) => {
    const id = await makers[kind]()
    const pending = await queriedWith(id, notFound, '1 minute')
    expect(await queriedWith(id, notFound, '61 minutes')).toBe(pending)
    expect(await queriedWith(id, notFound, '61 minutes')).toBe('FAILED')
  })
})

const grades: readonly CallbackProof[] = ['SIGNED', 'BEARER', 'UNSIGNED']
const graded = kinds.flatMap((kind) => grades.map((grade) => [kind, grade] as const))

describe('failed, by a callback', () => {
  it.each(graded)('a %s keeps its hold, %s as it is, until we have asked', async (kind, grade) => {
    const before = await fixture.sums()
    const id = await makers[kind]()
    await calls(id, refusedBy('gateway'), grade)
    const pending = kind === 'payout' ? 'PENDING' : 'PROCESSING'
    expect(await statusOf(id)).toBe(pending)
    expect(await fixture.sums()).toEqual([before[0] - 10_000n, before[1] + 10_000n])
    expect(await queriedWith(id, waits, '1 minute')).toBe(pending)
    expect(await queriedWith(id, refusedBy('gateway'), '1 minute')).toBe('FAILED')
    expect(await fixture.sums()).toEqual(before)
  })
})

describe('between the two answers', () => {
  it.each(kinds)('a %s that they confirm is paid, and no later word releases it', async (kind) => {
    const before = await fixture.sums()
    const id = await makers[kind]()
    await queriedWith(id, notFound)
    const { net_amount } = await attemptOf(id)
    expect(await queriedWith(id, paid(net_amount))).toBe('SUCCESS')
    expect(await queriedWith(id, notFound)).toBe('SUCCESS')
    expect(await fixture.sums()).toEqual([before[0] - 10_000n, before[1]])
  })

  it.each(kinds)('a %s that they speak of begins anew', async (kind) => {
    const id = await makers[kind]()
    const pending = await queriedWith(id, notFound)
    await calls(id, unnamed, 'UNSIGNED')
    expect(await queriedWith(id, notFound)).toBe(pending)
    expect(await queriedWith(id, waits)).toBe(pending)
    expect(await queriedWith(id, notFound)).toBe(pending)
    expect(await queriedWith(id, notFound)).toBe('FAILED')
  })

  it.each(kinds)('a %s whose question is lost in a crash or a time-out waits on', async (kind) => {
    const id = await makers[kind]()
    const pending = await queriedWith(id, notFound)
    const crash = () => Promise.reject(new Error('the process died here'))
    await expect(queriedWith(id, crash)).rejects.toThrow('died')
    expect(await queriedWith(id, lost)).toBe(pending)
    expect(await queriedWith(id, notFound)).toBe('FAILED')
  })

  it.each(kinds)('a %s: a process that stood still for an hour asked but once', async (kind) => {
    const id = await makers[kind]()
    const slept = async () => {
      await pass(id, '61 minutes')
      return notFound
    }
    const pending = await queriedWith(id, slept)
    expect(await queriedWith(id, slept, '1 minute')).toBe(pending)
  })

  it.each(kinds)('a %s that is paid while the second is asked stays paid', async (kind) => {
    const before = await fixture.sums()
    const id = await makers[kind]()
    await queriedWith(id, notFound)
    const { net_amount } = await attemptOf(id)
    const paidByAnother = async () => {
      await calls(id, paid(net_amount), 'SIGNED')
      return notFound
    }
    expect(await queriedWith(id, paidByAnother)).toBe('SUCCESS')
    expect(await fixture.sums()).toEqual([before[0] - 10_000n, before[1]])
  })

  it.each(kinds)('a %s that they speak of while the second is asked is kept', async (kind) => {
    const id = await makers[kind]()
    const pending = await queriedWith(id, notFound)
    const paidByAnother = async () => {
      await calls(id, unnamed, 'UNSIGNED')
      return notFound
    }
    expect(await queriedWith(id, paidByAnother)).toBe(pending)
  })
})

describe('the first answer', () => {
  it.each(kinds)('releases no %s that they spoke of while it waited for a row', async (kind) => {
    fixture.one.script.collect.push(lost)
    const before = await fixture.sums()
    const id = await makers[kind]()
    await pass(id, '16 minutes')
    const locking = connectTo(fixture.options, 1)
    await locking`begin`
    await locking`select 1 from ${locking(rowsOf[kind])} where id = ${id} for update`
    fixture.one.script.ask.push(notFound)
    const asked = query(id)
    await eventually(async () => {
      expect((await fixture.owner`select 1 from pg_locks where not granted`).count).toBe(1)
    })
    await calls(id, unnamed, 'UNSIGNED')
    await locking`rollback`
    await locking.end()
    await asked
    expect(await statusOf(id)).toBe(kind === 'payout' ? 'PENDING' : 'PROCESSING')
    expect((await fixture.sums())[1]).toBe(before[1] + 10_000n)
    await queriedWith(id, notFound)
    expect(await queriedWith(id, notFound)).toBe('FAILED')
  })
})

/** Made while the rows of `table` are held from the moment at which the operator hears of it. */
async function madeWhileLocked(kind: Kind, table: string, answer: () => Answer) {
  const locking = connectTo(fixture.options, 1)
  const db = openDb({
    ...fixture.options,
    role: 'pirogue_app',
    connections_max: 6,
    durable: true,
    application_name: 'impatient',
    lock_timeout_ms: 200,
  })
  fixture.one.script.collect.push(async () => {
    await locking`begin`
    await locking`
      select id from ${locking(table)} where merchant_id = ${fixture.caller.merchant_id} for update`
    return answer()
  })
  try {
    const outcome = await makers[kind](db).then(() => undefined, answerErrorOf)
    await locking`rollback`
    const [row] = await fixture.owner`
      select coalesce(transaction_id, settlement_id) as id, acknowledged_at is not null as is_taken
        from attempts order by created_at desc, id desc limit 1`
    return { told: outcome, id: String(row?.['id']), is_taken: row?.['is_taken'] }
  } finally {
    await locking.end()
    await db.end()
  }
}
const answerErrorOf = (error: unknown) => answerError(error, 'en')

/** Made while the database writes no attempt any more, from when the operator hears of it. */
async function madeWhileFailing(kind: Kind, errcode: string, answer: () => Answer) {
  fixture.one.script.collect.push(async () => {
    await fixture.owner.unsafe(`
      create function public.fails() returns trigger language plpgsql as
        $$ begin raise exception 'as the story wants' using errcode = '${errcode}'; end $$;
      create trigger fails before update on attempts for each row execute function public.fails()`)
    return answer()
  })
  const told = await makers[kind]().then(() => undefined, answerErrorOf)
  await fixture.owner`drop function if exists public.fails cascade`
  const [row] = await fixture.owner`
    select coalesce(transaction_id, settlement_id) as id
      from attempts order by created_at desc, id desc limit 1`
  return { told, id: String(row?.['id']) }
}
describe('while its rows are held', () => {
  it.each(kinds)('a %s that they took is known as taken, and not told as undone', async (kind) => {
    const made = await madeWhileLocked(kind, rowsOf[kind], () => unnamed)
    expect(made.told?.status).toBe(500)
    expect(made.told?.headers['Retry-After']).toBeUndefined()
    expect(made.is_taken).toBe(true)
    const pending = await queriedWith(made.id, notFound)
    expect(pending).toBe(kind === 'payout' ? 'PENDING' : 'PROCESSING')
    expect(await queriedWith(made.id, notFound)).toBe('FAILED')
  })

  it.each(kinds)('a %s that they paid is not told as undone, and is paid', async (kind) => {
    const sum = () => paid(fixture.one.sent.at(-1)?.amount ?? 0n)
    const made = await madeWhileLocked(kind, 'balances', sum)
    expect(made.told?.status).toBe(500)
    const { net_amount } = await attemptOf(made.id)
    expect(await queriedWith(made.id, paid(net_amount))).toBe('SUCCESS')
  })
})

describe('while the database writes nothing', () => {
  const faults = { 'a full disk': '53100', 'lost races': '40P01', 'a shutdown': '57P01' }
  const each = kinds.flatMap((kind) => Object.entries(faults).map((fault) => [kind, ...fault]))
  it.each(each as [Kind, string, string][])(
    'a %s that they took is not told as undone: %s',
    async (kind, _, errcode) => {
      const made = await madeWhileFailing(kind, errcode, () => unnamed)
      expect(made.told?.status).toBe(500)
      expect(made.told?.headers['Retry-After']).toBeUndefined()
      expect(made.told?.error).not.toHaveProperty('retryable')
      await queriedWith(made.id, notFound)
      expect(await queriedWith(made.id, notFound)).toBe('FAILED')
    },
  )
})

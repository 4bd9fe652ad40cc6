// Settlements beside operators that answer exactly what a test wants: requested, approved, queried
// and called back as the service does it, one step at a time, on a real database.

import { applyCallback } from '../../src/attempts/apply-callback.ts'
import { type PollDeps, pollJobs } from '../../src/attempts/jobs.ts'
import type { SignedCallback } from '../../src/attempts/receive-callback.ts'
import type { Answer } from '../../src/gateways/gateway.ts'
import { renderRefusal } from '../../src/platform/http/errors.ts'
import { type Input, notOnce, type Person } from '../../src/platform/http/route.ts'
import { runOnce } from '../../src/platform/idempotency/run-once.ts'
import { newId } from '../../src/platform/ids.ts'
import { fundBalance } from '../../src/sandbox/fund-balance.ts'
import { approveSettlement } from '../../src/settlements/approve-settlement.ts'
import { failSettlement } from '../../src/settlements/decide-settlement.ts'
import type { SettlementDeps } from '../../src/settlements/request-settlement.ts'
import { settlementRoutes } from '../../src/settlements/routes.ts'
import type { Json } from '../harness.ts'
import { fixedCursorSecret } from './cursor-secret.ts'
import type { OwnerSql } from './database.ts'
import {
  openPaymentFixture,
  type PaymentFixture,
  type ScriptedOperator,
} from './scripted-operator.ts'
import { plantPhone } from './settling.ts'

export const person: Person = {
  person_id: newId(),
  kind: 'STAFF',
  session_id: newId(),
  email: 'staff@test.example',
  staff_role: 'FINANCE',
  staff_permissions: ['approvals'],
  second_factor_until: null,
  session_ends: { ends_at: new Date(), idle_at: new Date() },
  second_factor: 'FRESH',
  is_demo: false,
  environment: 'SANDBOX',
  ip: '127.0.0.1',
  request_id: 'staff',
  locale: 'en',
}

type Reads = Readonly<{
  settlement(id: string): Promise<Json>
  attempts(id: string): Promise<Json[]>
  /** Available and pending, in whole francs. */
  sums(): Promise<readonly [bigint, bigint]>
}>

export type SettlementFixture = Omit<PaymentFixture, 'deps' | 'call' | 'attemptsOf'> &
  Reads &
  Readonly<{
    deps: SettlementDeps
    /** Requested by the route, with its idempotency: 10 000 XOF to a phone. */
    request(
      changes?: Json,
      key?: string,
    ): Promise<{ status: number; body: Json; replayed: boolean }>
    /** Requested and PENDING; its id. */
    waiting(): Promise<string>
    approve(id: string): Promise<unknown>
    fail(id: string): Promise<unknown>
    /** One run of the pollers for the settlement's open attempt, as if it were due. */
    poll(id: string): Promise<void>
    callBack(id: string, answer: Answer): Promise<unknown>
  }>

/** What it pays out is scripted as what it would collect. */
const paying = (operator: ScriptedOperator) => {
  const pays = { ...operator, pay: operator.collect }
  // Looked up at each call: a test may put another one in its place.
  return Object.assign(pays, {
    ask: (key: Parameters<typeof operator.query>[0]) => operator.query(key),
  })
}

export async function openSettlementFixture(auto_below = 0n): Promise<SettlementFixture> {
  const {
    call: _call,
    attemptsOf: _attempts,
    deps: payments,
    ...fixture
  } = await openPaymentFixture('STATIC')
  const { db, owner, caller } = fixture
  const gateways = [paying(fixture.one), paying(fixture.two)]
  const deps: SettlementDeps = {
    ...payments,
    gateways: { get: (code) => gateways.find((one) => one.code === code), all: () => gateways },
    terms: {
      bank_fee_percent_ppm: 0n,
      bank_fee_fixed: {},
      auto_below: { SANDBOX: { XOF: auto_below }, LIVE: {} },
    },
  }
  const { merchant_id } = caller
  // Whether they may still send money is read when their turn comes.
  const { person_id: id, kind, email, staff_role } = person
  await owner`insert into people ${owner({ id, kind, email, staff_role })}`
  await fundBalance(db, { merchant_id, country: 'BJ', currency: 'XOF', amount: 1_000_000_00n })
  const phone = await plantPhone({ owner }, merchant_id)
  const at = { deps, owner, merchant_id }
  return {
    ...fixture,
    ...readsOf(at),
    deps,
    request: (changes = {}, key = undefined) =>
      requestSettlement({ deps, fixture }, { ...bodyOf(phone), ...changes }, key),
    async waiting() {
      const made = await requestSettlement({ deps, fixture }, bodyOf(phone), undefined)
      return String(made.body.id)
    },
    approve: (id) => approveSettlement(deps, person, id),
    fail: (id) => failSettlement(deps, person, { id, reason: 'Given up.' }),
    poll: (id) => pollOne(at, id),
    callBack: (id, answer) => callBackOn(at, id, answer),
  }
}

type At = { deps: SettlementDeps; owner: OwnerSql; merchant_id: string }

function readsOf({ owner, merchant_id }: At): Reads {
  return {
    async settlement(id) {
      const [row] = await owner`
        select status, version, failure_code, gateway_reference, settled_attempt
          from settlements where id = ${id}`
      return row
    },
    attempts: async (id) => owner`
      select id, status, our_key, gateway_code, sends, accepted_at, gateway_ended,
             due_at is not null as is_due_some_time
        from attempts where settlement_id = ${id} order by created_at, priority`,
    async sums() {
      const [row] = await owner`
        select available / 100 as available, pending / 100 as pending from balances
         where merchant_id = ${merchant_id} and country = 'BJ'`
      return [row?.['available'], row?.['pending']]
    },
  }
}

async function lastAttempt({ owner, merchant_id }: At, id: string) {
  const [row] = await owner`
    select id, gateway_code, gateway_id from attempts
     where settlement_id = ${id} order by created_at desc, priority desc limit 1`
  const key = { merchant_id, id: String(row?.['id']) }
  return { key, gateway_code: row?.['gateway_code'], gateway_id: String(row?.['gateway_id']) }
}

async function pollOne(at: At, id: string): Promise<void> {
  const { deps, owner } = at
  const { key } = await lastAttempt(at, id)
  await owner`update attempts set due_at = now() + interval '1 hour' where due_at <= now()`
  await owner`
    update attempts
       set leased_until = now() - interval '1 second', due_at = now() - interval '1 second',
           asked_at = null
     where id = ${key.id}`
  await owner`delete from leases`
  const rows = await owner<{ id: string; code: string }[]>`select id, code from gateways`
  const known = rows.filter(({ code }) => deps.gateways.get(code) !== undefined)
  const polled: PollDeps = { ...deps, log: { error: () => undefined } }
  for (const job of pollJobs(polled, new Map(known.map((one) => [one.code, one.id])))) {
    await job.run({ signal: new AbortController().signal })
  }
}

async function callBackOn(at: At, id: string, answer: Answer) {
  const { deps, merchant_id } = at
  const { key, gateway_code, gateway_id } = await lastAttempt(at, id)
  const gateway = deps.gateways.get(gateway_code)
  if (gateway === undefined) throw new Error('no gateway')
  const hash = Buffer.alloc(32, answer.is)
  const signed: SignedCallback = {
    key,
    by_address: true,
    gateway,
    reading: { proof: 'SIGNED', key: '', answer },
    hash,
    request_id: 'callback',
    callback: {
      merchant_id,
      id: newId(),
      environment: 'SANDBOX',
      gateway_id,
      attempt_id: key.id,
      proof: 'SIGNED',
      raw: Buffer.from(answer.is).toString('base64'),
      body_hash: hash.toString('base64'),
      request: null,
    },
  }
  return applyCallback(deps, signed)
}

const bodyOf = (payout_method: string): Json => ({
  country: 'BJ',
  requested_amount: '10000',
  payout_method,
})

type Asking = { deps: SettlementDeps; fixture: Pick<PaymentFixture, 'db' | 'caller'> }

async function requestSettlement(
  { deps, fixture: { db, caller } }: Asking,
  body: Json,
  key?: string,
) {
  const [route] = settlementRoutes({ ...deps, cursor_secret: fixedCursorSecret })
  if (route === undefined) throw new Error('no route')
  const once = runOnce({
    db,
    fingerprint: (canonical) => deps.macs.mac('idempotency-fingerprint', canonical),
    render: renderRefusal,
    lease_s: 13,
  })
  const input: Input = {
    caller,
    person,
    params: {},
    query: {},
    body: body,
    headers: {},
    once: notOnce,
    locale: 'en',
    ip: caller.ip,
    request_id: caller.request_id,
    url: new URL('http://127.0.0.1/'),
  }
  const handle = async (of: Input) => {
    const reply = await route.handler(of as Input<never>)
    if ('file' in reply) throw new Error('a file')
    return reply
  }
  const canonical = JSON.stringify(body)
  const reply =
    key === undefined
      ? await handle(input)
      : await once.run({ route, input, key, canonical }, (o) => handle({ ...input, once: o }))
  const text = 'json' in reply ? reply.json : 'data' in reply ? JSON.stringify(reply.data) : '{}'
  const replayed = 'replayed' in reply && reply.replayed === true
  return { status: reply.status, body: JSON.parse(text), replayed }
}

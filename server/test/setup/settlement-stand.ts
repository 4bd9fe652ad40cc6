// Settlements beside operators that say exactly what a test wants: asked for, approved, asked about
// and called back as the service does it, one step at a time, on a real database.

import type { SignedCallback } from '../../src/attempts/receive-callback.ts'
import type { Answer } from '../../src/gateways/gateway.ts'
import { type PollDeps, pollJobs } from '../../src/payments/jobs.ts'
import { renderRefusal } from '../../src/platform/http/errors.ts'
import { notOnce } from '../../src/platform/http/once.ts'
import type { Input, Person } from '../../src/platform/http/route.ts'
import { runOnce } from '../../src/platform/idempotency/run-once.ts'
import { newId } from '../../src/platform/ids.ts'
import { fundBalance } from '../../src/sandbox/fund-balance.ts'
import { approveSettlement } from '../../src/settlements/approve-settlement.ts'
import { askSettlement, hearOfSettlement } from '../../src/settlements/ask-settlement.ts'
import { executeSettlement } from '../../src/settlements/execute-settlement.ts'
import { failSettlement } from '../../src/settlements/fail-settlement.ts'
import type { SettlementDeps } from '../../src/settlements/request-settlement.ts'
import { settlementRoutes } from '../../src/settlements/routes.ts'
import type { Json } from '../harness.ts'
import { openStand, type ScriptedOperator, type Stand } from './scripted-operator.ts'
import { plantPhone } from './settling.ts'

export const person: Person = {
  person_id: newId(),
  kind: 'STAFF',
  session_id: newId(),
  email: 'staff@test.example',
  staff_role: 'FINANCE',
  staff_permissions: ['approvals'],
  second_factor: 'FRESH',
  is_demo: false,
  environment: 'SANDBOX',
  ip: '127.0.0.1',
  request_id: 'staff',
  locale: 'en',
}

export type SettlementStand = Omit<Stand, 'deps' | 'call' | 'attemptsOf'> &
  Readonly<{
    deps: SettlementDeps
    /** Asked for by the route, with its idempotency: 10 000 XOF to a phone. */
    ask(changes?: Json, key?: string): Promise<{ status: number; body: Json; replayed: boolean }>
    /** Asked for and PENDING; its id. */
    waiting(): Promise<string>
    approve(id: string): Promise<unknown>
    fail(id: string): Promise<unknown>
    execute(id: string): Promise<unknown>
    /** One run of the pollers for the settlement's open attempt, as if it were due. */
    poll(id: string): Promise<void>
    callBack(id: string, answer: Answer): Promise<unknown>
    settlement(id: string): Promise<Json>
    attempts(id: string): Promise<Json[]>
    /** Available and pending, in whole francs. */
    sums(): Promise<readonly [bigint, bigint]>
  }>

/** What it pays out is scripted as what it would collect. */
const paying = (operator: ScriptedOperator) => {
  const pays = { ...operator, pay: operator.collect }
  // Looked up at each call: a test may put another one in its place.
  return Object.assign(pays, {
    ask: (key: Parameters<typeof operator.ask>[0]) => operator.ask(key),
  })
}

export async function openSettlementStand(auto_below = 0n): Promise<SettlementStand> {
  const { call: _call, attemptsOf: _attempts, deps: payments, ...stand } = await openStand('STATIC')
  const { db, owner, caller } = stand
  const gateways = [paying(stand.one), paying(stand.two)]
  const deps: SettlementDeps = {
    ...payments,
    gateways: { get: (code) => gateways.find((one) => one.code === code), all: () => gateways },
    terms: {
      bank_fee_percent_ppm: 0n,
      bank_fee_fixed: 0n,
      auto_below: { SANDBOX: auto_below, LIVE: 0n },
    },
  }
  const { merchant_id } = caller
  await fundBalance(db, { merchant_id, country: 'BJ', currency: 'XOF', amount: 1_000_000_00n })
  const phone = await plantPhone({ owner }, merchant_id)
  const ids = await owner<{ id: string; code: string }[]>`select id, code from gateways`
  const open = async (id: string) => {
    const [row] = await owner`
      select id from attempts
       where settlement_id = ${id} order by created_at desc, priority desc limit 1`
    return { merchant_id, id: String(row?.['id']) }
  }
  const polled: PollDeps = {
    ...deps,
    askSettlement: (due, question) => askSettlement(deps, due, question),
  }
  return {
    ...stand,
    deps,
    ask: (changes = {}, key = undefined) =>
      request({ deps, stand }, { ...body(phone), ...changes }, key),
    async waiting() {
      const made = await request({ deps, stand }, body(phone), undefined)
      return String(made.body.id)
    },
    approve: (id) => approveSettlement(deps, person, id),
    fail: (id) => failSettlement(deps, person, { id, reason: 'Given up.' }),
    execute: (id) =>
      executeSettlement(deps, person, { id, gateway_reference: 'VIR-1', proof_url: undefined }),
    async poll(id) {
      const { id: attempt_id } = await open(id)
      await owner`update attempts set due_at = now() + interval '1 hour' where due_at <= now()`
      await owner`
        update attempts
           set leased_until = least(leased_until, now()), due_at = now(), asked_at = null
         where id = ${attempt_id}`
      await owner`delete from leases`
      const known = deps.gateways.all().map(({ code }) => code)
      const of = new Map(ids.filter((one) => known.includes(one.code)).map((o) => [o.code, o.id]))
      for (const job of pollJobs({ ...polled, gateways: deps.gateways }, of)) {
        await job.run({ signal: new AbortController().signal })
      }
    },
    async callBack(id, answer) {
      const key = await open(id)
      const [row] = await owner`select gateway_code, gateway_id from attempts where id = ${key.id}`
      const gateway = deps.gateways.get(row?.['gateway_code'])
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
          gateway_id: String(row?.['gateway_id']),
          attempt_id: key.id,
          proof: 'SIGNED',
          body: answer.is,
          body_hash: hash.toString('base64'),
        },
      }
      return hearOfSettlement(deps, signed)
    },
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

const body = (payout_method: string): Json => ({
  country: 'BJ',
  requested_amount: '10000',
  payout_method,
})

type Asking = { deps: SettlementDeps; stand: Pick<Stand, 'db' | 'caller'> }

async function request({ deps, stand: { db, caller } }: Asking, given: Json, key?: string) {
  const [route] = settlementRoutes(deps)
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
    body: given,
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
  const canonical = JSON.stringify(given)
  const reply =
    key === undefined
      ? await handle(input)
      : await once.run({ route, input, key, canonical }, (o) => handle({ ...input, once: o }))
  const text = 'json' in reply ? reply.json : 'data' in reply ? JSON.stringify(reply.data) : '{}'
  const replayed = 'replayed' in reply && reply.replayed === true
  return { status: reply.status, body: JSON.parse(text), replayed }
}

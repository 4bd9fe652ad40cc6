// An operator that answers exactly what a test wants, and the payment verbs around it on a real
// database: for orders of events that no honest operator would make twice.

import { createHash, randomBytes } from 'node:crypto'
import { purposes } from '../../src/app/wire.ts'
import { catalogueIn } from '../../src/catalogue/read-catalogue.ts'
import type {
  Answer,
  AttemptKey,
  CallbackReading,
  Cancels,
  GatewayOrder,
  GatewayReply,
  OtpReply,
  TakesOtp,
} from '../../src/gateways/gateway.ts'
import { newHealth } from '../../src/gateways/health.ts'
import { routesIn } from '../../src/gateways/routing.ts'
import { createMerchant } from '../../src/merchants/merchant.ts'
import { paymentRoutes } from '../../src/payments/routes.ts'
import type { PaymentDeps } from '../../src/planning/facts.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { type Db, openDb } from '../../src/platform/db.ts'
import { Invalid, type Locale, Refusal } from '../../src/platform/errors.ts'
import { renderRefusal } from '../../src/platform/http/errors.ts'
import { type Caller, type Input, notOnce, type Person } from '../../src/platform/http/route.ts'
import { runOnce } from '../../src/platform/idempotency/run-once.ts'
import { pricesIn } from '../../src/pricing/rules.ts'
import { currentRatesIn } from '../../src/rates/current-rates.ts'
import type { Json } from '../harness.ts'
import { createTestDatabase, type DatabaseOptions, type OwnerSql } from './database.ts'

type Scripted<T = Answer> = T | (() => T | Promise<T>)

/** Its next answers, by call; when nothing is left it waits for the payer. */
export type ScriptedOperator = TakesOtp &
  Cancels & {
    script: {
      collect: Scripted[]
      ask: Scripted[]
      cancel: Scripted[]
      confirmOtp: Scripted<Answer | { is: 'wrong_otp' }>[]
    }
    sent: GatewayOrder[]
    queried: AttemptKey[]
    codes: string[]
    cancelled: AttemptKey[]
  }

export const waits: Answer = { is: 'waiting', external_reference: 'OP-1', next: 'payer' }
export const waitsForCode: Answer = { is: 'waiting', external_reference: 'OP-1', next: 'otp' }
export const lost: Answer = { is: 'unknown', because: 'timeout' }
export const neverSent: Answer = { is: 'never_sent', because: 'connection refused' }
export const notFound: Answer = { is: 'not_found' }
export const paid = (hundredths: bigint): Answer => ({
  is: 'confirmed',
  external_reference: 'OP-1',
  amount: hundredths,
  currency: 'XOF',
})
export const refusedBy = (by: 'payer' | 'gateway'): Answer => ({
  is: 'refused',
  by,
  failure_code: by === 'payer' ? 'NOT_APPROVED' : 'GATEWAY_REFUSED',
  detail: 'as scripted',
  external_reference: '',
})

const replyWith = (answer: Answer): GatewayReply => ({
  answer,
  hash: createHash('sha256').update(answer.is).digest(),
})

async function nextOf<T>(queue: Scripted<T>[], otherwise: T): Promise<T> {
  const next = queue.shift() ?? otherwise
  return typeof next === 'function' ? (next as () => T | Promise<T>)() : next
}

export function scriptedOperator(
  code: string,
  callback_address: 'PER_CALL' | 'STATIC' = 'PER_CALL',
): ScriptedOperator {
  const script: ScriptedOperator['script'] = { collect: [], ask: [], cancel: [], confirmOtp: [] }
  const operator: ScriptedOperator = {
    code,
    facts: {
      create_is_idempotent: true,
      not_found_grace_s: 900,
      call_timeout_ms: 3_000,
      queries_per_second: 50,
      first_ask_after_s: { callbacks_seen: 5, callbacks_silent: 5 },
      callback_address,
    },
    script,
    sent: [],
    queried: [],
    codes: [],
    cancelled: [],
    async collect(order) {
      operator.sent.push(order)
      return replyWith(await nextOf(script.collect, waits))
    },
    async query(attempt) {
      operator.queried.push(attempt)
      return replyWith(await nextOf(script.ask, waits))
    },
    async cancel(attempt) {
      operator.cancelled.push(attempt)
      return replyWith(await nextOf(script.cancel, refusedBy('payer')))
    },
    async confirmOtp(_attempt, otp): Promise<OtpReply> {
      operator.codes.push(otp)
      const answer = await nextOf(script.confirmOtp, waits)
      return answer.is === 'wrong_otp' ? { answer, hash: Buffer.alloc(32) } : replyWith(answer)
    },
    readCallback: ({ body }) => JSON.parse(body.toString()) as CallbackReading,
  }
  return operator
}

export type Called = Readonly<{ status: number; text: string; body: Json; replayed: boolean }>

export type PaymentFixture = Readonly<{
  db: Db
  owner: OwnerSql
  options: DatabaseOptions
  deps: PaymentDeps
  one: ScriptedOperator
  two: ScriptedOperator
  caller: Caller
  /** Calls a payment route as the HTTP layer does, with its idempotency. */
  call(action: 'initialize' | 'retry' | 'confirm-otp' | 'verify', call?: Call): Promise<Called>
  attemptsOf(id: string): Promise<Json[]>
  stop(): Promise<void>
}>

export type Call = { id?: string; body?: unknown; key?: string; locale?: Locale }

const caller_facts = {
  environment: 'SANDBOX',
  via: 'KEY',
  scope: 'BOTH',
  api_key_id: null,
  member_id: null,
  session: null,
  ip: '127.0.0.1',
  request_id: 'test',
  locale: 'en',
  suspended: false,
  fee_charge_mode_locked: null,
  allowed_countries: null,
  catalogue_version: 0n,
} as const

export async function openPaymentFixture(
  callback_address: 'PER_CALL' | 'STATIC' = 'PER_CALL',
): Promise<PaymentFixture> {
  const database = await createTestDatabase()
  const open = (role: 'pirogue_app' | 'pirogue_owner', connections_max: number) =>
    openDb({
      ...database.options,
      role,
      connections_max,
      durable: true,
      application_name: 'stand',
    })
  const db = open('pirogue_app', 10)
  const made = open('pirogue_owner', 1)
  const merchant = await createMerchant(made, {
    name: 'Stand',
    rate_limit_per_minute: 100_000,
    live_enabled: false,
  })
  await made.end()
  const one = scriptedOperator('simulator_a', callback_address)
  const two = scriptedOperator('simulator_b', callback_address)
  const keyring = openKeyring(randomBytes(32).toString('base64'))
  const deps: PaymentDeps = {
    db,
    wake: () => undefined,
    purposes,
    gateways: { get: (code) => [one, two].find((o) => o.code === code), all: () => [one, two] },
    health: newHealth(),
    macs: keyring,
    callback_base: () => 'http://127.0.0.1:1',
    clock: Date.now,
    catalogue: catalogueIn(db),
    routes: routesIn(db),
    prices: pricesIn(db),
    rates: currentRatesIn(db),
    limits: { phone_prompts_10min: 1000, phone_prompts_day: 1000, session_payments: 10 },
  }
  const caller: Caller = { ...caller_facts, merchant_id: merchant.id }
  const once = runOnce({
    db,
    fingerprint: (canonical) => keyring.mac('idempotency-fingerprint', canonical),
    render: renderRefusal,
    lease_s: 13,
  })
  return {
    db,
    owner: database.owner,
    options: database.options,
    deps,
    one,
    two,
    caller,
    call: (action, call = {}) => callRoute({ deps, caller, once }, action, call),
    attemptsOf: async (id) => database.owner`
      select id, status, gateway_code, our_key, gateway_ended, lease_no, accepted_at, next_action,
             checkout_url, debited_amount, due_at, due_at <= now() as is_due, leased_until, sends,
             wrong_otps, external_reference
        from attempts where transaction_id = ${id} order by created_at, priority`,
    async stop() {
      await db.end()
      await database.drop()
    },
  }
}

/** No route here is a person's. */
const nobody: Person = {
  person_id: '',
  kind: 'MEMBER',
  session_id: '',
  email: '',
  staff_role: '',
  staff_permissions: [],
  second_factor_until: null,
  session_ends: { ends_at: new Date(), idle_at: new Date() },
  second_factor: 'NONE',
  is_demo: false,
  environment: 'SANDBOX',
  ip: '',
  request_id: '',
  locale: 'en',
}

type Serving = { deps: PaymentDeps; caller: Caller; once: ReturnType<typeof runOnce> }

async function callRoute(
  { deps, caller, once }: Serving,
  action: string,
  { id, body = {}, key, locale = 'en' }: Call,
): Promise<Called> {
  const route = paymentRoutes(deps).find(({ path }) => path.endsWith(`/${action}/`))
  if (route === undefined) throw new Error(`no route ${action}`)
  const input: Input = {
    caller: { ...caller, locale },
    person: nobody,
    params: id === undefined ? {} : { payment_id: id },
    query: {},
    body,
    headers: {},
    once: notOnce,
    locale,
    ip: caller.ip,
    request_id: caller.request_id,
    url: new URL('http://127.0.0.1/'),
  }
  const handle = (given: Input) => route.handler(given as Input<never>)
  try {
    const canonical = `${route.path} ${id ?? ''} ${JSON.stringify(body)}`
    const reply =
      key === undefined
        ? await handle(input)
        : await once.run({ route, input, key, canonical }, (o) => handle({ ...input, once: o }))
    const text = 'json' in reply ? reply.json : 'data' in reply ? JSON.stringify(reply.data) : '{}'
    const replayed = 'replayed' in reply && reply.replayed === true
    return { status: reply.status, text, body: JSON.parse(text), replayed }
  } catch (error) {
    if (error instanceof Invalid)
      return { status: 400, text: '', body: error.fields, replayed: false }
    if (!(error instanceof Refusal)) throw error
    const { status, json } = renderRefusal(error, { locale })
    const retry_after_s = error.detail.retry_after_s
    return { status, text: json, body: { ...JSON.parse(json), retry_after_s }, replayed: false }
  }
}

/** A softpay body of 5000: 5163 are collected by MTN Bénin. */
export const softpayOf = (changes: Record<string, unknown> = {}) => ({
  amount: '5000',
  currency: 'XOF',
  country: 'BJ',
  network: 'mtn_bj',
  customer: {
    email: 'awa@example.com',
    first_name: 'Awa',
    last_name: 'Diop',
    phone: '+2290197000010',
  },
  ...changes,
})
export const collected = 516_300n

/** By a network that sends the payer a code (Wizall) or wants one made first (Orange CI). */
export const byCode = softpayOf({
  country: 'SN',
  network: 'wizall_sn',
  customer: { ...softpayOf().customer, phone: '+221770000010' },
})
export const byMadeCode = softpayOf({
  country: 'CI',
  network: 'orange_ci',
  otp: '123456',
  customer: { ...softpayOf().customer, phone: '+2250707000010' },
})
export const byRedirect = softpayOf({
  country: 'CI',
  network: 'wave_ci',
  customer: { ...softpayOf().customer, phone: '+2250707000010' },
})
/** Our own account there holds too little. */
export const noFloat: Answer = {
  is: 'refused',
  by: 'float',
  failure_code: 'GATEWAY_UNAVAILABLE',
  detail: 'our account holds too little',
  external_reference: '',
}

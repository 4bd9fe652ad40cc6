// The whole service for a story: a database of its own, the real sandbox operator, API and worker
// over real HTTP on loopback. Everything it starts it ends.

import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, pino } from 'pino'
import { type Simulator, startSimulator } from '../../simulator/src/start.ts'
import { type Config, readConfig } from '../src/app/config.ts'
import { atGroup, type Connection } from '../src/app/connect.ts'
import { type Service, startService } from '../src/app/start.ts'
import { simulatorSecrets } from '../src/app/wire.ts'
import type { Role } from '../src/merchants/roles.ts'
import { addPerson } from '../src/people/keep-person.ts'
import { hashPassword } from '../src/people/password.ts'
import { openSession } from '../src/people/sessions/session.ts'
import type { StaffRole } from '../src/people/staff-roles.ts'
import { openKeyring } from '../src/platform/crypto/seal.ts'
import { openDb } from '../src/platform/db.ts'
import type { Environment, SecondFactor } from '../src/platform/http/route.ts'
import { createTestDatabase, type TestDatabase } from './setup/database.ts'
import { hurry } from './setup/hurry.ts'
import { type MerchantOptions, openMerchant } from './setup/open-merchant.ts'
import { isWhole } from './setup/proof-files.ts'
import { readBody } from './setup/read-body.ts'

/** JSON as a test reads it: any field may be looked at, and a wrong guess fails the test. */
export type Json = ReturnType<typeof JSON.parse>

export type Reply = Readonly<{
  status: number
  headers: Headers
  body: Json
  data: Json
  error: Json
}>

export type Shop = Readonly<{
  merchant_id: string
  key: string
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  call(method: string, path: string, init?: RequestInit): Promise<Reply>
  /** Initializes a payment of 5000 XOF by MTN Bénin, unless told otherwise. */
  pay(changes?: Record<string, unknown>, headers?: Record<string, string>): Promise<Reply>
  /** The balance in a country, or zeros. */
  balance(country?: string): Promise<{ available_amount: string; pending_amount: string }>
  /** Reads the transaction until it has this status. */
  becomes(id: string, status: string, within_ms?: number): Promise<Json>
}>

export type TestApp = Readonly<{
  url: string
  service: Service
  simulator: Simulator
  owner: TestDatabase['owner']
  database: TestDatabase
  config: Config
  shop(options?: MerchantOptions): Promise<Shop>
  /** A member of the merchant, signed in; of a merchant of their own when none is named. */
  member(options?: MemberOptions): Promise<SignedInCaller>
  /** One of the platform's staff, signed in, their second factor just given (unless `demo`). */
  staff(options?: { role?: StaffRole; demo?: boolean }): Promise<SignedInCaller>
  /** One more process's worth of the service (API and worker) on the same database. */
  another(env?: Record<string, string>): Promise<Service>
  /** Ends everything; those of `another` too, unless a story has stopped them. */
  stop(): Promise<void>
}>

export type MemberOptions = Readonly<{
  merchant_id?: string
  role?: Role
  /** Enrolled and just given, enrolled, or neither. Default NONE. */
  second_factor?: SecondFactor
  /** Sent with every call; default SANDBOX. */
  environment?: Environment
}>

/** A shop's client whose credential is a session. */
export type SignedInCaller = Shop &
  Readonly<{
    person_id: string
    session_id: string
    email: string
    password: string
    /** From now on their calls bear this token: a code was given, and it took over. */
    goOnWith(token: string): void
  }>

export type TestAppOptions = Readonly<{
  /** Divides every delay of the operator. */
  speed?: number
  env?: Record<string, string>
  /** The operator also plays its planted misbehaviour (numbers ending in 9910 to 9915). */
  misbehaves?: boolean
  /** Where the service logs to; nowhere when absent. */
  log?: Logger
  /** Made and filled by the story itself; absent: a clone of the template. */
  database?: TestDatabase
}>

export async function startApp({
  speed = 10,
  misbehaves = false,
  env = {},
  log = pino({ level: process.env['TEST_LOG'] ?? 'silent' }),
  database: given,
}: TestAppOptions = {}): Promise<TestApp> {
  const database = given ?? (await createTestDatabase())
  const secret_key = randomBytes(32).toString('base64')
  const secrets = simulatorSecrets(openKeyring(secret_key))
  const simulator = await startSimulator({ port: 0, ...secrets, speed, misbehaves })
  const data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-story-'))
  const settings = {
    SECRET_KEY: secret_key,
    SIMULATOR_URL: simulator.url,
    DATA_DIR: data_dir,
    ...env,
  }
  const config = configOf(settings)
  const start = (own: Config) => startService(own, log, { connection: connectionTo(database) })
  const service = await start(config)
  const started = [service]
  living.add(database)
  return {
    url: service.public_url,
    service,
    simulator,
    owner: database.owner,
    database,
    config,
    shop: (options = {}) => openShop({ database, url: service.public_url }, options),
    member: (options = {}) => openMember({ database, url: service.public_url }, options),
    staff: (options = {}) => openStaff({ database, url: service.public_url }, options),
    async another(changes = {}) {
      const next = await start(configOf({ ...settings, ...changes }))
      let over: Promise<void> | undefined
      const stop = () => {
        over ??= next.stop()
        return over
      }
      started.push({ ...next, stop })
      return { ...next, stop }
    },
    async stop() {
      living.delete(database)
      await Promise.all(started.map((one) => one.stop()))
      await simulator.stop()
      await database.drop()
      await rm(data_dir, { recursive: true, force: true })
    },
  }
}

function configOf(env: Record<string, string>): Config {
  const reading = readConfig({ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', ...env })
  if (reading.is === 'mistakes') throw new Error(reading.lines.join('\n'))
  return { ...reading.config, port: 0 }
}

/**
 * Of each pool: still more at once than two cores run. Each connection plans the composed
 * statements for itself, a third of what a story costs PostgreSQL. The proof opens what
 * `npm start` does.
 */
const connections_most = isWhole ? 12 : 4

/** The test database as the service sees one. */
export function connectionTo({ options }: TestDatabase): Connection {
  const open: Connection['open'] = (role, { connections_max, name, group, ...how }) =>
    openDb({
      ...(group === undefined ? options : atGroup(options, group)),
      ...how,
      ...(role === 'superuser' || role === 'login' ? {} : { role }),
      connections_max: Math.min(connections_max, connections_most),
      application_name: name,
    })
  return {
    open,
    openAlone(role, name, group) {
      const at = group === undefined ? {} : { group }
      const db = open(role, { connections_max: 1, durable: true, name, ...at })
      return { db, close: () => db.end({ timeout: 0 }) }
    },
    stop: async () => undefined,
  }
}

type Where = { database: TestDatabase; url: string }

async function openShop({ database, url }: Where, options: MerchantOptions): Promise<Shop> {
  const name = `Shop ${randomUUID().slice(0, 8)}`
  const made = { name, rate_limit: 100_000, ...options }
  const { merchant_id, secret } = await openMerchant(database.owner, made)
  return shopWith(url, merchant_id, secret)
}

const password = 'a long pass phrase'
/** Made once: it is slow on purpose, and no test looks at the hash of somebody made here. */
let password_hash: Promise<string> | undefined

type Opening = { where: Where; person_id: string; email: string; second_factor: SecondFactor }

async function openCaller(
  { where, person_id, email, second_factor }: Opening,
  merchant_id: string,
  environment: Environment,
): Promise<SignedInCaller> {
  const { owner } = where.database
  if (second_factor !== 'NONE') {
    await owner`
      update people set totp_enrolled_at = now(), sealed_totp = '\\x00' where id = ${person_id}`
  }
  const session = await openSession(owner, {
    person_id,
    ip: '127.0.0.1',
    user_agent: 'test',
    second_factor: second_factor === 'FRESH',
  })
  const headers = {
    'x-environment': environment,
    ...(merchant_id === '' ? {} : { 'x-merchant': merchant_id }),
  }
  let { token } = session
  const caller = shopWith(where.url, merchant_id, () => token, headers)
  const goOnWith = (next: string) => {
    token = next
  }
  const own = { person_id, session_id: session.id, email, password, goOnWith }
  return {
    ...caller,
    ...own,
    get key() {
      return token
    },
  }
}

async function openPerson(
  { database: { owner } }: Where,
  staff: { staff_role: StaffRole; is_demo: boolean } | null,
) {
  const email = `${randomUUID()}@test.example`
  password_hash ??= hashPassword(password)
  const person = await addPerson(owner, {
    kind: staff === null ? 'MEMBER' : 'STAFF',
    email,
    first_name: 'Test',
    last_name: 'Person',
    phone: '',
    locale: 'en',
    password_hash: await password_hash,
    email_verified: true,
    ...staff,
  })
  if (person === undefined) throw new Error(`${email} is taken`)
  return person
}

async function openMember(where: Where, options: MemberOptions): Promise<SignedInCaller> {
  const { role = 'OWNER', second_factor = 'NONE', environment = 'SANDBOX' } = options
  const merchant_id = options.merchant_id ?? (await openShop(where, {})).merchant_id
  const { id: person_id, email } = await openPerson(where, null)
  await where.database.owner`
    insert into memberships (merchant_id, person_id, role)
    values (${merchant_id}, ${person_id}, ${role})`
  return openCaller({ where, person_id, email, second_factor }, merchant_id, environment)
}

async function openStaff(
  where: Where,
  { role = 'SUPERADMIN', demo = false }: { role?: StaffRole; demo?: boolean },
): Promise<SignedInCaller> {
  const person = await openPerson(where, { staff_role: role, is_demo: demo })
  const second_factor = demo ? 'NONE' : 'FRESH'
  return openCaller(
    { where, person_id: person.id, email: person.email, second_factor },
    '',
    'SANDBOX',
  )
}

/** A client with a key, as a merchant's server would be. */
export function shopWith(
  url: string,
  merchant_id: string,
  key: string | (() => string),
  always: Record<string, string> = {},
): Shop {
  const bearer = typeof key === 'string' ? () => key : key
  const call = async (method: string, path: string, init: RequestInit = {}): Promise<Reply> => {
    const reply = await fetch(`${url}/api/v1${path}`, {
      method,
      ...init,
      headers: { authorization: `Bearer ${bearer()}`, ...always, ...init.headers },
    })
    const text = await readBody(reply)
    const isJson = reply.headers.get('content-type')?.includes('json') ?? false
    const body: Json = text === '' ? undefined : isJson ? JSON.parse(text) : text
    const { status, headers } = reply
    return { status, headers, body, data: body?.data, error: body?.error }
  }
  const get = (path: string, headers: Record<string, string> = {}) => call('GET', path, { headers })
  const post = (path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
    call('POST', path, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  return {
    merchant_id,
    key: bearer(),
    call,
    get,
    post,
    pay: (changes = {}, headers = {}) =>
      post('/payments/softpay/initialize/', softpay(changes), headers),
    async balance(country = 'BJ') {
      const reply = await get('/merchant-balances/')
      if (reply.status !== 200) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`)
      const found = reply.data.results.find((one: Json) => one.country === country)
      const { available_amount = '0.00', pending_amount = '0.00' } = found ?? {}
      return { available_amount, pending_amount }
    },
    becomes: (id, status, within_ms = patience_ms) =>
      eventually(async () => {
        const { data } = await get(`/transactions/${id}/`)
        if (data?.status !== status) throw new Error(`${id} is ${data?.status}, not ${status}`)
        return data
      }, within_ms),
  }
}

export function softpay(changes: Record<string, unknown> = {}) {
  return {
    amount: '5000',
    currency: 'XOF',
    country: 'BJ',
    network: 'mtn_bj',
    customer: payer('+2290197000010'),
    ...changes,
  }
}

export function payer(phone: string) {
  return { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop', phone }
}

/** For so long nobody is woken: most that is waited for is under way. */
const patient_ms = 250
const look_most_ms = 150
/** Whose service is there now, for who waits for its jobs. */
const living = new Set<TestDatabase>()

/** Against what never comes, not what is slow on a busy machine. */
const patience_ms = 40_000

let lastPhone = 10_000

/** A payer of Bénin nobody else has used, with these last two digits. */
export function newPayer(magic = '10') {
  lastPhone += 1
  return payer(`+22901${String(97_0_00000 + lastPhone).slice(-6)}${magic}`)
}

/** Tries until it does not throw; then its result, else its last error. */
export async function eventually<T>(look: () => Promise<T>, within_ms = patience_ms): Promise<T> {
  const began = Date.now()
  for (;;) {
    try {
      return await look()
    } catch (error) {
      const waited_ms = Date.now() - began
      if (waited_ms > within_ms) throw error
      if (waited_ms > patient_ms) await hurry(living)
      // Seldomer in the end: to look is most of the work of who waits. Not so seldom that what is
      // there for a moment is missed.
      await sleep(Math.min(Math.max(waited_ms / 10, 25), look_most_ms))
    }
  }
}

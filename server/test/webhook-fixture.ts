// Everything a test of webhooks needs, all of it real: a database of its own under the
// application's role, receivers on loopback, events recorded as a change records them, workers.

import { randomBytes, randomUUID } from 'node:crypto'
import { type Logger, pino } from 'pino'
import type { EventType, FeedKey } from '../src/events/event.ts'
import { recordEvents } from '../src/events/statements.ts'
import { openKeyring } from '../src/platform/crypto/seal.ts'
import { assertNoTransaction, type Db, openDb } from '../src/platform/db.ts'
import type { Caller } from '../src/platform/http/route.ts'
import { newId } from '../src/platform/ids.ts'
import { createWaker } from '../src/platform/jobs/notify.ts'
import { startWorker, type Worker } from '../src/platform/jobs/worker.ts'
import { createGuardedOutbound } from '../src/platform/outbound/guard.ts'
import { runPart } from '../src/platform/sql.ts'
import type { DeliverDeps } from '../src/webhooks/deliver.ts'
import { webhookJobs } from '../src/webhooks/jobs.ts'
import {
  type Registration,
  registerWebhook,
} from '../src/webhooks/registrations/register-webhook.ts'
import { createTestDatabase, type TestDatabase } from './setup/database.ts'
import { type Receiver, startReceiver } from './setup/webhook-receiver.ts'

export type DeliveryRow = Readonly<{
  id: string
  event_id: string
  webhook_id: string
  event_type: string
  status: string
  attempt: number
  http_status: number | null
  response_body: string
  wait_s: number | null
  sent_at: Date | null
  exhausted_at: Date | null
}>

export const silent: Logger = pino({ level: 'silent' })

export class WebhookFixture {
  readonly database: TestDatabase
  readonly db: Db
  readonly keyring = openKeyring(randomBytes(32).toString('base64'))
  readonly waker = createWaker()
  readonly rules = { allow_private: true, own_ports: () => [] as number[] }
  readonly #ends: (() => Promise<unknown>)[] = []

  private constructor(database: TestDatabase) {
    this.database = database
    this.db = this.openDb()
  }

  static async open(): Promise<WebhookFixture> {
    return new WebhookFixture(await createTestDatabase())
  }

  /** Another connection of the application, as another process has one. */
  openDb(how: { lock_timeout_ms?: number } = {}): Db {
    const name = { role: 'pirogue_app', application_name: 'test' } as const
    const options = { ...this.database.options, ...name, ...how }
    const db = openDb({ ...options, connections_max: 8, durable: true })
    this.#ends.push(() => db.end({ timeout: 1 }))
    return db
  }

  async close(): Promise<void> {
    for (const end of this.#ends.reverse()) await end()
    await this.database.drop()
  }

  newFeed(): FeedKey {
    return { merchant_id: randomUUID(), environment: 'SANDBOX' }
  }

  caller(feed: FeedKey): Caller {
    const key = {
      via: 'KEY',
      scope: 'BOTH',
      api_key_id: randomUUID(),
      member_id: null,
      session: null,
    } as const
    const request = { ip: '127.0.0.1', request_id: 'r', locale: 'en', suspended: false } as const
    const settings = { fee_charge_mode_locked: null, allowed_countries: null }
    return { ...feed, ...key, ...request, ...settings, catalogue_version: 1n }
  }

  /** An endpoint of a merchant that is closed with the fixture. */
  async receiver(): Promise<Receiver> {
    const receiver = await startReceiver()
    this.#ends.push(receiver.close)
    return receiver
  }

  register(feed: FeedKey, registration: Registration) {
    const { db, keyring, waker, rules } = this
    const deps = { db, keyring, wake: waker.wake, ...rules }
    return registerWebhook(deps, this.caller(feed), registration)
  }

  /** Records `count` events, `data.n` from 0 up; returns their ids. */
  async announce(
    feed: FeedKey,
    count = 1,
    { type = 'transaction.success', data = {} }: { type?: EventType; data?: object } = {},
  ): Promise<string[]> {
    const events = Array.from({ length: count }, (_, n) => {
      const id = newId()
      const about = { transaction_id: null, subject_id: null, data: { n, ...data } }
      return { ...feed, gate_id: id, id, type, ...about }
    })
    await runPart(this.db, recordEvents(this.db, events))
    return events.map(({ id }) => id)
  }

  /** What a worker is made of; each has its own database connections. */
  jobs(changes: Partial<DeliverDeps> = {}) {
    const db = changes.db ?? this.openDb()
    const outbound = createGuardedOutbound({ assertNoTransaction, ...this.rules })
    this.#ends.push(outbound.close)
    const { keyring, waker } = this
    return webhookJobs({
      db,
      quick: db,
      keyring,
      outbound,
      log: silent,
      wake: waker.wake,
      ...changes,
    })
  }

  /** A worker process, as far as webhooks go. */
  start(changes: Partial<DeliverDeps> = {}): Worker {
    const jobs = this.jobs(changes).map((job) => ({ ...job, poll_ms: 20 }))
    const worker = startWorker({ db: this.db, jobs, log: silent, wake: this.waker })
    this.#ends.push(() => worker.stop(1_000))
    return worker
  }

  /** How many statements wait for what another holds, in this database alone. */
  async waiting(): Promise<number> {
    const rows = await this.database.owner`
      select 1 from pg_stat_activity
       where wait_event_type = 'Lock' and datname = current_database()`
    return rows.count
  }

  async deliveries({ merchant_id }: FeedKey): Promise<DeliveryRow[]> {
    return this.db<DeliveryRow[]>`
      select id, event_id, webhook_id, event_type, status, attempt, http_status, response_body,
             extract(epoch from due_at - sent_at)::float8 as wait_s, sent_at, exhausted_at
        from deliveries where merchant_id = ${merchant_id} order by id`
  }

  async endpoint(id: string) {
    const [row] = await this.db<
      { is_active: boolean; failing_since: Date | null; switched_off_reason: string }[]
    >`select is_active, failing_since, switched_off_reason from webhooks where id = ${id}`
    return row
  }
}

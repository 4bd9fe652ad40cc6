// Calls under one idempotency key at a time, on a real database: for tests of the mechanism itself,
// with verbs that have no business in them.

import { createHash } from 'node:crypto'
import { beforeEach, expect } from 'vitest'
import type { Db } from '../../src/platform/db.ts'
import { defineErrors } from '../../src/platform/errors.ts'
import type { Input, Once, Reply } from '../../src/platform/http/route.ts'
import { type KeyedCall, markCommitted, runOnce } from '../../src/platform/idempotency/run-once.ts'
import { newId } from '../../src/platform/ids.ts'
import { type Kept, keptText } from '../../src/platform/packed/kept.ts'
import type { TestDatabase } from './database.ts'

type Route = KeyedCall['route']
export type Verb = (once: Once) => Promise<Reply>
type KeyState = {
  status: number | null
  lease_no: bigint
  transaction_id: string | null
  running: boolean
  lease_s: number
}
type About = { route?: Route; body?: string; input?: Input; through?: Db; lease_s?: number }

/** A route whose key is claimed before it runs. */
export const plain: Route = {}
/** A route whose verb claims the key in its own first statement. */
export const byVerb: Route = { claims: 'verb' }

export const merchant_id = newId()
export const inputOf = (caller: object) => ({ caller, locale: 'fr' }) as unknown as Input
const ours = inputOf({ merchant_id, environment: 'SANDBOX' })
const lease_s = 60

const text = { en: 'no', fr: 'non' }
export const errors = defineErrors({
  no_method: { status: 422, message: text },
  no_rate: { status: 422, retryable: true, message: text },
  not_there: { status: 404, message: text },
})

export const conflict = { row: { code: 'idempotency_conflict', status: 409 }, retryable: false }
export const inProgress = {
  row: { code: 'idempotency_in_progress', status: 409 },
  retryable: true,
  detail: { retry_after_s: 1 },
}

export const paid: Reply = { status: 201, data: { id: 'p1' } }
/** The marks of an answer that was kept and is replayed. */
export const stored = { stored: true, replayed: true }

export const answers = (reply: Reply) => async () => reply
export const throws = (error: Error) => async () => {
  throw error
}
export const neverRuns = async (): Promise<Reply> => {
  throw new Error('the verb ran again')
}

/** Each test that begins has a key of its own; `database` is asked for when it is there. */
export function keyedCalls(database: () => TestDatabase) {
  let key = newId()
  beforeEach(() => {
    key = newId()
  })

  const call = (verb: Verb, about: About = {}): Promise<Reply> => {
    const { run } = runOnce({
      db: about.through ?? database().owner,
      fingerprint: (canonical) => createHash('sha256').update(canonical).digest(),
      render: ({ row }, { locale }) => ({ status: row.status, json: `"${row.code} ${locale}"` }),
      lease_s: about.lease_s ?? lease_s,
    })
    const { route = plain, input = ours, body = 'body' } = about
    return run({ route, input, key, canonical: body }, verb)
  }

  const endLease = async () => {
    await database().owner`
      update idempotency_keys set leased_until = now() - interval '1 second' where key = ${key}`
  }

  return {
    call,
    endLease,
    useAnotherKey: () => {
      key = newId()
    },

    async keyRow() {
      const [row] = await database().owner<(Kept & KeyState)[]>`
        select status, plain, packed, lease_no, transaction_id, leased_until > now() as running,
               extract(epoch from leased_until - created_at)::int as lease_s
          from idempotency_keys where key = ${key}`
      if (row === undefined) return undefined
      const { plain, packed, ...rest } = row
      return { ...rest, answer: keptText({ plain, packed }) }
    },

    /** What a rival writes into the key's row. */
    async write(columns: Readonly<Record<string, string | number>>) {
      const sql = database().owner
      await sql`update idempotency_keys set ${sql(columns)} where key = ${key}`
    },

    /** The process died under the key, after it had committed this. */
    async dies(progress?: { transaction_id: string; attempt_id: string }) {
      const dead = call(async (once) => {
        if (progress !== undefined) await markCommitted(database().owner, once, progress)
        throw new Error('the process died')
      })
      await expect(dead).rejects.toThrow('died')
      await endLease()
    },

    /** As a verb's own statement claims it, with what it makes; false when it is taken. */
    async claimed(once: Once, transaction_id = newId()): Promise<boolean> {
      if (once.none) throw new Error('a call with a key')
      const sql = database().owner
      const { none: _none, lease_no: _lease_no, ...scope } = once
      const leased_until = new Date(Date.now() + lease_s * 1000)
      const row = { ...scope, leased_until, transaction_id, attempt_id: newId() }
      const rows = await sql`
        insert into idempotency_keys ${sql(row)} on conflict do nothing returning 1`
      return rows.count === 1
    },
  }
}

/** Does `first` before the statement that begins with these words is sent. */
export function before(db: Db, words: string, first: () => Promise<unknown>): Db {
  return new Proxy(db, {
    apply(sql, _this, [strings, ...rest]: [TemplateStringsArray, ...never[]]) {
      const query = () => sql(strings, ...rest)
      return strings.join('').trim().startsWith(words) ? first().then(query) : query()
    },
  })
}

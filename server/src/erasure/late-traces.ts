// What was under way while a payer was erased: a gateway names them once more, a webhook answers
// an event of before, a search row is just being made, or the process ended between two portions
// of a long history. It is removed again for as long as gateways are queried. And whoever refunds
// a payer who is gone names a number once more.

import { eraseAttempts, eraseCallbacks } from '../attempts/erasure-statements.ts'
import { listPaymentsFor } from '../orders/erasure-statements.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import { tracesOf } from '../platform/traces.ts'
import { eraseRefunds } from '../refunds/erasure-statements.ts'
import { eraseFound, lockPayments } from '../transactions/erasure-statements.ts'
import { eraseAnswers } from '../webhooks/erasure-statements.ts'
import { eraseAfter, eraseKept, eraseLateKept, eraseRest } from './erase-traces.ts'
import {
  type ErasedLately,
  listErasedPayments,
  listErasedRefunds,
  listNamedRefunds,
  listUnfinished,
} from './store.ts'

const late_days = 31
/** A refund may wait for people and for a route first. */
const late_refund_days = 45
const portion = 500

type LateDeps = Readonly<{
  db: Db
  /** How long the payer of a LIVE success must stay known; 0: no law demands it. */
  live_payer_days: number
}>

/** One that fails holds up no other; the first failure is the job's. */
export async function eraseLateTraces({ db, live_payer_days }: LateDeps): Promise<void> {
  const failures: unknown[] = []
  const failed = (error: unknown) => failures.push(error)
  for (const gone of await listUnfinished(db, late_days)) {
    await eraseRest(db, gone, { live_payer_days }).catch(failed)
  }
  for (const late of await listErasedPayments(db, late_days))
    await eraseLate(db, late).catch(failed)
  for (const late of await listErasedRefunds(db, late_refund_days))
    await eraseLateRefunds(db, late).catch(failed)
  if (failures.length > 0) throw failures[0]
}

async function eraseLate(from: Db, late: ErasedLately): Promise<void> {
  const { merchant_id } = late
  const db = homeOf(from, merchant_id)
  for (const transaction_ids of portionsOf(late.transaction_ids)) {
    const of = { merchant_id, transaction_ids }
    await eraseCallbacks(db, of)
    await inTransaction(db, async (tx) => {
      await eraseAnswers(tx, { ...of, session_ids: [], payment_ids: [] })
      await eraseLateKept(tx, { merchant_id, made_ids: transaction_ids })
    })
  }
  for (const transaction_ids of portionsOf(late.sought_ids)) {
    await inTransaction(db, (tx) => eraseFound(tx, { merchant_id, transaction_ids }))
  }
  for (const session_ids of portionsOf(late.session_ids)) {
    const payment_ids = await listPaymentsFor(db, { merchant_id, session_ids })
    const of = { merchant_id, transaction_ids: [], session_ids, payment_ids }
    await inTransaction(db, (tx) => eraseAnswers(tx, of))
  }
}

const portionsOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / portion) }, (_, at) =>
    ids.slice(at * portion, (at + 1) * portion),
  )

type Refunds = Readonly<{ merchant_id: string; refund_ids: readonly string[] }>

async function eraseLateRefunds(from: Db, late: Refunds): Promise<void> {
  const { merchant_id } = late
  const db = homeOf(from, merchant_id)
  for (const refund_ids of portionsOf(late.refund_ids)) {
    await inTransaction(db, (tx) => eraseNamedRefunds(tx, { merchant_id, refund_ids }))
    await eraseCallbacks(db, { merchant_id, transaction_ids: [], refund_ids })
  }
}

/** The payer's other texts are gone by now: what is looked for is the number that was named. */
async function eraseNamedRefunds(tx: Tx, { merchant_id, refund_ids }: Refunds): Promise<void> {
  const named = await listNamedRefunds(tx, { merchant_id, refund_ids })
  if (named.length === 0) return
  const phones = named.map(({ operation_msisdn }) => operation_msisdn)
  const traces = tracesOf({ emails: [], names: [], phones })
  const transaction_ids = [...new Set(named.map(({ payment_id }) => payment_id))]
  const of = { merchant_id, transaction_ids, refund_ids: named.map(({ id }) => id) }
  // A payment's row is locked before its refund's.
  await lockPayments(tx, of)
  await eraseRefunds(tx, of, traces)
  await eraseAttempts(tx, { ...of, transaction_ids: [] }, traces)
  await eraseKept(tx, { merchant_id, made_ids: of.refund_ids }, traces)
  await eraseAfter(tx, { merchant_id, transaction_ids, session_ids: [] }, traces)
}

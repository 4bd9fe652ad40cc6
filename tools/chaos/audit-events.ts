// The merchants' events: each move of a payment is one event, numbered once and without gap, and
// each endpoint has taken each event, under one id and with one body.

import { deliveryId } from '../../server/src/webhooks/delivery.ts'
import { type Breach, broken, grouped, missing } from './breach.ts'
import type { Facts } from './facts.ts'
import { type DeliveryReceived, eventIdIn, receivedKey } from './receiver.ts'
import type { EventRow } from './store.ts'
import type { Strike } from './strikes.ts'

export function auditEvents(facts: Facts): Breach[] {
  return [
    ...auditNumbers(facts),
    ...auditMoves(facts),
    ...auditRefundMoves(facts),
    ...auditDeliveries(facts),
    ...auditReceived(facts),
  ]
}

function auditNumbers({ events, feeds }: Facts): Breach[] {
  const last = new Map(feeds.map((row) => [row.merchant_id, row.last_seq]))
  const wrong = [...grouped(events, (row) => row.merchant_id)].flatMap(([merchant_id, rows]) => {
    const numbers = rows.flatMap(({ seq }) => (seq === null ? [] : [seq]))
    const sorted = [...numbers].sort((a, b) => (a < b ? -1 : 1))
    const has_gap = sorted.some((seq, at) => seq !== BigInt(at + 1))
    const is_last = (last.get(merchant_id) ?? 0n) === BigInt(numbers.length)
    return has_gap || !is_last ? [`${merchant_id}: ${sorted.join(' ')}`] : []
  })
  return [
    ...broken('events are numbered once and without gap', wrong),
    ...missing(
      'each event is numbered',
      events.filter(({ seq }) => seq === null).map(({ id }) => id),
    ),
  ]
}

/** `transaction.created` is version 1, and each move after it has one event of its version. */
function auditMoves({ events, transactions }: Facts): Breach[] {
  const isMove = (type: string) => type !== 'transaction.incident' && !isOfRefund(type)
  const moves = events.filter(({ type }) => isMove(type))
  const byPayment = grouped(moves, (row) => row.transaction_id ?? '')
  const wrong = transactions.flatMap((row) => {
    const types = byPayment.get(row.id) ?? []
    const versions = types.map(({ version }) => Number(version)).sort((a, b) => a - b)
    const expected = row.version - row.restarts
    // A restart is a move without an event: no event shows its version.
    const is_whole = versions.length === expected && new Set(versions).size === versions.length
    const successes = types.filter(({ type }) => type === 'transaction.success').length
    const is_announced = successes === (row.status === 'SUCCESS' ? 1 : 0)
    return is_whole && is_announced ? [] : [`${row.id} v${row.version}: ${formatEvents(types)}`]
  })
  return broken('each move of a payment is one event', wrong)
}

/** `transaction.refunded` is of the payment: its version counts what was given back. */
const isOfRefund = (type: string) => type.startsWith('refund.')

/** One event makes it, and one ends it. */
function auditRefundMoves({ events, refunds }: Facts): Breach[] {
  const byRefund = grouped(
    events.filter(({ type }) => isOfRefund(type)),
    (row) => row.about ?? '',
  )
  const known = new Set(refunds.map(({ id }) => id))
  const wrong = refunds.flatMap(({ id, status }) => {
    const rows = byRefund.get(id) ?? []
    const end = status === 'PENDING' ? [] : [`refund.${status.toLowerCase()}`]
    const types = rows.map(({ type }) => type).sort()
    const isWhole = types.join(' ') === ['refund.created', ...end].sort().join(' ')
    return isWhole ? [] : [`${id} ${status}: ${formatEvents(rows)}`]
  })
  const strangers = [...byRefund.keys()].filter((id) => !known.has(id))
  return broken('each move of a refund is one event', [...wrong, ...strangers])
}

const formatEvents = (rows: readonly EventRow[]) =>
  rows.map(({ type, version }) => `${type} v${version}`).join(', ')

function auditDeliveries({ events, webhooks, deliveries, heard }: Facts): Breach[] {
  const endpoints = grouped(webhooks, (row) => row.merchant_id)
  const wanted = events.flatMap(({ id, merchant_id }) =>
    (endpoints.get(merchant_id) ?? []).map((hook) => ({
      delivery: deliveryId(id, hook.id),
      key: receivedKey(id, hook.url),
    })),
  )
  const due = new Set(wanted.map(({ delivery }) => delivery))
  const made = new Map(deliveries.map((row) => [row.id, row]))
  const isTaken = (key: string) => heard.get(key)?.some(({ is_taken }) => is_taken) ?? false
  return [
    ...missing(
      'each event was taken by each endpoint',
      wanted.filter(({ key }) => !isTaken(key)).map(({ key }) => key),
    ),
    ...missing(
      'each delivery is known to be taken',
      wanted.flatMap(({ delivery }) =>
        made.get(delivery)?.status === 'SUCCESS' ? [] : [delivery],
      ),
    ),
    ...broken(
      'each delivery is of an event and an endpoint',
      [...made.keys()].filter((id) => !due.has(id)),
    ),
  ]
}

function auditReceived({ heard, deliveries, events, strikes }: Facts): Breach[] {
  const eventOf = new Map(events.map((row) => [row.id, row]))
  const made = new Map(deliveries.map((row) => [row.event_id, eventOf.get(row.event_id)]))
  const all = [...heard]
  const repeats = all.flatMap(([id, copies]) => repeatsOf(copies).map((pair) => ({ id, ...pair })))
  const misled = all.filter(([key, copies]) => {
    const event = made.get(eventIdIn(key))
    return copies.some((one) => one.event !== event?.type || one.about !== event.about)
  })
  return [
    ...broken(
      'what was heard is a delivery of ours',
      all.filter(([key]) => !made.has(eventIdIn(key))).map(([key]) => key),
    ),
    ...broken(
      'a delivery says what its event says',
      misled.filter(([key]) => made.has(eventIdIn(key))).map(([key]) => key),
    ),
    ...broken(
      'the body is the same at each try',
      all
        .filter(([, copies]) => new Set(copies.map(({ hash }) => hash)).size > 1)
        .map(([id]) => id),
    ),
    ...broken(
      'what was taken is sent again only after a crash',
      repeats.filter((pair) => !isExcused(pair, strikes)).map(formatRepeat),
    ),
  ]
}

export type Repeat = Readonly<{ taken_ms: number; again_ms: number }>

/** The tries of one delivery that came after it had been taken in time. */
export function repeatsOf(copies: readonly DeliveryReceived[]): Repeat[] {
  const first = copies.findIndex(({ is_taken, is_late }) => is_taken && !is_late)
  const taken_ms = copies[first]?.at_ms
  if (taken_ms === undefined) return []
  return copies.slice(first + 1).map(({ at_ms }) => ({ taken_ms, again_ms: at_ms }))
}

/** On a busy machine clients find their way back to a killed database only after a while. */
const reconnected_within_ms = 20_000

/**
 * At least once: a worker that died or slept between the try and its record cannot have recorded
 * it, and no worker could while the database was dead.
 */
function isExcused({ taken_ms, again_ms }: Repeat, strikes: readonly Strike[]): boolean {
  return strikes.some(({ victim, at_ms, until_ms }) => {
    const is_database = victim === 'postgres' || victim === 'backend'
    if (!is_database && !victim.startsWith('worker')) return false
    const over_ms = is_database ? until_ms + reconnected_within_ms : until_ms
    return at_ms <= again_ms && over_ms >= taken_ms
  })
}

const formatRepeat = ({ id, taken_ms, again_ms }: Repeat & { id: string }) =>
  `${id}: taken ${new Date(taken_ms).toISOString()}, again ${new Date(again_ms).toISOString()}`

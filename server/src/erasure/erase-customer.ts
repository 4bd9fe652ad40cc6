// Erases a customer (contract 6.3): the money records stay, the person is removed from all of them.
// Law: the customer's row is locked first, then the payments. What began before is seen then, and
// refuses the erasure; a payment in their name that begins meanwhile waits for it, for a portion at
// most, and makes a new customer.

import { eraseAttempts, eraseCallbacks } from '../attempts/erasure-statements.ts'
import type { Customer } from '../customers/records/customer.ts'
import {
  forgetCustomer,
  getOwnCustomer,
  isForgotten,
  lockOwnCustomer,
} from '../customers/records/keep-customer.ts'
import { eraseEvents } from '../events/statements.ts'
import { forgetHolders } from '../gateways/look-up-holder.ts'
import {
  erasePaidSessions,
  eraseSessionsFor,
  hasOpenSession,
  type MadeFor,
} from '../orders/erasure-statements.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../platform/db.ts'
import { defineErrors, refuse, type Text } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { eraseKeptAnswers } from '../platform/idempotency/erasure-statements.ts'
import { homeOf } from '../platform/places/places.ts'
import { type Traces, tracesOf } from '../platform/traces.ts'
import { type Turns, turnsOf } from '../platform/turns.ts'
import { eraseRefunds } from '../refunds/erasure-statements.ts'
import {
  countNamed,
  eraseFound,
  erasePayer,
  listNamed,
  lockPayments,
  type NamedPayment,
  type PaidAs,
  readPaidAs,
} from '../transactions/erasure-statements.ts'
import { eraseAnswers } from '../webhooks/erasure-statements.ts'
import {
  type ErasedLately,
  listBlocked,
  listErasedPayments,
  listErasedRefunds,
  listNamedRefunds,
  listUnfinished,
  readBlockers,
} from './store.ts'

export type ErasureDeps = Readonly<{
  db: Db
  keyring: Pick<Keyring, 'mac'>
  /** How long the payer of a LIVE success must stay known; 0: no law demands it. */
  live_payer_days: number
}>

/**
 * So many payments are erased in one transaction with the customer's own row; the rest after it.
 */
const at_once_max = 200

const ofErasures = { of_owner: 1, waiting: 50, wait_ms: 20_000 }

/**
 * Few at a time, one of a merchant, SANDBOX apart from LIVE: each holds a connection while it
 * rewrites a portion.
 */
const turns: Readonly<Record<Caller['environment'], Turns>> = {
  LIVE: turnsOf({ ...ofErasures, at_once: 2 }),
  SANDBOX: turnsOf({ ...ofErasures, at_once: 1 }),
}

/** A customer that is erased already stays so: the same call again does what is left of it. */
export async function eraseCustomer(deps: ErasureDeps, caller: Caller, id: string): Promise<void> {
  const { merchant_id, environment } = caller
  // Given back between portions: a long history holds up no other merchant's erasure.
  const inTurn: InTurn = (work) => turns[environment](merchant_id, work)
  const at = homeOf(deps.db, merchant_id)
  const forgotten = await inTurn(() => inTransaction(at, (tx) => forget(tx, deps, caller, id)))
  if (forgotten === 'no_more') return
  const payer = { merchant_id, customer_id: id }
  await eraseRest(at, payer, { known: forgotten === 'before' ? undefined : forgotten, inTurn })
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>

type Rest = Readonly<{
  /** What was read of the customer before; otherwise it is read from the payments. */
  known?: ErasedCustomer | undefined
  /** Each portion's turn. Default: at once. */
  inTurn?: InTurn
}>

type ErasedCustomer = Readonly<{ customer: Customer; person: PaidAs }>

/**
 * Under the customer's lock: what forbids it, and the customer's own row. With few payments,
 * everything that they left; with many nothing else, because the next payment in this name waits
 * for this transaction.
 */
async function forget(
  tx: Tx,
  { live_payer_days, keyring }: ErasureDeps,
  caller: Caller,
  id: string,
): Promise<ErasedCustomer | 'no_more' | 'before'> {
  const customer = await lockOwnCustomer(tx, caller, id)
  if (customer === undefined) {
    if (await isForgotten(tx, caller, id)) return 'before'
    await getOwnCustomer(tx, caller, id)
    return 'no_more'
  }
  const payer = { merchant_id: customer.merchant_id, customer_id: id }
  const erased = { customer, person: await personOf(tx, payer, customer) }
  await requireErasable(tx, erased, live_payer_days)
  await forgetHolders(tx, keyring, erased.person.phones)
  const payments = await listNamed(tx, payer, { limit: at_once_max + 1 })
  const isWhole = payments.length <= at_once_max
  if (isWhole && !(await eraseFew(tx, erased, payments))) throw against('PAYMENT_UNDER_WAY')
  const payments_erased = isWhole ? payments.length : await countNamed(tx, payer)
  await forgetCustomer(tx, caller, { customer, after: { payments_erased } })
  return isWhole ? 'no_more' : erased
}

type Payer = Readonly<{ merchant_id: string; customer_id: string }>

/** Under each name that the customer has had: payments keep the one they were made with. */
async function personOf(sql: Sql, payer: Payer, customer?: Customer): Promise<PaidAs> {
  const paid = await readPaidAs(sql, payer)
  const { email = null, phone = null, first_name = '', last_name = '' } = customer ?? {}
  const known = (texts: readonly string[]) => texts.filter((text) => text.trim() !== '')
  return {
    emails: known([...paid.emails, email ?? '']),
    phones: known([...paid.phones, phone ?? '']),
    names: known([...paid.names, `${first_name} ${last_name}`]),
  }
}

async function requireErasable(
  tx: Tx,
  { customer, person }: ErasedCustomer,
  live_payer_days: number,
): Promise<void> {
  const blockers = await readBlockers(tx, customer, live_payer_days)
  if (blockers.is_unended) throw against('PAYMENT_UNDER_WAY')
  if (blockers.has_incident) throw against('INCIDENT_OPEN')
  if (blockers.is_kept_by_law) throw against('REQUIRED_BY_LAW')
  if (blockers.is_counted) throw against('PAYOUT_RECENT')
  const is_open = blockers.can_be_tried_again
  if (is_open || (await hasOpenSession(tx, { ...customer, ...person }))) {
    throw against('CHECKOUT_OPEN')
  }
}

const against = (reason: ErasureReason) =>
  refuse(erasureErrors.retention_required, { message: reasonTexts[reason] })

/** What keeps a customer from being erased, in the order in which it is looked for. */
export const erasureReasons = [
  'PAYMENT_UNDER_WAY',
  'INCIDENT_OPEN',
  'REQUIRED_BY_LAW',
  'PAYOUT_RECENT',
  'CHECKOUT_OPEN',
] as const
export type ErasureReason = (typeof erasureReasons)[number]

/** What the refusal says of it. */
export const reasonTexts: Readonly<Record<ErasureReason, Text>> = {
  PAYMENT_UNDER_WAY: {
    en: 'A payment of this customer is still under way.',
    fr: 'Un paiement de ce client est encore en cours.',
  },
  INCIDENT_OPEN: {
    en: 'An incident about a payment of this customer is still open.',
    fr: 'Un incident sur un paiement de ce client est encore ouvert.',
  },
  REQUIRED_BY_LAW: {
    en: 'The law requires this customer’s identity to be kept for some time after a payment.',
    fr: 'La loi exige de conserver l’identité de ce client quelque temps après un paiement.',
  },
  PAYOUT_RECENT: {
    en: 'This customer was paid in the last 24 hours: the limits of a day still count it.',
    fr: 'Ce client a été payé il y a moins de 24 heures : les limites du jour en tiennent compte.',
  },
  CHECKOUT_OPEN: {
    en: 'A checkout session of this customer can still be paid: cancel it first.',
    fr: 'Une session de paiement de ce client peut encore être payée : annulez-la d’abord.',
  },
}

/** False where something of one of them has begun since it was looked for: not all are erased. */
async function eraseFew(
  tx: Tx,
  { customer, person }: ErasedCustomer,
  payments: readonly NamedPayment[],
): Promise<boolean> {
  const traces = tracesOf(person)
  if (!(await erasePayments(tx, { ...customer, payments }, traces))) return false
  while ((await eraseMadeFor(tx, { ...customer, ...person }, traces)) > 0);
  return true
}

/**
 * What is left of a customer whose row is gone: portions, each a transaction of its own, so that
 * nothing is locked for long. Sessions first: the payments identify the payer until the last of
 * them.
 */
async function eraseRest(
  from: Db,
  payer: Payer,
  { known, inTurn = (work) => work() }: Rest = {},
): Promise<void> {
  const db = homeOf(from, payer.merchant_id)
  const person = known?.person ?? (await personOf(db, payer))
  const traces = tracesOf(person)
  for (const environment of known === undefined ? environments : [known.customer.environment]) {
    const of = { ...payer, environment, ...person }
    const portion = () => inTransaction(db, (tx) => eraseMadeFor(tx, of, traces))
    while ((await inTurn(portion)) > 0);
  }
  let after: NamedPayment | undefined
  for (;;) {
    const payments = await listNamed(db, payer, { limit: at_once_max, after })
    if (payments.length === 0) return
    await inTurn(() => inTransaction(db, (tx) => erasePayments(tx, { ...payer, payments }, traces)))
    after = payments.at(-1)
  }
}

const environments = ['SANDBOX', 'LIVE'] as const

type Payments = Readonly<{ merchant_id: string; payments: readonly NamedPayment[] }>

/**
 * A new table that holds a payer's data must be erased here. False where one is left out, because
 * something of it is under way: its number is still needed. It is erased later (`listUnfinished`).
 */
async function erasePayments(
  tx: Tx,
  { merchant_id, payments }: Payments,
  traces: Traces,
): Promise<boolean> {
  const named = payments.map(({ id }) => id)
  await lockPayments(tx, { merchant_id, transaction_ids: named })
  const blocked = await listBlocked(tx, { merchant_id, transaction_ids: named })
  const of = { merchant_id, transaction_ids: named.filter((id) => !blocked.includes(id)) }
  const erased = await erasePayer(tx, of, traces)
  await eraseFound(tx, of)
  const refund_ids = await eraseRefunds(tx, of, traces)
  await eraseAttempts(tx, { ...of, refund_ids }, traces)
  await eraseCallbacks(tx, { ...of, refund_ids })
  const made_ids = [...of.transaction_ids, ...refund_ids]
  await eraseKept(tx, { merchant_id, made_ids }, traces)
  const session_ids = erased.flatMap((one) => one.checkout_session ?? [])
  await erasePaidSessions(tx, { merchant_id, session_ids }, traces)
  await eraseAfter(tx, { ...of, session_ids }, traces)
  return blocked.length === 0
}

type Kept = Readonly<{ merchant_id: string; made_ids: readonly string[] }>

/** The answers under keys to calls about these transactions and refunds. */
const eraseKept = (tx: Tx, of: Kept, traces: Traces): Promise<void> =>
  eraseKeptAnswers(tx, { ...of, ...answerFields }, traces)

const answerFields = {
  number_field: 'operation_msisdn',
  emptied_fields: ['ip_address', 'checkout_url'],
}

/** A portion of the sessions that were made for the customer; returns how many. */
async function eraseMadeFor(tx: Tx, of: MadeFor, traces: Traces): Promise<number> {
  const session_ids = await eraseSessionsFor(tx, { ...of, limit: at_once_max }, traces)
  const { merchant_id } = of
  await eraseAfter(tx, { merchant_id, transaction_ids: [], session_ids }, traces)
  return session_ids.length
}

type Subjects = Readonly<{
  merchant_id: string
  transaction_ids: readonly string[]
  session_ids: readonly string[]
}>

/** The events about them, and what the receivers answered. */
async function eraseAfter(tx: Tx, of: Subjects, traces: Traces): Promise<void> {
  const { merchant_id, transaction_ids, session_ids } = of
  const subject_ids = [...transaction_ids, ...session_ids]
  if (subject_ids.length === 0) return
  await eraseEvents(tx, { merchant_id, subject_ids }, traces)
  await eraseAnswers(tx, of)
}

// What was under way while a payer was erased: a gateway names them once more, a webhook answers
// an event of before, a search row is just being made, or the process ended between two portions
// of a long history. It is removed again for as long as gateways are queried. And whoever refunds
// a payer who is gone names a number once more.

const late_days = 31
/** A refund may wait for people and for a route first. */
const late_refund_days = 45
const portion = 500

/** One that fails holds up no other; the first failure is the job's. */
export async function eraseLateTraces(db: Db): Promise<void> {
  const failures: unknown[] = []
  const failed = (error: unknown) => failures.push(error)
  for (const payer of await listUnfinished(db, late_days)) {
    await eraseRest(db, payer).catch(failed)
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
    await eraseFound(db, of)
    await inTransaction(db, async (tx) => {
      await eraseAnswers(tx, { ...of, session_ids: [] })
      await eraseKept(tx, { merchant_id, made_ids: transaction_ids }, [])
    })
  }
  for (const session_ids of portionsOf(late.session_ids)) {
    const of = { merchant_id, transaction_ids: [], session_ids }
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

// Why a customer cannot be forgotten now.

export const erasureErrors = defineErrors({
  retention_required: {
    status: 409,
    message: {
      en: 'This customer cannot be erased yet.',
      fr: 'Ce client ne peut pas encore être effacé.',
    },
  },
})

// Takes a person out of what they left: payments, refunds, attempts, sessions, events, answers. It
// goes in portions, each a transaction of its own or a part of the caller's.

import { eraseAttempts, eraseCallbacks } from '../attempts/erasure-statements.ts'
import type { Customer } from '../customers/records/customer.ts'
import { finishForgetting } from '../customers/records/keep-customer.ts'
import { listOthersPhones } from '../customers/records/store.ts'
import { eraseEvents } from '../events/statements.ts'
import { eraseNotes } from '../incidents/erasure-statements.ts'
import {
  erasePaidSessions,
  eraseSessionsFor,
  isSharedAddress,
  listPaymentsFor,
  type MadeFor,
} from '../orders/erasure-statements.ts'
import { eraseApprovals } from '../payouts/erasure-statements.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { eraseKeptAnswers } from '../platform/idempotency/erasure-statements.ts'
import { homeOf } from '../platform/places/places.ts'
import { type Traces, tracesOf } from '../platform/traces.ts'
import { eraseRefunds } from '../refunds/erasure-statements.ts'
import {
  eraseFound,
  erasePayer,
  eraseReversals,
  listNamed,
  lockPayments,
  type NamedPayment,
  type PaidAs,
  readPaidAs,
} from '../transactions/erasure-statements.ts'
import { eraseAnswers } from '../webhooks/erasure-statements.ts'
import { type Blocked, listBlocked } from './store.ts'

/**
 * So many payments, and so many sessions made for the customer, are erased in one transaction with
 * the customer's own row; of more, all after it.
 */
export const at_once_max = 200

/** Does the work when it is its turn. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

type Rest = Readonly<{
  live_payer_days: number
  /** What was read of the customer before; otherwise it is read from the payments. */
  known?: Person | undefined
  /** Each portion's turn. Default: at once. */
  inTurn?: InTurn
}>

export type Person = Readonly<{
  paid_as: PaidAs
  /** By what the sessions made for them are found. */
  made_for: MadeFor
}>

export type Payer = Readonly<{
  merchant_id: string
  environment: Environment
  customer_id: string
}>

/** One whose row is gone: what was made since under the same e-mail or number is not theirs. */
export type Gone = Payer & Readonly<{ forgotten_at: Date }>

/** Under each name that the customer has had: payments keep the one they were made with. */
export async function paidAs(sql: Sql, payer: Payer, customer?: Customer): Promise<PaidAs> {
  const paid = await readPaidAs(sql, payer)
  const { email = null, phone = null, first_name = '', last_name = '' } = customer ?? {}
  const known = (texts: readonly string[]) => texts.filter((text) => text.trim() !== '')
  return {
    emails: known([...paid.emails, email ?? '']),
    phones: known([...paid.phones, phone ?? '']),
    names: known([...paid.names, `${first_name} ${last_name}`]),
  }
}

/** A number that is another customer's now finds no session: it is theirs. */
export async function madeFor(
  sql: Sql,
  { customer_id, ...owner }: Payer,
  paid_as: PaidAs,
): Promise<MadeFor> {
  const { emails } = paid_as
  const others = await listOthersPhones(sql, { ...owner, id: customer_id }, paid_as.phones)
  const phones = paid_as.phones.filter((phone) => !others.includes(phone))
  const is_shared = await isSharedAddress(sql, { ...owner, customer_id, emails })
  return { ...owner, ...paid_as, phones, is_shared }
}

/**
 * What is left of a customer whose row is gone: portions, each a transaction of its own, so that
 * nothing is locked for long. Sessions first: the payments identify the payer until the last of
 * them.
 */
export async function eraseRest(
  from: Db,
  gone: Gone,
  { live_payer_days, known, inTurn = (work) => work() }: Rest,
): Promise<void> {
  const { merchant_id, environment, customer_id, forgotten_at } = gone
  const payer = { merchant_id, environment, customer_id }
  const db = homeOf(from, merchant_id)
  const paid_as = known?.paid_as ?? (await paidAs(db, payer))
  const traces = tracesOf(paid_as)
  const made_for = known?.made_for ?? (await madeFor(db, payer, paid_as))
  const before = { ...made_for, forgotten_at }
  const portion = () => inTransaction(db, (tx) => eraseMadeFor(tx, before, traces))
  while ((await inTurn(portion)) === at_once_max);
  let after: NamedPayment | undefined
  let isWhole = true
  for (;;) {
    const payments = await listNamed(db, payer, { limit: at_once_max, after })
    if (payments.length === 0) break
    const of = { merchant_id, live_payer_days, payments }
    const blocked = await inTurn(() => inTransaction(db, (tx) => erasePayments(tx, of, traces)))
    isWhole = isWhole && blocked === undefined
    after = payments.at(-1)
  }
  if (isWhole) await finishForgetting(db, { merchant_id, id: customer_id })
}

type Payments = Readonly<{
  merchant_id: string
  live_payer_days: number
  payments: readonly NamedPayment[]
}>

/**
 * A new table that holds a payer's data must be erased here. Returns why one is left out, because
 * something of it is under way and its number still needed, or the law wants its payer known. It is
 * erased later (`listUnfinished`).
 */
export async function erasePayments(
  tx: Tx,
  { merchant_id, live_payer_days, payments }: Payments,
  traces: Traces,
): Promise<Blocked['because'] | undefined> {
  const named = payments.map(({ id }) => id)
  await lockPayments(tx, { merchant_id, transaction_ids: named })
  const blocked = await listBlocked(tx, { merchant_id, transaction_ids: named }, live_payer_days)
  const kept = blocked.map(({ id }) => id)
  const of = { merchant_id, transaction_ids: named.filter((id) => !kept.includes(id)) }
  const erased = await erasePayer(tx, of, traces)
  await eraseFound(tx, of)
  await eraseApprovals(tx, of, traces)
  await eraseReversals(tx, of, traces)
  await eraseNotes(tx, of, traces)
  const refund_ids = await eraseRefunds(tx, of, traces)
  await eraseAttempts(tx, { ...of, refund_ids }, traces)
  await eraseCallbacks(tx, { ...of, refund_ids })
  const made_ids = [...of.transaction_ids, ...refund_ids]
  await eraseKept(tx, { merchant_id, made_ids }, traces)
  const session_ids = erased.flatMap((one) => one.checkout_session ?? [])
  await erasePaidSessions(tx, { merchant_id, session_ids }, traces)
  await eraseAfter(tx, { ...of, session_ids }, traces)
  return blocked[0]?.because
}

type Kept = Readonly<{ merchant_id: string; made_ids: readonly string[] }>

/** The answers under keys to calls about these transactions and refunds. */
export const eraseKept = (tx: Tx, of: Kept, traces: Traces): Promise<void> =>
  eraseKeptAnswers(tx, { ...of, ...answerFields }, traces)

const answerFields = {
  number_field: 'operation_msisdn',
  emptied_fields: ['ip_address', 'checkout_url'],
}

/** What the merchant wrote. */
const own_texts = ['metadata', 'description', 'merchant_reference', 'return_url']

/**
 * The same of answers that were stored once their payer was gone: by then nobody knows what they
 * were called, so the merchant's own texts go whatever they hold.
 */
export const eraseLateKept = (tx: Tx, of: Kept): Promise<void> => {
  const emptied_fields = [...answerFields.emptied_fields, ...own_texts]
  return eraseKeptAnswers(tx, { ...of, ...answerFields, emptied_fields }, [])
}

/** A portion of the sessions that had been made for the customer by then; returns how many. */
export async function eraseMadeFor(
  tx: Tx,
  of: MadeFor & Readonly<{ forgotten_at: Date }>,
  traces: Traces,
): Promise<number> {
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
export async function eraseAfter(tx: Tx, of: Subjects, traces: Traces): Promise<void> {
  const { merchant_id, transaction_ids, session_ids } = of
  const subject_ids = [...transaction_ids, ...session_ids]
  if (subject_ids.length === 0) return
  const payment_ids = await listPaymentsFor(tx, of)
  await eraseEvents(tx, { merchant_id, subject_ids, session_ids, payment_ids }, traces)
  await eraseAnswers(tx, { ...of, payment_ids })
}

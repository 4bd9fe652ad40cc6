// A customer is forgotten (issue 7): the money records stay, the person goes from all of them, in
// one transaction. Law: his row is locked first. A payment in his name that began before is seen
// and refuses the erasure; one that begins meanwhile waits for it and then makes a new customer.

import { eraseAsked, eraseCallbacks } from '../attempts/erased/statements.ts'
import type { Customer } from '../customers/records/customer.ts'
import {
  forgetCustomer,
  getOwnCustomer,
  isForgotten,
  lockOwnCustomer,
} from '../customers/records/keep-customer.ts'
import { eraseTold } from '../events/erased/statements.ts'
import { eraseSessions, hasOpenSession } from '../orders/erased/statements.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { refuse, type Text } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { type Traces, tracesOf } from '../platform/traces.ts'
import {
  eraseFound,
  erasePayer,
  type PaidAs,
  readPaidAs,
} from '../transactions/erased/statements.ts'
import { eraseAnswers } from '../webhooks/erased/statements.ts'
import { erasureErrors } from './errors.ts'
import { readStanding } from './store.ts'

export type ErasureDeps = Readonly<{
  db: Db
  /** How long the payer of a LIVE success must stay known; 0: no law says so. */
  live_payer_days: number
}>

/** Whoever is forgotten already stays so: the same call again does nothing. */
export async function eraseCustomer(deps: ErasureDeps, caller: Caller, id: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const customer = await lockOwnCustomer(tx, caller, id)
    if (customer === undefined) {
      if (!(await isForgotten(tx, caller, id))) await getOwnCustomer(tx, caller, id)
      return
    }
    const person = await personOf(tx, customer)
    await insistErasable(tx, { customer, person }, deps.live_payer_days)
    const payments = await eraseEverywhere(tx, { customer, person }, tracesOf(person))
    await forgetCustomer(tx, caller, { customer, after: { payments_erased: payments } })
  })
}

type Erased = Readonly<{ customer: Customer; person: PaidAs }>

/** Under each name he has had: the payments keep the one they were made with. */
async function personOf(tx: Tx, customer: Customer): Promise<PaidAs> {
  const { merchant_id, id, email, phone, first_name, last_name } = customer
  const paid = await readPaidAs(tx, { merchant_id, customer_id: id })
  const known = (texts: readonly string[]) => texts.filter((text) => text.trim() !== '')
  return {
    emails: known([...paid.emails, email ?? '']),
    phones: known([...paid.phones, phone ?? '']),
    names: known([...paid.names, `${first_name} ${last_name}`]),
  }
}

async function insistErasable(
  tx: Tx,
  { customer, person }: Erased,
  live_payer_days: number,
): Promise<void> {
  const standing = await readStanding(tx, customer, live_payer_days)
  const against = (message: Text) => refuse(erasureErrors.retention_required, { message })
  if (standing.is_unended) throw against(unended)
  if (standing.has_incident) throw against(incident)
  if (standing.is_kept_by_law) throw against(law)
  if (await hasOpenSession(tx, { ...customer, ...person })) throw against(openSession)
}

const unended = {
  en: 'A payment of this customer has not ended yet.',
  fr: 'Un paiement de ce client n’est pas encore terminé.',
}
const incident = {
  en: 'An incident about a payment of this customer is still open.',
  fr: 'Un incident sur un paiement de ce client est encore ouvert.',
}
const law = {
  en: 'The law requires that this customer stays known for some time after a payment.',
  fr: 'La loi exige que ce client reste connu quelque temps après un paiement.',
}
const openSession = {
  en: 'A checkout session of this customer can still be paid: cancel it first.',
  fr: 'Une session de paiement de ce client peut encore être payée : annulez-la d’abord.',
}

/** Whoever adds a table that holds a payer's data erases it here. How many payments he had. */
async function eraseEverywhere(
  tx: Tx,
  { customer, person }: Erased,
  traces: Traces,
): Promise<number> {
  const { merchant_id, id: customer_id } = customer
  const payments = await erasePayer(tx, { merchant_id, customer_id }, traces)
  const transaction_ids = payments.map(({ id }) => id)
  const session_ids = payments.flatMap((one) => one.checkout_session ?? [])
  const of = { merchant_id, transaction_ids }
  await eraseFound(tx, of)
  await eraseAsked(tx, of, traces)
  await eraseCallbacks(tx, of)
  const sessions = await eraseSessions(tx, { ...customer, ...person, session_ids }, traces)
  const subject_ids = [...transaction_ids, ...sessions]
  await eraseTold(tx, { merchant_id, subject_ids }, traces)
  await eraseAnswers(tx, { merchant_id, transaction_ids, session_ids: sessions })
  return payments.length
}

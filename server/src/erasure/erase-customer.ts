// Erases a customer (contract 6.3): the money records stay, the person is removed from all of them.
// Law: the customer's row is locked first, then the payments. What began before is seen then, and
// refuses the erasure; a payment in their name that begins meanwhile waits for it, for a portion at
// most, and makes a new customer.

import type { Customer } from '../customers/records/customer.ts'
import {
  forgetCustomer,
  getOwnCustomer,
  lockOwnCustomer,
} from '../customers/records/keep-customer.ts'
import { findForgotten } from '../customers/records/store.ts'
import { forgetHolders } from '../gateways/look-up-holder.ts'
import { countSessionsFor, hasOpenSession, type MadeFor } from '../orders/erasure-statements.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import { defineErrors, refuse, type Text } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { tracesOf } from '../platform/traces.ts'
import { type Turns, turnsOf } from '../platform/turns.ts'
import { countNamed, listNamed, type NamedPayment } from '../transactions/erasure-statements.ts'
import {
  at_once_max,
  eraseMadeFor,
  erasePayments,
  eraseRest,
  type InTurn,
  madeFor,
  type Person,
  paidAs,
} from './erase-traces.ts'
import { readBlockers } from './store.ts'

export type ErasureDeps = Readonly<{
  db: Db
  keyring: Pick<Keyring, 'mac'>
  /** How long the payer of a LIVE success must stay known; 0: no law demands it. */
  live_payer_days: number
}>

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
  const { live_payer_days } = deps
  const { merchant_id, environment } = caller
  // Given back between portions: a long history holds up no other merchant's erasure.
  const inTurn: InTurn = (work) => turns[environment](merchant_id, work)
  const at = homeOf(deps.db, merchant_id)
  const forgotten = await inTurn(() => inTransaction(at, (tx) => forget(tx, deps, caller, id)))
  if (forgotten === 'no_more') return
  const { forgotten_at, known } = forgotten
  const gone = { merchant_id, environment, customer_id: id, forgotten_at }
  await eraseRest(at, gone, { live_payer_days, known, inTurn })
}

/** Since when the customer's row is gone; `known`: it went now. */
type Forgotten = Readonly<{ forgotten_at: Date; known?: Person }>

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
): Promise<Forgotten | 'no_more'> {
  const customer = await lockOwnCustomer(tx, caller, id)
  if (customer === undefined) {
    const forgotten_at = await findForgotten(tx, { ...caller, id })
    if (forgotten_at !== undefined) return { forgotten_at }
    await getOwnCustomer(tx, caller, id)
    return 'no_more'
  }
  const { merchant_id, environment } = customer
  const payer = { merchant_id, environment, customer_id: id }
  const paid_as = await paidAs(tx, payer, customer)
  const known = { paid_as, made_for: await madeFor(tx, payer, paid_as) }
  await requireErasable(tx, { customer, made_for: known.made_for }, live_payer_days)
  await forgetHolders(tx, keyring, paid_as.phones)
  const limit = at_once_max + 1
  const payments = await listNamed(tx, payer, { limit })
  const sessions = await countSessionsFor(tx, { ...known.made_for, limit })
  const isWhole = payments.length < limit && sessions < limit
  const payments_erased = isWhole ? payments.length : await countNamed(tx, payer)
  const acted = { customer, after: { payments_erased }, is_finished: isWhole }
  const forgotten_at = await forgetCustomer(tx, caller, acted)
  if (!isWhole) return { forgotten_at, known }
  await eraseFew(tx, { ...known, forgotten_at }, { live_payer_days, payments })
  return 'no_more'
}

type Erased = Readonly<{ customer: Customer; made_for: MadeFor }>

async function requireErasable(
  tx: Tx,
  { customer, made_for }: Erased,
  live_payer_days: number,
): Promise<void> {
  const blockers = await readBlockers(tx, customer, live_payer_days)
  if (blockers.is_unended) throw against('PAYMENT_UNDER_WAY')
  if (blockers.has_incident) throw against('INCIDENT_OPEN')
  if (blockers.is_kept_by_law) throw against('REQUIRED_BY_LAW')
  if (blockers.is_counted) throw against('PAYOUT_RECENT')
  const is_open = blockers.can_be_tried_again
  if (is_open || (await hasOpenSession(tx, made_for))) {
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

/** Refused where something of one of them has begun, or ended, since it was looked for. */
async function eraseFew(
  tx: Tx,
  { paid_as, made_for, forgotten_at }: Person & Readonly<{ forgotten_at: Date }>,
  of: Readonly<{ live_payer_days: number; payments: readonly NamedPayment[] }>,
): Promise<void> {
  const traces = tracesOf(paid_as)
  const { merchant_id } = made_for
  const blocked = await erasePayments(tx, { merchant_id, ...of }, traces)
  if (blocked !== undefined) throw against(blocked)
  // They are no more than one portion.
  await eraseMadeFor(tx, { ...made_for, forgotten_at }, traces)
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

// What a payer may do with a session whose address they have: read it, list networks, pay, give a
// code. The public JSON and the hosted pages both come through here, so that neither has a rule of
// its own.

import { orderErrors } from '../../orders/errors.ts'
import type { Session } from '../../orders/session.ts'
import { confirmOtp } from '../../payments/confirm-otp.ts'
import { requirePayable, requireUnended } from '../../payments/require-payable.ts'
import { paymentErrors } from '../../planning/errors.ts'
import { Refusal, refuse } from '../../platform/errors.ts'
import type { Input } from '../../platform/http/route.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { readTransactionNow, type TransactionNow } from '../../transactions/transaction-now.ts'
import { listNetworks, networksAtHome } from './list-networks.ts'
import { paySession } from './pay-session.ts'
import {
  type Checkout,
  countPublic,
  openBySlug,
  type PayBody,
  type PublicDeps,
  payerOf,
  requireServed,
} from './payer.ts'

/** Who calls, from where, in which language. */
export type Asker = Pick<Input, 'ip' | 'request_id' | 'locale'>

/** Counted before anything is searched. */
export async function openForPayer(
  deps: PublicDeps,
  asker: Pick<Asker, 'ip'>,
  slug: string,
): Promise<Checkout> {
  await countPublic(deps, asker)
  return openBySlug(deps.db, slug)
}

/** Nothing more can be read of what ended unpaid; what a payment keeps open is open. */
export function requireShowable(session: Session): void {
  if (session.status === 'PAID' || session.pending_payment !== null) return
  requireUnended(session)
  if (session.has_expired) throw refuse(orderErrors.expired)
}

/** The last payment of the session, if any was begun. */
export async function paymentOf(
  { db }: Pick<PublicDeps, 'db'>,
  { merchant_id, transaction_id: id }: Session,
): Promise<TransactionNow | undefined> {
  return id === null ? undefined : readTransactionNow(db, { merchant_id, id })
}

/** In which country, and the last payment of the session, whose figures a retry keeps. */
type Listing = Readonly<{ country: string | undefined; payment: Transaction | undefined }>

export async function networksForPayer(
  deps: PublicDeps,
  { target: { session }, profile }: Checkout,
  asker: Asker,
  listing: Listing,
) {
  requireServed(profile)
  requireUnended(session)
  requireShowable(session)
  return listNetworks(deps, { session, caller: payerOf(session, profile, asker), ...listing })
}

/**
 * What the session can be paid with in its own country; none where it names no country of ours.
 * Undefined: no payment can begin now.
 */
export async function offeredNow(
  deps: PublicDeps,
  checkout: Checkout,
  asker: Asker,
  { payment }: Pick<Listing, 'payment'>,
) {
  const { target, profile } = checkout
  try {
    requireServed(profile)
    requirePayable(target, deps.limits)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
  const caller = payerOf(target.session, profile, asker)
  return networksAtHome(deps, { session: target.session, caller, payment })
}

export function payAsPayer(
  deps: PublicDeps,
  checkout: Checkout,
  asker: Asker,
  body: PayBody,
): Promise<TransactionNow> {
  requireServed(checkout.profile)
  const caller = payerOf(checkout.target.session, checkout.profile, asker)
  return paySession(deps, { checkout, caller, body })
}

export async function confirmAsPayer(
  deps: PublicDeps,
  { target: { session }, profile }: Checkout,
  asker: Asker,
  body: Readonly<{ otp: string }>,
): Promise<TransactionNow> {
  requireUnended(session)
  requireShowable(session)
  const now = await paymentOf(deps, session)
  if (now === undefined) throw refuse(paymentErrors.no_attempt)
  const caller = payerOf(session, profile, asker)
  return confirmOtp(deps, { caller, body, once: { none: true } }, now, 'PAYER')
}

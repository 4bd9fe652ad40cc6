// What a payer may do with the session he holds the address of: look, list, pay, give his code. The
// public JSON and the hosted pages both come through here, so that neither has a rule of its own.

import { orderErrors } from '../../orders/errors.ts'
import type { Session } from '../../orders/session.ts'
import { confirmOtp } from '../../payments/confirm-otp.ts'
import { paymentErrors } from '../../payments/errors.ts'
import { insistPayable, insistUnended } from '../../payments/insist-payable.ts'
import { type PaymentNow, readPayment } from '../../payments/read-payment.ts'
import { Refusal, refuse } from '../../platform/errors.ts'
import type { Input } from '../../platform/http/route.ts'
import { listNetworks, networksAtHome } from './list-networks.ts'
import type { PayBody } from './pay-body.ts'
import { paySession } from './pay-session.ts'
import {
  countPublic,
  insistServed,
  type Opened,
  openBySlug,
  type PublicDeps,
  payerOf,
} from './payer.ts'

/** Who calls, from where, in which language. */
export type Asker = Pick<Input, 'ip' | 'request_id' | 'locale'>

/** Counted before anything is looked for. */
export async function openForPayer(
  deps: PublicDeps,
  asker: Pick<Asker, 'ip'>,
  slug: string,
): Promise<Opened> {
  await countPublic(deps, asker)
  return openBySlug(deps.db, slug)
}

/** Nothing more can be read of what ended unpaid; what a payment keeps open is open. */
export function insistShown(session: Session): void {
  if (session.status === 'PAID' || session.pending_payment !== null) return
  insistUnended(session)
  if (session.has_expired) throw refuse(orderErrors.expired)
}

/** The last payment of the session, if any was begun. */
export async function paymentOf(
  { db }: Pick<PublicDeps, 'db'>,
  { merchant_id, transaction_id: id }: Session,
): Promise<PaymentNow | undefined> {
  return id === null ? undefined : readPayment(db, { merchant_id, id })
}

export async function networksForPayer(
  deps: PublicDeps,
  { order: { session }, face }: Opened,
  asker: Asker,
  country: string | undefined,
) {
  insistServed(face)
  insistUnended(session)
  insistShown(session)
  return listNetworks(deps, { session, caller: payerOf(session, face, asker), country })
}

/**
 * What the session can be paid with in its own country; none where it names no country of ours.
 * Undefined: no payment can begin now.
 */
export async function offeredNow(deps: PublicDeps, opened: Opened, asker: Asker) {
  const { order, face } = opened
  try {
    insistServed(face)
    insistPayable(order, deps.limits)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
  const caller = payerOf(order.session, face, asker)
  return networksAtHome(deps, { session: order.session, caller })
}

export function payAsPayer(
  deps: PublicDeps,
  opened: Opened,
  asker: Asker,
  body: PayBody,
): Promise<PaymentNow> {
  insistServed(opened.face)
  const caller = payerOf(opened.order.session, opened.face, asker)
  return paySession(deps, { opened, caller, body })
}

export async function confirmAsPayer(
  deps: PublicDeps,
  { order: { session }, face }: Opened,
  asker: Asker,
  body: Readonly<{ otp: string }>,
): Promise<PaymentNow> {
  insistUnended(session)
  insistShown(session)
  const now = await paymentOf(deps, session)
  if (now === undefined) throw refuse(paymentErrors.no_attempt)
  const caller = payerOf(session, face, asker)
  return confirmOtp(deps, { caller, body, once: { none: true } }, now, 'PAYER')
}

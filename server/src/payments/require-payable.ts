// May a payment of this session begin now? The same rules serve the payer's page and the merchant's
// retry; the statement that begins the payment checks the rows once more, under their locks.

import { mayTopUpFrom } from '../merchants/payout-methods/get-payout-method.ts'
import { orderErrors, triedOut } from '../orders/errors.ts'
import { faultOf, type Link } from '../orders/link.ts'
import { findLink, findSession } from '../orders/order-statements.ts'
import type { Session } from '../orders/session.ts'
import type { BeginReach, TargetIds } from '../orders/statements.ts'
import { paymentErrors } from '../planning/errors.ts'
import { type PromptDeps, type PromptRefused, tooManyPrompts } from '../planning/prompt-limit.ts'
import type { Sql } from '../platform/db.ts'
import { Refusal, refuse } from '../platform/errors.ts'
import { isErased, type Transaction } from '../transactions/transaction.ts'
import { numberOf } from './plan-retry.ts'

/** A session with the link it was made by. */
export type CheckoutTarget = Readonly<{ session: Session; link: Link | undefined }>

export async function readCheckoutTarget(
  sql: Sql,
  key: Readonly<{ merchant_id: string; id: string }>,
): Promise<CheckoutTarget | undefined> {
  const session = await findSession(sql, key)
  if (session?.payment_link == null) return session && { session, link: undefined }
  const { merchant_id, payment_link: id } = session
  return { session, link: await findLink(sql, { merchant_id, id }) }
}

/** Throws the refusal of a session that cannot be paid, now or at all. */
export function requirePayable(
  { session, link }: CheckoutTarget,
  { session_payments }: Readonly<{ session_payments: number }>,
): void {
  requireUnended(session)
  if (session.pending_payment !== null) throw alreadyPending()
  if (session.has_expired) throw refuse(orderErrors.expired)
  if (session.payments >= session_payments) {
    // Until that payment has ended, nothing else can be answered.
    throw refuse(triedOut, { note: 'payments of a session', retry_after_s: session.ends_in_s })
  }
  const fault = link && faultOf(link)
  if (fault !== undefined) throw refuse(orderErrors[fault])
}

/** 410 by the status it ended in. */
export function requireUnended({ status }: Pick<Session, 'status'>): void {
  if (status === 'PAID') throw refuse(orderErrors.paid)
  if (status === 'EXPIRED') throw refuse(orderErrors.expired)
  if (status === 'CANCELLED') throw refuse(orderErrors.cancelled)
}

const alreadyPending = () => refuse(paymentErrors.payment_already_pending, { retry_after_s: 5 })

type MayRetryDeps = Readonly<{ db: Sql; limits: Readonly<{ session_payments: number }> }>

/** Whether the merchant may have the payer of one that failed asked again. It locks nothing. */
export async function mayRetry(deps: MayRetryDeps, transaction: Transaction): Promise<boolean> {
  const { status, flow_direction, merchant_id, checkout_session: id } = transaction
  if (status !== 'FAILED' || flow_direction !== 'INBOUND' || isErased(transaction)) return false
  if (transaction.transaction_type === 'RECHARGE') {
    return mayTopUpFrom(deps.db, transaction, numberOf(transaction))
  }
  if (id === null) return true
  const target = await readCheckoutTarget(deps.db, { merchant_id, id })
  // Of a session its last payment alone.
  if (target?.session.transaction_id !== transaction.id) return false
  try {
    requirePayable(target, deps.limits)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

type RefusalDeps = PromptDeps & Readonly<{ limits: Readonly<{ session_payments: number }> }>

/** Why a statement began nothing, judged by how far it came and by the rows as they are now. */
export async function refusalOf(
  deps: RefusalDeps,
  { merchant_id, checkout_session: id }: TargetIds,
  reach: BeginReach | undefined,
  prompt: PromptRefused,
): Promise<Error> {
  if (reach?.order === 1 && reach.prompt !== 1) return tooManyPrompts(deps, prompt)
  const target = await readCheckoutTarget(deps.db, { merchant_id, id })
  if (target !== undefined) requirePayable(target, deps.limits)
  // Another payment was quicker and has ended already: the payer may try again.
  return alreadyPending()
}

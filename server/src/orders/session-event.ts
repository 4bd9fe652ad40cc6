// The event of a session (contract 6.7): the record as the change leaves it, without its address,
// whose page has nothing more to show.

import type { FeedKey, NewEvent } from '../events/event.ts'
import { formatAmount } from '../money/format.ts'
import { newId } from '../platform/ids.ts'
import type { Session } from './session.ts'

type SessionEventType =
  | 'checkout_session.paid'
  | 'checkout_session.expired'
  | 'checkout_session.cancelled'

/** The record as the API shows it, but for `checkout_url`. */
export const viewSession = (session: Session) => ({
  id: session.id,
  merchant: session.merchant_id,
  created_by_member: session.created_by_member,
  slug: session.slug,
  amount: formatAmount(session.amount),
  currency: session.currency,
  description: session.description,
  country: session.country ?? '',
  customer_email: session.customer_email,
  customer_name: session.customer_name,
  customer_phone: session.customer_phone,
  return_url: session.return_url,
  metadata: { ...session.metadata },
  fee_charge_mode: session.fee_charge_mode,
  merchant_reference: session.merchant_reference,
  status: session.status,
  expires_at: session.expires_at?.toISOString() ?? null,
  transaction: session.transaction_id,
  payment_link: session.payment_link,
  paid_at: session.paid_at?.toISOString() ?? null,
  environment: session.environment,
  created_at: session.created_at.toISOString(),
  updated_at: session.updated_at.toISOString(),
})

/** `after`: the session as the statement leaves it. */
export const sessionEvent = (
  type: SessionEventType,
  after: Session,
  { gate_id }: Readonly<{ gate_id: string }>,
): NewEvent & FeedKey => ({
  merchant_id: after.merchant_id,
  environment: after.environment,
  gate_id,
  id: newId(),
  type,
  transaction_id: after.transaction_id,
  subject_id: after.id,
  data: { ...viewSession(after), version: after.version },
})

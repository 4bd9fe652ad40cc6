// A new session: it debits nothing until it is paid. Its fee mode is fixed here, so that the payer
// pays the sum that was shown, whatever the merchant changes later.

import { type Actor, actorOf } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { memberBehind } from '../merchants/keys/get-key.ts'
import { formatAmount } from '../money/format.ts'
import { parseAmount } from '../money/parse-amount.ts'
import { insertSession } from '../orders/order-statements.ts'
import type { NewSession, Session } from '../orders/session.ts'
import { paymentErrors } from '../planning/errors.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import { feeChargeMode } from '../planning/plan-softpay.ts'
import { metadataOf } from '../planning/softpay-body.ts'
import { inTransaction } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import { homeOf } from '../platform/places/places.ts'
import { findPath } from '../rates/convert.ts'
import { lifetimeMs, type SessionBody } from './session-body.ts'
import { newSlug } from './slug.ts'

export type CheckoutDeps = PaymentDeps & Readonly<{ public_url: string }>

export async function createSession(
  deps: CheckoutDeps,
  caller: Caller,
  body: SessionBody,
): Promise<Session> {
  const currency = body.currency.toUpperCase()
  const reading = parseAmount(body.amount, currency)
  assert(reading.is === 'amount', 'the body was checked')
  const amount = reading.hundredths
  const mode = feeChargeMode(caller, body.fee_charge_mode)
  await requirePayableIn(deps, caller, currency)
  return makeSession(deps, actorOf(caller), {
    merchant_id: caller.merchant_id,
    environment: caller.environment,
    created_by_member: await memberBehind(deps.db, caller),
    amount,
    currency,
    description: body.description ?? '',
    country: body.country?.toUpperCase() || null,
    customer_email: body.customer_email,
    customer_name: body.customer_name.trim(),
    customer_phone: body.customer_phone ?? '',
    return_url: body.return_url ?? '',
    metadata: metadataOf(body.metadata),
    fee_charge_mode: mode ?? null,
    merchant_reference: body.merchant_reference ?? '',
    payment_link: null,
    expires_at: new Date(
      body.expires_at === undefined ? deps.clock() + lifetimeMs : Date.parse(body.expires_at),
    ),
  })
}

/** A currency that no country of ours can be reached from is refused at once (contract 2.1). */
export async function requirePayableIn(
  { catalogue, rates }: Pick<PaymentDeps, 'catalogue' | 'rates'>,
  { catalogue_version: version }: Pick<Caller, 'catalogue_version'>,
  currency: string,
): Promise<void> {
  const [{ countries }, inForce] = await Promise.all([catalogue(version), rates(version)])
  const isReached = countries.some(
    ({ default_currency }) => findPath(inForce, currency, default_currency) !== undefined,
  )
  if (!isReached) throw refuse(paymentErrors.no_exchange_rate)
}

/** The row and its line in the audit log. */
export function makeSession(
  { db }: Pick<CheckoutDeps, 'db'>,
  actor: Actor,
  row: Omit<NewSession, 'id' | 'slug'>,
): Promise<Session> {
  return inTransaction(homeOf(db, row.merchant_id), async (tx) => {
    const session = await insertSession(tx, { ...row, id: newId(), slug: newSlug() })
    await recordAct(tx, {
      merchant_id: session.merchant_id,
      environment: session.environment,
      actor,
      action: 'checkout_session.created',
      target_kind: 'checkout_session',
      target_id: session.id,
      after: { amount: formatAmount(session.amount), currency: session.currency },
    })
    return session
  })
}

// Who calls without a credential: a payer, found by the slug he was given. He acts for the merchant
// whose session it is, and may do nothing but pay it.

import { type Face, faceIn } from '../../merchants/face/face.ts'
import { readFace } from '../../merchants/face/read-face.ts'
import { findSlug } from '../../orders/order-record.ts'
import type { Session } from '../../orders/session.ts'
import { paymentErrors } from '../../payments/errors.ts'
import { type Order, readOrder } from '../../payments/insist-payable.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Sql } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Caller, Input } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { networkOf } from '../../platform/throttle/network.ts'
import { countOrRefuse } from '../../platform/throttle/throttle.ts'
import type { CheckoutDeps } from '../create-session.ts'
import { looksLikeSlug } from '../slug.ts'

export type PublicDeps = CheckoutDeps &
  Readonly<{
    keyring: Keyring
    limits: CheckoutDeps['limits'] &
      Readonly<{ public_per_ip_minute: number; link_sessions_hour: number }>
  }>

/** Every call of a public page counts, the wrong ones too. */
export const countPublic = (
  { db, keyring, limits }: Pick<PublicDeps, 'db' | 'keyring' | 'limits'>,
  { ip }: Pick<Input, 'ip'>,
): Promise<void> =>
  countOrRefuse(
    { db, macs: keyring },
    { act: 'checkout-ip', target: networkOf(ip), most: limits.public_per_ip_minute, within_s: 60 },
  )

export type Opened = Readonly<{ order: Order; face: Face }>

/** The session of a slug; an unknown one is 404. */
export async function openBySlug(sql: Sql, slug: string): Promise<Opened> {
  const key = looksLikeSlug(slug) ? await findSlug(sql, slug, 'SESSION') : undefined
  if (key === undefined) throw refuse(transportErrors.not_found)
  const [order, face] = await Promise.all([readOrder(sql, key), readFace(sql, key.merchant_id)])
  assert(order !== undefined, 'a session does not go away')
  return { order, face: faceIn(face, order.session.environment) }
}

/** Nothing new is begun for a suspended merchant (decisions 3.5). */
export function insistServed({ is_suspended }: Pick<Face, 'is_suspended'>): void {
  if (is_suspended) throw refuse(paymentErrors.no_route_available, { note: 'merchant suspended' })
}

/** The payer as the verbs of payments know a caller. */
export function payerOf(
  { merchant_id, environment, fee_charge_mode }: Session,
  face: Face,
  { ip, request_id, locale }: Pick<Input, 'ip' | 'request_id' | 'locale'>,
): Caller {
  return {
    merchant_id,
    environment,
    via: 'KEY',
    scope: 'PAYIN',
    api_key_id: null,
    member_id: null,
    session: null,
    ip,
    request_id,
    locale,
    suspended: face.is_suspended,
    // What the payer was shown stands, whatever the merchant has set since.
    fee_charge_mode_locked: fee_charge_mode ?? face.fee_charge_mode_locked,
    allowed_countries: face.allowed_countries,
    catalogue_version: face.catalogue_version,
  }
}

// A caller without a credential: a payer, found by the slug they were given. A payer acts for the
// session's merchant, and may do nothing but pay it.

import { type Static, Type } from 'typebox'
import { CountryInput } from '../../catalogue/view.ts'
import { type MerchantProfile, profileIn } from '../../merchants/settings/profile.ts'
import { readProfile } from '../../merchants/settings/read-settings.ts'
import { findSlug } from '../../orders/order-statements.ts'
import type { Session } from '../../orders/session.ts'
import { type CheckoutTarget, readCheckoutTarget } from '../../payments/require-payable.ts'
import { paymentErrors } from '../../planning/errors.ts'
import { OtpInput, payerFields } from '../../planning/softpay-body.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Sql } from '../../platform/db.ts'
import { assert, refuse } from '../../platform/errors.ts'
import type { Caller, Input } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { countOrRefuse, networkOf } from '../../platform/throttle/throttle.ts'
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

export type Checkout = Readonly<{ target: CheckoutTarget; profile: MerchantProfile }>

/** The session of a slug; an unknown one is 404. */
export async function openBySlug(sql: Sql, slug: string): Promise<Checkout> {
  const key = looksLikeSlug(slug) ? await findSlug(sql, slug, 'SESSION') : undefined
  if (key === undefined) throw refuse(transportErrors.not_found)
  const [target, profile] = await Promise.all([
    readCheckoutTarget(sql, key),
    readProfile(sql, key.merchant_id),
  ])
  assert(target !== undefined, 'a session does not go away')
  return { target, profile: profileIn(profile, target.session.environment) }
}

/** Nothing new is begun for a suspended merchant, nor in LIVE for one that staff have rejected. */
export function requireServed({ is_suspended }: Pick<MerchantProfile, 'is_suspended'>): void {
  if (is_suspended) throw refuse(paymentErrors.no_route_available, { note: 'merchant stopped' })
}

/** The payer as the verbs of payments know a caller. */
export function payerOf(
  { merchant_id, environment, fee_charge_mode }: Session,
  profile: MerchantProfile,
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
    suspended: profile.is_suspended,
    // What the payer was shown holds, whatever the merchant has set since.
    fee_charge_mode_locked: fee_charge_mode ?? profile.fee_charge_mode_locked,
    allowed_countries: profile.allowed_countries,
    sandbox_dialects: profile.sandbox_dialects,
    catalogue_version: profile.catalogue_version,
  }
}

// What a payer sends (contract 6.1).

export const PayBody = Type.Object(
  {
    network: Type.String({ minLength: 1, maxLength: 40 }),
    country: Type.Optional(CountryInput),
    customer: Type.Optional(
      Type.Object({
        ...payerFields,
        phone: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
      }),
    ),
    otp: OtpInput,
  },
  { title: 'CheckoutPay' },
)
export type PayBody = Static<typeof PayBody>

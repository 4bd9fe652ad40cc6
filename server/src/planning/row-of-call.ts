// What every transaction made by a merchant's call has in common: the caller, the fields beside the
// amount, and the figures of the first route.

import type { Country } from '../catalogue/catalogue.ts'
import type { Caller } from '../platform/http/route.ts'
import { newId, newReference } from '../platform/ids.ts'
import { adoptedFrom } from '../transactions/move.ts'
import type { Plans } from './plan-routes.ts'
import type { SoftpayPlan } from './plan-softpay.ts'
import { metadataOf, type SoftpayBody } from './softpay-body.ts'

type CallPlan = Readonly<{ country: Country; plans: Plans; original: SoftpayPlan['original'] }>
type CallBody = Pick<
  SoftpayBody,
  'description' | 'metadata' | 'merchant_reference' | 'preferred_gateway'
>

export const rowOfCall = (
  caller: Caller,
  body: CallBody,
  { country, plans, original }: CallPlan,
) => ({
  id: newId(),
  ...adoptedFrom(plans[0]),
  fee_charge_mode: plans[0].fee_charge_mode,
  merchant_id: caller.merchant_id,
  environment: caller.environment,
  reference: newReference('TXN'),
  country_id: country.id,
  country_code: country.iso_code,
  description: body.description ?? '',
  metadata: metadataOf(body.metadata),
  merchant_reference: body.merchant_reference ?? '',
  currency: plans[0].currency,
  original_amount: original?.amount ?? null,
  original_currency: original?.currency ?? null,
  exchange_rate: original?.rate_e8 ?? null,
  preferred_gateway: body.preferred_gateway ?? '',
  checkout_session: null,
  payment_link: null,
  ip_address: caller.ip,
  request_id: caller.request_id,
  api_key_id: caller.api_key_id,
  member_id: caller.member_id,
})

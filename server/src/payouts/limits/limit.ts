// Limits that a merchant sets on its own payouts in one country (issue: payout safety): for a
// single payout, for a day (UTC), and above which a second person must approve.

import type { Environment } from '../../platform/http/route.ts'

/** Whose limit it is when it is no key's: the whole merchant's. */
export const wholeMerchant = '00000000-0000-0000-0000-000000000000'

/** Amounts in hundredths of `currency`; null: no such limit. */
export type PayoutLimit = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  country: string
  api_key_id: string
  currency: string
  per_payout: bigint | null
  per_day: bigint | null
  approval_above: bigint | null
  created_by_member: string | null
  created_at: Date
  updated_at: Date
}>

/** What a payout meets: of the merchant, and of the key that calls. */
export type LimitsMet = readonly Pick<
  PayoutLimit,
  'api_key_id' | 'per_payout' | 'per_day' | 'approval_above'
>[]

export const isTooLarge = (limits: LimitsMet, debited_amount: bigint): boolean =>
  limits.some(({ per_payout }) => per_payout !== null && debited_amount > per_payout)

export const needsApproval = (limits: LimitsMet, debited_amount: bigint): boolean =>
  limits.some(({ approval_above }) => approval_above !== null && debited_amount > approval_above)

// Why a payment or payout may have failed: by these a list is narrowed, and evidence says them.

import type { GetTransactionsData } from '../../api/types.gen.ts'

/** Why one may have failed. */
export const reasons = [
  ...(['INSUFFICIENT_FUNDS', 'NOT_APPROVED', 'EXPIRED', 'PAYER_NOT_FOUND'] as const),
  ...(['RECIPIENT_NOT_FOUND', 'LIMIT_REACHED', 'INVALID_OTP', 'GATEWAY_REFUSED'] as const),
  ...(['GATEWAY_UNAVAILABLE', 'REJECTED_BY_MERCHANT', 'CANCELLED_BY_MERCHANT'] as const),
  ...(['CANCELLED_BY_STAFF', 'UNKNOWN'] as const),
] as const satisfies readonly NonNullable<
  NonNullable<GetTransactionsData['query']>['failure_code']
>[]

// A payout method of the caller (contract 3.5). They belong to the merchant in both environments.

import type { Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { isUuid } from '../../platform/ids.ts'
import { payoutMethodErrors } from './errors.ts'
import type { PayoutMethod } from './payout-method.ts'
import { findMethod, hasUsableNumber, type MethodKey, requireOwnMethod } from './store.ts'

export async function getPayoutMethod(sql: Sql, key: MethodKey): Promise<PayoutMethod> {
  const method = isUuid(key.id) ? await findMethod(sql, key) : undefined
  return requireOwnMethod(sql, key, method)
}

/** For paying to it: refuses, with the seconds to wait, before the cooling-off is over. */
export async function getUsablePayoutMethod(
  sql: Sql,
  merchant_id: string,
  id: string,
): Promise<PayoutMethod> {
  const method = await getPayoutMethod(sql, { merchant_id, id })
  if (method.is_usable) return method
  const { usable_in_s } = method
  throw refuse(payoutMethodErrors.payout_method_cooling_off, {
    retry_after_s: Math.max(1, usable_in_s),
  })
}

// Whether a mobile-money number is the merchant's own: when money may be paid out to it now. It was
// added with a second factor, the owners were e-mailed, and its cooling-off is over.

/**
 * Whether a top-up may come from it: in LIVE from one's own alone (contract 8.13). `msisdn` in
 * E.164, whatever its network: numbers are portable. One read, and in LIVE only.
 */
export const mayTopUpFrom = async (
  sql: Sql,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  msisdn: string,
): Promise<boolean> => environment !== 'LIVE' || hasUsableNumber(sql, merchant_id, msisdn)

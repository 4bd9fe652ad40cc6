// A payout method of the caller's, or the right refusal (contract 3.5). They belong to the merchant
// in both environments.

import type { Sql } from '../../platform/db.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { payoutMethodErrors } from './errors.ts'
import type { MethodType, PayoutMethod } from './payout-method.ts'
import { findMethod, isMethodOfAnother, listMethods, type MethodKey } from './store.ts'

export async function getPayoutMethod(sql: Sql, key: MethodKey): Promise<PayoutMethod> {
  const method = isUuid(key.id) ? await findMethod(sql, key) : undefined
  if (method === undefined) throw await whyNoMethod(sql, key)
  return method
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

/** Only for a method that was not found under `key`. */
export async function whyNoMethod(sql: Sql, key: MethodKey): Promise<Refusal> {
  const elsewhere = isUuid(key.id) && (await isMethodOfAnother(sql, key))
  return refuse(elsewhere ? transportErrors.permission_denied : transportErrors.not_found)
}

export type MethodSearch = Readonly<{
  country: string | undefined
  type: MethodType | undefined
  /** In label, bank and name, whatever the case. */
  search: string
}>

/** Newest first. */
export async function searchPayoutMethods(
  sql: Sql,
  merchant_id: string,
  { country, type, search }: MethodSearch,
): Promise<PayoutMethod[]> {
  const wanted = search.toLowerCase()
  const text = (one: PayoutMethod) => [one.label, one.bank_name, one.account_name].join('\n')
  return (await listMethods(sql, merchant_id)).filter(
    (one) =>
      (country === undefined || one.country === country.toUpperCase()) &&
      (type === undefined || one.type === type) &&
      text(one).toLowerCase().includes(wanted),
  )
}

// A top-up is the merchant's own money (contract 8.13): in LIVE it must come from a number to which
// the merchant may be paid out. Otherwise it would be somebody else's payin at the price of a
// top-up.

import { mayTopUpFrom } from '../../merchants/payout-methods/get-payout-method.ts'
import { paymentErrors } from '../../planning/errors.ts'
import type { Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'

/** Throws `topup_number_not_owned`. One read, and in LIVE only. */
export async function requireOwnNumber(
  sql: Sql,
  of: Pick<Caller, 'merchant_id' | 'environment'>,
  msisdn: string,
): Promise<void> {
  if (await mayTopUpFrom(sql, of, msisdn)) return
  throw refuse(paymentErrors.topup_number_not_owned)
}

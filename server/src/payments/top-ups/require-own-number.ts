// A top-up is the merchant's own money (contract 8.13): in LIVE it must come from a number to which
// the merchant may be paid out. Otherwise it would be somebody else's payin at the price of a
// top-up.

import { isOwnNumber } from '../../merchants/payout-methods/get-payout-method.ts'
import { paymentErrors } from '../../planning/errors.ts'
import type { Db } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'

/** Throws `topup_number_not_owned`. One read, and in LIVE only. */
export async function requireOwnNumber(
  db: Db,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  msisdn: string,
): Promise<void> {
  if (environment !== 'LIVE') return
  if (!(await isOwnNumber(db, merchant_id, msisdn))) {
    throw refuse(paymentErrors.topup_number_not_owned)
  }
}

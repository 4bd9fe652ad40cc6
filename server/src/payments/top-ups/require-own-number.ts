// A top-up is the merchant's own money (contract 8.13): in LIVE it comes from a number that he may
// be paid out to, or it would be a payin of somebody else's at the price of a top-up.

import { isOwnNumber } from '../../merchants/payout-methods/own-number.ts'
import { paymentErrors } from '../../planning/errors.ts'
import type { Db } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'

/** Throws `topup_number_not_owned`. One read, in LIVE only. */
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

// The caller's own payment by id, or the right refusal (contract 3.5): 403 for another merchant's,
// 404 for the other environment, an unknown or an ill-formed id.

import type { Db } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { Input } from '../platform/http/route.ts'
import { isUuid } from '../platform/ids.ts'
import { getOwnTransaction } from '../transactions/get-own-transaction.ts'
import { type PaymentNow, readPayment } from './read-payment.ts'

export async function ownPayment(
  db: Db,
  { caller, params }: Pick<Input, 'caller' | 'params'>,
): Promise<PaymentNow> {
  const id = params['payment_id'] ?? ''
  const { merchant_id, environment } = caller
  const now = isUuid(id) ? await readPayment(db, { merchant_id, id }) : undefined
  if (now !== undefined && now.transaction.environment === environment) return now
  await getOwnTransaction(db, caller, id)
  assert(now !== undefined, 'a payment does not go away')
  return now
}

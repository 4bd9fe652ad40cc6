// Which transactions have an invoice and a receipt (contract: Invoice): inbound, in SUCCESS. The
// direction is checked first: a payout never gets there, whatever becomes of it.

import { refuse } from '../platform/errors.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { receiptErrors } from './errors.ts'

export function requireReceipted({
  flow_direction,
  status,
}: Pick<Transaction, 'flow_direction' | 'status'>): void {
  if (flow_direction !== 'INBOUND') throw refuse(receiptErrors.invalid_flow)
  if (status !== 'SUCCESS') throw refuse(receiptErrors.not_success)
}

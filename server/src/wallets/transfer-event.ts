// The event of a transfer (contract 6.7): the very record that the API shows, as the change leaves
// it.

import type { FeedKey, NewEvent } from '../events/event.ts'
import { newId } from '../platform/ids.ts'
import type { Transfer } from './transfer.ts'
import { viewTransfer } from './view.ts'

type TransferEventType =
  | 'wallet_transfer.requested'
  | 'wallet_transfer.completed'
  | 'wallet_transfer.rejected'

/** Gated by the transfer's own id. */
export const transferEvent = (type: TransferEventType, transfer: Transfer): NewEvent & FeedKey => ({
  merchant_id: transfer.merchant_id,
  environment: transfer.environment,
  gate_id: transfer.id,
  id: newId(),
  type,
  transaction_id: null,
  subject_id: transfer.id,
  data: { ...viewTransfer(transfer), version: transfer.version },
})

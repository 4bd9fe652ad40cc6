// How far a transfer is.

import type { WalletTransfer } from '../../api/types.gen.ts'
import type { State } from '../../ui/status.tsx'

const shapes = {
  PENDING: 'waits',
  APPROVED: 'waits',
  PROCESSING: 'waits',
  SUCCESS: 'done',
  FAILED: 'failed',
  REJECTED: 'failed',
} as const

export const transferState = ({ status }: WalletTransfer): State => ({
  shape: shapes[status],
  word: `transfer_${status}`,
})

// How far a transfer is.

import type { WalletTransfer } from '../../api/types.gen.ts'
import type { State } from '../../ui/status.tsx'
import type { Key } from '../../words/translate.ts'

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

/** Nobody refused it: its time ran out. The reason that stands there is the service's own. */
export const hasLapsed = ({ status, rejection_reason }: WalletTransfer): boolean =>
  status === 'REJECTED' && rejection_reason === 'not approved in time'

export const saidOf = (of: WalletTransfer): Key =>
  hasLapsed(of) ? 'transfer_said_lapsed' : `transfer_said_${of.status}`

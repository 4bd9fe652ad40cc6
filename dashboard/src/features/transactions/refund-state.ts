// How far a refund is, in the order of what its reader has to know: its end, who has to decide it,
// whether the operator has answered.

import type { Refund } from '../../api/types.gen.ts'
import type { State } from '../../ui/status.tsx'

export function refundState({ status, waiting_for, attempts }: Refund): State {
  if (status === 'SUCCESS') return { shape: 'done', word: 'refund_SUCCESS' }
  if (status === 'FAILED') return { shape: 'failed', word: 'state_failed' }
  if (status === 'CANCELLED') return { shape: 'off', word: 'state_cancelled' }
  if (waiting_for === 'STAFF') return { shape: 'held', word: 'refund_STAFF' }
  if (waiting_for === 'SECOND_MEMBER') return { shape: 'yours', word: 'state_approval' }
  if (attempts.at(-1)?.status === 'UNKNOWN') return { shape: 'unknown', word: 'state_unknown' }
  return { shape: 'waits', word: 'state_waits' }
}

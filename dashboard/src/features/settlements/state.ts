// How far a settlement is, and what is said of it.

import type { Settlement } from '../../api/types.gen.ts'
import type { State } from '../../ui/status.tsx'
import type { Key } from '../../words/translate.ts'

const shapes = {
  PENDING: 'waits',
  APPROVED: 'waits',
  PROCESSING: 'waits',
  SUCCESS: 'done',
  FAILED: 'failed',
  CANCELLED: 'off',
} as const

export function settlementState({ status, returned_at }: Settlement): State {
  if (returned_at !== null) return { shape: 'failed', word: 'settlement_RETURNED' }
  return { shape: shapes[status], word: `settlement_${status}` }
}

export function saidOf({ status, returned_at, waiting_reason }: Settlement): Key {
  if (waiting_reason !== null) return 'settlement_said_waits'
  return returned_at === null ? `settlement_said_${status}` : 'settlement_said_RETURNED'
}

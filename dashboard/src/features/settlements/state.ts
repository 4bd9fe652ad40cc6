// What is said of a settlement, by how far it is.

import type { Settlement } from '../../api/types.gen.ts'
import type { Key } from '../../words/translate.ts'

export function saidOf({ status, returned_at, waiting_reason }: Settlement): Key {
  if (waiting_reason !== null) return 'settlement_said_waits'
  return returned_at === null ? `settlement_said_${status}` : 'settlement_said_RETURNED'
}

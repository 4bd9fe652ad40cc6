// Something a gateway said about an attempt, with what it rests on; and the parts of a statement
// that keep that evidence.

import { type CallbackRow, keepCallbacks } from '../attempts/statements.ts'
import type { Answer, GatewayFacts } from '../gateways/gateway.ts'
import type { Db, Fragment } from '../platform/db.ts'
import { sayAnswer } from './decide.ts'
import type { Evidence, TriggeredBy } from './transaction.ts'

export type Heard = Readonly<{
  merchant_id: string
  attempt_id: string
  answer: Answer
  hash: Buffer
  triggered_by: TriggeredBy
  evidence_kind: Evidence['kind']
  request_id: string
  gateway: Pick<GatewayFacts, 'create_is_idempotent' | 'not_found_grace_s'>
  otp_in_hand?: boolean
  /** The raw callback this was read from: kept in the same commit. */
  callback?: Omit<CallbackRow, 'gate'>
}>

export function evidenceOf(heard: Heard): Evidence {
  return {
    kind: heard.evidence_kind,
    id: heard.callback?.id ?? null,
    hash: heard.hash,
    said: sayAnswer(heard.answer),
  }
}

export function callbackParts(db: Db, heard: Heard, gate_id: string, gate: string): Fragment[] {
  if (heard.callback === undefined) return []
  return [keepCallbacks(db, heard.merchant_id, gate, [{ ...heard.callback, gate: gate_id }])]
}

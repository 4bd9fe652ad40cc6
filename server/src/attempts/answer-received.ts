// An answer that a gateway gave about an attempt, with its evidence; and the parts of a statement
// that keep that evidence.

import type { Answer, Capture } from '../gateways/gateway.ts'
import type { Db } from '../platform/db.ts'
import type { Gate, Part } from '../platform/sql.ts'
import { type CallbackRow, keepCallbacks } from './callback-statements.ts'
import { describeAnswer } from './decide.ts'
import type { DecidingFacts } from './decision.ts'
import type { Evidence, TriggeredBy } from './evidence.ts'
import type { AttemptStatus } from './states.ts'

export type AnswerReceived = Readonly<{
  merchant_id: string
  attempt_id: string
  answer: Answer
  hash: Buffer
  triggered_by: TriggeredBy
  evidence_kind: Evidence['kind']
  request_id: string
  /**
   * How long ago the attempt was sent when the query was made (seconds), where this answers a
   * query.
   */
  age_at_query_s?: number
  /** For how long the operator had answered "not found" when the query was made. */
  not_found_at_query_s?: number | null
  gateway: DecidingFacts
  /** Its payer decides on a page alone, whose address comes with an answer about it. */
  by_page?: boolean
  otp_in_hand?: boolean
  /** For the answer to a send: the lease under which it was sent. */
  under_lease?: bigint
  /** For the answer to a query: the attempt's status when it was made. */
  status_at_query?: AttemptStatus
  /** The raw callback this was read from: kept in the same commit. */
  callback?: Omit<CallbackRow, 'gate_id'>
}>

export function evidenceOf(received: AnswerReceived): Evidence {
  const { answer } = received
  const isAsked = answer.is === 'confirmed' && answer.amount_is === 'ASKED'
  return {
    kind: isAsked ? 'ANSWER_ASKED' : received.evidence_kind,
    id: received.callback?.id ?? null,
    hash: received.hash,
    said: describeAnswer(answer),
  }
}

/** Characters: an index holds it, and no operator's is longer. */
const operator_reference_max = 200

/** A gateway's own text as the database can hold it: no NUL, no half of a surrogate pair. */
export function storableAnswer(answer: Answer): Answer {
  const plain = (text: string) => Buffer.from(text).toString().replaceAll('\0', '\uFFFD')
  if (answer.is === 'refused') {
    const { detail, external_reference } = answer
    return { ...answer, detail: plain(detail), external_reference: plain(external_reference) }
  }
  if (answer.is === 'reversed') {
    const { detail, external_reference } = answer
    return { ...answer, detail: plain(detail), external_reference: plain(external_reference) }
  }
  if (answer.is === 'several') {
    const [first, ...others] = answer.captures
    const storable = (one: Capture): Capture => ({
      ...one,
      external_reference: plain(one.external_reference),
    })
    return { ...answer, captures: [storable(first), ...others.map(storable)] }
  }
  if (answer.is !== 'confirmed' && answer.is !== 'waiting') return answer
  const external_reference = plain(answer.external_reference)
  if (answer.is === 'waiting' || !answer.operator_reference)
    return { ...answer, external_reference }
  return {
    ...{ ...answer, external_reference },
    operator_reference: plain(answer.operator_reference).slice(0, operator_reference_max),
  }
}

export function callbackParts(
  db: Db,
  received: AnswerReceived,
  gate_id: string,
  gate: Gate,
): Part<never>[] {
  if (received.callback === undefined) return []
  return [keepCallbacks(db, [{ ...received.callback, gate_id }], gate)]
}

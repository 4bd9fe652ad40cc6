// How an attempt ends, as the row that the statement of its end writes: after an answer about it,
// or because its route took nothing and the next one is tried.

import type { Answer } from '../gateways/gateway.ts'
import type { Attempt, AttemptKeyOf } from './attempt.ts'
import { failureText, failureTextOf } from './failure-texts.ts'
import type { AttemptEnd } from './statements.ts'

type End = Omit<AttemptEnd, 'merchant_id' | 'id' | 'failure_message' | 'operator_reference'> &
  Readonly<{ operator_reference?: string | null }>

export function endOf(attempt: Attempt, { operator_reference = null, ...end }: End): AttemptEnd {
  const { merchant_id, id } = attempt
  const failure_message = failureText(end.failure_code, 'en')
  return { merchant_id, id, ...end, operator_reference, failure_message }
}

/** The end of the route that took nothing: `answer` is its own refusal, or it was never sent. */
export function endOfRoute(
  { from, answer }: Readonly<{ from: Pick<AttemptKeyOf, 'id'>; answer: Answer }>,
  of: Pick<AttemptEnd, 'merchant_id' | 'gate_id'>,
): AttemptEnd {
  const refused = answer.is === 'refused'
  const code = refused ? answer.failure_code : 'GATEWAY_UNAVAILABLE'
  return {
    ...of,
    id: from.id,
    status: 'FAILED',
    gateway_ended: true,
    external_reference: refused ? answer.external_reference : '',
    operator_reference: null,
    failure_code: code,
    failure_message: failureTextOf(code).en,
    gateway_detail: refused ? answer.detail : 'never sent',
    ask_after_s: null,
  }
}

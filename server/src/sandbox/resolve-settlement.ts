// A test decides what becomes of a settlement that its sandbox operator has: the operator is
// instructed, and what it then answers ends the settlement as any other answer would.

import { applyAnswer } from '../attempts/apply-answer.ts'
import { findOpenAttemptOf } from '../attempts/attempt-record.ts'
import { triggerOf } from '../attempts/evidence.ts'
import { keyAtGateway, type QueryDeps } from '../attempts/query-attempt.ts'
import { resolves } from '../gateways/gateway.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { settlementErrors } from '../settlements/errors.ts'
import type { Settlement } from '../settlements/settlement.ts'
import { settlementPurpose } from '../settlements/settlement-purpose.ts'
import { sandboxErrors } from './errors.ts'
import type { Outcome } from './resolve-transaction.ts'

export async function resolveSettlement(
  deps: QueryDeps,
  caller: Caller,
  settlement: Settlement,
  outcome: Outcome,
): Promise<void> {
  if (settlement.completed_at !== null) throw refuse(settlementErrors.transaction_terminal)
  const attempt = await findOpenAttemptOf(deps.db, settlement)
  const gateway = attempt && deps.gateways.get(attempt.gateway_code)
  if (attempt === undefined || gateway === undefined || !resolves(gateway)) {
    throw refuse(sandboxErrors.not_resolvable)
  }
  const reply = await gateway.resolve(keyAtGateway(attempt), outcome)
  await applyAnswer(deps, settlementPurpose, {
    merchant_id: attempt.merchant_id,
    attempt_id: attempt.id,
    answer: reply.answer,
    hash: reply.hash,
    triggered_by: triggerOf(caller),
    evidence_kind: 'STATUS_ANSWER',
    age_at_query_s: attempt.grace_age_s,
    request_id: caller.request_id,
    gateway: gateway.facts,
  })
}

// An attempt as merchants read it, field by field (contract 5.8).

import type { Static } from 'typebox'
import { formatAmount } from '../money/format.ts'
import { assert, type Locale } from '../platform/errors.ts'
import { type Attempt, operatorReferenceOf } from './attempt.ts'
import type { AttemptSchema } from './schema.ts'

/** What a failure code means to a person; `""` for a code without text. */
export type FailureText = (code: string, locale: Locale) => string

/** An attempt of a transaction; those of settlements are not shown. */
export function viewAttempt(
  attempt: Attempt,
  locale: Locale,
  failureText: FailureText,
): Static<typeof AttemptSchema> {
  assert(attempt.transaction_id !== null, `attempt ${attempt.id} is a settlement's`)
  return {
    id: attempt.id,
    transaction: attempt.transaction_id,
    gateway: attempt.gateway_id,
    gateway_code: attempt.gateway_code,
    network: attempt.network_id,
    network_code: attempt.network_code,
    priority: attempt.priority,
    status: attempt.status,
    external_reference: attempt.external_reference,
    operator_reference: operatorReferenceOf(attempt),
    failure_code: attempt.failure_code,
    failure_message: failureText(attempt.failure_code, locale) || attempt.failure_message,
    requested_amount: formatAmount(attempt.requested_amount),
    client_fee: formatAmount(attempt.client_fee),
    debited_amount: formatAmount(attempt.debited_amount),
    net_amount: formatAmount(attempt.net_amount),
    fee_charge_mode: attempt.fee_charge_mode,
    currency: attempt.currency,
    operation_msisdn: attempt.operation_msisdn,
    started_at: attempt.started_at.toISOString(),
    finished_at: attempt.finished_at?.toISOString() ?? null,
    created_at: attempt.created_at.toISOString(),
  }
}

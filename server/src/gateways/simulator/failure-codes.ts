// The sandbox operator's codes for a failure, and what they mean in ours (contract 5.8). Law: only
// a code of this table blames the payer at once; an undocumented one is the gateway's refusal.

import { assert } from '../../platform/errors.ts'
import type { FailureCode } from '../gateway.ts'

type Meaning = Readonly<{ code: string; by: 'payer' | 'gateway'; failure_code: FailureCode }>

const meanings: readonly Meaning[] = [
  { code: 'PAYER_NOT_FOUND', by: 'payer', failure_code: 'PAYER_NOT_FOUND' },
  { code: 'RECIPIENT_NOT_FOUND', by: 'payer', failure_code: 'RECIPIENT_NOT_FOUND' },
  { code: 'INSUFFICIENT_FUNDS', by: 'payer', failure_code: 'INSUFFICIENT_FUNDS' },
  { code: 'NOT_APPROVED', by: 'payer', failure_code: 'NOT_APPROVED' },
  { code: 'LIMIT_REACHED', by: 'payer', failure_code: 'LIMIT_REACHED' },
  { code: 'INVALID_OTP', by: 'payer', failure_code: 'INVALID_OTP' },
  { code: 'EXPIRED', by: 'payer', failure_code: 'EXPIRED' },
  { code: 'OPERATOR_UNAVAILABLE', by: 'gateway', failure_code: 'GATEWAY_UNAVAILABLE' },
  { code: 'ORDER_REFUSED', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
  { code: 'REJECTED_BY_MERCHANT', by: 'payer', failure_code: 'REJECTED_BY_MERCHANT' },
  { code: 'UNSPECIFIED', by: 'payer', failure_code: 'UNKNOWN' },
  // We cancel what its payer has not approved, before another try.
  { code: 'CANCELLED', by: 'payer', failure_code: 'NOT_APPROVED' },
  { code: 'REVERSED', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
]

const byCode: ReadonlyMap<string, Meaning> = new Map(meanings.map((one) => [one.code, one]))

/**
 * A refusal at once: whether the payer or the gateway caused it decides if another route may be
 * tried (money 1).
 */
export function refusalFor(code: string): Pick<Meaning, 'by' | 'failure_code'> {
  const { by, failure_code } = byCode.get(code) ?? {
    by: 'gateway',
    failure_code: 'GATEWAY_REFUSED',
  }
  return { by, failure_code }
}

/** Why an accepted order failed; `UNKNOWN` for an undocumented reason, or none. */
export function failureFor(code: string): FailureCode {
  return byCode.get(code)?.failure_code ?? 'UNKNOWN'
}

/**
 * The operator's code for a failure that a test requests: it reads back as the same code of ours.
 */
export function wordFor(failure_code: FailureCode): string {
  const meaning = meanings.find((one) => one.failure_code === failure_code)
  assert(meaning !== undefined, `the sandbox operator has no word for ${failure_code}`)
  return meaning.code
}

// What this operator's statuses and codes mean, over every combination of them. Pure. Law: a
// combination that is not here is unknown, and is counted; a refusal goes by its code, because the
// HTTP status beside it is not the same everywhere.
// Sources, and how sure each is: docs/operators/pawapay.md.

import type { FailureCode } from '../gateway.ts'
import type { Operation } from './wire.ts'

export type Meaning = Readonly<{
  by: 'payer' | 'gateway' | 'float'
  failure_code: FailureCode
  alarm?: 'CREDENTIAL' | 'CONFIGURATION'
}>

const payer = (failure_code: FailureCode): Meaning => ({ by: 'payer', failure_code })
const refused: Meaning = { by: 'gateway', failure_code: 'GATEWAY_REFUSED' }
const setup: Meaning = { ...refused, alarm: 'CONFIGURATION' }
const access: Meaning = { ...refused, alarm: 'CREDENTIAL' }
const down: Meaning = { by: 'gateway', failure_code: 'GATEWAY_UNAVAILABLE' }
const float: Meaning = { by: 'float', failure_code: 'GATEWAY_UNAVAILABLE' }
export const unnamed: Meaning = payer('UNKNOWN')

type Meanings = Readonly<{ in: Meaning; out: Meaning }>
const either = (meaning: Meaning): Meanings => ({ in: meaning, out: meaning })

/** Why it was rejected at once, in an answer of 200: nothing was taken. */
export const rejections: Readonly<Record<string, Meanings>> = {
  INVALID_PHONE_NUMBER: { in: payer('PAYER_NOT_FOUND'), out: payer('RECIPIENT_NOT_FOUND') },
  INVALID_PROVIDER: either(setup),
  INVALID_CURRENCY: either(setup),
  // Of this sum alone: what the operator takes is read daily, and compared with what we let by.
  INVALID_AMOUNT: either(refused),
  AMOUNT_OUT_OF_BOUNDS: either(refused),
  INVALID_CALLBACK_URL: either(setup),
  INVALID_METADATA: either(setup),
  PROVIDER_TEMPORARILY_UNAVAILABLE: either(down),
  PAWAPAY_WALLET_OUT_OF_FUNDS: { in: refused, out: float },
  // Of one provider that is not enabled on the account: its others are well.
  DEPOSITS_NOT_ALLOWED: either(setup),
  PAYOUTS_NOT_ALLOWED: either(setup),
  REFUNDS_NOT_ALLOWED: either(setup),
  // Of refunds alone.
  NOT_FOUND: either(refused),
  INVALID_STATE: either(refused),
  AMOUNT_TOO_LARGE: either(refused),
  DEPOSIT_ALREADY_REFUNDED: either(refused),
  REFUND_IN_PROGRESS: either(down),
}

/** What the layer before the payments refuses with (400, 401, 403, REJECTED): nothing was taken. */
export const technical: Readonly<Record<string, Meaning>> = {
  NO_AUTHENTICATION: access,
  AUTHENTICATION_ERROR: access,
  AUTHORISATION_ERROR: access,
  HTTP_SIGNATURE_ERROR: access,
  DEPOSITS_NOT_ALLOWED: setup,
  PAYOUTS_NOT_ALLOWED: setup,
  REFUNDS_NOT_ALLOWED: setup,
  INVALID_INPUT: setup,
  MISSING_PARAMETER: setup,
  UNSUPPORTED_PARAMETER: setup,
  INVALID_PARAMETER: setup,
  DUPLICATE_METADATA_FIELD: setup,
}

/** Why a payment that was accepted failed. */
export const failures: Readonly<Record<string, Meanings>> = {
  PAYMENT_NOT_APPROVED: either(payer('NOT_APPROVED')),
  PAYMENT_IN_PROGRESS: either(payer('NOT_APPROVED')),
  TRANSACTION_ALREADY_IN_PROCESS: either(payer('NOT_APPROVED')),
  INSUFFICIENT_BALANCE: either(payer('INSUFFICIENT_FUNDS')),
  PAYER_LIMIT_REACHED: either(payer('LIMIT_REACHED')),
  RECIPIENT_LIMIT_REACHED: either(payer('LIMIT_REACHED')),
  WALLET_LIMIT_REACHED: either(payer('LIMIT_REACHED')),
  PAYER_NOT_FOUND: either(payer('PAYER_NOT_FOUND')),
  RECIPIENT_NOT_FOUND: either(payer('RECIPIENT_NOT_FOUND')),
  MANUALLY_CANCELLED: either(payer('REJECTED_BY_MERCHANT')),
  PAWAPAY_WALLET_OUT_OF_FUNDS: { in: unnamed, out: float },
  PROVIDER_TEMPORARILY_UNAVAILABLE: either(down),
  // Of refunds alone, which may be accepted first.
  AMOUNT_TOO_LARGE: { in: unnamed, out: refused },
  DEPOSIT_ALREADY_REFUNDED: { in: unnamed, out: refused },
  REFUND_IN_PROGRESS: { in: unnamed, out: down },
  UNSPECIFIED_FAILURE: either(unnamed),
  UNKNOWN_ERROR: either(unnamed),
  OTHER_ERROR: either(unnamed),
}

export const meaningIn = (
  table: Readonly<Record<string, Meanings>>,
  operation: Operation,
  code: string,
): Meaning | undefined => {
  const found = Object.hasOwn(table, code) ? table[code] : undefined
  return operation === 'deposits' ? found?.in : found?.out
}

/** The states of a payment, as an answer or a callback names them. */
export const statuses = [
  'ACCEPTED',
  'ENQUEUED',
  'PROCESSING',
  // Of the page of test numbers alone; the older API has it beside these.
  'SUBMITTED',
  'IN_RECONCILIATION',
  'COMPLETED',
  'FAILED',
] as const

export const nextSteps = ['', 'FINAL_STATUS', 'GET_AUTH_URL', 'REDIRECT_TO_AUTH_URL'] as const

export type Cell =
  | { is: 'confirmed' }
  | { is: 'waiting'; next: 'payer' | 'page_soon' | 'page'; queued: boolean }
  | { is: 'failed'; meaning: Meaning; listed: boolean }
  /** No entry: nothing follows from it. */
  | { is: 'unknown' }

type Said = Readonly<{ status: string; reason: string; next_step: string }>

const underWay: readonly string[] = ['ACCEPTED', 'PROCESSING', 'SUBMITTED', 'IN_RECONCILIATION']

/** The entry for a state; `reason` and `next_step` are empty where the operator gave none. */
export function cellOf(operation: Operation, { status, reason, next_step }: Said): Cell {
  const isListed = nextSteps.some((one) => one === next_step)
  if (!isListed) return { is: 'unknown' }
  if (status === 'COMPLETED') return reason === '' ? { is: 'confirmed' } : { is: 'unknown' }
  if (status === 'FAILED') {
    const found = meaningIn(failures, operation, reason)
    return { is: 'failed', meaning: found ?? unnamed, listed: found !== undefined }
  }
  if (reason !== '') return { is: 'unknown' }
  if (status === 'ENQUEUED') {
    const mayQueue = operation !== 'deposits' && (next_step === '' || next_step === 'FINAL_STATUS')
    return mayQueue ? { is: 'waiting', next: 'payer', queued: true } : { is: 'unknown' }
  }
  return underWay.includes(status) ? stepCell(operation, next_step) : { is: 'unknown' }
}

function stepCell(operation: Operation, next_step: string): Cell {
  if (next_step === '' || next_step === 'FINAL_STATUS') {
    return { is: 'waiting', next: 'payer', queued: false }
  }
  // Nobody who is paid opens a page.
  if (operation !== 'deposits') return { is: 'unknown' }
  const next = next_step === 'GET_AUTH_URL' ? 'page_soon' : 'page'
  return { is: 'waiting', next, queued: false }
}

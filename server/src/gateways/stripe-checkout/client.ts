// Calls to this operator: a key, a fixed version, and a form. Law: one call is one request.

import type { Outbound, SendResult } from '../../platform/outbound/outbound.ts'
import type { Account } from '../adapter.ts'

/** What our reading was written for: the operator answers in the forms of this version. */
export const api_version = '2026-10-28.endive'

export type Call = Readonly<{
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** Our key of what this makes. */
  key?: string
}>

/** As the client's own; that nothing left may also be for want of time. */
export type CallResult =
  | Exclude<SendResult, { is: 'never_sent' }>
  | { is: 'never_sent'; because: string }

/** `until`: when everything must have ended, `performance.now()` milliseconds. */
export type Caller = (call: Call, until: number) => Promise<CallResult>

/** Of a question: a list of a hundred pages of its payers is a quarter of a megabyte and more. */
const answerMost = 2 * 1024 * 1024

export function newCaller(
  account: Account,
  { outbound }: Readonly<{ outbound: Outbound }>,
): Caller {
  const { base_url = '' } = account.settings
  const { secret_key = '' } = account.secrets
  return async ({ method, path, body, key }, until) => {
    const timeout_ms = Math.floor(until - performance.now())
    // A question may always be asked later, and what was not sent was not taken.
    if (timeout_ms < 1) return { is: 'never_sent', because: 'no time left' }
    return outbound.send({
      method,
      url: `${base_url}${path}`,
      headers: {
        authorization: `Bearer ${secret_key}`,
        'stripe-version': api_version,
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body === undefined ? {} : { body }),
      timeout_ms,
      ...(method === 'GET' ? { max_bytes: answerMost } : {}),
    })
  }
}

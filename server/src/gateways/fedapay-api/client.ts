// Calls to this operator: a key, and JSON both ways. Law: one call is one request.

import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { Account, AdapterTools } from '../adapter.ts'

export type Call = Readonly<{ method: 'GET' | 'POST' | 'PUT'; path: string; body?: string }>

/** As the client's own; that nothing left may also be for want of time. */
export type CallResult =
  | Exclude<SendResult, { is: 'never_sent' }>
  | { is: 'never_sent'; because: string }

/** `until`: when everything must have ended, `performance.now()` milliseconds. */
export type Caller = (call: Call, until: number) => Promise<CallResult>

export function newCaller(account: Account, { outbound }: Pick<AdapterTools, 'outbound'>): Caller {
  const { base_url = '' } = account.settings
  const authorization = `Bearer ${account.secrets['secret_key'] ?? ''}`
  return async ({ method, path, body }, until) => {
    const timeout_ms = Math.floor(until - performance.now())
    // A question may always be asked later, and what was not sent was not taken.
    if (timeout_ms < 1) return { is: 'never_sent', because: 'no time left' }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    return outbound.send({
      method,
      url: `${base_url}${path}`,
      headers: { authorization, accept: 'application/json', ...type },
      ...(body === undefined ? {} : { body }),
      timeout_ms,
    })
  }
}

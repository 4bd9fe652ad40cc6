// Calls to this operator: its key, and the signature over a body where the key was made with one.

import { createHmac } from 'node:crypto'
import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { Account, AdapterTools } from '../adapter.ts'

export type Call = Readonly<{
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** The same key again is the same payout. */
  idempotency_key?: string
}>

/** As the client's own; that nothing left may also be for want of time. */
export type CallResult =
  | Exclude<SendResult, { is: 'never_sent' }>
  | { is: 'never_sent'; because: string }

/** `until`: when everything must have ended, `performance.now()` milliseconds. */
export type Caller = (call: Call, until: number) => Promise<CallResult>

export function newCaller({ settings, secrets }: Account, tools: AdapterTools): Caller {
  const { base_url = '' } = settings
  const { api_key = '', signing_secret = '' } = secrets

  /** Requests are signed in the form of the operator's own callbacks. */
  function signatureOf(body: string): Record<string, string> {
    if (signing_secret === '') return {}
    const timestamp = String(Math.floor(tools.clock() / 1000))
    const v1 = createHmac('sha256', signing_secret).update(timestamp).update(body).digest('hex')
    return { 'wave-signature': `t=${timestamp},v1=${v1}` }
  }

  return async ({ method, path, body, idempotency_key }, until) => {
    const timeout_ms = Math.floor(until - performance.now())
    // A question may always be asked later, and what was not sent was not taken.
    if (timeout_ms < 1) return { is: 'never_sent', because: 'no time left' }
    return tools.outbound.send({
      method,
      url: `${base_url}${path}`,
      headers: {
        authorization: `Bearer ${api_key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'POST' && body === undefined ? { 'content-length': '0' } : {}),
        ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
        ...signatureOf(body ?? ''),
      },
      ...(body === undefined ? {} : { body }),
      timeout_ms,
    })
  }
}

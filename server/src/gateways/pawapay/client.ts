// Calls to this operator: one token of the account, and everything that one verb sends within one
// time.

import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { Account, AdapterTools } from '../adapter.ts'
import { signedHeaders, signerOf } from './signer.ts'

export type Call = Readonly<{
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** Anybody may ask this: it is sent without our token. */
  is_open?: true
  /** It moves money: it is signed where the account has a key for that. */
  is_financial?: true
  /** Bound of a long answer. Bytes. */
  max_bytes?: number
}>

/** As the client's own; that nothing left may also be for want of time. */
export type CallResult = SendResult

const json = 'application/json'

/** `until`: when everything must have ended, `performance.now()` milliseconds. */
export type Caller = (call: Call, until: number) => Promise<CallResult>

export function newCaller(
  account: Account,
  { outbound, clock }: Pick<AdapterTools, 'outbound' | 'clock'>,
): Caller {
  const { base_url = '' } = account.settings
  const { api_token = '' } = account.secrets
  const signer = signerOf(account)
  return ({ method, path, body, max_bytes, is_open = false, is_financial = false }, until) => {
    // A question may always be asked later; a create is the first that its verb sends.
    const timeout_ms = Math.max(1, Math.floor(until - performance.now()))
    const url = `${base_url}${path}`
    return outbound.send({
      method,
      url,
      headers: {
        ...(is_open ? {} : { authorization: `Bearer ${api_token}` }),
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': json }),
        ...(method === 'POST' && body === undefined ? { 'content-length': '0' } : {}),
        ...(is_financial && body !== undefined && signer !== undefined
          ? signedHeaders(signer, { url, body, now_ms: clock() })
          : {}),
      },
      ...(body === undefined ? {} : { body }),
      ...(max_bytes === undefined ? {} : { max_bytes }),
      timeout_ms,
    })
  }
}

// Calls to this operator: the headers of a product, its token, and the one repetition after a 401.

import { readFields, wordIn } from '../../platform/json-fields.ts'
import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { Account, AdapterTools, IssuedToken, TokenReading } from '../adapter.ts'
import type { Product } from './wire.ts'

export type Call = Readonly<{
  method: 'GET' | 'POST'
  product: Product
  path: string
  body?: string
  /** Our key of a create, a UUID of version 4. */
  reference?: string
  callback_url?: string
}>

/** As the client's own; that nothing left may also be for want of a token or of time. */
export type CallResult =
  | Exclude<SendResult, { is: 'never_sent' }>
  | { is: 'never_sent'; because: string; denied?: boolean }

/** `until`: when everything must have ended, `performance.now()` milliseconds. */
export type Caller = Readonly<{
  send(call: Call, until: number): Promise<CallResult>
  /** A new token, for whoever looks whether the account is well. */
  obtain(product: string): Promise<IssuedToken>
}>

const tokenTimeoutMs = 3_000

export function newCaller(account: Account, tools: AdapterTools): Caller {
  const { outbound } = tools
  const { base_url = '', target_environment = '' } = account.settings
  const secretOf = (product: string, name: string) => account.secrets[`${product}_${name}`] ?? ''

  async function obtain(product: string): Promise<IssuedToken> {
    const pair = `${secretOf(product, 'api_user')}:${secretOf(product, 'api_key')}`
    const result = await outbound.send({
      method: 'POST',
      url: `${base_url}/${product}/token/`,
      headers: {
        authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
        'ocp-apim-subscription-key': secretOf(product, 'subscription_key'),
        'content-length': '0',
      },
      timeout_ms: tokenTimeoutMs,
      pace: 'other',
    })
    if (result.is !== 'answered') return { is: 'none', because: `token: ${result.because}` }
    const issued = result.status === 200 ? readIssued(result.body) : undefined
    if (issued !== undefined) return issued
    const isTheirs = result.body.trim() === '' || readFields(result.body) !== undefined
    // A firewall's page is no word of the operator's.
    const denied = isTheirs && (result.status === 401 || result.status === 403)
    return { is: 'none', because: `token: status ${result.status}`, denied }
  }

  const tokens = tools.tokens(obtain)

  async function send(call: Call, token: string, until: number): Promise<CallResult> {
    const timeout_ms = Math.floor(until - performance.now())
    // A question may always be asked later, and what was not sent was not taken.
    if (timeout_ms < 1) return { is: 'never_sent', because: 'no time left' }
    return outbound.send({
      method: call.method,
      url: `${base_url}${call.path}`,
      headers: {
        authorization: `Bearer ${token}`,
        'ocp-apim-subscription-key': secretOf(call.product, 'subscription_key'),
        'x-target-environment': target_environment,
        ...(call.reference === undefined ? {} : { 'x-reference-id': call.reference }),
        ...(call.callback_url === undefined ? {} : { 'x-callback-url': call.callback_url }),
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: call.body }),
      timeout_ms,
    })
  }

  const sendWithToken = async (call: Call, until: number): Promise<CallResult> => {
    let result: CallResult = { is: 'never_sent', because: 'no token' }
    for (let tries = 1; tries <= 2; tries += 1) {
      const token = await tokens.get(call.product)
      // A 401 for a token that ended says nothing of our credentials: nothing was taken.
      if (token.is === 'none') return withoutToken(token)
      result = await send(call, token.value, until)
      if (result.is !== 'answered' || result.status !== 401) return result
      tokens.refuse(call.product, token.generation)
    }
    return result
  }
  return { send: sendWithToken, obtain }
}

const withoutToken = ({ is: _, ...why }: Extract<TokenReading, { is: 'none' }>): CallResult => ({
  is: 'never_sent',
  ...why,
})

function readIssued(body: string): IssuedToken | undefined {
  const fields = readFields(body)
  const value = fields?.['access_token']
  if (fields === undefined || typeof value !== 'string' || !/^[\x21-\x7e]{1,4096}$/.test(value)) {
    return undefined
  }
  const life = fields['expires_in']
  const seconds = typeof life === 'number' ? life : Number(wordIn(fields, 'expires_in'))
  const expires_in_s = Number.isFinite(seconds) && seconds >= 1 ? Math.floor(seconds) : 60
  return { is: 'issued', value, expires_in_s }
}

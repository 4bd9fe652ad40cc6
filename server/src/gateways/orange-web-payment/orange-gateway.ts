// The adapter of Orange Money Web Payment, over HTTP: collections on the operator's page, nothing
// else. Law: one create is sent once; it is repeated only after a 401, which comes before anything
// is made. It is asked only with what it gave.

import { createHash } from 'node:crypto'
import { assert } from '../../platform/errors.ts'
import { readFields, wordIn } from '../../platform/json-fields.ts'
import type { Account, AdapterModule, AdapterTools, IssuedToken } from '../adapter.ts'
import type { Answer, Checks, Collects, Finding, GatewayReply } from '../gateway.ts'
import { type Read, readCreated, readNotice, readStatus, refusedHere } from './read-answer.ts'
import { facts, settings } from './settings.ts'
import {
  type Answered,
  createBody,
  createPath,
  statusBody,
  statusPath,
  tokenIn,
  tokenPath,
} from './wire.ts'

export type OrangeGateway = Collects & Checks

export const orangeAdapter: AdapterModule = {
  adapter: 'orange',
  name: 'Orange Money Web Payment',
  settings,
  open: (account, tools) => orangeGateway(account, tools),
}

type Result = Answered | Readonly<{ is: 'unknown' | 'never_sent'; because: string }>

const product = 'webpayment'

/** The gateway of one account. */
export function orangeGateway(account: Account, tools: AdapterTools): OrangeGateway {
  const { country_path = '', wire_currency = '', shown_name = '' } = account.settings
  const { merchant_key = '' } = account.secrets
  const wire = { country_path, wire_currency, shown_name, merchant_key }
  const { send, obtain } = callerOf(account, tools)
  const context = { note: tools.note }

  return {
    code: account.code,
    facts,
    async collect(order) {
      assert(order.direction === 'COLLECT', `${order.direction} given to collect`)
      if (order.amount % 100n !== 0n) {
        const because = 'the operator takes whole amounts only'
        return replyOf(refusedHere(because), { is: 'never_sent', because })
      }
      const result = await send(createPath(wire), createBody(order, wire))
      const read = result.is === 'answered' ? readCreated(order, result, context) : result
      return replyOf(settled(read), result)
    },
    async query(attempt) {
      const { memo } = attempt
      if (memo === undefined) {
        const because = 'no token to ask with'
        return replyOf({ is: 'unknown', because, cannot_ask: true }, { is: 'unknown', because })
      }
      const result = await send(statusPath(wire), statusBody(attempt, memo.ask))
      const read = result.is === 'answered' ? readStatus(attempt, result, context) : result
      // That our token is refused says nothing of the payment.
      const answer: Answer = read.is === 'denied' ? { is: 'unknown', because: read.detail } : read
      return replyOf(answer, result)
    },
    readCallback: readNotice,
    check: async () => [...tokenFindings(await obtain()), ...environmentFindings(account)],
  }
}

function callerOf({ settings: { base_url = '' }, secrets }: Account, tools: AdapterTools) {
  const { client_id = '', client_secret = '' } = secrets
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')

  async function obtain(): Promise<IssuedToken> {
    const result = await tools.outbound.send({
      method: 'POST',
      url: `${base_url}${tokenPath}`,
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: 'grant_type=client_credentials',
      timeout_ms: tokenTimeoutMs,
    })
    if (result.is !== 'answered') return { is: 'none', because: `token: ${result.because}` }
    const issued = result.status === 200 ? readIssued(result.body) : undefined
    if (issued !== undefined) return issued
    const denied = result.status === 401 || result.status === 403 || result.status === 400
    return { is: 'none', because: `token: status ${result.status}`, denied }
  }

  const tokens = tools.tokens(obtain)

  async function send(path: string, body: string): Promise<Result> {
    const until = performance.now() + facts.call_timeout_ms
    let result: Result = { is: 'never_sent', because: 'no token' }
    for (let tries = 1; tries <= 2; tries += 1) {
      const token = await tokens.get(product)
      if (token.is === 'none') {
        return tries === 1 ? { is: 'never_sent', because: token.because } : result
      }
      const timeout_ms = Math.floor(until - performance.now())
      if (timeout_ms < 1)
        return tries === 1 ? { is: 'never_sent', because: 'no time left' } : result
      result = await tools.outbound.send({
        ...{ method: 'POST', url: `${base_url}${path}`, body, timeout_ms },
        headers: {
          authorization: `Bearer ${token.value}`,
          'content-type': 'application/json',
          accept: 'application/json',
        },
      })
      if (result.is !== 'answered' || result.status !== 401) return result
      tokens.refuse(product, token.generation)
    }
    return result
  }
  return { send, obtain }
}

const tokenTimeoutMs = 3_000

/** Its life is told as an hour by some and as ninety days by others: what it says counts. */
function readIssued(body: string): IssuedToken | undefined {
  const fields = readFields(body)
  const value = fields === undefined ? '' : tokenIn(fields, 'access_token')
  if (fields === undefined || value === '') return undefined
  const life = fields['expires_in']
  const seconds =
    typeof life === 'number' ? life : Number(wordIn(fields, 'expires_in') || Number.NaN)
  const expires_in_s = Number.isFinite(seconds) && seconds >= 1 ? Math.floor(seconds) : 60
  return { is: 'issued', value, expires_in_s }
}

/** What is left when the call was repeated, or could not be. */
const settled = (read: Read): Answer =>
  read.is === 'denied' ? refusedHere(read.detail, 'CREDENTIAL') : read

function tokenFindings(issued: IssuedToken): Finding[] {
  if (issued.is === 'issued') {
    return [{ what: 'token', is: 'PASS', found: `lives ${issued.expires_in_s} s`, fix: '' }]
  }
  const fix =
    issued.denied === true
      ? 'Compare client_id and client_secret with developer.orange.com.'
      : 'Nobody answers: compare base_url, and ask the operator.'
  return [{ what: 'token', is: 'FAIL', found: issued.because, fix }]
}

function environmentFindings({ environment, settings: given }: Account): Finding[] {
  const { country_path = '', wire_currency = '' } = given
  const isSandbox = country_path === 'dev'
  const found = `${country_path} ${wire_currency}`.trim()
  const fix = 'In LIVE country_path is the country’s and there is no wire_currency; in SANDBOX dev.'
  const merchant: Finding = {
    ...{ what: 'merchant key', is: 'WARN', found: 'cannot be asked about without a payment' },
    fix: 'Make one small payment: a wrong key refuses it.',
  }
  return isSandbox === (environment === 'SANDBOX')
    ? [{ what: 'environment', is: 'PASS', found, fix: '' }, merchant]
    : [{ what: 'environment', is: 'FAIL', found: `${found} in ${environment}`, fix }, merchant]
}

/** What the answer rests on: the status and raw body, or what happened instead of one. */
const replyOf = (answer: Answer, result: Result): GatewayReply => ({
  answer,
  hash: createHash('sha256')
    .update(
      result.is === 'answered'
        ? `${result.status} ${result.body}`
        : `${result.is} ${result.because}`,
    )
    .digest(),
})

// The adapter of Orange Money Web Payment, over HTTP: collections on the operator's page, nothing
// else. Law: one create is sent once; it is repeated only after a 401, which comes before anything
// is made. It is asked only with what it gave.

import { createHash } from 'node:crypto'
import { smallestUnit } from '../../money/currency.ts'
import { assert } from '../../platform/errors.ts'
import { type Account, type AdapterModule, type AdapterTools, onPage } from '../adapter.ts'
import type { Answer, Checks, Collects, GatewayReply } from '../gateway.ts'
import { checkAccount } from './check.ts'
import { type Read, readCreated, readNotice, readStatus, refusedHere } from './read-answer.ts'
import { facts, settings } from './settings.ts'
import {
  type Answered,
  createBody,
  createPath,
  readToken,
  statusBody,
  statusPath,
  tokenPath,
} from './wire.ts'

export type OrangeGateway = Collects & Checks

export const orangeAdapter: AdapterModule = {
  adapter: 'orange',
  name: 'Orange Money Web Payment',
  settings,
  does: ['COLLECT'],
  confirms: [onPage],
  tests: {
    numbers: [],
    about: {
      en: 'none that we have read of: the payer decides on the page',
      fr: 'aucun à notre connaissance : le payeur décide sur la page',
    },
  },
  imitates: ({ code, currency, flow }, direction) =>
    direction === 'COLLECT' &&
    code.startsWith('orange_') &&
    flow === 'redirect' &&
    smallestUnit(currency) === 100n,
  usual: () => facts,
  open: (account, tools) => orangeGateway(account, tools),
}

type Unanswered = Readonly<{ is: 'unknown' | 'never_sent'; because: string; denied?: boolean }>
type Result = Answered | Unanswered

const product = 'webpayment'

/** The gateway of one account. */
export function orangeGateway(account: Account, tools: AdapterTools): OrangeGateway {
  const { country_path = '', wire_currency = '', shown_name = '' } = account.settings
  const { merchant_key = '' } = account.secrets
  const wire = { country_path, wire_currency, shown_name, merchant_key }
  const { send, askToken } = callerOf(account, tools)
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
      const result = await send(createPath(wire), createBody(order, wire), 'create')
      const read = result.is === 'answered' ? readCreated(order, result, context) : unmade(result)
      return replyOf(settled(read), result)
    },
    async query(attempt) {
      const { memo } = attempt
      if (memo === undefined) {
        const because = 'no token to ask with'
        return replyOf({ is: 'unknown', because, cannot_ask: true }, { is: 'unknown', because })
      }
      const result = await send(statusPath(wire), statusBody(attempt, memo.ask), 'ask')
      const read = result.is === 'answered' ? readStatus(attempt, result, context) : unsaid(result)
      // That our token is refused says nothing of the payment.
      const answer: Answer = read.is === 'denied' ? undenied(read.detail) : read
      return replyOf(answer, result)
    },
    readCallback: readNotice,
    check: () => checkAccount(account, askToken, tools),
  }
}

function callerOf({ settings: { base_url = '' }, secrets }: Account, tools: AdapterTools) {
  const { client_id = '', client_secret = '' } = secrets
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')

  const askToken = () =>
    tools.outbound.send({
      method: 'POST',
      url: `${base_url}${tokenPath}`,
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: 'grant_type=client_credentials',
      timeout_ms: tokenTimeoutMs,
      pace: 'other',
    })

  const tokens = tools.tokens(async () => readToken(await askToken()))

  /** A question is a POST here too. */
  async function send(path: string, body: string, pace: 'ask' | 'create'): Promise<Result> {
    const until = performance.now() + facts.call_timeout_ms
    let result: Result = { is: 'never_sent', because: 'no token' }
    for (let tries = 1; tries <= 2; tries += 1) {
      const token = await tokens.get(product)
      // A 401 for a token that ended says nothing of our credentials: nothing was made.
      if (token.is === 'none') return { ...token, is: 'never_sent' }
      const timeout_ms = Math.floor(until - performance.now())
      if (timeout_ms < 1) return { is: 'never_sent', because: 'no time left' }
      result = await tools.outbound.send({
        ...{ method: 'POST', url: `${base_url}${path}`, body, timeout_ms, pace },
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
  return { send, askToken }
}

const tokenTimeoutMs = 3_000

const unsaid = ({ is, because, denied }: Unanswered): Answer =>
  denied === true ? { is, because, alarm: 'CREDENTIAL' } : { is, because }

const undenied = (because: string): Answer => ({ is: 'unknown', because, alarm: 'CREDENTIAL' })

/** Where no token was given to us for who we are, that is a refusal, and nothing was sent. */
const unmade = ({ is, because, denied }: Unanswered): Answer =>
  denied === true ? refusedHere(because, 'CREDENTIAL') : { is, because }

/** What is left when the call was repeated, or could not be. */
const settled = (read: Read): Answer =>
  read.is === 'denied' ? refusedHere(read.detail, 'CREDENTIAL') : read

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

// A gateway that makes its own reference is asked for it first, in a call that takes no money; it
// is kept before the call that does. Law: without it that call is not made, so an attempt that has
// none took nothing; with it, a lost answer is asked about and the call is never made again.

import {
  type Answer,
  type GatewayReply,
  type Prepared,
  type Prepares,
  prepares,
} from '../gateways/gateway.ts'
import type { Db } from '../platform/db.ts'
import { notePrepared } from './attempt-statements.ts'
import { insertDirectoryRow } from './callback-statements.ts'
import {
  beginCall,
  gatewayOrderOf,
  type SendDeps,
  type SendRequest,
  sendAttempt,
} from './send-attempt.ts'

type PrepareDeps = SendDeps & Readonly<{ db: Db }>

/** Sends the attempt as its gateway wants it, under this lease. */
export async function prepareAndSend(
  deps: PrepareDeps,
  request: SendRequest,
  lease_no: bigint,
): Promise<GatewayReply> {
  const { key, plan, refund } = request
  const gateway = deps.gateways.get(plan.gateway_code)
  if (gateway === undefined || !prepares(gateway) || refund !== undefined) {
    return sendAttempt(deps, request)
  }
  if (request.external_reference !== '') return sendAttempt(deps, request)
  // Whatever keeps its reference from being made is the route's trouble as any other call's.
  const call = beginCall(deps, request)
  const { answer, hash } = await prepareOnceOrTwice(gateway, deps, request)
  if (answer.is !== 'prepared') {
    const reply = { answer: notPrepared(answer), hash }
    await call.end(reply)
    return reply
  }
  call.withdraw()
  const { external_reference } = answer
  if (gateway.facts.callback_address === 'STATIC') {
    const about = { merchant_id: key.merchant_id, attempt_id: key.id }
    await insertDirectoryRow(deps.db, {
      gateway_id: plan.gateway_id,
      key: external_reference,
      ...about,
    })
  }
  if (!(await notePrepared(deps.db, key, { lease_no, external_reference }))) {
    return { answer: { is: 'unknown', because: 'another process has it' }, hash }
  }
  return sendAttempt(deps, { ...request, external_reference })
}

const notPrepared = (answer: Exclude<Prepared, { is: 'prepared' }>): Answer =>
  answer.is === 'unknown'
    ? { is: 'never_sent', because: `not prepared: ${answer.because}` }
    : answer

/** One that was lost took nothing: what it may have made is never named to anybody. */
async function prepareOnceOrTwice(gateway: Prepares, deps: PrepareDeps, request: SendRequest) {
  const order = gatewayOrderOf(deps, request)
  const first = await gateway.prepare(order)
  return first.answer.is === 'unknown' ? gateway.prepare(order) : first
}

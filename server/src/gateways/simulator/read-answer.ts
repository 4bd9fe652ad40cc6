// What the sandbox operator's answers mean. Pure. Law (money 1): "refused" and "not found" are read
// only where the operator documents them; anything else leaves the outcome unknown.

import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { Answer, AttemptKey, GatewayOrder } from '../gateway.ts'
import { failureFor, refusalFor } from './failure-codes.ts'
import {
  type Fields,
  fromWireAmount,
  type OperatorOrder,
  readFields,
  readOrder,
  sentenceIn,
  wordIn,
} from './wire.ts'

type Answered = Extract<SendResult, { is: 'answered' }>

const unknown = (because: string): Answer => ({ is: 'unknown', because })

const isSuccess = ({ status }: Answered): boolean => status >= 200 && status < 300

/** An order's own state as our answer; the amount is the operator's, be it ours or not. */
export function answerOf(order: OperatorOrder): Answer {
  const external_reference = order.id
  switch (order.status) {
    case 'SUCCESSFUL': {
      const { currency } = order
      const amount = fromWireAmount(order.amount, currency)
      if (amount === undefined) return unknown('unreadable amount')
      return { is: 'confirmed', external_reference, amount, currency }
    }
    case 'FAILED': {
      const failure_code = failureFor(order.reason)
      const detail = order.reason
      return { is: 'refused', by: 'payer', failure_code, detail, external_reference }
    }
    case 'OTP_REQUIRED':
      return { is: 'waiting', external_reference, next: 'otp' }
    case 'PENDING': {
      const { checkout_url } = order
      const next = checkout_url === '' ? 'payer' : { redirect_to: checkout_url }
      return { is: 'waiting', external_reference, next }
    }
  }
}

/** Reads the order inside an answer; another payment's order proves nothing about ours. */
function readOurs({ our_key }: AttemptKey, value: unknown): Answer {
  const order = readOrder(value)
  if (order === undefined) return unknown('unreadable')
  return order.reference === our_key ? answerOf(order) : unknown('another order')
}

function refused(code: string, detail: string): Answer {
  return { is: 'refused', ...refusalFor(code), detail, external_reference: '' }
}

function detailOf(fields: Fields): string {
  return `${wordIn(fields, 'code')} ${sentenceIn(fields, 'message')}`.trim()
}

/** The answer to a create call. */
export function readCreated(order: GatewayOrder, result: SendResult): Answer {
  if (result.is !== 'answered') return result
  const fields = readFields(result.body)
  if (isSuccess(result)) return readAccepted(order, fields)
  // This key is taken: the first call arrived, whatever answer we received then.
  if (result.status === 409 && fields && wordIn(fields, 'code') === 'ALREADY_EXISTS') {
    return reachable(order, readOurs(order, fields['collection']))
  }
  const isRefusal = result.status >= 400 && result.status < 500
  if (!isRefusal || result.status === 408 || result.status === 409) {
    return unknown(`status ${result.status}`)
  }
  if (fields && isBadOtp(result, fields)) return refused('INVALID_OTP', detailOf(fields))
  return refused('ORDER_REFUSED', `status ${result.status} ${detailOf(fields ?? {})}`.trim())
}

/** The operator sends HTTP 2xx with a refusal too. */
function readAccepted(order: GatewayOrder, fields: Fields | undefined): Answer {
  if (fields?.['status'] !== 'REFUSED') return reachable(order, readOurs(order, fields))
  const code = wordIn(fields, 'code')
  return code === '' ? unknown('unreadable') : refused(code, detailOf(fields))
}

/** A payer who must decide on a page cannot, when we were not given its address. */
function reachable(order: GatewayOrder, answer: Answer): Answer {
  const wantsPage = order.direction === 'COLLECT' && order.flow === 'redirect'
  return wantsPage && answer.is === 'waiting' && answer.next === 'payer'
    ? unknown('no address of the page')
    : answer
}

/** The answer to a query, to a cancel and to a resolve: the order in its current state. */
export function readState(attempt: AttemptKey, result: SendResult): Answer {
  if (result.is !== 'answered') return result
  const fields = readFields(result.body)
  if (isSuccess(result)) return readOurs(attempt, fields)
  // Too late to steer: the order is shown beside the refusal.
  if (result.status === 409 && fields) return readOurs(attempt, fields['collection'])
  // A wrong address answers 404 as well: only the documented code proves that nothing was taken.
  const isNotFound = result.status === 404 && fields && wordIn(fields, 'code') === 'NOT_FOUND'
  return isNotFound ? { is: 'not_found' } : unknown(`status ${result.status}`)
}

/** The answer to a payer's code. */
export function readConfirmed(
  attempt: AttemptKey,
  result: SendResult,
): Answer | { is: 'wrong_otp' } {
  if (result.is !== 'answered') return result
  const fields = readFields(result.body)
  const isWrong = isSuccess(result) && fields && wordIn(fields, 'code') === 'INVALID_OTP'
  if (isWrong || (fields && isBadOtp(result, fields))) return { is: 'wrong_otp' }
  return readState(attempt, result)
}

/** A code that has not even the form of one: the field is named. */
function isBadOtp({ status }: Answered, fields: Fields): boolean {
  return status === 400 && wordIn(fields, 'code') === 'INVALID_REQUEST' && fields['field'] === 'otp'
}

// What this operator's answers mean. Pure. Law (money 1): an end counts only as the answer to our
// own question; the operator names no amount, so what it confirms is what our question named.

import { readFields } from '../../platform/json-fields.ts'
import type { Answer, AttemptKey, CallbackReading, Received } from '../gateway.ts'
import {
  type Answered,
  detailOf,
  keyOfOrderId,
  orderIdOf,
  readPage,
  readSaid,
  tokenIn,
} from './wire.ts'

export type Read = Answer | Readonly<{ is: 'denied'; detail: string }>

export type ReadContext = Readonly<{
  /** Counts what is not listed. */
  note: (what: string) => void
}>

export const orderStatuses = ['INITIATED', 'PENDING', 'EXPIRED', 'SUCCESS', 'FAILED'] as const

/** A page lives ten minutes; nobody says that its end is final before it has been over a minute. */
const expiredAfterS = 660
/** Nobody says either that an end is final: it is looked at once more. */
const lookAgainS = 24 * 3600

const unknown = (because: string) => ({ is: 'unknown', because }) satisfies Answer

/** The answer to a create call. */
export function readCreated(order: AttemptKey, result: Answered, { note }: ReadContext): Read {
  const page = readPage(result)
  if (page !== undefined) {
    return {
      ...{ is: 'waiting', external_reference: orderIdOf(order.our_key) },
      next: { redirect_to: page.payment_url },
      memo: { ask: page.pay_token, notice: page.notif_token },
    }
  }
  const { status } = result
  if (status === 401) return { is: 'denied', detail: detailOf(result) }
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429
  if (isRefusal && readFields(result.body) !== undefined) return refusedHere(detailOf(result))
  note(`create ${status}`)
  return unknown(`status ${status}`)
}

export const refusedHere = (
  detail: string,
  alarm: 'CREDENTIAL' | 'CONFIGURATION' = 'CONFIGURATION',
) =>
  ({
    ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
    ...{ detail, external_reference: '', alarm },
  }) satisfies Answer

/** The answer to a question. */
export function readStatus(attempt: AttemptKey, result: Answered, { note }: ReadContext): Read {
  if (result.status === 401) return { is: 'denied', detail: detailOf(result) }
  const said = result.status === 200 || result.status === 201 ? readSaid(result) : undefined
  if (said === undefined) {
    note(`status ${result.status}`)
    const shown = unknown(`status ${result.status}`)
    const isRefusal = result.status === 403 && readFields(result.body) !== undefined
    return isRefusal ? { ...shown, alarm: 'CONFIGURATION' } : shown
  }
  const order_id = orderIdOf(attempt.our_key)
  if (said.order_id !== '' && said.order_id !== order_id) {
    note('another order')
    return unknown('another order')
  }
  const external_reference = said.txnid || order_id
  const waiting: Answer = { is: 'waiting', external_reference: order_id, next: 'payer' }
  switch (said.status) {
    case 'SUCCESS': {
      const { amount, currency } = attempt
      return { is: 'confirmed', external_reference, amount, currency, amount_is: 'ASKED' }
    }
    case 'INITIATED':
    case 'PENDING':
      return waiting
    case 'FAILED':
      return failed('NOT_APPROVED', external_reference)
    case 'EXPIRED':
      return (attempt.age_s ?? 0) < expiredAfterS
        ? waiting
        : { ...failed('EXPIRED', external_reference), ask_again_after_s: lookAgainS }
    default:
      note(`status ${said.status}`)
      return unknown(`status ${said.status}`)
  }
}

const failed = (failure_code: 'NOT_APPROVED' | 'EXPIRED', external_reference: string) =>
  ({
    ...{ is: 'refused', by: 'payer', failure_code },
    ...{ detail: failure_code, external_reference },
  }) satisfies Answer

/** A notice says whom to ask about; what it brings proves that it is theirs, and nothing more. */
export function readNotice({ body }: Pick<Received, 'body'>): CallbackReading {
  const text = body.toString()
  const fields = readFields(text)
  const said = readSaid({ body: text })
  const notice = fields === undefined ? '' : tokenIn(fields, 'notif_token')
  return {
    proof: 'UNSIGNED',
    key: said === undefined ? '' : keyOfOrderId(said.order_id),
    answer: unknown(said === undefined ? 'unreadable' : 'a notice proves nothing'),
    ...(notice === '' ? {} : { notice }),
  }
}

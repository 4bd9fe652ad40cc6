// What this operator's answers mean. Pure. Law (money 1): "refused" is read only where its
// documents give it for a call that took nothing; a key that it knows with other contents, a 5xx, a
// 429 and any other body leave the outcome unknown, and are asked about.

import { type Fields, readFields } from '../../platform/json-fields.ts'
import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { AccountEnvironment } from '../adapter.ts'
import type { Answer, AttemptKey } from '../gateway.ts'
import { disputeCell, failureOf, refundCell, refundFailureOf, sessionCell } from './statuses.ts'
import { amountOffWire, errorIn, type Given, readGiven, readSession, type Session } from './wire.ts'

export type Answered = Extract<SendResult, { is: 'answered' }>

export type ReadContext = Readonly<{
  environment: AccountEnvironment
  /** Counts what is not listed. */
  note: (what: string) => void
}>

const unknown = (because: string): Answer => ({ is: 'unknown', because })

const refusedHere = (detail: string, alarm?: 'CREDENTIAL' | 'CONFIGURATION'): Answer => ({
  is: 'refused',
  by: 'gateway',
  failure_code: 'GATEWAY_REFUSED',
  detail,
  external_reference: '',
  ...(alarm === undefined ? {} : { alarm }),
})

/** What any call may be answered with instead of what it asked for. */
export function readRefusal(
  { status, body }: Answered,
  what: 'session' | 'refund',
  { note }: ReadContext,
): Answer {
  const { type, code, message } = errorIn(readFields(body))
  const detail = ['status', String(status), type, code, message].filter(Boolean).join(' ')
  if ((status === 401 || status === 403) && type !== '') return refusedHere(detail, 'CREDENTIAL')
  // It has been seen to refuse for its pace with 400 as well.
  if (status === 400 && type === 'invalid_request_error' && code !== 'rate_limit') {
    const isOfPayment = ownRefusals[what].includes(code)
    return refusedHere(detail, isOfPayment ? undefined : 'CONFIGURATION')
  }
  // Among them a key that is known with other contents: what it made is there.
  note(`${what} ${status} ${type || 'no error'} ${code}`.trim())
  return unknown(`status ${status} ${code || type}`.trim())
}

/** The alarm of a question that was refused for who we are. */
export function alarmOf({ status, body }: Answered): Readonly<{ alarm?: 'CREDENTIAL' }> {
  const isDenied = (status === 401 || status === 403) && errorIn(readFields(body)).type !== ''
  return isDenied ? { alarm: 'CREDENTIAL' } : {}
}

/** Of this payment, or of the one that was to be given back, and not of how we are set up. */
const ownRefusals: Readonly<Record<'session' | 'refund', readonly string[]>> = {
  session: ['amount_too_small', 'amount_too_large'],
  refund: ['charge_already_refunded', 'charge_disputed', 'amount_too_large'],
}

/** An answer that shows a page: to its create, or to a question. */
export function readSessionAnswer(
  attempt: AttemptKey,
  result: Answered,
  context: ReadContext,
): Answer {
  const session = result.status === 200 ? readSession(readFields(result.body)) : undefined
  if (session !== undefined) return answerOfSession(session, context, attempt.our_key)
  return readRefusal(result, 'session', context)
}

/** `our_key`: whose page it must be; undefined where that is not known yet. */
export function answerOfSession(
  session: Session,
  { environment, note }: ReadContext,
  our_key: string | undefined,
): Answer {
  if (session.livemode !== (environment === 'LIVE')) {
    note('another mode')
    return unknown('a page of the other mode')
  }
  if (our_key !== undefined && session.our_key !== our_key) {
    note('another order')
    return unknown('another order')
  }
  const { id: external_reference, status, payment_status, url } = session
  switch (sessionCell(status, payment_status)) {
    case 'confirmed': {
      const paid = confirmed(external_reference, session.amount_total, session.currency, note)
      const { payment_intent } = session
      // The payment's own id is shorter than that of its page, and outlives it.
      return paid.is === 'confirmed' ? { ...paid, operator_reference: payment_intent } : paid
    }
    case 'page':
      if (url === '') return unknown('a page without its address')
      return { is: 'waiting', external_reference, next: { redirect_to: url } }
    case 'under_way':
      return { is: 'waiting', external_reference, next: 'payer' }
    case 'expired': {
      const { code, decline_code } = session.error
      const failure_code = failureOf(decline_code, code)
      const detail = ['expired', code, decline_code].filter(Boolean).join(' ')
      const by = failure_code === 'GATEWAY_UNAVAILABLE' ? 'gateway' : 'payer'
      return { is: 'refused', by, failure_code, detail, external_reference }
    }
    case 'unknown':
      note(`pair ${status} ${payment_status}`)
      return unknown(`status ${status} with payment status ${payment_status || 'none'}`)
  }
}

function confirmed(
  external_reference: string,
  shown: unknown,
  currency: string,
  note: ReadContext['note'],
): Answer {
  const amount = amountOffWire(shown, currency)
  if (amount === undefined || currency === '') {
    note('unreadable amount')
    return unknown('unreadable amount')
  }
  return { is: 'confirmed', external_reference, amount, currency }
}

/** An answer that shows a refund. */
export function readRefundAnswer(our_key: string, result: Answered, context: ReadContext): Answer {
  const refund = result.status === 200 ? readGiven(readFields(result.body), 'refund') : undefined
  if (refund === undefined) return readRefusal(result, 'refund', context)
  if (refund.our_key !== our_key) {
    context.note('another refund')
    return unknown('another refund')
  }
  return answerOfRefund(refund, context)
}

export function answerOfRefund(refund: Given, { note }: Pick<ReadContext, 'note'>): Answer {
  const { id: external_reference, status, failure_reason } = refund
  switch (refundCell(status)) {
    case 'confirmed':
      return confirmed(external_reference, refund.amount, refund.currency, note)
    case 'waiting':
      return { is: 'waiting', external_reference, next: 'payer' }
    case 'refused': {
      const detail = ['refund', status, failure_reason].filter(Boolean).join(' ')
      if (failure_reason === 'insufficient_funds') {
        const failure_code = 'GATEWAY_UNAVAILABLE'
        return { is: 'refused', by: 'float', failure_code, detail, external_reference }
      }
      const failure_code = refundFailureOf(failure_reason)
      return { is: 'refused', by: 'payer', failure_code, detail, external_reference }
    }
    case 'unknown':
      note(`refund status ${status}`)
      return unknown(`refund status ${status}`)
  }
}

/** What others than we took back of a payment: refunds of the dashboard, and disputes. */
export type TakenBack = Readonly<{ refunds: readonly Fields[]; disputes: readonly Fields[] }>

/** The payment as it is with what was taken back of it. */
export function lessTakenBack(
  paid: Extract<Answer, { is: 'confirmed' }>,
  { refunds, disputes }: TakenBack,
  { note }: Pick<ReadContext, 'note'>,
): Answer {
  const given = refunds.map((one) => readGiven(one, 'refund'))
  const disputed = disputes.map((one) => readGiven(one, 'dispute'))
  const sums: bigint[] = []
  for (const one of [...given, ...disputed]) {
    const sum = one && (given.includes(one) ? refundedElsewhere(one) : takenByDispute(one))
    if (sum === undefined || (sum > 0n && one?.currency !== paid.currency)) {
      note(`taken back ${one?.status ?? 'unreadable'}`)
      return unknown('what was taken back is not as documented')
    }
    sums.push(sum)
  }
  const sum = sums.reduce((total, one) => total + one, 0n)
  if (sum === 0n) return paid
  const { external_reference } = paid
  const amount = sum > paid.amount ? paid.amount : sum
  const isDisputed = disputed.some(
    (one) => one !== undefined && disputeCell(one.status) === 'taken',
  )
  const detail = isDisputed ? 'CHARGEBACK' : 'EXTERNAL_REFUND'
  return { is: 'reversed', external_reference, amount, detail }
}

/** Hundredths that a refund which is not ours gives back; undefined for what is unreadable. */
function refundedElsewhere({ our_key, status, amount, currency }: Given): bigint | undefined {
  if (our_key !== '' || refundCell(status) === 'refused') return 0n
  return amountOffWire(amount, currency)
}

function takenByDispute({ status, amount, currency }: Given): bigint | undefined {
  const cell = disputeCell(status)
  if (cell === 'unknown') return undefined
  return cell === 'taken' ? amountOffWire(amount, currency) : 0n
}

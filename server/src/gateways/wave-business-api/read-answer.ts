// What this operator's answers mean. Pure. Law (money 1): "refused" and "not found" are read only
// where its documents give them; another payment's session proves nothing about ours; everything
// else leaves the outcome unknown.

import { readFields } from '../../platform/json-fields.ts'
import type { Answer, AttemptKey, Capture } from '../gateway.ts'
import { cellOf, type Meaning, meaningOf } from './reasons.ts'
import {
  type Answered,
  amountOnWire,
  codeOf,
  detailOf,
  type Payout,
  readFound,
  readPayout,
  readSession,
  type Session,
} from './wire.ts'

export type ReadContext = Readonly<{
  /** Counts what is not listed. */
  note: (what: string) => void
  /** Milliseconds since 1970. */
  now_ms: number
}>

const unknown = (because: string) => ({ is: 'unknown', because }) satisfies Answer

/** What people must look at: it says two things of one payment. */
const contradicts = (because: string) =>
  ({ is: 'unknown', because, alarm: 'CONTRADICTION' }) satisfies Answer

/** How long a session that shows a payment under way may still be paid after its end. */
const quietMs = 120_000

const isSuccess = ({ status }: Answered): boolean => status >= 200 && status < 300

type Shown = Pick<Session, 'id' | 'amount' | 'currency'> & Partial<Pick<Session, 'transaction_id'>>

function captureOf(attempt: AttemptKey, { id, amount: text, currency }: Shown) {
  const amount = amountOnWire(text, attempt.currency)
  return amount === undefined || currency === ''
    ? undefined
    : { external_reference: id, amount, currency }
}

function confirmedBy(attempt: AttemptKey, shown: Shown, { note }: ReadContext): Answer {
  const capture = captureOf(attempt, shown)
  // Of a session: empty where it does not say, and then its own id says nothing to a payer.
  const { transaction_id: operator_reference } = shown
  const named = operator_reference === undefined ? {} : { operator_reference }
  if (capture !== undefined) return { is: 'confirmed', ...capture, ...named }
  note('unreadable amount')
  return unknown('unreadable amount')
}

/** Unlisted codes of a payment that has ended fail it for a cause that nobody knows. */
function refusedBy(
  meaning: Meaning | undefined,
  { code, id }: Readonly<{ code: string; id: string }>,
): Answer {
  const named = meaning?.is === 'refused' ? meaning : undefined
  const { by, failure_code, ...others } = named ?? { by: 'payer', failure_code: 'UNKNOWN' }
  return { is: 'refused', by, failure_code, ...others, detail: code, external_reference: id }
}

/** One session, as its own state. */
export function answerOf(attempt: AttemptKey, session: Session, context: ReadContext): Answer {
  const { id, client_reference, checkout_status, payment_status } = session
  if (client_reference !== attempt.our_key) {
    context.note('another order')
    return unknown('another order')
  }
  const waiting = (): Answer =>
    session.launch_url === ''
      ? unknown('no address of the page')
      : { is: 'waiting', external_reference: id, next: { redirect_to: session.launch_url } }
  switch (cellOf(checkout_status, payment_status)) {
    case 'confirmed':
      return confirmedBy(attempt, session, context)
    case 'waiting':
      return waiting()
    case 'ended':
      return endedBy(attempt, session, context)
    case 'ended_when_quiet': {
      const { ends_at } = session
      const isQuiet = ends_at !== undefined && context.now_ms - ends_at >= quietMs
      return isQuiet ? endedBy(attempt, session, context) : waiting()
    }
    case 'contradiction':
      context.note(`pair ${checkout_status} ${payment_status}`)
      return contradicts(`pair ${checkout_status} ${payment_status}`)
    case 'unknown':
      context.note(`pair ${checkout_status} ${payment_status}`)
      return unknown(`pair ${checkout_status} ${payment_status}`)
  }
}

/** It was never paid; the payer's last try says why, where there was one. */
function endedBy(
  { direction }: AttemptKey,
  { id, error_code }: Session,
  { note }: ReadContext,
): Answer {
  if (error_code === '') {
    const failure_code = 'EXPIRED'
    return { is: 'refused', by: 'payer', failure_code, detail: 'expired', external_reference: id }
  }
  const meaning = meaningOf(direction, error_code)
  if (meaning?.is !== 'refused') note(`code ${error_code}`)
  return refusedBy(meaning, { code: error_code, id })
}

/** One payout, as its own state. */
function payoutAnswerOf(attempt: AttemptKey, payout: Payout, context: ReadContext): Answer {
  const { id, client_reference, status, error_code } = payout
  if (client_reference !== attempt.our_key) {
    context.note('another order')
    return unknown('another order')
  }
  switch (status) {
    case 'succeeded':
      return confirmedBy(attempt, payout, context)
    case 'processing':
      return { is: 'waiting', external_reference: id, next: 'payer' }
    case 'failed': {
      const meaning = meaningOf('DISBURSE', error_code)
      if (meaning?.is !== 'refused') context.note(`code ${error_code || 'none'}`)
      return refusedBy(meaning, { code: error_code || 'failed', id })
    }
    case 'reversed':
      return reversedBy(attempt, payout, context)
    default:
      context.note(`status ${status}`)
      return unknown(`status ${status}`)
  }
}

/** It was paid, and has come back: as much as is shown of it, and in no other currency. */
function reversedBy(attempt: AttemptKey, payout: Payout, { note }: ReadContext): Answer {
  const back = captureOf(attempt, payout)
  if (back === undefined || back.currency !== attempt.currency) {
    note('unreadable amount')
    return unknown('unreadable amount')
  }
  const { external_reference, amount } = back
  return { is: 'reversed', external_reference, amount, detail: 'reversed' }
}

/**
 * An answer to a question that shows nothing. That the question is refused says nothing of what it
 * is about.
 */
function readUnshown(
  { direction }: Pick<AttemptKey, 'direction'>,
  result: Answered,
  { note }: ReadContext,
): Answer {
  const code = codeOf(readFields(result.body))
  const isMissing = result.status === 404 && meaningOf(direction, code)?.is === 'not_found'
  if (isMissing) return { is: 'not_found' }
  note(`status ${result.status} ${code || 'no code'}`)
  return notLetIn({ direction }, result, unknown(`status ${result.status} ${code}`.trim()))
}

/** The same with the alarm of a question that was refused for who we are, or how we are set up. */
export function notLetIn(
  { direction }: Pick<AttemptKey, 'direction'>,
  result: Answered,
  shown: Extract<Answer, { is: 'unknown' }>,
): Answer {
  const meaning = isRefusal(result)
    ? meaningOf(direction, codeOf(readFields(result.body)))
    : undefined
  const alarm = meaning?.is === 'refused' ? meaning.alarm : undefined
  return alarm === undefined ? shown : { ...shown, alarm }
}

const isRefusal = ({ status }: Answered): boolean => status >= 400 && status < 500 && status !== 408

/** An answer to what moves money, that shows nothing: a listed refusal of the call, or unknown. */
export function readRefusal(
  { direction }: Pick<AttemptKey, 'direction'>,
  result: Answered,
  { note }: ReadContext,
): Answer {
  const code = codeOf(readFields(result.body))
  const meaning = isRefusal(result) ? meaningOf(direction, code) : undefined
  if (meaning?.is === 'refused') {
    const { is, ...named } = meaning
    return { is, ...named, detail: detailOf(result), external_reference: '' }
  }
  note(`status ${result.status} ${code || 'no code'}`)
  const because = `status ${result.status} ${code}`.trim()
  return meaning?.is === 'unknown' && meaning.alarm ? contradicts(because) : unknown(because)
}

/** The answer to a create call. */
export const readCreated = (attempt: AttemptKey, result: Answered, context: ReadContext): Answer =>
  isSuccess(result) ? readShown(attempt, result, context) : readRefusal(attempt, result, context)

/** The answer to a question by their reference. */
export const readAsked = (attempt: AttemptKey, result: Answered, context: ReadContext): Answer =>
  isSuccess(result) ? readShown(attempt, result, context) : readUnshown(attempt, result, context)

function readShown(attempt: AttemptKey, result: Answered, context: ReadContext): Answer {
  const fields = readFields(result.body)
  if (attempt.direction === 'DISBURSE') {
    const payout = readPayout(fields)
    return payout === undefined ? unknown('unreadable') : payoutAnswerOf(attempt, payout, context)
  }
  const session = readSession(fields)
  return session === undefined ? unknown('unreadable') : answerOf(attempt, session, context)
}

export type Found = Readonly<{
  answer: Answer
  /** Sessions that are open beside the one that is followed: nobody may pay them. */
  beside: readonly string[]
}>

const alone = (answer: Answer): Found => ({ answer, beside: [] })

/**
 * What a search by our key found. Of several sessions the paid one counts, else the one that we
 * know or the newest that is open; two that are paid are answered as two.
 */
export function readSearch(attempt: AttemptKey, result: Answered, context: ReadContext): Found {
  if (!isSuccess(result)) {
    const answer = readUnshown(attempt, result, context)
    // That a search itself is not found is a wrong address, not an empty result.
    return alone(answer.is === 'not_found' ? unknown('no search there') : answer)
  }
  if (attempt.direction === 'DISBURSE') {
    const all = readFound(result, readPayout)
    return all === undefined ? alone(unknown('unreadable')) : readPayouts(attempt, all, context)
  }
  const all = readFound(result, readSession)
  if (all === undefined) return alone(unknown('unreadable'))
  const ours = all.filter(({ client_reference }) => client_reference === attempt.our_key)
  const [newest, ...others] = ours.toSorted((a, b) => b.created_at - a.created_at)
  if (newest === undefined) return alone({ is: 'not_found' })
  return readSessions(attempt, [newest, ...others], context)
}

const isOpen = ({ checkout_status }: Session): boolean => checkout_status === 'open'

function readSessions(
  attempt: AttemptKey,
  ours: readonly [Session, ...Session[]],
  context: ReadContext,
): Found {
  const paid = ours.filter((one) => cellOf(one.checkout_status, one.payment_status) === 'confirmed')
  const opens = ours.filter(isOpen)
  const besideOf = (one: Session | undefined) =>
    opens.filter(({ id }) => id !== one?.id).map(({ id }) => id)
  const [first, second] = paid
  if (first !== undefined && second !== undefined) {
    return { answer: severalOf(attempt, paid, context), beside: besideOf(undefined) }
  }
  if (first !== undefined) {
    return { answer: answerOf(attempt, first, context), beside: besideOf(first) }
  }
  const known = opens.find(({ id }) => id === attempt.external_reference)
  const followed = known ?? opens[0]
  if (followed !== undefined) {
    return { answer: answerOf(attempt, followed, context), beside: besideOf(followed) }
  }
  // None is open and none was paid: the last word of all of them is needed.
  const answers = ours.map((one) => answerOf(attempt, one, context))
  return alone(answers.find(({ is }) => is !== 'refused') ?? answers[0] ?? unknown('unreadable'))
}

function severalOf(attempt: AttemptKey, paid: readonly Shown[], { note }: ReadContext): Answer {
  note('paid more than once by one key')
  const captures = paid.map((one) => captureOf(attempt, one))
  const readable = captures.filter((one): one is Capture => one !== undefined)
  const [first, ...others] = readable
  const isWhole =
    readable.length === paid.length && others.every(({ currency }) => currency === first?.currency)
  if (first === undefined || !isWhole) return unknown('unreadable amount')
  return { is: 'several', captures: [first, ...others] }
}

function readPayouts(attempt: AttemptKey, all: readonly Payout[], context: ReadContext): Found {
  const ours = all.filter(({ client_reference }) => client_reference === attempt.our_key)
  const by = (status: string) => ours.filter((one) => one.status === status)
  const [first, second] = by('succeeded')
  if (first !== undefined && second !== undefined) {
    return alone(severalOf(attempt, by('succeeded'), context))
  }
  const ended = ours.find(({ status }) => status === 'failed' || status === 'reversed')
  const strange = ours.find((one) => one !== ended && !by('processing').includes(one))
  const one = first ?? by('processing')[0] ?? strange ?? ended
  return alone(one === undefined ? { is: 'not_found' } : payoutAnswerOf(attempt, one, context))
}

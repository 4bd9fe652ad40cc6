// What a gateway's answer means for an attempt and for what it carries out, its purpose. Pure: the
// whole law of contract 5.14 and money 1 and 2 in one place. Callback, poller, verify, retry and
// the send itself get the same decision from the same facts.

import type { Answer, Capture } from '../gateways/gateway.ts'
import { never } from '../platform/errors.ts'
import {
  type Attempt,
  hasTwoPages,
  isOpen,
  mostPages,
  notFoundAgainAfterS,
  wasTaken,
  wireAmount,
} from './attempt.ts'
import type { DecidingFacts, Decision, Facts, Failed, PurposeState } from './decision.ts'

export function decide(facts: Facts): Decision {
  const { answer } = facts
  switch (answer.is) {
    case 'confirmed':
      return decideConfirmed(facts, answer)
    case 'several':
      return decideSeveral(facts, answer)
    case 'refused':
      if (isTurnedAway(facts, answer)) return decideUnknown(facts)
      return answer.by === 'float' ? decideFloat(facts, answer) : decideRefused(facts, answer)
    case 'waiting':
      return decideWaiting(facts, answer.external_reference)
    case 'reversed':
      return decideReversed(facts, answer)
    case 'not_found':
      return decideNotFound(facts)
    case 'never_sent':
      // Proof that this very call took nothing; a query, or a second send, is no proof that the
      // first send took nothing.
      return facts.send === 'only'
        ? decideRefused(facts, {
            failure_code: 'GATEWAY_UNAVAILABLE',
            detail: answer.because,
            external_reference: '',
          })
        : decideUnknown(facts)
    case 'unknown':
      return decideUnknown(facts)
    default:
      return never(answer)
  }
}

type Confirmed = Extract<Answer, { is: 'confirmed' }>

function decideConfirmed(facts: Facts, answer: Confirmed): Decision {
  const { attempt, purpose, evidence } = facts
  const { external_reference, amount, currency } = answer
  if (attempt.status === 'SUCCESS') {
    return mayBeAnother(facts, answer) ? { is: 'query' } : { is: 'nothing' }
  }
  if (attempt.booked_by !== null) {
    const booked = decideBooked(attempt, answer)
    // The answer that preceded the correction may arrive once more after it.
    const isLess = booked.is === 'incident' && booked.less === true
    return isLess && evidence.kind === 'CALLBACK' ? { is: 'query' } : booked
  }
  if (amount !== wireAmount(attempt) || currency !== attempt.currency) {
    return { is: 'incident', type: 'AMOUNT_MISMATCH', amount, currency, external_reference }
  }
  // A callback speaks of one page; a search says what became of both.
  if (hasTwoPages(attempt, facts.gateway) && evidence.kind === 'CALLBACK') return { is: 'query' }
  if (purpose.status === 'SUCCESS' || purpose.paid_by_another === true) {
    return duplicate(facts, { external_reference, amount, currency })
  }
  if (attempt.direction === 'DISBURSE' && purpose.status === 'FAILED') {
    if (evidence.kind === 'CALLBACK') return { is: 'query' }
    return { is: 'incident', type: 'PAID_AFTER_RELEASE', amount, currency, external_reference }
  }
  const { operator_reference } = answer
  const theirs = operator_reference === undefined ? {} : { operator_reference }
  if (!hasTwoPages(attempt, facts.gateway)) return { is: 'confirm', external_reference, ...theirs }
  // What became of the other page is asked again when a search must find it (`otherPageAskS`).
  const ask_again_after_s = facts.gateway.not_found_grace_s
  return { is: 'confirm', external_reference, ...theirs, ask_again_after_s }
}

/** Another has paid: all of it is too much. Of two pages the other may be paid as well. */
function duplicate({ attempt, gateway }: Facts, capture: Capture): Decision {
  const again = hasTwoPages(attempt, gateway)
    ? { ask_again_after_s: gateway.not_found_grace_s }
    : {}
  return { is: 'incident', type: 'DUPLICATE_CAPTURE', ...capture, beside: [capture], ...again }
}

/** A callback of another page of the same key: whether both were paid is asked. */
const mayBeAnother = (facts: Facts, { external_reference }: Confirmed): boolean =>
  hasTwoPages(facts.attempt, facts.gateway) &&
  facts.evidence.kind === 'CALLBACK' &&
  external_reference !== facts.attempt.external_reference

/**
 * The operator moved money more than once by our key. One of them is what was asked for, whichever
 * it is: all others wait in an incident, which names them all. Where another has paid already, all
 * of them are too much.
 */
function decideSeveral(
  { attempt, purpose, evidence }: Facts,
  { captures }: Extract<Answer, { is: 'several' }>,
): Decision {
  if (evidence.kind === 'CALLBACK') return { is: 'query' }
  const own =
    captures.find((one) => one.external_reference === attempt.external_reference) ?? captures[0]
  const isPaid = purpose.status === 'SUCCESS' || purpose.paid_by_another === true
  const all_are_too_much = isPaid && attempt.status !== 'SUCCESS'
  const beside: readonly Capture[] = all_are_too_much
    ? captures
    : captures.filter((one) => one !== own)
  return {
    is: 'incident',
    type: 'DUPLICATE_CAPTURE',
    amount: beside.reduce((sum, one) => sum + one.amount, 0n),
    currency: own.currency,
    external_reference: own.external_reference,
    references: captures.map(({ external_reference }) => external_reference),
    beside,
    ...(all_are_too_much ? {} : { then_confirm: own }),
  }
}

/**
 * People have booked another amount to the merchant: what the operator later reports for the same
 * order is never booked to that merchant as well. A difference is for people to resolve; the same
 * sum is no news.
 */
function decideBooked(attempt: Attempt, stated: Omit<Confirmed, 'is'>): Decision {
  const { amount, currency, external_reference } = stated
  const about = { is: 'incident', type: 'AMOUNT_MISMATCH', currency, external_reference } as const
  if (currency !== attempt.currency) return { ...about, amount }
  const booked = attempt.booked_amount ?? 0n
  if (amount === booked) return { is: 'nothing' }
  return amount > booked
    ? { ...about, amount: amount - booked }
    : { ...about, amount: booked - amount, less: true }
}

/**
 * Nobody has refused the payout itself: where a refusal would end it, it keeps its hold and waits.
 * Everything else is as with any refusal; a callback alone does not even end the attempt.
 */
function decideFloat(facts: Facts, answer: Refused): Decision {
  const usual = decideRefused(facts, answer)
  return usual.is === 'fail' && facts.purpose.may_wait === true
    ? { ...usual, is: 'requeue' }
    : usual
}

/**
 * A second send was refused before anybody looked at its key, or perhaps before: that shows nothing
 * of the first, which may have arrived since it was not found. Of a page that nobody was given it
 * need not. Whether an operator looks at our float, at a payout's sum or at the key first is not
 * known of any.
 */
function isTurnedAway(facts: Facts, answer: Extract<Answer, { is: 'refused' }>): boolean {
  const { by, alarm, failure_code } = answer
  const isOut = facts.attempt.direction === 'DISBURSE'
  const isBeforeKey =
    by === 'float' ||
    alarm !== undefined ||
    (by === 'gateway' && (isOut || failure_code === 'GATEWAY_UNAVAILABLE'))
  const isReplay = !isOut && facts.gateway.ask_by === 'REPLAY'
  return facts.send === 'again' && isBeforeKey && !isReplay && !isUnshown(facts)
}

type Refused = Omit<Extract<Answer, { is: 'refused' }>, 'is' | 'by'>

/** A payment: what went out comes back to the merchant, by whichever record. */
const isPaidIn = ({ direction, settlement_id, refund_id }: Attempt): boolean =>
  direction === 'COLLECT' && settlement_id === null && refund_id === null

const isBack = ({ return_state }: PurposeState): boolean =>
  return_state === 'RETURNED' || return_state === 'FOUND'

function decideRefused(facts: Facts, answer: Refused): Decision {
  const { attempt, purpose, evidence } = facts
  const { failure_code, detail, external_reference, ask_again_after_s } = answer
  const failed: Failed = {
    ...{ failure_code, detail, external_reference },
    ...(ask_again_after_s === undefined ? {} : { ask_again_after_s }),
  }
  if (attempt.status === 'FAILED' && attempt.gateway_ended) return { is: 'nothing' }
  const byCallback = evidence.kind === 'CALLBACK'
  if (attempt.status === 'SUCCESS') {
    // It came back once, and is booked or with people.
    if (isBack(purpose)) return { is: 'nothing' }
    // An old failure may arrive after the success that followed it: only the gateway's answer to a
    // query that we made after the success shows that it took the money back.
    if (facts.status_at_query !== 'SUCCESS') return { is: 'query' }
    if (purpose.return_state === 'ASKED') return { is: 'return', external_reference }
    const isReturn = !isPaidIn(attempt) && purpose.unpaid_by_this !== true
    return {
      is: 'incident',
      type: isReturn ? 'RETURNED' : 'REVERSED_AFTER_SUCCESS',
      amount: wireAmount(attempt),
      currency: attempt.currency,
      external_reference,
    }
  }
  // There was a query or a send since, which knows better than this old answer.
  if (facts.send === 'outdated') return decideUnknown(facts)
  // A hold is released only by the gateway's answer to our own query (money 1).
  if (byCallback && attempt.direction === 'DISBURSE') return { is: 'query' }
  if ((attempt.booked_amount ?? 0n) > 0n) {
    // Nothing came, or went, of what people have booked.
    if (byCallback) return { is: 'query' }
    return decideBooked(attempt, { amount: 0n, currency: attempt.currency, external_reference })
  }
  if (purpose.status === 'PENDING' && isOpen(attempt.status)) return { is: 'fail', ...failed }
  return { is: 'end_attempt', ...failed }
}

/**
 * Nobody can have paid: the operator takes nothing before its page is opened, and nobody was given
 * the address. It gets out only with the statement that keeps it.
 */
const isUnshown = ({ attempt, gateway, by_page }: Facts): boolean =>
  by_page === true &&
  gateway.unshown_is_proof === true &&
  attempt.direction === 'COLLECT' &&
  attempt.checkout_url === '' &&
  (attempt.booked_amount ?? 0n) === 0n

function abandon(facts: Facts, why: string): Decision {
  const ended = decideRefused(facts, {
    failure_code: 'GATEWAY_UNAVAILABLE',
    detail: `abandoned: ${why}, and nobody was given its page`,
    external_reference: '',
  })
  return ended.is === 'fail' || ended.is === 'end_attempt' ? { ...ended, abandoned: true } : ended
}

type Reversed = Omit<Extract<Answer, { is: 'reversed' }>, 'is'>

/**
 * What came back whole, or more than that, is as if it had been refused late: by our own question
 * it ends what is open, and contradicts a success. A part that came back ends nothing: people
 * decide on it.
 */
function decideReversed(facts: Facts, { amount, detail, external_reference }: Reversed): Decision {
  const { attempt } = facts
  const whole = wireAmount(attempt)
  if (amount >= whole) {
    const decision = decideRefused(facts, {
      failure_code: 'UNKNOWN',
      detail,
      external_reference,
    })
    return decision.is === 'incident' ? { ...decision, why: detail } : decision
  }
  if (attempt.status === 'FAILED' || isBack(facts.purpose)) return { is: 'nothing' }
  const isAsked = facts.evidence.kind === 'STATUS_ANSWER'
  if (!isAsked || (attempt.status === 'SUCCESS' && facts.status_at_query !== 'SUCCESS')) {
    return { is: 'query' }
  }
  const { currency } = attempt
  const left = { amount: whole - amount, currency, external_reference }
  if (attempt.booked_by !== null) return decideBooked(attempt, left)
  const about = { is: 'incident', type: 'AMOUNT_MISMATCH', currency, external_reference } as const
  // Of one that is not booked yet, what is left of it is what came, or went.
  if (attempt.status !== 'SUCCESS') return { ...about, ...left }
  return { ...about, amount, less: true, why: detail }
}

function decideWaiting({ attempt, purpose }: Facts, external_reference: string): Decision {
  if (!isOpen(attempt.status)) return { is: 'nothing' }
  // What we closed ourselves (fifth wrong code, query time over) stays UNKNOWN until it ends.
  const status = purpose.status === 'PENDING' ? 'PENDING' : 'UNKNOWN'
  return { is: 'wait', status, external_reference }
}

function decideUnknown(facts: Facts): Decision {
  const { attempt, gateway } = facts
  if (!isOpen(attempt.status)) return { is: 'nothing' }
  const canBeAsked = gateway.ask_by !== 'THEIR_REFERENCE' || attempt.external_reference !== ''
  if (!canBeAsked && isUnshown(facts) && facts.send !== 'outdated') {
    return abandon(facts, 'its answer was lost')
  }
  const wasAccepted = attempt.accepted_at !== null && attempt.status === 'PENDING'
  return { is: 'wait', status: wasAccepted ? 'PENDING' : 'UNKNOWN', external_reference: '' }
}

function decideNotFound(facts: Facts): Decision {
  const { attempt, purpose, gateway } = facts
  if (!isOpen(attempt.status)) return { is: 'nothing' }
  const isPaidOut = attempt.direction === 'DISBURSE'
  const search_lag_s = gateway.search_lag_s ?? 0
  const mayBeSent =
    isHarmlessAgain(facts) &&
    gateway.asked_only !== true &&
    isKeyAlive(attempt, gateway) &&
    attempt.accepted_at === null &&
    !(isPaidOut && wasTaken(attempt)) &&
    // A code that the payer made is never stored, so only the caller's own replay could send it
    // again.
    (attempt.otp_kind !== 'PRE' || facts.otp_in_hand) &&
    purpose.status === 'PENDING'
  if (mayBeSent) return { is: 'send_again' }
  if (isUnshown(facts) && attempt.grace_age_s >= search_lag_s) {
    return abandon(facts, 'the gateway does not find it')
  }
  if (attempt.grace_age_s < Math.max(gateway.not_found_grace_s, search_lag_s)) {
    return { is: 'wait', status: 'UNKNOWN', external_reference: '' }
  }
  // When an operator does not find what it has confirmed, that proves nothing.
  if (!isPaidOut && (attempt.booked_amount ?? 0n) > 0n) {
    return { is: 'wait', status: 'UNKNOWN', external_reference: '' }
  }
  if (isPaidOut && wasTaken(attempt)) {
    // One "not found" contradicts what the operator once had, but does not disprove it (contract
    // 8.13).
    const again_after_s = notFoundAgainAfterS - (attempt.not_found_age_s ?? 0)
    if (again_after_s > 0 || facts.evidence.kind !== 'STATUS_ANSWER') {
      const not_found = { again_after_s: Math.max(again_after_s, 1) }
      return { is: 'wait', status: 'UNKNOWN', external_reference: '', not_found }
    }
  }
  return decideRefused(facts, {
    failure_code: 'GATEWAY_UNAVAILABLE',
    detail: 'not found at the gateway after its time of grace',
    external_reference: '',
  })
}

/**
 * The same key again is the same payment; or it makes another page, which is the only one that
 * anybody is given: once, and when a search would have found the first.
 */
function isHarmlessAgain(facts: Facts): boolean {
  const { attempt, gateway } = facts
  const { create_is_idempotent, payout_is_idempotent = create_is_idempotent } = gateway
  if (attempt.direction === 'DISBURSE' ? payout_is_idempotent : create_is_idempotent) return true
  return (
    gateway.ask_by === 'SEARCH' &&
    isUnshown(facts) &&
    attempt.sends < mostPages &&
    attempt.grace_age_s >= (gateway.search_lag_s ?? 0)
  )
}

/**
 * Within two minutes, and for as long as the operator remembers the key. A collection that is asked
 * about by its replay is sent for its time of grace: an answer that is still lost by then is the
 * one that its key keeps, and nobody was given a page.
 */
function isKeyAlive(
  { direction, age_s, may_send_again }: Attempt,
  { idempotency_s = Number.POSITIVE_INFINITY, ask_by, not_found_grace_s }: DecidingFacts,
): boolean {
  if (age_s >= idempotency_s) return false
  const isReplayed = direction === 'COLLECT' && ask_by === 'REPLAY'
  return may_send_again || (isReplayed && age_s < not_found_grace_s)
}

/** The answer in our own words, for the evidence: no personal data. */
export function describeAnswer(answer: Answer): string {
  switch (answer.is) {
    case 'refused':
      return `refused ${answer.failure_code}${answer.by === 'float' ? ' for want of a float' : ''}`
    case 'several':
      return `confirmed ${answer.captures.length} times`
    case 'unknown':
    case 'never_sent':
      return `${answer.is} ${answer.because}`
    default:
      return answer.is
  }
}

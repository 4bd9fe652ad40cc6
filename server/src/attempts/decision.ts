// What can be decided of an attempt when its operator has answered, and the facts that a decision
// is made from (`decide.ts` makes it).

import type { Answer, Capture, FailureCode, GatewayFacts } from '../gateways/gateway.ts'
import type { Attempt } from './attempt.ts'
import type { Evidence } from './evidence.ts'
import type { AttemptStatus } from './states.ts'

export type Failed = Readonly<{
  failure_code: FailureCode
  detail: string
  external_reference: string
  /** It is asked about once more, though it has ended. Seconds. */
  ask_again_after_s?: number
  /** Nobody refused it: we close a page whose address was given to nobody. */
  abandoned?: true
}>

export type Decision =
  /** The purpose ends, or is paid after all: one statement moves everything. */
  | {
      is: 'confirm'
      external_reference: string
      operator_reference?: string
      /** It is asked about once more, though it is paid: perhaps it was twice. Seconds. */
      ask_again_after_s?: number
    }
  | ({ is: 'fail' } & Failed)
  /** Only the attempt ends: its purpose has ended without it. */
  | ({ is: 'end_attempt' } & Failed)
  /** Only the attempt ends: nothing was taken, and its purpose waits to be sent again. */
  | { is: 'requeue'; failure_code: FailureCode; detail: string; external_reference: string }
  /** A payout that was paid has come back, as two people had asked its operator for. */
  | { is: 'return'; external_reference: string }
  /** A contradiction: no status follows from it, and the difference goes to suspense. */
  | {
      is: 'incident'
      type:
        | 'AMOUNT_MISMATCH'
        | 'DUPLICATE_CAPTURE'
        | 'REVERSED_AFTER_SUCCESS'
        | 'PAID_AFTER_RELEASE'
        | 'RETURNED'
      amount: bigint
      currency: string
      external_reference: string
      /** The operator has so much less than people have booked for it. */
      less?: true
      /** Everything that it moved by our key, where that is more than one. */
      references?: readonly string[]
      /** Of a second capture: each that is too much, whether an incident has it already or not. */
      beside?: readonly Capture[]
      /** What ends by it is asked about once more: perhaps there is another. Seconds. */
      ask_again_after_s?: number
      /** What is not in the incident: it is decided as if the operator had named it alone. */
      then_confirm?: Capture
      /** Why it came back, in the adapter's word: `CHARGEBACK`. */
      why?: string
    }
  /** Nothing is known to have ended: query again later. */
  | {
      is: 'wait'
      status: 'PENDING' | 'UNKNOWN'
      external_reference: string
      /**
       * The operator had taken it and does not find it now: if it says so a second time, later, it
       * counts. Seconds.
       */
      not_found?: Readonly<{ again_after_s: number }>
    }
  /** The gateway does not know it, and it may still be sent with the same key. */
  | { is: 'send_again' }
  /** A callback alone is not enough for this: ask the gateway. */
  | { is: 'query' }
  /** Known already: nothing changes. */
  | { is: 'nothing' }

export type Ending = Extract<Decision, { is: 'confirm' | 'fail' }>
export type Requeueing = Extract<Decision, { is: 'requeue' }>
export type Returning = Extract<Decision, { is: 'return' }>
export type Contradiction = Extract<Decision, { is: 'incident' }>

/** What a decision reads of what an attempt carries out. */
export type PurposeState = Readonly<{
  status: 'PENDING' | 'SUCCESS' | 'FAILED' | 'CANCELLED'
  /** Its session has been paid by another payment, so this would be a second one. */
  paid_by_another?: boolean
  /** It can wait until its operator has a float again. */
  may_wait?: boolean
  /** How far a payout that this attempt has paid is on its way back; null: it is not. */
  return_state?: ReturnState | null
  /** Not this attempt has paid it out, so that what comes back here is no return of it. */
  unpaid_by_this?: boolean
}>

/** `ASKED`: by two people. `FOUND`: the operator said so first. `RETURNED`: it is booked. */
export type ReturnState = 'ASKED' | 'FOUND' | 'RETURNED'

/** What of a gateway's facts a decision rests on. */
export type DecidingFacts = Pick<
  GatewayFacts,
  | 'create_is_idempotent'
  | 'not_found_grace_s'
  | 'ask_by'
  | 'search_lag_s'
  | 'payout_is_idempotent'
  | 'unshown_is_proof'
  | 'asked_only'
  | 'idempotency_s'
  | 'reversal'
>

export type Facts = Readonly<{
  attempt: Attempt
  purpose: PurposeState
  answer: Answer
  evidence: Pick<Evidence, 'kind'>
  gateway: DecidingFacts
  /** Its payer decides on a page alone, whose address comes with an answer about it. */
  by_page?: boolean | undefined
  /** The caller's own replay brought the payer's code again, which is never stored. */
  otp_in_hand: boolean
  /**
   * For the answer to a send: only this sender has had the attempt (`only`), it was sent before
   * (`again`), or another has taken it over since (`outdated`).
   */
  send?: 'only' | 'again' | 'outdated' | undefined
  /** For the answer to a query: the attempt's status when it was made. */
  status_at_query?: AttemptStatus | undefined
}>

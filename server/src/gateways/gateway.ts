// The port to operators: what can be asked of a gateway, and everything it can answer. Abilities
// are separate, so no method answers "not implemented"; an answer is a value, never an exception.
// Designed against several real dialects: client-made and server-made references, signed and
// unsigned callbacks, an HTTP 200 that refuses, a 409 that means accepted.

import type { Text } from '../platform/errors.ts'
import type { RefusalKind } from './alarm-kinds.ts'

export type Direction = 'COLLECT' | 'DISBURSE'

/** Why an attempt failed, in our own codes, the same for every gateway (contract 5.8). */
export type FailureCode =
  | 'PAYER_NOT_FOUND'
  | 'RECIPIENT_NOT_FOUND'
  | 'INSUFFICIENT_FUNDS'
  | 'NOT_APPROVED'
  | 'LIMIT_REACHED'
  | 'INVALID_OTP'
  | 'EXPIRED'
  | 'GATEWAY_UNAVAILABLE'
  | 'GATEWAY_REFUSED'
  | 'REJECTED_BY_MERCHANT'
  | 'UNKNOWN'

/** One attempt as the gateway must know it. */
export type AttemptKey = Readonly<{
  merchant_id: string
  attempt_id: string
  direction: Direction
  /** Our reference at the gateway, written before the first send. */
  our_key: string
  /** The gateway's own reference; empty while unknown. */
  external_reference: string
  /** Hundredths: a payin's `debited_amount`, a payout's `net_amount`. */
  amount: bigint
  currency: string
  /** How often it was sent: where that is more than once, several of it may be there. */
  sends?: number
  /** How long ago it was last sent, by the database's clock. Seconds. */
  age_s?: number
  /** What an earlier answer gave for us to remember. */
  memo?: Memo
}>

/** Kept sealed beside the attempt, for operators that are asked by what they gave. */
export type Memo = Readonly<{
  /** What a question needs. */
  ask: string
  /** What a callback must bring to be `BEARER`. */
  notice?: string
}>

export type GatewayOrder = AttemptKey &
  Readonly<{
    network_code: string
    country_code: string
    /** E.164 with `+`. */
    msisdn: string
    flow: 'push' | 'redirect'
    otp_kind: 'NONE' | 'PRE' | 'POST'
    /** A code the payer made beforehand; it is never stored. */
    otp: string | undefined
    description: string
    callback_url: string
    return_url: string
  }>

/** Money that an operator has moved by one reference of its own; hundredths. */
export type Capture = Readonly<{ external_reference: string; amount: bigint; currency: string }>

export type Answer =
  | {
      is: 'confirmed'
      external_reference: string
      amount: bigint
      currency: string
      /** `ASKED`: the operator names no amount; it took our question, which named it. */
      amount_is?: 'TOLD' | 'ASKED'
      /** What its payer finds it by, in the operator's message. Absent: `external_reference` is. */
      operator_reference?: string
      /** It was paid, and not all of it is there any more. */
      alarm?: 'GIVEN_BACK'
    }
  | {
      is: 'waiting'
      external_reference: string
      /** `page_soon`: the payer's page is not there yet; it comes by an answer or a callback. */
      next: 'payer' | 'otp' | 'page_soon' | { redirect_to: string }
      /** It is in the operator's own queue: nothing moves until the operator lets it go on. */
      queued?: true
      memo?: Memo
    }
  /** It moved money more than once by our key: all of them, of one currency. */
  | { is: 'several'; captures: readonly [Capture, ...Capture[]] }
  /**
   * `by: 'gateway'` is its own documented refusal: another route may be tried at once. `float`:
   * what we hold there is too little, and nothing was taken: a payout waits until there is more.
   */
  | {
      is: 'refused'
      by: 'payer' | 'gateway' | 'float'
      failure_code: FailureCode
      detail: string
      external_reference: string
      /** Nobody's payment is at fault. */
      alarm?: RefusalKind
      /** Nobody says that it is final: it is asked about once more, so long after. Seconds. */
      ask_again_after_s?: number
    }
  /** Proof that the request never left: name not found, refused, TLS, no connection in time. */
  | { is: 'never_sent'; because: string; alarm?: RefusalKind }
  /**
   * It was paid and has been taken back, wholly or in part, without our asking: a payout that
   * returned, a payment that its payer's bank disputed. `amount`: what came back, in hundredths.
   */
  | { is: 'reversed'; external_reference: string; amount: bigint; detail: string }
  /** The gateway answers that it does not know our key. */
  | { is: 'not_found' }
  /**
   * Money may have moved: query, and never resend without a query. `cannot_ask`: what a question
   * needs is not there, now or later. `alarm`: we were not let in, which says nothing of the money;
   * or what it says contradicts itself.
   */
  | { is: 'unknown'; because: string; cannot_ask?: true; alarm?: RefusalKind | 'CONTRADICTION' }

/** An answer with what it rests on. */
export type GatewayReply = Readonly<{ answer: Answer; hash: Buffer }>

export type OtpReply = GatewayReply | { answer: { is: 'wrong_otp' }; hash: Buffer }

/** A callback as it came, and as it was kept: read again later, it is read over the same thing. */
export type Received = Readonly<{
  method: string
  /** Our public host as it is configured; what a caller puts in `Host` proves nothing. */
  authority: string
  /** As it was asked for, without its query. */
  path: string
  /** Without the question mark; empty where there is none. */
  query: string
  /** Names in lower case; of one that was kept, only its adapter's `signature_headers`. */
  headers: Readonly<Record<string, string>>
  body: Buffer
  /** When it came: the age of its signature is judged by this. Milliseconds since 1970. */
  at_ms: number
}>

/**
 * `SIGNED`: the operator's signature covers it, so it is evidence. `BEARER`: a token that we gave
 * came back; it wakes, and our own question decides. `UNSIGNED`: a hint, from anybody.
 */
export type CallbackProof = 'SIGNED' | 'BEARER' | 'UNSIGNED'

export type CallbackReading = Readonly<{
  proof: CallbackProof
  /** The gateway's or our reference in the body, for addresses that do not name the attempt. */
  key: string
  /** What later callbacks may call it instead; believed only where this one is signed. */
  aliases?: readonly string[]
  answer: Answer
  /** `BEARER` when this is what the attempt's memo says that a callback must bring. */
  notice?: string
  /** A test of theirs, or about what we do not ask for: it is answered, and nothing follows. */
  is_other?: boolean
  /**
   * Signed by a key that is not known yet, so `UNSIGNED` for now: once the keys have been read
   * again it is judged again.
   */
  unknown_key?: string
}>

export type GatewayFacts = Readonly<{
  /**
   * Whether the same key may be sent again: only where the gateway answers it with the same
   * payment.
   */
  create_is_idempotent: boolean
  /** After this long, "not found" means that nothing was ever taken. Seconds. */
  not_found_grace_s: number
  call_timeout_ms: number
  /** How often it may be queried, over all our processes. */
  queries_per_second: number
  /** How much else may be sent to it a second, over all our processes. Absent: nobody says. */
  creates_per_second?: number
  /** How many calls of any kind may be under way there at once. Absent: nobody says. */
  open_calls?: number
  /**
   * When the first question is due after a send that is waiting: later where callbacks of its
   * account came within the hour, which then bring the answer. Seconds.
   */
  first_ask_after_s: Readonly<{ callbacks_seen: number; callbacks_silent: number }>
  /** False where no callback is about payouts: those of payments say nothing of them. */
  payouts_call_back?: false
  /** `PER_CALL`: our callback address names the attempt; `STATIC`: one address, a directory row. */
  callback_address: 'PER_CALL' | 'STATIC'
  /**
   * What a callback's proof is read from, beside its body: kept with it. Absent where no callback
   * is judged again after it came.
   */
  signature_headers?: readonly string[]

  // Where an operator differs from one that is asked by our key and pushes its own prompt.

  /**
   * What it is asked by. `SEARCH`: by our key where its own reference is not known.
   * `THEIR_REFERENCE`: without it (or the memo) nothing can be asked. `REPLAY`: a collection whose
   * answer was lost is sent again with its key for its time of grace: nobody can pay what it makes
   * before we show the page. Never a payout: a replay may be the first that arrives. Absent:
   * `OUR_KEY`.
   */
  ask_by?: 'OUR_KEY' | 'SEARCH' | 'THEIR_REFERENCE' | 'REPLAY'
  /**
   * For how long after an attempt was made its key is answered with the same payment: later it is
   * dead, and is asked about only. Absent: while an attempt may be sent at all. Seconds.
   */
  idempotency_s?: number
  /** For how long a search may not find what was taken. Seconds. */
  search_lag_s?: number
  /** For payouts, where they differ in this from what is collected. */
  payout_is_idempotent?: boolean
  /**
   * A page takes nothing before it is opened: one whose address nobody was given took nothing.
   * Of collections that go to a page.
   */
  unshown_is_proof?: boolean
  /** For how long a payer is waited for: then it is cancelled, where it can be. Seconds. */
  prompt_lifetime_s?: number
  /** The account is switched off: nothing that was sent is sent again. */
  asked_only?: boolean
  /**
   * How far its clock and ours may be apart before what it signs proves nothing, or what we send
   * is too old. Absent: nobody's clock counts. Seconds.
   */
  max_skew_s?: number
  /** Where it takes a payout back that it has paid. Absent: it never does. */
  reversal?: ReversalFacts
}>

export type ReversalFacts = Readonly<{
  /** For how long after its success a payout can be taken back. Seconds. */
  window_s: number
  /** Its own fee comes back with the payout. */
  returns_fee: boolean
}>

export interface Gateway {
  readonly code: string
  readonly facts: GatewayFacts
  /** Where its callbacks come from, as far as that is compared (`callback-senders.ts`). */
  readonly senders?: Readonly<{ enforced: boolean; include(address: string): boolean }> | undefined
  query(attempt: AttemptKey): Promise<GatewayReply>
  /** Reads a callback and reports whether its signature proves it. Never throws on garbage. */
  readCallback(received: Received): CallbackReading
}
export interface Collects extends Gateway {
  collect(order: GatewayOrder): Promise<GatewayReply>
}
export interface Pays extends Gateway {
  pay(order: GatewayOrder): Promise<GatewayReply>
}
/** One refund as the gateway must know it: `of` is what it gives back; it is DISBURSE. */
export type RefundKey = AttemptKey & Readonly<{ refund_id: string; of: AttemptKey }>

export type RefundOrder = RefundKey &
  Readonly<{
    /** Hundredths. */
    amount: bigint
    currency: string
    reason: string
    callback_url: string
  }>

export type RefundFacts = Readonly<{
  /** A part of a payment may be given back, and later another. */
  partial: boolean
  /** For how long after its success a payment may be given back. Seconds. */
  window_s: number
  /** The same key sent again is answered with the same refund. */
  idempotent: boolean
  /** It gives its own fee back with the payment. */
  returns_fee: boolean
  /** It takes a second refund of a payment only once the first has ended. */
  one_at_a_time: boolean
}>

/** It gives its own payment back to whoever paid it. */
export interface Refunds extends Gateway {
  readonly refund_facts: RefundFacts
  refund(order: RefundOrder): Promise<GatewayReply>
  askRefund(key: RefundKey): Promise<GatewayReply>
}
/**
 * It takes back a payout that it has paid, wholly. Asked for twice it is the same: a payout comes
 * back once. What it answers here only says whether to ask again: a payout has come back when its
 * own state says so (`query`).
 */
export interface Reverses extends Pays {
  reverse(payout: AttemptKey): Promise<GatewayReply>
}
export interface TakesOtp extends Collects {
  confirmOtp(attempt: AttemptKey, otp: string): Promise<OtpReply>
}
/** The answer to a `prepare`: nothing was taken, whatever it is. */
export type Prepared =
  | { is: 'prepared'; external_reference: string }
  | Extract<Answer, { is: 'refused' | 'never_sent' | 'unknown' }>

/**
 * It makes its own reference in a call that takes no money. We keep that before the call that does,
 * which then names it. A lost `prepare` is made again; a lost money call is asked about.
 */
export interface Prepares extends Gateway {
  prepare(order: GatewayOrder): Promise<Readonly<{ answer: Prepared; hash: Buffer }>>
}
export interface Cancels extends Gateway {
  cancel(attempt: AttemptKey): Promise<GatewayReply>
}
/** Only the sandbox operator lets a test decide what its payer does. */
export interface Resolves extends Gateway {
  resolve(
    attempt: AttemptKey & Readonly<{ is_refund?: boolean }>,
    outcome: { is: 'SUCCESS' } | { is: 'FAILED'; failure_code: FailureCode },
  ): Promise<GatewayReply>
}

/** One thing that was looked at, and what to do when it is not as it must be. */
export type Finding = Readonly<{
  /** In English it is a name that programs know it by: it changes for nobody. */
  what: Text
  is: 'PASS' | 'WARN' | 'FAIL'
  /** What was found; never a secret. */
  found: Text
  /** Empty when there is nothing to do. */
  fix: Text
}>

/** A key that the operator signs its callbacks with, as it publishes it. */
export type PublishedKey = Readonly<{ id: string; pem: string }>

/** It signs its callbacks with keys that it publishes, and changes. */
export interface PublishesKeys extends Gateway {
  /** Undefined when they could not be read. */
  publishedKeys(): Promise<readonly PublishedKey[] | undefined>
}

/** What waits in its own queue can be taken back: the answer to a question then says whether. */
export interface CancelsQueued extends Gateway {
  cancelQueued(attempt: AttemptKey): Promise<GatewayReply>
}

/** A route of ours over the account, to be compared with what its operator takes. */
export type CheckedRoute = Readonly<{
  network_code: string
  direction: Direction
  currency: string
  /** What one payment is at least and at most by our prices and limits; null: it has no price. */
  least: bigint | null
  most: bigint | null
}>

/** Looks whether the account is set up as it must be. It reads only, and spends nothing. */
export interface Checks extends Gateway {
  /**
   * `our_address`: where its callbacks come, where that is to be compared; `routes`: ours, where
   * the operator shows what it takes.
   */
  check(our_address?: string, routes?: readonly CheckedRoute[]): Promise<readonly Finding[]>
}

export const collects = (gateway: Gateway): gateway is Collects => 'collect' in gateway
export const pays = (gateway: Gateway): gateway is Pays => 'pay' in gateway
export const prepares = (gateway: Gateway): gateway is Prepares => 'prepare' in gateway
export const takesOtp = (gateway: Gateway): gateway is TakesOtp => 'confirmOtp' in gateway
export const cancels = (gateway: Gateway): gateway is Cancels => 'cancel' in gateway
export const refunds = (gateway: Gateway): gateway is Refunds => 'askRefund' in gateway
export const reverses = (gateway: Gateway): gateway is Reverses => 'reverse' in gateway
export const resolves = (gateway: Gateway): gateway is Resolves => 'resolve' in gateway
export const publishesKeys = (gateway: Gateway): gateway is PublishesKeys =>
  'publishedKeys' in gateway
export const cancelsQueued = (gateway: Gateway): gateway is CancelsQueued =>
  'cancelQueued' in gateway
export const checks = (gateway: Gateway): gateway is Checks => 'check' in gateway

/** The gateways that this process can speak to, by code. */
export type Gateways = Readonly<{
  get(code: string): Gateway | undefined
  all(): readonly Gateway[]
  /** Callbacks of this account came within the hour, as far as this process knows. */
  callbacksCome?(code: string): boolean
  /** A callback about an attempt of this account has come. */
  noteCallback?(code: string): void
}>

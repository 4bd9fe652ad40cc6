// The operator's objects, as they are remembered and as they are shown. What a page or a refund is
// at a moment is a function of its record and the clock, so a restart changes nothing. Times in
// unix seconds on the wire, in milliseconds here.

import { createHash } from 'node:crypto'
import type { Notice } from '../payer-page.ts'
import { type Card, cards } from './scenarios.ts'
import { whole } from './whole-objects.ts'

export type Session = Readonly<{
  id: string
  created_at: number
  expires_at: number
  client_reference_id: string
  amount: number
  currency: string
  name: string
  success_url: string
  cancel_url: string
  metadata: Readonly<Record<string, string>>
  intent_metadata: Readonly<Record<string, string>>
  /** The last card that was tried, and when it was taken; 0: it was declined, or none was. */
  card: string
  paid_at: number
  /** Its owner ended it, or its payer. */
  ended_at: number
  /** By chance another sum moves, or in another currency, than was asked for. */
  altered?: 'amount' | 'currency'
  /** When its event leaves, where its payer has chosen it. */
  notice?: Notice
}>

export type Refund = Readonly<{
  id: string
  intent: string
  created_at: number
  amount: number
  currency: string
  reason: string
  metadata: Readonly<Record<string, string>>
  /** A test has ended it so. */
  resolved?: 'succeeded' | 'failed'
}>

export type Pace = Readonly<{
  /** Divides every delay. */
  speed: number
  /** Also plays the scenarios of four digits. */
  misbehaves: boolean
}>

const digest = (...words: string[]): string =>
  createHash('sha256').update(words.join(' ')).digest('hex')

export const intentOf = ({ id }: Pick<Session, 'id'>): string => `pi_${digest(id).slice(0, 24)}`
export const chargeOf = ({ id }: Pick<Session, 'id'>): string => `ch_${digest(id).slice(24, 48)}`

export const unix = (ms: number): number => Math.floor(ms / 1000)

export function stateOf(session: Session, now: number): 'open' | 'complete' | 'expired' {
  if (session.paid_at > 0) return 'complete'
  const ends_at = session.ended_at > 0 ? session.ended_at : session.expires_at
  return ends_at <= now ? 'expired' : 'open'
}

export const cardOf = (session: Session): Card | undefined => cards.get(session.card)

/** A refund begins in one state and may end in another; both come from the card. */
export function refundState(refund: Refund, card: Card | undefined, pace: Pace, now: number) {
  if (refund.resolved !== undefined) return refund.resolved
  const age_ms = (now - refund.created_at) * pace.speed
  const later = age_ms >= turnAfterMs
  if (card?.refund === 'fails_later') return later ? 'failed' : 'succeeded'
  if (card?.refund === 'waits') return later ? 'succeeded' : 'pending'
  return 'succeeded'
}

/** How long a refund's first state lasts, where it has two. Unscaled milliseconds. */
export const turnAfterMs = 10_000

export function showRefund(
  refund: Refund,
  session: Session,
  pace: Pace,
  now: number,
): Record<string, unknown> {
  const status = refundState(refund, cardOf(session), pace, now)
  return whole('refund', {
    id: refund.id,
    amount: refund.amount,
    charge: chargeOf(session),
    created: unix(refund.created_at),
    currency: refund.currency,
    ...(status === 'failed' ? { failure_reason: 'expired_or_canceled_card' } : {}),
    metadata: refund.metadata,
    payment_intent: refund.intent,
    reason: refund.reason || null,
    status,
  })
}

/** The dispute of a card that always disputes. */
export const showDispute = (session: Session): Record<string, unknown> =>
  whole('dispute', {
    id: `du_${digest(session.id, 'dispute').slice(0, 24)}`,
    amount: session.amount,
    charge: chargeOf(session),
    created: unix(session.paid_at),
    currency: session.currency,
    livemode: false,
    metadata: {},
    payment_intent: intentOf(session),
    reason: 'fraudulent',
    status: 'needs_response',
  })

function showCharge(session: Session, refunded: number): Record<string, unknown> {
  return whole('charge', {
    id: chargeOf(session),
    amount: session.amount,
    amount_captured: session.amount,
    amount_refunded: refunded,
    created: unix(session.paid_at),
    currency: session.currency,
    disputed: cardOf(session)?.disputes ?? false,
    livemode: false,
    metadata: session.intent_metadata,
    paid: true,
    payment_intent: intentOf(session),
    refunded: refunded >= session.amount,
    status: 'succeeded',
  })
}

/** Some declines have a code of their own. */
const codeOf = (declined: string): string =>
  ['expired_card', 'processing_error'].includes(declined) ? declined : 'card_declined'

export function showIntent(session: Session, refunded: number, expanded: boolean) {
  const isPaid = session.paid_at > 0
  const declined = cardOf(session)?.declines
  const charge = expanded ? showCharge(session, refunded) : chargeOf(session)
  return whole('payment_intent', {
    id: intentOf(session),
    amount: session.amount,
    amount_received: isPaid ? session.amount : 0,
    created: unix(session.created_at),
    currency: session.currency,
    last_payment_error:
      declined === undefined
        ? null
        : { code: codeOf(declined), decline_code: declined, type: 'card_error' },
    latest_charge: isPaid ? charge : null,
    livemode: false,
    metadata: session.intent_metadata,
    status: isPaid ? 'succeeded' : 'requires_payment_method',
  })
}

export const showChargeOf = showCharge

export type SessionView = Readonly<{
  url: string
  /** What was given back of it so far. */
  refunded: number
  now: number
  /** Its payment, and the charge of that, as objects. */
  expand: readonly string[]
  /** What moved, where that is not what was asked for. */
  amount: number
  currency: string
}>

export function showSession(session: Session, view: SessionView): Record<string, unknown> {
  const status = stateOf(session, view.now)
  const isTried = session.card !== ''
  const isExpanded = view.expand.some((one) => one.startsWith('payment_intent'))
  const withCharge = view.expand.includes('payment_intent.latest_charge')
  const intent = isExpanded ? showIntent(session, view.refunded, withCharge) : intentOf(session)
  return whole('checkout.session', {
    id: session.id,
    adaptive_pricing: { enabled: false },
    amount_subtotal: view.amount,
    amount_total: view.amount,
    cancel_url: session.cancel_url || null,
    client_reference_id: session.client_reference_id || null,
    created: unix(session.created_at),
    currency: view.currency,
    expires_at: unix(session.expires_at),
    livemode: false,
    metadata: session.metadata,
    mode: 'payment',
    payment_intent: isTried ? intent : null,
    payment_method_types: ['card'],
    payment_status: status === 'complete' ? 'paid' : 'unpaid',
    status,
    success_url: session.success_url,
    ui_mode: 'hosted_page',
    url: status === 'open' ? view.url : null,
  })
}

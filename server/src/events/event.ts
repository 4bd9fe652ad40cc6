// What can happen, by name (contract 6.7), and what each name means to a merchant's developer. The
// names are contract: they are added to, never changed.

import type { Text } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'

export const eventTypes = [
  'transaction.created',
  'transaction.success',
  'transaction.failed',
  'transaction.cancelled',
  'transaction.incident',
  'transaction.refunded',
  'transaction.returned',
  'refund.created',
  'refund.success',
  'refund.failed',
  'refund.cancelled',
  'refund.returned',
  'checkout_session.paid',
  'checkout_session.expired',
  'checkout_session.cancelled',
  'settlement.requested',
  'settlement.approved',
  'settlement.success',
  'settlement.failed',
  'settlement.cancelled',
  'settlement.returned',
  'wallet_transfer.requested',
  'wallet_transfer.completed',
  'wallet_transfer.rejected',
  'availability.changed',
  'webhook.test',
] as const

export type EventType = (typeof eventTypes)[number]

export function isEventType(text: string): text is EventType {
  return eventTypes.some((type) => type === text)
}

/** Each merchant and environment has one feed: its events are numbered together. */
export type FeedKey = Readonly<{ merchant_id: string; environment: Environment }>

/** An event to be recorded with the change it announces. */
export type NewEvent = Readonly<{
  /** The id that lets it through: it must be in the relation of the change. */
  gate_id: string
  id: string
  type: EventType
  transaction_id: string | null
  /** The record it is about when that is no transaction: session, settlement, transfer, webhook. */
  subject_id: string | null
  /** What the merchant is shown; amounts are strings already. */
  data: object
}>

/** An event as the pull feed and a delivery show it. */
export type NumberedEvent = Readonly<{
  id: string
  /** Its place in the feed of its merchant and environment; grows in the order of commits. */
  seq: bigint
  type: EventType
  created_at: Date
  data: object
}>

/** For `/merchant-webhook-events/`: one sentence each. */
export const eventCatalogue: Readonly<Record<EventType, Text>> = {
  'transaction.created': {
    en: 'A payment, payout or top-up was created and is pending.',
    fr: 'Un paiement, un versement ou une recharge a été créé et est en attente.',
  },
  'transaction.success': {
    en: 'The gateway has confirmed the transaction; the balance is up to date.',
    fr: 'La passerelle a confirmé la transaction ; le solde est à jour.',
  },
  'transaction.failed': {
    en: 'The transaction has failed; a later success is still possible for a payment.',
    fr: 'La transaction a échoué ; un paiement peut encore réussir plus tard.',
  },
  'transaction.cancelled': {
    en: 'The transaction was cancelled.',
    fr: 'La transaction a été annulée.',
  },
  'transaction.incident': {
    en: 'The gateway contradicts our records of the transaction; staff are looking into it.',
    fr: 'La passerelle contredit nos données sur la transaction ; notre équipe l’examine.',
  },
  'transaction.refunded': {
    en: 'The refunded amount of a payment has changed; the event holds the totals.',
    fr: 'Le montant remboursé d’un paiement a changé ; l’événement donne les totaux.',
  },
  'transaction.returned': {
    en: 'The money of a payout came back and is available again; the status stays SUCCESS.',
    fr: 'L’argent d’un versement est revenu et est à nouveau disponible ; le statut reste SUCCESS.',
  },
  'refund.created': {
    en: 'A refund was made; what it costs is set aside.',
    fr: 'Un remboursement a été créé ; son coût est réservé.',
  },
  'refund.success': {
    en: 'A refund has reached the payer.',
    fr: 'Un remboursement est parvenu au payeur.',
  },
  'refund.failed': {
    en: 'A refund has failed; its amount is available again.',
    fr: 'Un remboursement a échoué ; son montant est à nouveau disponible.',
  },
  'refund.cancelled': {
    en: 'A refund was cancelled; its amount is available again.',
    fr: 'Un remboursement a été annulé ; son montant est à nouveau disponible.',
  },
  'refund.returned': {
    en: 'The money of a refund came back and is available again.',
    fr: 'L’argent d’un remboursement est revenu et est à nouveau disponible.',
  },
  'checkout_session.paid': {
    en: 'A checkout session was paid.',
    fr: 'Une session de paiement a été payée.',
  },
  'checkout_session.expired': {
    en: 'A checkout session has expired without a payment.',
    fr: 'Une session de paiement a expiré sans paiement.',
  },
  'checkout_session.cancelled': {
    en: 'A checkout session was cancelled.',
    fr: 'Une session de paiement a été annulée.',
  },
  'settlement.requested': {
    en: 'A settlement was requested; its amount is set aside.',
    fr: 'Un règlement a été demandé ; son montant est réservé.',
  },
  'settlement.approved': {
    en: 'A settlement was approved and will be executed.',
    fr: 'Un règlement a été approuvé et va être exécuté.',
  },
  'settlement.success': {
    en: 'A settlement was paid.',
    fr: 'Un règlement a été effectué.',
  },
  'settlement.failed': {
    en: 'A settlement has failed; its amount is available again.',
    fr: 'Un règlement a échoué ; son montant est à nouveau disponible.',
  },
  'settlement.cancelled': {
    en: 'A settlement was cancelled; its amount is available again.',
    fr: 'Un règlement a été annulé ; son montant est à nouveau disponible.',
  },
  'settlement.returned': {
    en: 'The money of a settlement came back and is available again.',
    fr: 'L’argent d’un règlement est revenu et est à nouveau disponible.',
  },
  'wallet_transfer.requested': {
    en: 'A transfer between two countries was requested; its amount is set aside.',
    fr: 'Un transfert entre deux pays a été demandé ; son montant est réservé.',
  },
  'wallet_transfer.completed': {
    en: 'A transfer between two countries was approved and booked.',
    fr: 'Un transfert entre deux pays a été approuvé et comptabilisé.',
  },
  'wallet_transfer.rejected': {
    en: 'A transfer between two countries was rejected; its amount is available again.',
    fr: 'Un transfert entre deux pays a été rejeté ; son montant est à nouveau disponible.',
  },
  'availability.changed': {
    en: 'A network closed, works again or got slower. Received only where it is asked for by name.',
    fr:
      'Un réseau a fermé, fonctionne à nouveau ou est plus lent. Reçu seulement s’il est demandé ' +
      'par son nom.',
  },
  'webhook.test': {
    en: 'A test that you requested; nothing has happened.',
    fr: 'Un test que vous avez demandé ; rien ne s’est passé.',
  },
}

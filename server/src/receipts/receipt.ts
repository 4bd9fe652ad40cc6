// The content of a receipt, and what is true of its payment now. Pure. Law: it never claims that
// all is well when the operator has taken a payment back (docs/decisions/0016).

import type { Catalogue } from '../catalogue/catalogue.ts'
import { defineErrors } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'

/**
 * `UNDER_REVIEW`: the operator has taken money of it back, and staff have not decided yet.
 * `REVERSED`: it has taken back all of it, and the merchant bears that.
 */
export const receiptStatuses = ['SUCCESS', 'UNDER_REVIEW', 'REVERSED'] as const
export type ReceiptStatus = (typeof receiptStatuses)[number]

/** What its operator took back of a payment, at once or in parts, as its incidents have it. */
export type Reversal = Readonly<{
  /** Of some of it is not decided yet who bears it. */
  is_open: boolean
  /** Its merchant bears the whole. */
  is_borne: boolean
}>

/** Known of a payment beside its own row. */
export type Outcome = Readonly<{
  paid_at: Date
  /** Null: nothing of it was taken back. */
  reversal: Reversal | null
  operator_reference: string
}>

export type Receipt = Readonly<{
  environment: Environment
  merchant: string
  reference: string
  /** The merchant's own, such as an order number; empty where it named none. */
  merchant_reference: string
  /** What the payer finds it by in the operator's message; empty where it gave none. */
  operator_reference: string
  /** By which it was paid, as people call it. */
  network: string
  /** Hundredths: the requested amount. */
  amount: bigint
  /** Hundredths: what left the payer's account. */
  charged: bigint
  /** Hundredths: what the payer has been given back of it. */
  refunded: bigint
  currency: string
  paid_at: Date
  status: ReceiptStatus
  payer_last_digits: string
}>

export function statusOf(reversal: Reversal | null): ReceiptStatus {
  if (reversal === null) return 'SUCCESS'
  if (reversal.is_open) return 'UNDER_REVIEW'
  // Recovered or written off: the merchant keeps the money, so it has been paid. A part that it
  // bears is among what was refunded.
  return reversal.is_borne ? 'REVERSED' : 'SUCCESS'
}

type Paid = Readonly<{
  environment: Environment
  reference: string
  merchant_reference: string
  network_code: string | null
  requested_amount: bigint
  debited_amount: bigint
  refunded_amount: bigint
  currency: string
  operation_msisdn: string
  customer_phone: string
}>

type Names = Readonly<{ merchant: string; catalogue: Pick<Catalogue, 'networkByCode'> }>

/** For a payment that has succeeded. */
export const makeReceipt = (
  paid: Paid,
  { merchant, catalogue }: Names,
  { paid_at, reversal, operator_reference }: Outcome,
): Receipt => ({
  environment: paid.environment,
  merchant,
  reference: paid.reference,
  merchant_reference: paid.merchant_reference,
  operator_reference,
  network: networkName(paid.network_code ?? '', catalogue),
  amount: paid.requested_amount,
  charged: paid.debited_amount,
  refunded: paid.refunded_amount,
  currency: paid.currency,
  paid_at,
  status: statusOf(reversal),
  payer_last_digits: (paid.operation_msisdn || paid.customer_phone).slice(-2),
})

/** One that is no longer in the catalogue keeps its code. */
const networkName = (code: string, { networkByCode }: Names['catalogue']): string =>
  networkByCode(code)?.name ?? code

// What invoices and receipts can refuse (contract: Business codes; docs/decisions/0016).

export const receiptErrors = defineErrors({
  invalid_flow: {
    status: 409,
    message: {
      en: 'Only inbound payments have an invoice: this one is outbound.',
      fr: 'Seul un paiement entrant a une facture : celui-ci est sortant.',
    },
  },
  not_success: {
    status: 409,
    message: {
      en: 'This payment has not succeeded, so there is no invoice. Try again once it has.',
      fr:
        'Ce paiement n’a pas réussi : il n’y a pas encore de facture. Réessayez après sa ' +
        'réussite.',
    },
  },
  receipt_revoked: {
    status: 410,
    message: {
      en: 'The merchant has withdrawn this receipt. It no longer proves anything.',
      fr: 'Le marchand a retiré ce reçu. Il ne prouve plus rien.',
    },
  },
})

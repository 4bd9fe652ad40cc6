// The content of an invoice, as words and figures. Pure. Law (contract: Invoice): of the amounts
// only requested_amount, client_fee and debited_amount; the gateway's and the platform's share are
// not even known here.

import { writeAmount } from '../../money/format.ts'
import type { Locale, Text } from '../../platform/errors.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import type { Receipt } from '../receipt.ts'
import type { ReceiptPlace } from '../receipt-of.ts'
import { formatMoment } from '../view.ts'

/** What an invoice needs of a transaction; no more is passed on. */
export type Billed = Pick<
  Transaction,
  | 'requested_amount'
  | 'client_fee'
  | 'debited_amount'
  | 'fee_charge_mode'
  | 'description'
  | 'merchant_reference'
  | 'customer_first_name'
  | 'customer_last_name'
  | 'customer_email'
  | 'customer_phone'
  | 'operation_msisdn'
>

export type InvoiceFacts = Readonly<{
  billed: Billed
  receipt: Receipt
  place: ReceiptPlace
  /** As people call it. */
  network: string
  /** `#rrggbb`, or empty. */
  brand_colour: string
}>

type Labelled = readonly [label: string, value: string]

export type Invoice = Readonly<{
  locale: Locale
  colour: string
  merchant: string
  title: string
  date: string
  reference: string
  /** Empty unless no money has moved. */
  warning: string
  billed_to: Readonly<{ label: string; name: string; lines: readonly string[] }>
  payment: Readonly<{ label: string; facts: readonly Labelled[] }>
  columns: Labelled
  rows: readonly Labelled[]
  total: Labelled
  status: string
  proof: Readonly<{ url: string; title: string; text: string }> | Readonly<{ revoked: string }>
}>

const ink = '#1f2933'

export function makeInvoice(facts: InvoiceFacts, locale: Locale): Invoice {
  const { receipt, brand_colour } = facts
  const t = translateIn(locale)
  return {
    locale,
    colour: brand_colour || ink,
    merchant: receipt.merchant,
    title: t('title'),
    date: formatMoment(receipt.paid_at, locale),
    reference: receipt.reference,
    warning: receipt.environment === 'SANDBOX' ? t('test') : '',
    billed_to: billedTo(facts, locale),
    payment: { label: t('payment'), facts: paymentFacts(facts, locale) },
    columns: [t('description'), `${t('amount')} (${receipt.currency})`],
    rows: rowsOf(facts, locale),
    total: [t('total'), writeAmount(receipt.charged, receipt.currency, locale)],
    status: t(receipt.status),
    proof: proofOf(facts, locale),
  }
}

function billedTo({ billed }: InvoiceFacts, locale: Locale): Invoice['billed_to'] {
  const name = `${billed.customer_first_name} ${billed.customer_last_name}`
  const lines = [billed.customer_phone, billed.customer_email].filter((line) => line !== '')
  return { label: translateIn(locale)('billed_to'), name, lines }
}

function paymentFacts({ billed, network }: InvoiceFacts, locale: Locale): Labelled[] {
  const t = translateIn(locale)
  const facts: Labelled[] = [
    [t('network'), network],
    [t('number'), billed.operation_msisdn],
    [t('merchant_reference'), billed.merchant_reference],
  ]
  return facts.filter(([, value]) => value !== '')
}

function rowsOf({ billed, receipt }: InvoiceFacts, locale: Locale): Labelled[] {
  const t = translateIn(locale)
  const written = (amount: bigint) => writeAmount(amount, receipt.currency, locale)
  const sold = billed.description || `${t('sale')} ${receipt.merchant}`
  const fee = billed.fee_charge_mode === 'ADD_ON' ? 'fee' : 'fee_inside'
  return [
    [sold, written(billed.requested_amount)],
    [t(fee), written(billed.client_fee)],
  ]
}

function proofOf({ place }: InvoiceFacts, locale: Locale): Invoice['proof'] {
  const t = translateIn(locale)
  if (place.revoked_at !== null) return { revoked: t('revoked') }
  return { url: place.url, title: t('verify'), text: t('scan') }
}

// What an invoice says, in French and English.

const texts = {
  title: { en: 'Invoice', fr: 'Facture' },
  billed_to: { en: 'Billed to', fr: 'Facturé à' },
  payment: { en: 'Payment', fr: 'Paiement' },
  merchant_reference: { en: 'Merchant ref.', fr: 'Réf. marchand' },
  network: { en: 'Paid by', fr: 'Payé par' },
  number: { en: 'Number', fr: 'Numéro' },
  description: { en: 'Description', fr: 'Désignation' },
  amount: { en: 'Amount', fr: 'Montant' },
  sale: { en: 'Payment to', fr: 'Paiement à' },
  fee: { en: 'Service fee', fr: 'Frais de service' },
  fee_inside: {
    en: 'Service fee, included, borne by the merchant',
    fr: 'Frais de service, inclus, à la charge du marchand',
  },
  total: { en: 'Total paid', fr: 'Total payé' },
  SUCCESS: { en: 'Paid', fr: 'Payée' },
  UNDER_REVIEW: { en: 'Payment under review', fr: 'Paiement en cours de vérification' },
  REVERSED: { en: 'Payment reversed', fr: 'Paiement annulé par l’opérateur' },
  test: {
    en: 'TEST. Made in the sandbox: no money has moved.',
    fr: 'ESSAI. Fait dans le bac à sable : aucun argent n’a circulé.',
  },
  verify: { en: 'Is this document genuine?', fr: 'Ce document est-il authentique ?' },
  scan: {
    en: 'Scan the code, or open the address: the page shows the same reference and amount.',
    fr: 'Scannez le code ou ouvrez l’adresse : la page montre mêmes référence et montant.',
  },
  revoked: {
    en: 'The merchant has withdrawn the receipt of this payment.',
    fr: 'Le marchand a retiré le reçu de ce paiement.',
  },
} as const satisfies Record<string, Text>

export type Word = keyof typeof texts

/** The words of one language. */
export const translateIn =
  (locale: Locale) =>
  (word: Word): string =>
    texts[word][locale]

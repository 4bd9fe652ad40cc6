// The content of a receipt or invoice, as words and figures. Pure. Law (contract: Invoice): of the
// amounts only requested_amount, client_fee and debited_amount, and the tax within the first; the
// gateway's and the platform's share are not even known here.

import { writeInternational, writePhone } from '../../customers/phone.ts'
import { type Contact, siteName } from '../../merchants/settings/contact.ts'
import type { TaxDetails } from '../../merchants/settings/tax-details.ts'
import { isCurrency } from '../../money/currency.ts'
import { writeAmount } from '../../money/format.ts'
import { formatPercent, taxWithin } from '../../money/percent.ts'
import type { Locale, Text } from '../../platform/errors.ts'
import { writeDay, writeMoment } from '../../platform/write-moment.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import type { Receipt } from '../receipt.ts'
import type { ReceiptPlace } from '../receipt-of.ts'
import type { IssuedInvoice } from '../store.ts'

/** What an invoice needs of a transaction; no more is passed on. */
export type Billed = Pick<
  Transaction,
  | 'requested_amount'
  | 'client_fee'
  | 'debited_amount'
  | 'fee_charge_mode'
  | 'description'
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
  /** The merchant's, when it was paid. */
  time_zone: string
  /** `#rrggbb`, or empty. */
  brand_colour: string
  contact: Contact
  /** Undefined: it is a receipt. `time_zone`: the merchant's, when it was issued. */
  bill: (IssuedInvoice & Readonly<{ time_zone: string }>) | undefined
}>

type Labelled = readonly [label: string, value: string]

export type Invoice = Readonly<{
  locale: Locale
  colour: string
  merchant: string
  title: string
  /** Under the title, the first in bold: number, day of issue, reference. */
  marks: readonly string[]
  /** Who sold, in lines; none on a receipt. Then how to reach the merchant. */
  seller: readonly string[]
  reference: string
  /** Empty unless no money has moved. */
  warning: string
  billed_to: Readonly<{ label: string; name: string; lines: readonly string[] }>
  payment: Readonly<{ label: string; facts: readonly Labelled[] }>
  columns: Labelled
  rows: readonly Labelled[]
  total: Labelled
  status: string
  /** `alt`: what is read in place of the code. */
  proof:
    | Readonly<{ url: string; title: string; text: string; alt: string }>
    | Readonly<{ revoked: string }>
}>

const ink = '#1f2933'

export function makeInvoice(facts: InvoiceFacts, locale: Locale): Invoice {
  const { receipt, brand_colour, bill } = facts
  const t = translateIn(locale)
  const paid_at = writeMoment(receipt.paid_at, facts.time_zone, locale)
  const status =
    receipt.status === 'SUCCESS' ? `${t('paid')} ${paid_at}` : `${t(receipt.status)} · ${paid_at}`
  return {
    locale,
    colour: brand_colour || ink,
    merchant: receipt.merchant,
    title: t(bill === undefined ? 'receipt' : 'invoice'),
    marks: marksOf(facts, locale),
    seller: [
      ...(bill === undefined ? [] : sellerLines(bill.seller, receipt.merchant, locale)),
      ...contactLines(facts.contact),
    ],
    reference: receipt.reference,
    warning: receipt.environment === 'SANDBOX' ? t('test') : '',
    billed_to: billedTo(facts, locale),
    payment: { label: t('payment'), facts: paymentFacts(facts, locale) },
    columns: [t('description'), `${t('amount')} (${receipt.currency})`],
    rows: rowsOf(facts, locale),
    total: [t('total'), writeAmount(receipt.charged, receipt.currency, locale)],
    status,
    proof: proofOf(facts, locale),
  }
}

const number_digits = 6

/** Real and sandbox invoices are two series, and look it. */
const numberOf = (number: bigint, environment: Receipt['environment']): string =>
  `${environment === 'LIVE' ? 'F' : 'TEST'}-${number.toString().padStart(number_digits, '0')}`

function marksOf({ receipt, bill }: InvoiceFacts, locale: Locale): string[] {
  if (bill === undefined) return [receipt.reference]
  const t = translateIn(locale)
  return [
    `${t('number_sign')} ${numberOf(bill.number, receipt.environment)}`,
    `${t('issued')} ${writeDay(bill.issued_at, bill.time_zone, locale)}`,
    receipt.reference,
  ]
}

const address_lines_max = 4

/** The name once, where the shop bears that of the company. */
function sellerLines(seller: TaxDetails, merchant: string, locale: Locale): string[] {
  const { legal_name, address, id_kind, id, rccm, vat_ppm } = seller
  const lines = [
    legal_name === merchant ? '' : legal_name,
    ...address.split(/\r?\n/, address_lines_max),
    `${id_kind} ${id}`,
    rccm === '' ? '' : `RCCM ${rccm}`,
    vat_ppm === 0 ? translateIn(locale)('no_vat') : '',
  ]
  return lines.filter((line) => line.trim() !== '')
}

/** As it stands now: who has the paper asks whoever answers today. */
const contactLines = ({ phone = '', whatsapp = '', email = '', site_url = '' }: Contact) =>
  [
    writeInternational(phone),
    whatsapp === '' || whatsapp === phone ? '' : `WhatsApp ${writeInternational(whatsapp)}`,
    email,
    siteName(site_url),
  ].filter((text) => text !== '')

function billedTo({ billed, bill }: InvoiceFacts, locale: Locale): Invoice['billed_to'] {
  const name = `${billed.customer_first_name} ${billed.customer_last_name}`.trim()
  const phone = writePhone(billed.customer_phone)
  const lines = [name, phone, billed.customer_email].filter((line) => line !== '')
  const label = translateIn(locale)(bill === undefined ? 'received_from' : 'billed_to')
  return { label, name: lines[0] ?? '', lines: lines.slice(1) }
}

function paymentFacts({ billed, receipt }: InvoiceFacts, locale: Locale): Labelled[] {
  const t = translateIn(locale)
  const facts: Labelled[] = [
    [t('network'), receipt.network],
    [t('number'), writePhone(billed.operation_msisdn)],
    [t('merchant_reference'), receipt.merchant_reference],
    [t('operator_reference'), receipt.operator_reference],
  ]
  return facts.filter(([, value]) => value !== '')
}

function rowsOf({ billed, receipt, bill }: InvoiceFacts, locale: Locale): Labelled[] {
  const t = translateIn(locale)
  const { requested_amount: sum, client_fee } = billed
  const written = (amount: bigint) => writeAmount(amount, receipt.currency, locale)
  const sold = billed.description || `${t('sale')} ${receipt.merchant}`
  const fee = billed.fee_charge_mode === 'ADD_ON' ? 'fee' : 'fee_inside'
  const vat_ppm = BigInt(bill?.seller.vat_ppm ?? 0)
  const fee_row: Labelled = [t(fee), written(client_fee)]
  if (vat_ppm === 0n || !isCurrency(receipt.currency)) return [[sold, written(sum)], fee_row]
  const vat = taxWithin(sum, vat_ppm, receipt.currency)
  const percent = percentIn(vat_ppm, locale)
  return [
    [`${sold} ${t('without_vat')}`, written(sum - vat)],
    [`${t('vat')} ${percent}`, written(vat)],
    [t('with_vat'), written(sum)],
    fee_row,
  ]
}

/** `18 %`, `19,25 %` */
function percentIn(ppm: bigint, locale: Locale): string {
  const text = formatPercent(ppm).replace(/\.?0+$/, '')
  return locale === 'fr' ? `${text.replace('.', ',')} %` : `${text}%`
}

function proofOf({ place }: InvoiceFacts, locale: Locale): Invoice['proof'] {
  const t = translateIn(locale)
  if (place.revoked_at !== null) return { revoked: t('revoked') }
  return { url: place.url, title: t('verify'), text: t('scan'), alt: t('code') }
}

// What the paper says, in French and English.

const texts = {
  invoice: { en: 'Invoice', fr: 'Facture' },
  receipt: { en: 'Receipt', fr: 'Reçu' },
  number_sign: { en: 'No.', fr: 'N°' },
  issued: { en: 'Issued on', fr: 'Émise le' },
  no_vat: { en: 'VAT not applicable', fr: 'TVA non applicable' },
  vat: { en: 'VAT', fr: 'TVA' },
  without_vat: { en: '(excluding VAT)', fr: '(hors taxes)' },
  with_vat: { en: 'Amount including VAT', fr: 'Montant toutes taxes comprises' },
  received_from: { en: 'Received from', fr: 'Reçu de' },
  billed_to: { en: 'Billed to', fr: 'Facturé à' },
  payment: { en: 'Payment', fr: 'Paiement' },
  merchant_reference: { en: 'Order number', fr: 'N° de commande' },
  operator_reference: { en: 'Operator ref.', fr: 'Réf. opérateur' },
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
  paid: { en: 'Paid on', fr: 'Payé le' },
  UNDER_REVIEW: { en: 'Payment under review', fr: 'Paiement en cours de vérification' },
  REVERSED: { en: 'Payment taken back by the operator', fr: 'Paiement repris par l’opérateur' },
  test: {
    en: 'TEST: no money has moved.',
    fr: 'TEST : aucun argent n’a circulé.',
  },
  verify: { en: 'Is this document genuine?', fr: 'Ce document est-il authentique ?' },
  scan: {
    en: 'Scan the code or open the address: the page must show the same reference and amount.',
    fr:
      'Scannez le code ou ouvrez l’adresse : la page doit afficher la même référence et le ' +
      'même montant.',
  },
  code: {
    en: 'QR code with the address of this receipt',
    fr: 'Code QR avec l’adresse de ce reçu',
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

// What an invoice says, in French and English.

import type { Locale, Text } from '../../platform/errors.ts'

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

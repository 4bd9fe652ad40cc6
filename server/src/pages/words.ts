// Every sentence of our pages, in both languages side by side. Plain words: what is so, and what to
// do next. `{name}` is replaced by the page.

import type { Locale, Text } from '../platform/errors.ts'

const words = {
  pay_amount: { en: 'Pay {amount}', fr: 'Payer {amount}' },
  to: { en: 'to {merchant}', fr: 'à {merchant}' },
  test: { en: 'Test: no money moves.', fr: 'Test : aucun argent ne circule.' },
  other_language: { en: 'Français', fr: 'English' },
  skip_problem: { en: 'There is a problem', fr: 'Il y a un problème' },
  amount: { en: 'Amount', fr: 'Montant' },
  number: { en: 'Number', fr: 'Numéro' },
  network: { en: 'Network', fr: 'Réseau' },
  reference: { en: 'Reference', fr: 'Référence' },
  date: { en: 'Date', fr: 'Date' },
  country: { en: 'Country', fr: 'Pays' },
  choose_country: { en: 'Choose your country', fr: 'Choisissez votre pays' },
  show_networks: { en: 'Show the networks', fr: 'Afficher les réseaux' },
  choose_network: { en: 'Pay with', fr: 'Payer avec' },
  you_pay: { en: 'You pay {total}', fr: 'Vous payez {total}' },
  with_fee: { en: '{fee} fee included', fr: 'dont {fee} de frais' },
  no_fee: { en: 'no fee', fr: 'sans frais' },
  unavailable: { en: 'Not available now', fr: 'Indisponible pour le moment' },
  no_networks: {
    en: 'No network can be used in this country now. Choose another country or come back later.',
    fr: 'Aucun réseau n’est utilisable dans ce pays. Choisissez-en un autre ou revenez plus tard.',
  },
  phone: { en: 'Your mobile money number', fr: 'Votre numéro mobile money' },
  phone_hint: {
    en: 'As you write it at home, or with {code}.',
    fr: 'Comme vous l’écrivez chez vous, ou avec {code}.',
  },
  phone_hint_plain: { en: 'With the country code.', fr: 'Avec l’indicatif du pays.' },
  phone_kept: {
    en: 'Leave it empty to use the number {phone}.',
    fr: 'Laissez vide pour utiliser le numéro {phone}.',
  },
  code_first: { en: 'Payment code', fr: 'Code de paiement' },
  pay_now: { en: 'Pay', fr: 'Payer' },
  busy: { en: 'Please wait…', fr: 'Veuillez patienter…' },

  receipt_SUCCESS: { en: 'This receipt is genuine', fr: 'Ce reçu est authentique' },
  receipt_UNDER_REVIEW: {
    en: 'This payment is being checked',
    fr: 'Ce paiement est en cours de vérification',
  },
  receipt_REVERSED: { en: 'This payment was reversed', fr: 'Ce paiement a été annulé' },
  receipt_SUCCESS_how: {
    en: '{merchant} has received this payment. Compare the reference and the amount.',
    fr: '{merchant} a reçu ce paiement. Comparez la référence et le montant.',
  },
  receipt_UNDER_REVIEW_how: {
    en: 'The operator has taken the money back. Do not count on it until this is decided.',
    fr: 'L’opérateur a repris l’argent. Ne comptez pas dessus avant la décision.',
  },
  receipt_REVERSED_how: {
    en: 'The operator has taken the money back. {merchant} has not kept it.',
    fr: 'L’opérateur a repris l’argent. {merchant} ne l’a pas gardé.',
  },
  receipt_refunded: { en: 'Refunded', fr: 'Remboursé' },
  receipt_payer: { en: 'Payer’s number ends in', fr: 'Le numéro du payeur finit par' },
  receipt_proof: { en: 'Proof without the internet', fr: 'Preuve sans internet' },
  receipt_proof_how: {
    en: 'A signed statement of what is true now. Check it with a key kept from {address}.',
    fr: 'Une déclaration signée de ce qui est vrai à présent. Clés à garder : {address}.',
  },
  receipt_unknown: { en: 'There is no such receipt', fr: 'Ce reçu n’existe pas' },
  receipt_unknown_how: {
    en: 'Check the address. If it came with a document, do not trust that document.',
    fr: 'Vérifiez l’adresse. Si elle vient d’un document, ne vous fiez pas à ce document.',
  },
  receipt_revoked: { en: 'This receipt was withdrawn', fr: 'Ce reçu a été retiré' },
  receipt_revoked_how: {
    en: 'The merchant has withdrawn it: it no longer proves anything. Ask them why.',
    fr: 'Le marchand l’a retiré : il ne prouve plus rien. Demandez-lui pourquoi.',
  },

  wait_title: { en: 'Confirm on your phone', fr: 'Confirmez sur votre téléphone' },
  wait_how: {
    en: 'A request has been sent to your phone. Enter your mobile money PIN there, never here.',
    fr: 'Une demande a été envoyée à votre téléphone. Tapez-y votre code secret, jamais ici.',
  },
  wait_none: { en: 'Nothing on your phone?', fr: 'Rien sur votre téléphone ?' },
  wait_dial: {
    en: 'Dial your mobile money menu, as you do to see your balance: a payment waits there.',
    fr: 'Composez votre menu mobile money, comme pour voir le solde : un paiement y attend.',
  },
  wait_not_again: {
    en: 'Do not pay again. This page follows the payment; you may close it and come back.',
    fr: 'Ne payez pas à nouveau. Cette page suit le paiement ; vous pouvez la fermer et revenir.',
  },
  unknown_title: { en: 'We are checking your payment', fr: 'Nous vérifions votre paiement' },
  unknown_how: {
    en: 'The operator has not answered yet. The payment may have been made: we are asking.',
    fr: 'L’opérateur n’a pas encore répondu. Le paiement est peut-être fait : nous demandons.',
  },
  look_again: { en: 'See where it stands', fr: 'Voir où il en est' },

  code_title: { en: 'Enter the code you received', fr: 'Entrez le code reçu' },
  code: { en: 'Code', fr: 'Code' },
  code_sent: {
    en: 'Your operator has sent a code to your phone.',
    fr: 'Votre opérateur a envoyé un code à votre téléphone.',
  },
  confirm: { en: 'Confirm', fr: 'Confirmer' },

  leave_title: { en: 'Continue at {network}', fr: 'Continuez chez {network}' },
  leave_how: {
    en: 'You approve the payment on the page of {network}, then come back here.',
    fr: 'Vous approuvez le paiement sur la page de {network}, puis vous revenez ici.',
  },
  leave_go: { en: 'Go to {network}', fr: 'Aller chez {network}' },
  leave_wait: {
    en: 'Already approved? Stay here: this page follows the payment.',
    fr: 'Déjà approuvé ? Restez ici : cette page suit le paiement.',
  },

  paid_title: { en: 'Payment received', fr: 'Paiement reçu' },
  paid_how: { en: '{merchant} has been told.', fr: '{merchant} en est informé.' },
  paid_amount: { en: 'Amount paid', fr: 'Montant payé' },
  see_receipt: { en: 'See the receipt', fr: 'Voir le reçu' },
  back_to: { en: 'Return to {merchant}', fr: 'Retourner chez {merchant}' },
  back_soon: {
    en: 'You will be taken back in a few seconds.',
    fr: 'Vous y retournez dans quelques secondes.',
  },

  failed_title: { en: 'The payment did not succeed', fr: 'Le paiement n’a pas abouti' },
  failed_unknown: {
    en: 'Nobody knows yet whether this payment was made.',
    fr: 'Personne ne sait encore si ce paiement a été fait.',
  },
  failed_ask: {
    en: 'Ask the merchant before you pay again.',
    fr: 'Demandez au marchand avant de payer à nouveau.',
  },
  failed_again: {
    en: 'You can try again, with the same network or another one.',
    fr: 'Vous pouvez réessayer, avec le même réseau ou un autre.',
  },
  failed_plain: {
    en: 'The operator did not make this payment.',
    fr: 'L’opérateur n’a pas fait ce paiement.',
  },

  first_name: { en: 'First name', fr: 'Prénom' },
  last_name: { en: 'Last name', fr: 'Nom' },
  your_email: { en: 'Your e-mail address', fr: 'Votre adresse e-mail' },
  your_phone: { en: 'Your phone number (optional)', fr: 'Votre téléphone (facultatif)' },
  your_amount: {
    en: 'How much do you pay, in {currency}?',
    fr: 'Combien payez-vous, en {currency} ?',
  },
  at_least: { en: 'At least {amount}.', fr: 'Au moins {amount}.' },
  go_on: { en: 'Continue', fr: 'Continuer' },
  pay_merchant: { en: 'Pay {merchant}', fr: 'Payer {merchant}' },

  field_network: { en: 'Choose a network.', fr: 'Choisissez un réseau.' },
  field_country: { en: 'Choose another country.', fr: 'Choisissez un autre pays.' },
  field_phone: {
    en: 'Enter a phone number that exists in this country.',
    fr: 'Entrez un numéro qui existe dans ce pays.',
  },
  field_phone_needed: {
    en: 'Enter the number you pay with.',
    fr: 'Entrez le numéro avec lequel vous payez.',
  },
  field_otp: {
    en: 'Get a code as described here, then enter it.',
    fr: 'Générez un code comme indiqué ici, puis entrez-le.',
  },
  field_code: {
    en: 'This code is wrong or too old. Check it and enter it again.',
    fr: 'Ce code est incorrect ou trop ancien. Vérifiez-le et saisissez-le à nouveau.',
  },
  field_first_name: {
    en: 'A first name has at most 100 characters.',
    fr: 'Un prénom a 100 caractères au plus.',
  },
  field_last_name: {
    en: 'A last name has at most 100 characters.',
    fr: 'Un nom a 100 caractères au plus.',
  },
  field_email: {
    en: 'Enter an e-mail address such as awa@example.com.',
    fr: 'Entrez une adresse e-mail comme awa@example.com.',
  },
  field_code_again: {
    en: 'Your code was not accepted: the operator was busy. Enter it again.',
    fr: 'Votre code n’a pas été pris : l’opérateur était occupé. Entrez-le à nouveau.',
  },
  field_amount: { en: 'Enter at least {amount}.', fr: 'Entrez au moins {amount}.' },
  no_rate: {
    en: 'No exchange rate for this country now. Try later or choose another country.',
    fr: 'Pas de taux de change pour ce pays actuellement. Réessayez plus tard ou changez de pays.',
  },
  no_route: {
    en: 'This network cannot take the payment now. Try again or choose another network.',
    fr: 'Ce réseau ne peut pas prendre le paiement. Réessayez ou choisissez un autre réseau.',
  },
  not_ended: {
    en: 'The operator has not finished the previous payment. Wait half a minute, then try again.',
    fr: 'L’opérateur n’a pas terminé le paiement précédent. Réessayez dans une demi-minute.',
  },
  your_phone_needed: { en: 'Your phone', fr: 'Votre téléphone' },
  wrong_in: { en: '{label}: {text}', fr: '{label} : {text}' },
  choose_one: { en: 'Choose…', fr: 'Choisissez…' },
  not_needed: { en: 'Optional', fr: 'Facultatif' },
  try_again: { en: 'Try again', fr: 'Réessayer' },
} as const satisfies Record<string, Text>

export type Word = keyof typeof words

export type Translate = (word: Word, values?: Readonly<Record<string, string>>) => string

export const translateIn =
  (locale: Locale): Translate =>
  (word, values = {}) =>
    words[word][locale].replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)

// Every sentence of our pages, in both languages side by side. Plain words: what is so, and what to
// do next. `{name}` is replaced by the page.

import { type Locale, type Text, typeset } from '../platform/errors.ts'

const words = {
  pay_amount: { en: 'Pay {amount}', fr: 'Payer {amount}' },
  test: { en: 'Test: no money moves.', fr: 'Test : aucun argent ne circule.' },
  other_language: { en: 'Français', fr: 'English' },
  skip_problem: { en: 'There is a problem', fr: 'Il y a un problème' },
  number: { en: 'Number', fr: 'Numéro' },
  network: { en: 'Network', fr: 'Réseau' },
  reference: { en: 'Reference', fr: 'Référence' },
  date: { en: 'Date', fr: 'Date' },
  country: { en: 'Country', fr: 'Pays' },
  choose_country: { en: 'Choose your country', fr: 'Choisissez votre pays' },
  show_networks: { en: 'Continue', fr: 'Continuer' },
  choose_network: { en: 'Network', fr: 'Réseau' },
  no_fee: { en: 'No fee', fr: 'Sans frais' },
  closed_until: { en: 'Closed until {hours}', fr: 'Fermé jusqu’à {hours}' },
  closed_until_day: {
    en: 'Closed until {day}, {hours}',
    fr: 'Fermé jusqu’au {day} à {hours}',
  },
  closed_now: { en: 'Closed for now', fr: 'Fermé pour le moment' },
  interrupted: { en: 'Interrupted: may fail', fr: 'Interrompu : peut échouer' },
  other_amount: { en: 'Not for this amount', fr: 'Pas pour ce montant' },
  hours_in: { en: 'Times: {place}', fr: 'Heures : {place}' },
  no_networks: {
    en:
      'No network is available in this country right now. Choose another country or ' +
      'come back later.',
    fr:
      'Aucun réseau n’est disponible dans ce pays pour le moment. Choisissez-en un ' +
      'autre ou revenez plus tard.',
  },
  phone: { en: 'Your mobile money number', fr: 'Votre numéro mobile money' },
  phone_hint_plain: {
    en: 'With the country code, for example +229…',
    fr: 'Avec l’indicatif du pays, par exemple +229…',
  },
  phone_kept: { en: 'Leave empty to keep {phone}', fr: 'Laissez vide pour garder le {phone}' },
  code_first: { en: 'Payment code', fr: 'Code de paiement' },
  busy: { en: 'Please wait…', fr: 'Veuillez patienter…' },

  receipt_SUCCESS: { en: 'This receipt is genuine', fr: 'Ce reçu est authentique' },
  receipt_UNDER_REVIEW: {
    en: 'This payment is being checked',
    fr: 'Ce paiement est en cours de vérification',
  },
  receipt_REVERSED: {
    en: 'This payment was taken back by the operator',
    fr: 'Ce paiement a été repris par l’opérateur',
  },
  receipt_SUCCESS_how: {
    en: '{merchant} has received this payment. Compare the reference and the amount.',
    fr: '{merchant} a reçu ce paiement. Comparez la référence et le montant.',
  },
  receipt_UNDER_REVIEW_how: {
    en:
      'The operator has taken the money back, all or part of it. Do not count on it until this ' +
      'is decided.',
    fr:
      'L’opérateur a repris l’argent, en tout ou en partie. Ne comptez pas dessus avant la ' +
      'décision.',
  },
  receipt_REVERSED_how: {
    en: 'The operator has taken the money back. {merchant} has not kept it.',
    fr: 'L’opérateur a repris l’argent. {merchant} ne l’a pas gardé.',
  },
  receipt_refunded: { en: 'Refunded', fr: 'Remboursé' },
  receipt_operator: { en: 'Operator’s reference', fr: 'Référence de l’opérateur' },
  receipt_payer: { en: 'Payer’s number', fr: 'Numéro du payeur' },
  receipt_payer_ends: { en: 'ends in {digits}', fr: 'se termine par {digits}' },
  receipt_proof: { en: 'Proof without the internet', fr: 'Preuve sans internet' },
  receipt_proof_how: {
    en: 'A signed statement of what is true now. Check it with a key kept from {address}.',
    fr:
      'Une déclaration signée de ce qui est vrai à présent. Vérifiez-la avec une clé ' +
      'enregistrée à l’avance depuis {address}.',
  },
  receipt_unknown: { en: 'There is no such receipt', fr: 'Ce reçu n’existe pas' },
  receipt_unknown_how: {
    en: 'Check the address. If it came with a document, do not trust that document.',
    fr: 'Vérifiez l’adresse. Si elle vient d’un document, ne vous fiez pas à ce document.',
  },
  receipt_revoked: { en: 'This receipt was withdrawn', fr: 'Ce reçu a été retiré' },
  receipt_revoked_how: {
    en:
      'The merchant has withdrawn it: it no longer proves anything. Contact them to ' +
      'find out why.',
    fr: 'Le marchand l’a retiré : il ne prouve plus rien. Contactez-le pour savoir pourquoi.',
  },

  wait_title: { en: 'Confirm on your phone', fr: 'Confirmez sur votre téléphone' },
  wait_none: { en: 'Nothing on your phone?', fr: 'Rien sur votre téléphone ?' },
  wait_dial: {
    en:
      'Open your {network} menu, the one where you see your balance: the request may ' +
      'be waiting there.',
    fr:
      'Ouvrez votre menu {network}, celui où vous voyez votre solde : la demande vous ' +
      'y attend peut-être.',
  },
  wait_not_again: { en: 'Do not pay again.', fr: 'Ne payez pas une deuxième fois.' },
  unknown_title: { en: 'We are checking your payment', fr: 'Nous vérifions votre paiement' },
  unknown_how: {
    en:
      'The operator has not answered yet. Your payment may have gone through: we are ' +
      'checking with them.',
    fr:
      'L’opérateur n’a pas encore répondu. Votre paiement est peut-être passé : nous ' +
      'vérifions auprès de lui.',
  },
  look_again: { en: 'Check the status', fr: 'Actualiser' },

  code_title: { en: 'Enter the code you received', fr: 'Entrez le code reçu' },
  code: { en: 'Code', fr: 'Code' },
  code_sent: {
    en: 'Your operator has sent a code to your phone.',
    fr: 'Votre opérateur a envoyé un code sur votre téléphone.',
  },
  confirm: { en: 'Confirm', fr: 'Confirmer' },

  leave_title: { en: 'Continue with {network}', fr: 'Continuez chez {network}' },
  leave_how: {
    en: 'You approve the payment on {network}’s page, then come back here.',
    fr: 'Vous approuvez le paiement sur la page de {network}, puis vous revenez ici.',
  },
  leave_go: { en: 'Go to {network}', fr: 'Continuer vers {network}' },
  leave_card_title: {
    en: 'Continue on the card payment page',
    fr: 'Continuez sur la page de paiement par carte',
  },
  leave_card_how: {
    en: 'You pay by card on that page, then come back here.',
    fr: 'Vous payez par carte sur cette page, puis vous revenez ici.',
  },
  leave_card_go: { en: 'Go to the card payment page', fr: 'Continuer vers la page de paiement' },
  leave_card_wait: {
    en: 'Already paid? Stay here: this page updates by itself.',
    fr: 'Déjà payé ? Restez ici : cette page se met à jour toute seule.',
  },
  leave_wait: {
    en: 'Already approved? Stay here: this page updates by itself.',
    fr: 'Déjà approuvé ? Restez ici : cette page se met à jour toute seule.',
  },

  paid_title: { en: 'Payment successful', fr: 'Paiement réussi' },
  paid_how: { en: 'paid to {merchant}', fr: 'payés à {merchant}' },
  paid_beside: {
    en: 'Another request for this payment may still be on a phone: do not approve it.',
    fr:
      'Une autre demande pour ce paiement est peut-être encore sur un téléphone : ne ' +
      'l’approuvez pas.',
  },
  paid_amount: { en: 'Total paid', fr: 'Total payé' },
  see_receipt: { en: 'See the receipt', fr: 'Voir le reçu' },
  back_to: { en: 'Return to {merchant}', fr: 'Retourner chez {merchant}' },
  back_soon: {
    en: 'You will be taken back in a few seconds. Touch the page to stay.',
    fr: 'Retour automatique dans quelques secondes. Touchez la page pour rester.',
  },

  failed_title: { en: 'The payment did not go through', fr: 'Le paiement n’a pas abouti' },
  failed_unknown: {
    en: 'It is not known yet whether this payment went through.',
    fr: 'On ne sait pas encore si ce paiement est passé.',
  },
  failed_ask: {
    en: 'Contact the merchant before you pay again.',
    fr: 'Contactez le marchand avant de payer à nouveau.',
  },
  failed_again: {
    en: 'Your number has been kept. Try again, with this network or another.',
    fr: 'Votre numéro est conservé. Réessayez, avec ce réseau ou un autre.',
  },
  failed_plain: {
    en: 'The operator did not make this payment.',
    fr: 'L’opérateur n’a pas effectué ce paiement.',
  },

  first_name: { en: 'First name', fr: 'Prénom' },
  last_name: { en: 'Last name', fr: 'Nom' },
  your_email: { en: 'Your e-mail address', fr: 'Votre adresse e-mail' },
  your_amount: {
    en: 'Amount to pay, in {currency}',
    fr: 'Montant à payer, en {currency}',
  },
  at_least: { en: 'At least {amount}.', fr: 'Au moins {amount}.' },
  go_on: { en: 'Continue', fr: 'Continuer' },
  pay_merchant: { en: 'Pay {merchant}', fr: 'Payer {merchant}' },

  field_network: { en: 'Choose a network.', fr: 'Choisissez un réseau.' },
  field_country: { en: 'Choose another country.', fr: 'Choisissez un autre pays.' },
  field_phone: {
    en: 'This is not a mobile number in {country}. Example: {number}',
    fr: 'Ce n’est pas un numéro mobile de ce pays ({country}). Exemple : {number}',
  },
  field_phone_place: {
    en: 'You cannot pay from {place} here. Enter a number of {country}, for example {number}.',
    fr:
      'Un numéro d’un autre pays ({place}) ne peut pas payer ici. Entrez un numéro du pays ' +
      'indiqué ({country}), par exemple {number}.',
  },
  other_place: {
    en: 'This number is from another country: {place}. Check network and fee, then pay.',
    fr: 'Ce numéro est d’un autre pays : {place}. Vérifiez réseau et frais, puis payez.',
  },
  field_phone_needed: {
    en: 'Enter the number you pay with.',
    fr: 'Entrez le numéro avec lequel vous payez.',
  },
  field_otp: {
    en: 'Get a code as described here, then enter it.',
    fr: 'Obtenez un code comme indiqué ici, puis entrez-le.',
  },
  field_code: {
    en: 'This code is wrong or has expired. Check it and enter it again.',
    fr: 'Ce code est incorrect ou a expiré. Vérifiez-le et entrez-le à nouveau.',
  },
  field_first_name: {
    en: 'A first name can have at most 100 characters.',
    fr: 'Un prénom compte 100 caractères au plus.',
  },
  field_last_name: {
    en: 'A last name can have at most 100 characters.',
    fr: 'Un nom compte 100 caractères au plus.',
  },
  field_email: {
    en: 'Enter an e-mail address such as awa@example.com.',
    fr: 'Entrez une adresse e-mail comme awa@example.com.',
  },
  field_code_again: {
    en: 'Your code was not accepted: the operator was busy. Enter it again.',
    fr: 'Votre code n’a pas été accepté : l’opérateur était occupé. Entrez-le à nouveau.',
  },
  field_amount: { en: 'Enter at least {amount}.', fr: 'Entrez au moins {amount}.' },
  no_rate: {
    en:
      'There is no exchange rate for this country right now. Try again later or choose ' +
      'another country.',
    fr:
      'Pas de taux de change pour ce pays pour le moment. Réessayez plus tard ou ' +
      'changez de pays.',
  },
  no_route: {
    en: 'This network cannot process the payment now. Try again or choose another network.',
    fr: 'Ce réseau ne peut pas traiter ce paiement. Réessayez ou choisissez un autre réseau.',
  },
  not_ended: {
    en: 'The operator has not finished the previous payment. Wait half a minute, then try again.',
    fr: 'L’opérateur n’a pas terminé le paiement précédent. Réessayez dans une demi-minute.',
  },
  own_needed: { en: 'fill this in.', fr: 'remplissez ce champ.' },
  own_number: { en: 'enter a number.', fr: 'entrez un nombre.' },
  own_email: {
    en: 'enter an e-mail address such as awa@example.com.',
    fr: 'entrez une adresse e-mail comme awa@example.com.',
  },
  own_phone: { en: 'enter a phone number.', fr: 'entrez un numéro de téléphone.' },
  own_choice: { en: 'choose one from the list.', fr: 'choisissez dans la liste.' },
  wrong_in: { en: '{label}: {text}', fr: '{label} : {text}' },
  choose_one: { en: 'Choose…', fr: 'Choisissez…' },
  not_needed: { en: 'Optional', fr: 'Facultatif' },
  try_again: { en: 'Try again', fr: 'Réessayer' },
  handled_by: { en: 'Payment handled by Pirogue', fr: 'Paiement traité par Pirogue' },
  questions: { en: 'A question for {merchant}?', fr: 'Une question à {merchant} ?' },
  order: { en: 'Order {reference}', fr: 'Commande {reference}' },
  until: { en: 'You can pay until {time}', fr: 'Vous pouvez payer jusqu’à {time}' },
  until_day: {
    en: 'You can pay until {day} at {time}',
    fr: 'Vous pouvez payer jusqu’au {day} à {time}',
  },
  change_country: { en: '{country} · change country', fr: '{country} · changer de pays' },
  change: { en: 'Change', fr: 'Changer' },
  fee: { en: 'Fee', fr: 'Frais' },
  fee_by_network: { en: 'depends on the network', fr: 'selon le réseau' },
  in_currency: { en: 'Charged in {currency}', fr: 'Débité en {currency}' },
  phone_example: { en: 'Example: {number}', fr: 'Exemple : {number}' },
  pay_sum: { en: 'Pay {amount}', fr: 'Payer {amount}' },
  pin: {
    en: 'You confirm on your phone with your PIN. Never type it here.',
    fr: 'Vous confirmez sur votre téléphone avec votre code secret. Ne le tapez jamais ici.',
  },
  told_network: {
    en: 'This looks like a {network} number. Check the network, then pay.',
    fr: 'Ce numéro ressemble à un numéro {network}. Vérifiez le réseau, puis payez.',
  },
  other_network: {
    en: 'This looks like a {network} number, not {chosen}. Check the network, then pay.',
    fr: 'Ce numéro ressemble à un numéro {network}, pas {chosen}. Vérifiez le réseau, puis payez.',
  },
  by_card: { en: 'Pay by bank card', fr: 'Payer par carte bancaire' },
  by_phone: { en: 'Pay by mobile money', fr: 'Payer par mobile money' },
  pay_card: { en: 'Pay {amount} by card', fr: 'Payer {amount} par carte' },
  card_sum: { en: '{amount} at today’s rate', fr: '{amount} au taux du jour' },
  card_phone: { en: 'Your phone number', fr: 'Votre numéro de téléphone' },
  card_how: {
    en: 'You enter your card on a secure payment page, never here.',
    fr: 'Vous saisissez votre carte sur une page de paiement sécurisée, jamais ici.',
  },
  asked_amount: { en: 'Amount', fr: 'Montant' },
  for: { en: 'For', fr: 'Objet' },
  order_no: { en: 'Order', fr: 'Commande' },
  keep_receipt: { en: 'Keep your receipt', fr: 'Garder votre reçu' },
  print: { en: 'Print', fr: 'Imprimer' },
  share_text: {
    en:
      'Receipt: {amount} paid to {merchant} on {date}. Reference {reference}. Check ' +
      'it: {address}',
    fr:
      'Reçu : {amount} payés à {merchant} le {date}. Référence {reference}. Pour le ' +
      'vérifier : {address}',
  },
  step_take: {
    en: 'On the phone with number {phone}, a {network} request appears.',
    fr: 'Sur le téléphone du {phone}, une demande {network} s’affiche.',
  },
  step_check: { en: 'Check the amount: {amount}.', fr: 'Vérifiez le montant : {amount}.' },
  step_pin: {
    en: 'Enter your PIN on the phone, never here.',
    fr: 'Tapez votre code secret sur le téléphone, jamais ici.',
  },
  dial: { en: 'Open the {network} menu', fr: 'Ouvrir le menu {network}' },
  wait_follows: {
    en: 'This page updates by itself. You may close it and come back.',
    fr: 'Cette page se met à jour toute seule. Vous pouvez la fermer et revenir.',
  },
  wrong_number: { en: 'Wrong number?', fr: 'Mauvais numéro ?' },
  wrong_number_how: {
    en:
      'Do not approve the request: refused or left unanswered, it ends by itself and ' +
      'takes no money. You can then correct the number on this page.',
    fr:
      'N’approuvez pas la demande : refusée ou laissée sans réponse, elle prend fin ' +
      'd’elle-même et rien n’est débité. Vous pourrez alors corriger le numéro ici.',
  },
  field_phone_plain: {
    en: 'Enter your number with its country code, for example +229 01 95 12 34 56.',
    fr: 'Entrez le numéro avec son indicatif, par exemple +229 01 95 12 34 56.',
  },
  field_amount_form: {
    en: 'Enter an amount in figures, for example {example}.',
    fr: 'Entrez le montant en chiffres, par exemple {example}.',
  },
  field_amount_none: {
    en: 'Enter the amount you want to pay.',
    fr: 'Indiquez le montant à payer.',
  },
  about_you: {
    en: 'Add your name or e-mail (optional)',
    fr: 'Ajouter votre nom ou votre e-mail (facultatif)',
  },
  card_link: {
    en: '{merchant} asks for {amount}. Pay by {ways}.',
    fr: '{merchant} vous demande {amount}. Payez par {ways}.',
  },
  card_free: { en: 'Pay {merchant} by {ways}.', fr: 'Payez {merchant} par {ways}.' },
  ways_phone: { en: 'mobile money', fr: 'mobile money' },
  ways_any: { en: 'mobile money or card', fr: 'mobile money ou par carte' },
  amount: { en: 'Amount', fr: 'Montant' },
  pay: { en: 'Pay', fr: 'Payer' },
  dial_code: { en: 'Dial {code}', fr: 'Composer {code}' },
  try_again_sum: { en: 'Try again: pay {amount}', fr: 'Réessayer : payer {amount}' },
} as const satisfies Record<string, Text>

export type Word = keyof typeof words

export type Translate = (word: Word, values?: Readonly<Record<string, string>>) => string

export const translateIn =
  (locale: Locale): Translate =>
  (word, values = {}) =>
    typeset(words[word][locale], locale).replace(
      /\{(\w+)\}/g,
      (whole, name: string) => values[name] ?? whole,
    )

// What cannot be shown or done, in plain words and with its true status: an unknown address, an
// end, too many tries, a merchant that is not served, an error of ours. Nothing of what went wrong
// inside.

import { triedOut } from '../orders/errors.ts'
import { type Locale, Refusal, type Text } from '../platform/errors.ts'
import { type Html, html } from '../platform/html.ts'
import { answerError } from '../platform/http/errors.ts'
import type { PageInput, PageReply } from '../platform/http/page-route.ts'
import { type Brand, framed } from './frame.ts'
import { clockMark, crossMark, tickMark } from './marks.ts'
import { type Translate, translateIn } from './words.ts'

type Explanation = Readonly<{
  title: Text
  what: Text
  again?: true
  /** What is over has one; what may be mended by trying again has none. */
  mark?: (size: number) => Html
}>

const explanations: Readonly<Record<string, Explanation>> = {
  not_found: {
    title: { en: 'This page does not exist', fr: 'Cette page n’existe pas' },
    what: {
      en: 'Check the address, or ask the merchant for it again. Nothing has been paid here.',
      fr: 'Vérifiez l’adresse ou redemandez-la au marchand. Rien n’a été payé ici.',
    },
  },
  expired: {
    title: { en: 'The time to pay has run out', fr: 'Le délai de paiement est dépassé' },
    what: {
      en: 'Nothing was taken. Ask the merchant for a new payment page.',
      fr: 'Rien n’a été débité. Demandez une nouvelle page de paiement au marchand.',
    },
    mark: clockMark,
  },
  cancelled: {
    title: { en: 'This payment was cancelled', fr: 'Ce paiement a été annulé' },
    what: {
      en: 'The merchant cancelled it and nothing was taken. Contact them if you still want to pay.',
      fr: 'Le marchand l’a annulé et rien n’a été débité. Contactez-le si vous voulez payer.',
    },
    mark: crossMark,
  },
  paid: {
    title: { en: 'This has been paid', fr: 'C’est déjà payé' },
    what: { en: 'There is nothing left to pay.', fr: 'Il ne reste rien à payer.' },
    mark: tickMark,
  },
  payment_link_inactive: {
    title: { en: 'This link is disabled', fr: 'Ce lien est désactivé' },
    what: {
      en: 'The merchant no longer takes payments with it. Ask for another one.',
      fr: 'Le marchand n’accepte plus de paiement par ce lien. Demandez-lui-en un autre.',
    },
    mark: crossMark,
  },
  payment_link_expired: {
    title: { en: 'This link has expired', fr: 'Ce lien a expiré' },
    what: {
      en: 'Ask the merchant for another one.',
      fr: 'Demandez-en un autre au marchand.',
    },
    mark: clockMark,
  },
  payment_link_exhausted: {
    title: { en: 'This link has been used up', fr: 'Ce lien ne peut plus être utilisé' },
    what: {
      en: 'It has reached its number of payments. If someone is paying now, come back later.',
      fr:
        'Le nombre de paiements prévu est atteint. Si quelqu’un paie en ce moment, ' +
        'revenez plus tard.',
    },
    again: true,
  },
  payment_link_incomplete: {
    title: { en: 'This link is not ready', fr: 'Ce lien n’est pas prêt' },
    what: {
      en: 'The merchant has not set the amount yet. Tell them, then come back.',
      fr: 'Le marchand n’a pas encore indiqué le montant. Prévenez-le, puis revenez.',
    },
  },
  no_route_available: {
    title: { en: 'Payments are not possible now', fr: 'Paiement impossible pour le moment' },
    what: {
      en: 'This merchant takes no payments at the moment. Nothing was taken from you.',
      fr: 'Ce marchand n’accepte pas de paiement pour le moment. Rien ne vous a été débité.',
    },
    again: true,
  },
  rate_limited: {
    title: { en: 'Too many attempts', fr: 'Trop de tentatives' },
    what: {
      en: 'Wait {wait}, then try again. A payment that is under way goes on by itself.',
      fr: 'Attendez {wait}, puis réessayez. Un paiement en cours continue de lui-même.',
    },
    again: true,
  },
  tried_out: {
    title: { en: 'Too many attempts', fr: 'Trop de tentatives' },
    what: {
      en: 'This page takes no more attempts. Ask the merchant for a new payment page.',
      fr: 'Cette page n’accepte plus de tentative. Demandez-en une nouvelle au marchand.',
    },
  },
  service_unavailable: {
    title: { en: 'Back in a moment', fr: 'De retour dans un instant' },
    what: {
      en: 'The service is briefly unavailable. A payment that is under way goes on by itself.',
      fr: 'Le service est brièvement indisponible. Un paiement en cours continue de lui-même.',
    },
    again: true,
  },
}

const ours: Explanation = {
  title: { en: 'Something went wrong on our side', fr: 'Une erreur s’est produite de notre côté' },
  what: {
    en: 'Check the payment’s status before you pay again.',
    fr: 'Vérifiez où en est le paiement avant de payer à nouveau.',
  },
  again: true,
}

const unreadable: Explanation = {
  title: { en: 'This could not be read', fr: 'Envoi illisible' },
  what: {
    en: 'Go back and send the form again.',
    fr: 'Revenez en arrière et renvoyez le formulaire.',
  },
  again: true,
}

type PageContext = Readonly<{
  input: PageInput
  here?: string
  brand?: Brand
  /** A payment may have been made all the same: its payer asks before paying again. */
  may_be_paid?: boolean
}>

export function refusedPage(error: unknown, context: PageContext): PageReply {
  const { input, here, brand, may_be_paid = false } = context
  const { status, error: body, headers } = answerError(error, input.locale)
  const isTriedOut = error instanceof Refusal && error.row === triedOut
  const key = isTriedOut ? 'tried_out' : String(body['code'])
  const explanation = explanations[key] ?? (status < 500 ? unreadable : ours)
  const title = explanation.title[input.locale]
  const { mark } = explanation
  const wait = waitText(Number(headers['Retry-After'] ?? '1'), input.locale)
  const t = translateIn(input.locale)
  const what = may_be_paid
    ? `${t('failed_unknown')} ${t('failed_ask')}`
    : explanation.what[input.locale].replace('{wait}', wait)
  const again = explanation.again === true && !may_be_paid
  return framed({
    status,
    locale: input.locale,
    title,
    here: here ?? '',
    brand,
    headers,
    body: html`<div class="${mark && (mark === tickMark ? 'done' : 'done over')}">${mark?.(
      48,
    )}<h1>${title}</h1>
<p id="reason">${what}</p></div>${again && here !== undefined && retry(here, t)}`,
  })
}

/** The page of a refusal, with its merchant on it; a bug goes on to the log. */
export function refusedHere(error: unknown, context: PageContext): PageReply {
  if (error instanceof Refusal) return refusedPage(error, context)
  throw error
}

const retry = (here: string, t: Translate): Html =>
  html`<p><a id="again" class="button" href="${here}">${t('try_again')}</a></p>`

function waitText(seconds: number, locale: Locale): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  if (minutes === 60) return locale === 'fr' ? 'une heure' : 'an hour'
  return `${Math.ceil(minutes / 60)} h`
}

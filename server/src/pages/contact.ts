// Whom a payer asks: the merchant's site, telephone, WhatsApp and e-mail, at the foot of each of
// its pages. They open beside the page, so that nothing that was typed is lost.

import { writeInternational } from '../customers/phone.ts'
import { type Contact, siteName } from '../merchants/settings/contact.ts'
import { type Html, html } from '../platform/html.ts'
import type { Translate } from './words.ts'

type Known = Readonly<{ merchant: string; contact: Contact }>

/** Nothing where the merchant has said nothing. */
export function contactLines({ merchant, contact }: Known, t: Translate): Html {
  const links = linksOf(contact)
  if (links.length === 0) return html``
  const beside = html`target="_blank" rel="noreferrer"`
  return html`<p id="contact">${t('questions', { merchant })}<br>${links.map(
    ({ address, text, isWeb }) =>
      html`<a class="link" href="${address}" ${isWeb && beside}>${text}</a> `,
  )}</p>`
}

type Link = Readonly<{ address: string; text: string; isWeb?: true }>

function linksOf({ phone, whatsapp, email, site_url }: Contact): Link[] {
  return [
    ...(phone ? [{ address: `tel:${phone}`, text: writeInternational(phone) }] : []),
    ...(whatsapp
      ? [{ address: `https://wa.me/${whatsapp.slice(1)}`, text: 'WhatsApp', isWeb: true as const }]
      : []),
    ...(email ? [{ address: mailAddress(email), text: email }] : []),
    ...(site_url ? [{ address: site_url, text: siteName(site_url), isWeb: true as const }] : []),
  ]
}

/** With nothing beside the address: no subject, no second recipient. */
function mailAddress(email: string): string {
  const at = email.lastIndexOf('@')
  return `mailto:${encodeURIComponent(email.slice(0, at))}${email.slice(at)}`
}

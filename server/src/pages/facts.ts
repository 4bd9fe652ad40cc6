// What a page says of a payment, as rows of a name and a value; and the receipt as a message to
// keep, which the payer's own telephone sends: we send nothing, and learn no other number.

import type { MerchantProfile } from '../merchants/settings/profile.ts'
import { type Html, html } from '../platform/html.ts'
import type { Translate } from './words.ts'

/** An empty value is left out. */
export type Fact = Readonly<{ id: string; name: string; value: Html | string }>

export const factList = (facts: readonly Fact[]): Html =>
  html`<dl>${facts
    .filter(({ value }) => value !== '')
    .map(
      ({ id, name, value }) => html`<div><dt>${name}</dt><dd id="${id}">${value}</dd></div>`,
    )}</dl>`

export type Kept = Readonly<{
  merchant: MerchantProfile['name']
  amount: string
  date: string
  reference: string
  /** Whole: it is read elsewhere. */
  address: string
}>

/** By WhatsApp or SMS to whom the payer likes, or on paper. */
export function keepReceipt(kept: Kept, t: Translate): Html {
  const text = encodeURIComponent(t('share_text', kept))
  return html`<section class="no-print" aria-labelledby="keep">
<h2 id="keep">${t('keep_receipt')}</h2>
<div class="two"><a id="by-whatsapp" class="button second" rel="noreferrer"
 href="${`https://wa.me/?text=${text}`}">WhatsApp</a>
<a id="by-sms" class="button second" href="${`sms:?&body=${text}`}">SMS</a>
<button id="print" class="second print" type="button">${t('print')}</button></div></section>`
}

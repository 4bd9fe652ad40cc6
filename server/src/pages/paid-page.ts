// The page of a paid session. With a return_url the payer is led back to the merchant, otherwise
// the page stays.

import { zoneAt } from '../merchants/time-zones/time-zone.ts'
import { writeAmount } from '../money/format.ts'
import type { Link } from '../orders/link.ts'
import { html } from '../platform/html.ts'
import type { PageReply } from '../platform/http/page-route.ts'
import { writeMoment } from '../platform/write-moment.ts'
import { receiptOf } from '../receipts/receipt-of.ts'
import { framed } from './frame.ts'
import type { PageDeps, Payment, Visit } from './visit.ts'
import { webAddress } from './write-values.ts'

const return_after_s = 5

/** A merchant may have its payers forwarded at once; the page stays for those who come back. */
const stayOf = (link: Link | undefined): number =>
  link?.show_confirmation_page === false ? 0 : return_after_s

export async function paidPage(deps: PageDeps, visit: Visit, payment: Payment): Promise<PageReply> {
  const { t, input, brand, here, checkout } = visit
  const { session, link } = checkout.target
  const { transaction } = payment.now
  const merchant = brand.name
  const title = t('paid_title')
  const back = webAddress(session.return_url)
  const receipt = await receiptOf(deps, transaction)
  const paid_at = session.paid_at ?? transaction.updated_at
  const amount = writeAmount(transaction.debited_amount, transaction.currency, input.locale)
  return framed({
    status: 200,
    locale: input.locale,
    title: `${title} · ${merchant}`,
    here,
    brand,
    next: back === undefined ? undefined : { address: back, after_s: stayOf(link) },
    body: html`<div role="status"><h1>${title}</h1><p>${t('paid_how', { merchant })}</p></div>
<dl><dt>${t('paid_amount')}</dt><dd id="amount">${amount}</dd>
<dt>${t('reference')}</dt><dd id="reference">${transaction.reference}</dd>
<dt>${t('date')}</dt><dd id="date"><time datetime="${paid_at.toISOString()}">${writeMoment(
      paid_at,
      zoneAt(checkout.profile.time_zones, paid_at),
      input.locale,
    )}</time></dd></dl>${
      receipt.revoked_at === null &&
      html`<p><a id="receipt" href="${receipt.url}">${t('see_receipt')}</a></p>`
    }${
      back !== undefined &&
      html`<p><a id="return" class="button" rel="noreferrer"
 href="${back}">${t('back_to', { merchant })}</a></p><p class="mute">${t('back_soon')}</p>`
    }`,
  })
}

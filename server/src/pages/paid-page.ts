// The page of a paid session: that it succeeded, what was paid to whom, and a receipt to keep; or
// that the operator has taken the money back. With a return_url the payer is led back to the
// merchant, otherwise the page stays.

import { zoneAt } from '../merchants/time-zones/time-zone.ts'
import { writeAmount } from '../money/format.ts'
import type { Link } from '../orders/link.ts'
import { html } from '../platform/html.ts'
import type { PageReply } from '../platform/http/page-route.ts'
import { writeMoment } from '../platform/write-moment.ts'
import { statusOf } from '../receipts/receipt.ts'
import { receiptOf } from '../receipts/receipt-of.ts'
import { findOutcome } from '../receipts/store.ts'
import { factList, keepReceipt } from './facts.ts'
import { framed } from './frame.ts'
import { crossMark, tickMark } from './marks.ts'
import { shownNumber } from './own-number.ts'
import { isAskedBeside, type PageDeps, type Payment, type Visit } from './visit.ts'
import { webAddress } from './write-values.ts'

/** Long enough to keep the receipt; whoever touches the page stays. */
const return_after_s = 10

/**
 * A merchant may have its payers forwarded at once; the page stays for those who come back, and
 * for who has another request that may still be approved.
 */
const stayOf = (link: Link | undefined, payment: Payment): number =>
  link?.show_confirmation_page === false && !isAskedBeside(payment) ? 0 : return_after_s

const marksOf = { SUCCESS: tickMark, UNDER_REVIEW: crossMark, REVERSED: crossMark } as const

export async function paidPage(deps: PageDeps, visit: Visit, payment: Payment): Promise<PageReply> {
  const { t, input, brand, here, checkout } = visit
  const { session, link } = checkout.target
  const { reference, debited_amount, currency } = payment.now.transaction
  const merchant = brand.name
  const [receipt, outcome] = await Promise.all([
    receiptOf(deps, payment.now.transaction),
    findOutcome(deps.db, payment.now.transaction),
  ])
  const status = statusOf(outcome?.reversal ?? null)
  const holds = status === 'SUCCESS'
  const title = t(holds ? 'paid_title' : `receipt_${status}`)
  const how = t(holds ? 'paid_how' : `receipt_${status}_how`, { merchant })
  const back = webAddress(session.return_url)
  const leaves = holds && back !== undefined
  const paid_at = session.paid_at ?? payment.now.transaction.updated_at
  const amount = writeAmount(debited_amount, currency, input.locale)
  const date = writeMoment(paid_at, zoneAt(checkout.profile.time_zones, paid_at), input.locale)
  return framed({
    status: 200,
    locale: input.locale,
    title: `${title} · ${merchant}`,
    here,
    brand,
    next: leaves ? { address: back, after_s: stayOf(link, payment) } : undefined,
    body: html`<div class="done${holds ? '' : ' ended'}" role="status">${marksOf[status](
      64,
    )}<h1>${title}</h1>
<p class="sum" id="amount">${amount}</p><p id="to">${how}</p></div>${
      isAskedBeside(payment) && html`<p class="wary" id="beside">${t('paid_beside')}</p>`
    }${
      back !== undefined &&
      html`<p class="no-print"><a id="return" class="button" rel="noreferrer"
 href="${back}">${t('back_to', { merchant })}</a></p>`
    }
${factsOf(deps, { visit, payment, date, paid_at })}${
  receipt.revoked_at === null &&
  html`${holds && keepReceipt({ merchant, amount, date, reference, address: receipt.url }, t)}
<p class="no-print"><a id="receipt" class="link" href="${receipt.url}">${t('see_receipt')}</a></p>`
}${leaves && html`<p class="mute no-print">${t('back_soon')}</p>`}`,
  })
}

type Paid = Readonly<{ visit: Visit; payment: Payment; date: string; paid_at: Date }>

function factsOf(deps: PageDeps, { visit, payment, date, paid_at }: Paid) {
  const { t, input, checkout } = visit
  const { session } = checkout.target
  const { attempt, network } = payment
  const { transaction } = payment.now
  const { requested_amount, debited_amount, refunded_amount, currency } = transaction
  const fee = debited_amount - requested_amount
  const write = (hundredths: bigint) => writeAmount(hundredths, currency, input.locale)
  const own = { slug: session.slug, e164: attempt.operation_msisdn }
  return factList([
    { id: 'description', name: t('for'), value: session.description },
    { id: 'order', name: t('order_no'), value: session.merchant_reference },
    { id: 'asked', name: t('asked_amount'), value: fee === 0n ? '' : write(requested_amount) },
    { id: 'fee', name: t('fee'), value: fee === 0n ? t('no_fee') : write(fee) },
    {
      ...{ id: 'refunded', name: t('receipt_refunded') },
      value: refunded_amount === 0n ? '' : write(refunded_amount),
    },
    { id: 'network', name: t('network'), value: network?.name ?? '' },
    { id: 'number', name: t('number'), value: shownNumber(deps, input, own) },
    {
      id: 'date',
      name: t('date'),
      value: html`<time datetime="${paid_at.toISOString()}">${date}</time>`,
    },
    { id: 'reference', name: t('reference'), value: transaction.reference },
  ])
}

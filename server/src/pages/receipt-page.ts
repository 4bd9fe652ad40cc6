// The public page of a receipt: what was paid, whether that still holds, and the statement that
// proves it without us. An unknown receipt and a withdrawn one have different pages, each with its
// true status.

import { viewProfile } from '../merchants/settings/read-settings.ts'
import { zoneAt } from '../merchants/time-zones/time-zone.ts'
import { formatAmount, writeAmount } from '../money/format.ts'
import { Refusal } from '../platform/errors.ts'
import { type Html, html } from '../platform/html.ts'
import type { PageInput, PageReply } from '../platform/http/page-route.ts'
import { writeMoment } from '../platform/write-moment.ts'
import {
  countReader,
  findIssuer,
  type Issuer,
  type PublicReceipt,
  readReceipt,
} from '../receipts/read-receipt.ts'
import { signReceipt } from '../receipts/signing-key.ts'
import { factList, keepReceipt } from './facts.ts'
import { type Brand, framed } from './frame.ts'
import { crossMark, tickMark } from './marks.ts'
import { type PageDeps, prefixOf } from './visit.ts'
import { translateIn } from './words.ts'

export async function showReceipt(deps: PageDeps, input: PageInput): Promise<PageReply> {
  await countReader(deps, input)
  const token = input.params['token'] ?? ''
  const here = `${prefixOf(deps)}/receipts/${encodeURIComponent(token)}`
  try {
    const found = await readReceipt(deps, token)
    const statement = await signReceipt(deps, found.receipt)
    const brand = await brandOf(deps, { ...found, environment: found.receipt.environment })
    const { status } = found.receipt
    return framed({
      status: 200,
      locale: input.locale,
      title: `${translateIn(input.locale)(`receipt_${status}`)} · ${brand.name}`,
      here,
      brand,
      body: bodyOf(found, statement, {
        input,
        keys: `${deps.public_url}/api/v1/receipts/keys/`,
        address: `${deps.public_url}/receipts/${token}`,
      }),
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const issuer = await findIssuer(deps.db, token)
    const brand = issuer && (await brandOf(deps, issuer))
    return goneReceipt(error, input, { here, brand })
  }
}

async function brandOf(deps: PageDeps, { profile, environment }: Issuer): Promise<Brand> {
  const { name } = viewProfile(profile, deps.public_url)
  return {
    name,
    colour: profile.brand_colour,
    logo: await deps.logoOf(profile),
    is_test: environment === 'SANDBOX',
    contact: profile.contact,
  }
}

type Reading = Readonly<{ input: PageInput; keys: string; address: string }>

const marksOf = { SUCCESS: tickMark, UNDER_REVIEW: crossMark, REVERSED: crossMark } as const

function bodyOf(found: PublicReceipt, statement: string, reading: Reading): Html {
  const { receipt, profile } = found
  const { locale } = reading.input
  const { merchant, status, currency, paid_at, amount, charged, reference, refunded } = receipt
  const t = translateIn(locale)
  const sum = (value: bigint) =>
    html`<data value="${formatAmount(value)}">${writeAmount(value, currency, locale)}</data>`
  const date = writeMoment(paid_at, zoneAt(profile.time_zones, paid_at), locale)
  const kept = { merchant, amount: writeAmount(charged, currency, locale), date, reference }
  const fee = charged - amount
  const digits = receipt.payer_last_digits
  // Below what is seen without scrolling: it is for whoever compares it with a message.
  const theirs = {
    ...{ id: 'operator', name: t('receipt_operator') },
    value: receipt.operator_reference,
  }
  return html`<div class="done${status === 'SUCCESS' ? '' : ' ended'}" role="status">${marksOf[
    status
  ](48)}<h1>${t(`receipt_${status}`)}</h1><p>${t(`receipt_${status}_how`, { merchant })}</p></div>
${factList([
  { id: 'charged', name: t('paid_amount'), value: sum(charged) },
  { id: 'amount', name: t('amount'), value: sum(amount) },
  { id: 'refunded', name: t('receipt_refunded'), value: refunded === 0n ? '' : sum(refunded) },
  { id: 'fee', name: t('fee'), value: fee === 0n ? '' : sum(fee) },
  {
    id: 'date',
    name: t('date'),
    value: html`<time datetime="${paid_at.toISOString()}">${date}</time>`,
  },
  { id: 'network', name: t('network'), value: receipt.network },
  { id: 'payer', name: t('receipt_payer'), value: digits && t('receipt_payer_ends', { digits }) },
  { id: 'order', name: t('order_no'), value: receipt.merchant_reference },
  { id: 'reference', name: t('reference'), value: reference },
])}${status === 'SUCCESS' && keepReceipt({ ...kept, address: reading.address }, t)}
${receipt.operator_reference !== '' && factList([theirs])}
<details class="no-print"><summary>${t('receipt_proof')}</summary>
<p class="mute">${t('receipt_proof_how', { address: reading.keys })}</p>
<p><textarea id="statement" readonly rows="8" cols="30" aria-label="${t('receipt_proof')}">${
    statement
  }</textarea></p></details>`
}

/** 404 and 410; what is neither has a page for every address. */
function goneReceipt(
  error: Refusal,
  { locale }: PageInput,
  { here, brand }: Readonly<{ here: string; brand: Brand | undefined }>,
): PageReply {
  const word = { 404: 'receipt_unknown', 410: 'receipt_revoked' } as const
  const { status } = error.row
  if (status !== 404 && status !== 410) throw error
  const t = translateIn(locale)
  const title = t(word[status])
  const body = html`<h1>${title}</h1><p id="reason">${t(`${word[status]}_how`)}</p>`
  return framed({ status, locale, title, here, brand, body })
}

// Whoever holds a link opens a session by it (decisions 6.2): the sum is the link's, or the payer's
// own where the link is free. The slot is reserved when he pays, not here.

import { systemActor } from '../../audit/audit.ts'
import { type Face, faceIn } from '../../merchants/face/face.ts'
import { readFace } from '../../merchants/face/read-face.ts'
import { formatAmount } from '../../money/format.ts'
import { amountFaultText, parseAmount } from '../../money/parse-amount.ts'
import { orderErrors } from '../../orders/errors.ts'
import { faultOf, type Link } from '../../orders/link.ts'
import { findLink, findSlug } from '../../orders/order-record.ts'
import type { Session } from '../../orders/session.ts'
import type { Sql } from '../../platform/db.ts'
import { invalid, refuse } from '../../platform/errors.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { insistPayableIn, makeSession } from '../create-session.ts'
import { insistServed, type PublicDeps } from '../public/payer.ts'
import { lifetimeMs } from '../session-body.ts'
import { looksLikeSlug } from '../slug.ts'

/** A deleted link is no more found than one that never was. */
export async function openLink(sql: Sql, slug: string): Promise<{ link: Link; face: Face }> {
  const key = looksLikeSlug(slug) ? await findSlug(sql, slug, 'LINK') : undefined
  const link = key && (await findLink(sql, key))
  if (link === undefined || link.is_deleted) throw refuse(transportErrors.not_found)
  const face = faceIn(await readFace(sql, link.merchant_id), link.environment)
  insistServed(face)
  const fault = faultOf(link)
  if (fault !== undefined) throw refuse(orderErrors[fault])
  if (link.amount_type === 'FIXED' && link.amount === null) {
    throw refuse(orderErrors.payment_link_incomplete)
  }
  return { link, face }
}

export type LinkPayer = Readonly<{
  amount?: string | number
  customer: Readonly<{ email: string; first_name: string; last_name: string; phone?: string }>
}>

export async function sessionByLink(
  deps: PublicDeps,
  { link, face }: { link: Link; face: Face },
  { amount: asked, customer }: LinkPayer,
): Promise<Session> {
  const amount = sumOf(link, asked)
  await insistPayableIn(deps, face, link.currency)
  return makeSession(deps, systemActor, {
    merchant_id: link.merchant_id,
    environment: link.environment,
    created_by_member: link.created_by_member,
    amount,
    currency: link.currency,
    description: link.description || link.name,
    country: null,
    customer_email: customer.email,
    customer_name: `${customer.first_name} ${customer.last_name}`.trim(),
    customer_phone: customer.phone ?? '',
    return_url: '',
    metadata: {},
    fee_charge_mode: face.fee_charge_mode_locked,
    merchant_reference: '',
    payment_link: link.id,
    expires_at: new Date(deps.clock() + lifetimeMs),
  })
}

/** The link's own sum, or the payer's where it is free. */
function sumOf(link: Link, asked: string | number | undefined): bigint {
  if (link.amount_type === 'FIXED') {
    if (link.amount === null) throw refuse(orderErrors.payment_link_incomplete)
    return link.amount
  }
  if (asked === undefined) throw invalid('amount', needed)
  const reading = parseAmount(asked, link.currency)
  if (reading.is === 'invalid') throw invalid('amount', amountFaultText[reading.why])
  const least = link.min_amount
  if (least !== null && reading.hundredths < least) {
    const sum = `${formatAmount(least)} ${link.currency}`
    throw invalid('amount', {
      en: `The minimum of this link is ${sum}.`,
      fr: `Le minimum de ce lien est de ${sum}.`,
    })
  }
  return reading.hundredths
}

const needed = { en: 'Say how much you pay.', fr: 'Indiquez combien vous payez.' }

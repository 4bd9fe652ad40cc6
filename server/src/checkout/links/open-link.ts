// Anybody who has a link opens a session by it (contract 6.2): the sum is the link's, or the
// payer's own where the link is free. The slot is reserved when the payer pays, not here.

import { systemActor } from '../../audit/audit.ts'
import { type MerchantProfile, profileIn } from '../../merchants/settings/profile.ts'
import { readProfile } from '../../merchants/settings/read-settings.ts'
import { formatAmount } from '../../money/format.ts'
import { amountFaultText, parseAmount } from '../../money/parse-amount.ts'
import { orderErrors } from '../../orders/errors.ts'
import { faultOf, type Link } from '../../orders/link.ts'
import { findLink, findSlug } from '../../orders/order-statements.ts'
import type { Session } from '../../orders/session.ts'
import type { Sql } from '../../platform/db.ts'
import { type FieldErrors, Invalid, invalid, refuse, type Text } from '../../platform/errors.ts'
import type { Input } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { countShare, networkOf } from '../../platform/throttle/throttle.ts'
import { makeSession, requirePayableIn } from '../create-session.ts'
import { type PublicDeps, requireServed } from '../public/payer.ts'
import { lifetimeMs } from '../session-body.ts'
import { looksLikeSlug } from '../slug.ts'
import { customMetadata } from './custom-fields.ts'

export type FoundLink = Readonly<{ link: Link; profile: MerchantProfile }>

/** A deleted link is no more found than one that never was. */
export async function findLinkBySlug(sql: Sql, slug: string): Promise<FoundLink> {
  const key = looksLikeSlug(slug) ? await findSlug(sql, slug, 'LINK') : undefined
  const link = key && (await findLink(sql, key))
  if (link === undefined || link.is_deleted) throw refuse(transportErrors.not_found)
  const profile = profileIn(await readProfile(sql, link.merchant_id), link.environment)
  return { link, profile }
}

/** Throws why it cannot be paid by now. */
export function requireOpen({ link, profile }: FoundLink): void {
  requireServed(profile)
  const fault = faultOf(link)
  if (fault !== undefined) throw refuse(orderErrors[fault])
  if (link.amount_type === 'FIXED' && link.amount === null) {
    throw refuse(orderErrors.payment_link_incomplete)
  }
}

export async function openLink(sql: Sql, slug: string): Promise<FoundLink> {
  const found = await findLinkBySlug(sql, slug)
  requireOpen(found)
  return found
}

export type LinkPayer = Readonly<{
  amount?: string | number
  customer: Readonly<{ email?: string; first_name?: string; last_name?: string; phone?: string }>
  custom_field_values?: unknown
}>

/** What is wrong with a payer's answers, by field: for whom has found a fault of their own too. */
export function answerFaults(link: Link, payer: LinkPayer): FieldErrors {
  try {
    readAnswers(link, payer)
    return {}
  } catch (error) {
    if (error instanceof Invalid) return error.fields
    throw error
  }
}

const readAnswers = (link: Link, { amount, customer, custom_field_values }: LinkPayer) =>
  together(
    () => sumOf(link, amount),
    () => customMetadata(link.custom_fields, custom_field_values),
    () => requirePhone(link, customer),
  )

export async function sessionByLink(
  deps: PublicDeps,
  { link, profile }: { link: Link; profile: MerchantProfile },
  payer: LinkPayer,
  from: Pick<Input, 'ip'>,
): Promise<Session> {
  const { customer } = payer
  const [amount, metadata] = readAnswers(link, payer)
  await requirePayableIn(deps, profile, link.currency)
  await countSession(deps, link, from)
  return makeSession(deps, systemActor, {
    merchant_id: link.merchant_id,
    environment: link.environment,
    created_by_member: link.created_by_member,
    amount,
    currency: link.currency,
    description: link.description || link.name,
    country: null,
    customer_email: customer.email ?? '',
    customer_name: `${customer.first_name ?? ''} ${customer.last_name ?? ''}`.trim(),
    customer_phone: customer.phone ?? '',
    return_url: link.redirect_url,
    metadata,
    fee_charge_mode: profile.fee_charge_mode_locked,
    merchant_reference: '',
    payment_link: link.id,
    expires_at: endOf(link, deps.clock()),
  })
}

/** Nobody can pay by it once its link is over. */
function endOf({ expires_at }: Link, now_ms: number): Date {
  const usual_ms = now_ms + lifetimeMs
  return new Date(Math.min(usual_ms, expires_at?.getTime() ?? usual_ms))
}

/**
 * How many sessions one link may make in an hour, over all callers: addresses are cheap, and each
 * session is a row that stays for months. One address alone takes half of them at most, so that
 * it closes no link to others; that is still a payer each seven seconds behind one carrier's.
 */
const countSession = (
  { db, keyring, limits }: PublicDeps,
  { id: target }: Link,
  { ip }: Pick<Input, 'ip'>,
): Promise<void> =>
  countShare(
    { db, macs: keyring },
    {
      ...{ act: 'link-sessions', target, by: networkOf(ip) },
      ...{ most: limits.link_sessions_hour, within_s: 3600 },
    },
  )

/** All errors are reported at once. */
function together<A, B>(first: () => A, second: () => B, third: () => void): [A, B] {
  const faults: Record<string, readonly Text[]> = {}
  const attempted = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      Object.assign(faults, error.fields)
      return undefined
    }
  }
  const [a, b] = [attempted(first), attempted(second)]
  attempted(third)
  if (a === undefined || b === undefined || Object.keys(faults).length > 0) {
    throw new Invalid(faults)
  }
  return [a, b]
}

function requirePhone({ require_phone }: Link, { phone }: LinkPayer['customer']): void {
  if (require_phone && (phone ?? '').trim() === '') throw invalid('customer.phone', phoneNeeded)
}

const phoneNeeded = {
  en: 'This link requires a phone number.',
  fr: 'Ce lien exige un numéro de téléphone.',
}

/** The link's own sum, or the payer's where it is free. */
function sumOf(link: Link, stated: string | number | undefined): bigint {
  if (link.amount_type === 'FIXED') {
    if (link.amount === null) throw refuse(orderErrors.payment_link_incomplete)
    return link.amount
  }
  if (stated === undefined) throw invalid('amount', needed)
  const reading = parseAmount(stated, link.currency)
  if (reading.is === 'invalid') throw invalid('amount', amountFaultText[reading.why])
  const least = link.min_amount
  if (least !== null && reading.hundredths < least) {
    const sum = `${formatAmount(least)} ${link.currency}`
    throw invalid('amount', {
      en: `The minimum for this link is ${sum}.`,
      fr: `Le montant minimum de ce lien est de ${sum}.`,
    })
  }
  return reading.hundredths
}

const needed = {
  en: 'Enter the amount you want to pay.',
  fr: 'Indiquez le montant à payer.',
}

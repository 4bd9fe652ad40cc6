// One visit of a payer to a page of a session: the caller, the session, and its state.

import { createHash } from 'node:crypto'
import { type Attempt, isOpen } from '../attempts/attempt.ts'
import type { Network } from '../catalogue/catalogue.ts'
import { openForPayer, paymentOf } from '../checkout/public/act-as-payer.ts'
import { type Checkout, openBySlug, type PublicDeps } from '../checkout/public/payer.ts'
import { viewState } from '../checkout/public/view.ts'
import type { MerchantProfile } from '../merchants/settings/profile.ts'
import { viewProfile } from '../merchants/settings/read-settings.ts'
import { zoneAt } from '../merchants/time-zones/time-zone.ts'
import type { NoteVisit } from '../orders/link-visits.ts'
import type { Session } from '../orders/session.ts'
import { assert } from '../platform/errors.ts'
import type { PageInput } from '../platform/http/page-route.ts'
import type { SigningDeps } from '../receipts/signing-key.ts'
import { lastAttempt } from '../transactions/instructions.ts'
import {
  stateOf,
  type TransactionNow,
  type TransactionState,
} from '../transactions/transaction-now.ts'
import type { Brand } from './frame.ts'
import type { LogoOf } from './logo.ts'
import { type Translate, translateIn } from './words.ts'
import { shortName, writeClock } from './write-values.ts'

export type PageDeps = PublicDeps & SigningDeps & Readonly<{ logoOf: LogoOf; noteVisit: NoteVisit }>

export type Visit = Readonly<{
  input: PageInput
  checkout: Checkout
  t: Translate
  brand: Brand & Readonly<{ image: string | undefined }>
  /** Path of the session's page. */
  here: string
}>

/** The path below which our pages are, where the public address has one. */
export const prefixOf = ({ public_url }: Pick<PageDeps, 'public_url'>): string =>
  new URL(public_url).pathname.replace(/\/+$/, '')

export async function visit(deps: PageDeps, input: PageInput): Promise<Visit> {
  const checkout = await openForPayer(deps, input, input.params['slug'] ?? '')
  return visitOf(deps, input, checkout)
}

/** Its state now, after an act: not counted once more. */
export const revisit = async (deps: PageDeps, { input, checkout }: Visit): Promise<Visit> =>
  visitOf(deps, input, await openBySlug(deps.db, checkout.target.session.slug))

async function visitOf(deps: PageDeps, input: PageInput, checkout: Checkout): Promise<Visit> {
  const { profile, target } = checkout
  return {
    input,
    checkout,
    t: translateIn(input.locale),
    here: `${prefixOf(deps)}/checkout/${target.session.slug}`,
    brand: {
      name: profile.brand_name || profile.name,
      colour: profile.brand_colour,
      logo: await deps.logoOf(profile),
      is_test: target.session.environment === 'SANDBOX',
      contact: profile.contact,
      image: viewProfile(profile, deps.public_url).logo_url ?? undefined,
    },
  }
}

/** Below a page: which order this is, and until when it can be paid, by the merchant's clocks. */
export function footOf(deps: PageDeps, visit: Visit): string[] {
  const { t, checkout } = visit
  const { merchant_reference: reference } = checkout.target.session
  const until = untilOf(deps, visit)
  return [...(reference === '' ? [] : [t('order', { reference })]), ...(until ? [until] : [])]
}

/**
 * The session's own end, or its link's where that comes before it; empty where there is none: when
 * an operator's prompt ends, only the operator knows.
 */
export function untilOf(deps: PageDeps, { t, input, checkout }: Visit): string {
  const { session, link } = checkout.target
  const [end] = [session.expires_at, link?.expires_at ?? null]
    .filter((one) => one !== null)
    .toSorted((a, b) => a.getTime() - b.getTime())
  if (end === undefined) return ''
  const zone = zoneAt(checkout.profile.time_zones, end)
  const { day, time } = writeClock(end, zone, { locale: input.locale, now_ms: deps.clock() })
  return day === '' ? t('until', { time }) : t('until_day', { day, time })
}

/** The last payment with what its page shows of it. */
export type Payment = Readonly<{
  now: TransactionNow
  /** The one that paid, or is under way, or the last. */
  attempt: Attempt
  state: TransactionState
  network: Network | undefined
  /** Its name without the country. */
  network_name: string
}>

export async function paymentNow(
  deps: PageDeps,
  session: Session,
  { catalogue_version }: Pick<MerchantProfile, 'catalogue_version'>,
): Promise<Payment | undefined> {
  const now = await paymentOf(deps, session)
  if (now === undefined) return undefined
  const catalogue = await deps.catalogue(catalogue_version)
  const { settled_attempt } = now.transaction
  const attempt = now.attempts.find(({ id }) => id === settled_attempt) ?? lastAttempt(now)
  assert(attempt !== undefined, 'a payment of a session has an attempt')
  const network = catalogue.networkByCode(attempt.network_code)
  const country = catalogue.countryByCode(network?.country_code ?? '')
  const network_name = shortName(network?.name ?? '', country)
  return { now, attempt, network, network_name, state: stateOf(now, catalogue) }
}

/** Failed, as far as we know; its operator may have taken the money all the same. */
export function mayBePaid(payment: Payment | undefined): boolean {
  if (payment?.state.status !== 'FAILED') return false
  return payment.state.failure_code === 'UNKNOWN' || payment.now.attempts.some(isUnended)
}

/** Another request to the payer that may still be approved, beside the one that paid. */
export const isAskedBeside = ({ now, attempt }: Payment): boolean =>
  now.attempts.some((one) => one.id !== attempt.id && isUnended(one))

const isUnended = ({ status }: Attempt): boolean => isOpen(status)

/**
 * Changes when the payer's page has something else to show. Whoever has its address receives
 * it: of the attempt and its operator's page, which may come later, it has a few letters of a hash.
 */
export function stateWord(session: Session, payment: Payment | undefined): string {
  const { status, transaction_status, next_action } = viewState(session, payment?.state)
  const word = [status, transaction_status ?? 'NONE', next_action]
  if (payment?.state.status !== 'PENDING') return word.join(' ')
  const asked = `${payment.attempt.id} ${payment.state.checkout_url}`
  return [...word, createHash('sha256').update(asked).digest('base64url').slice(0, 8)].join(' ')
}

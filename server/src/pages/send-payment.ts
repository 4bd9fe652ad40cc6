// The payer presses "pay", or gives a code. The session's own address shows the result: a second
// press, or a second tab, is redirected there and finds the one payment that there is.

import { countryName } from '../catalogue/catalogue.ts'
import { confirmAsPayer, payAsPayer } from '../checkout/public/act-as-payer.ts'
import { PayBody } from '../checkout/public/payer.ts'
import { exampleOf, readPhone } from '../customers/phone.ts'
import { OtpBody } from '../payments/schema.ts'
import { type FieldErrors, Invalid, Refusal } from '../platform/errors.ts'
import type { PageInput, PageReply } from '../platform/http/page-route.ts'
import { type Check, compileBody } from '../platform/http/validation.ts'
import { rememberedNumber } from './own-number.ts'
import {
  countriesToChoose,
  type Doubt,
  doubtOf,
  otherPlaceOf,
  rememberedChoice,
} from './preselect.ts'
import { pageNow, refusedNow } from './show-checkout.ts'
import { type PageDeps, paymentNow, prefixOf, revisit, type Visit, visit } from './visit.ts'
import type { Word } from './words.ts'

const checkPay = compileBody(PayBody)
const checkOtp = compileBody(OtpBody)

export async function sendPayment(deps: PageDeps, input: PageInput): Promise<PageReply> {
  const own = await visit(deps, input)
  // Another country was chosen: the same form, with what was typed.
  if (input.form['change'] !== undefined) return pageNow(deps, own, { status: 200, errors: {} })
  try {
    const place = await placeIn(deps, own)
    if (place !== undefined) return pageNow(deps, own, { status: 422, errors: {}, place })
    const doubt = await doubtIn(deps, own)
    if (doubt !== undefined) return pageNow(deps, own, { status: 422, errors: {}, doubt })
    const body = payBodyOf(input)
    requireValid(checkPay, body)
    const { attempts, transaction } = await payAsPayer(deps, own.checkout, input, body)
    const last = attempts.at(-1)
    const leaves = last?.next_action === 'REDIRECT' && transaction.status === 'PENDING'
    const chosen = { country: transaction.country_code, network: body.network }
    const path = `${prefixOf(deps)}/checkout`
    const { slug } = own.checkout.target.session
    const typed = input.form['phone'] && last && { slug, e164: last.operation_msisdn }
    return {
      is: 'see',
      location: leaves ? `${own.here}/go` : own.here,
      cookies: [
        rememberedChoice(chosen, path),
        ...(typed ? [rememberedNumber(deps, typed, path)] : []),
      ],
    }
  } catch (error) {
    return answerRefused(deps, own, error)
  }
}

export async function sendCode(deps: PageDeps, input: PageInput): Promise<PageReply> {
  const own = await visit(deps, input)
  try {
    const body = { otp: withoutSpaces(input.form['otp']) }
    requireValid(checkOtp, body)
    await confirmAsPayer(deps, own.checkout, input, body)
    return { is: 'see', location: own.here }
  } catch (error) {
    return answerRefused(deps, own, error)
  }
}

/** Where the typed number is from, if that is another country that can be paid from. */
async function placeIn(deps: PageDeps, { input, checkout }: Visit): Promise<string | undefined> {
  const { country = '', phone = '' } = input.form
  const catalogue = await deps.catalogue(checkout.profile.catalogue_version)
  const served = countriesToChoose(catalogue, checkout.profile, input.locale)
  const known = served.map(({ iso_code }) => iso_code)
  const place = otherPlaceOf(phone, country, known)
  return known.find((code) => code === place)
}

/** What the number says of the network; the payer is asked about a number once. */
async function doubtIn(deps: PageDeps, { input, checkout }: Visit): Promise<Doubt | undefined> {
  const { target, profile } = checkout
  const { session } = target
  const { network = '', country = '', phone = '', seen } = input.form
  const kept = async () =>
    (await paymentNow(deps, session, profile))?.attempt.operation_msisdn || session.customer_phone
  return doubtOf(await deps.catalogue(profile.catalogue_version), {
    country,
    network,
    phone: phone === '' ? await kept() : phone,
    // Of a number that was not typed now, the page had its network selected.
    is_seen: phone === '' || seen === phone,
  })
}

const withoutSpaces = (text = ''): string => text.replace(/\s/g, '')

/** Each network that wants a code first has a field of its own. */
function payBodyOf({ form }: PageInput): PayBody {
  const { network = '', country = '', phone = '' } = form
  const otp = withoutSpaces(form[`otp_${network}`])
  return {
    network,
    ...(country === '' ? {} : { country }),
    ...(phone === '' ? {} : { customer: { phone } }),
    ...(otp === '' ? {} : { otp }),
  }
}

function requireValid(check: Check, body: unknown): void {
  const fields: FieldErrors = check(body)
  if (Object.keys(fields).length > 0) throw new Invalid(fields)
}

/** Where a refusal is shown on the form: the field it is about, and its text there. */
const places: Readonly<Record<string, readonly [string, Word]>> = {
  network: ['network', 'field_network'],
  country: ['country', 'field_country'],
  'customer.phone': ['phone', 'field_phone_needed'],
  otp: ['otp', 'field_code'],
  invalid_method: ['network', 'field_network'],
  invalid_country: ['country', 'field_country'],
  invalid_customer: ['phone', 'field_phone_plain'],
  prepayment_otp_missing: ['otp', 'field_otp'],
  otp_confirmation_failed: ['otp', 'field_code'],
  idempotency_in_progress: ['otp', 'field_code_again'],
  no_exchange_rate: ['form', 'no_rate'],
  no_route_available: ['form', 'no_route'],
  payment_already_pending: ['form', 'not_ended'],
}

/** For these the session's address shows more than an error could. */
const shownByState = new Set(['paid', 'transaction_terminal', 'not_retryable', 'no_attempt'])

async function answerRefused(deps: PageDeps, own: Visit, error: unknown): Promise<PageReply> {
  const keys = keysOf(error)
  const stays = keys.some((key) => shownByState.has(key))
  const now = await revisit(deps, own)
  const { pending_payment } = now.checkout.target.session
  const isUnderWay = pending_payment !== null && keys.includes('payment_already_pending')
  if (stays || isUnderWay || keys.includes('otp_not_applicable')) {
    return { is: 'see', location: own.here }
  }
  const errors = Object.fromEntries([
    ...numberAlone(now, keys),
    ...keys.flatMap((key) => placedError(now, key)),
  ])
  if (Object.keys(errors).length === 0) return refusedNow(deps, now, error)
  const status = keys.includes('payment_already_pending') ? 409 : 422
  return pageNow(deps, now, { status, errors })
}

function keysOf(error: unknown): readonly string[] {
  if (error instanceof Refusal) return [error.row.code]
  return error instanceof Invalid ? Object.keys(error.fields) : []
}

function placedError({ t, input }: Visit, key: string): [string, string][] {
  const place = places[key]
  if (place === undefined) return []
  const [id, word] = place
  const { network, country = '' } = input.form
  if (key === 'invalid_customer') return [[id, impossibleNumber(country, { t, input })]]
  // A code made beforehand is in the row of its network.
  return [[id === 'otp' && network !== undefined ? `otp_${network}` : id, t(word)]]
}

/**
 * Without a network nothing was looked at but that: what is wrong with the number is said at once,
 * and first, since a right one may show the network.
 */
function numberAlone({ t, input }: Visit, keys: readonly string[]): [string, string][] {
  const { country = '', phone = '' } = input.form
  if (!keys.includes('network') || phone === '') return []
  if (readPhone(phone, country).is === 'phone') return []
  return [['phone', impossibleNumber(country, { t, input })]]
}

/** Names the country that the number is not of, and one of it; or where it is from, if known. */
export function impossibleNumber(
  country: string,
  { t, input }: Pick<Visit, 't' | 'input'>,
): string {
  const number = exampleOf(country)
  if (number === undefined) return t('field_phone_plain')
  const there = { number, country: countryName(country, country, input.locale) }
  const other = otherPlaceOf(input.form['phone'] ?? '', country, [])
  if (other === undefined) return t('field_phone', there)
  return t('field_phone_place', { ...there, place: countryName(other, other, input.locale) })
}

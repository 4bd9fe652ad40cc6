// Reading a phone number as people type it, into E.164 by the network's country (contract 5.3).
// A number is refused only when it cannot exist there; whether it has a wallet, the gateway knows.

import type { CountryCode } from 'libphonenumber-js/mobile'
import {
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/mobile'
import { findNumberPlan, renumber, renumberInternational } from './number-plan.ts'

export type PhoneReading =
  | Readonly<{ is: 'phone'; e164: string; national: string }>
  /** 422 `invalid_customer`; a missing or empty number is the caller's 400. */
  | Readonly<{ is: 'impossible' }>

const IMPOSSIBLE: PhoneReading = { is: 'impossible' }
const INPUT_LENGTH_MAX = 64

/** Separators between digits: spaces, dots, dashes, brackets, and the marks of copied contacts. */
const SEPARATORS = /[\s.\-/()[\]\u00ad\u200b-\u200f\u202a-\u202e\u2010-\u2015\u2060-\u2069\u2212]/g

/**
 * Reads `input`, national or international, with or without `+` or `00`. A number of another
 * country than the network's is impossible: its operator could not reach it. A country without a
 * numbering plan (`XX`, cards) takes any possible international number, with or without its `+`.
 */
export function readPhone(input: string, country_iso2: string): PhoneReading {
  const typed = clean(input)
  if (!typed) return IMPOSSIBLE
  const country = country_iso2.toUpperCase()
  if (!isSupportedCountry(country)) return readOfAnywhere(typed.digits)
  if (typed.international) {
    const reading = readInternational(typed.digits, country)
    if (reading.is === 'phone' || !typed.by_zeros) return reading
    // The zeros may be the beginning of a whole number of an old plan.
    return readOld(`00${typed.digits}`, country)
  }
  const national = readNational(typed.digits, country)
  // Many write the calling code without its `+`; a national reading, where there is one, wins.
  return national.is === 'phone' ? national : readInternational(typed.digits, country)
}

type Typed = Readonly<{ digits: string; international: boolean; by_zeros: boolean }>

function clean(input: string): Typed | undefined {
  if (input.length > INPUT_LENGTH_MAX) return undefined
  const bare = input.normalize('NFKC').replace(SEPARATORS, '')
  const [, lead = '', digits] = /^(\+00|\+|00)?(\d+)$/.exec(bare) ?? []
  if (digits === undefined) return undefined
  return { digits, international: lead !== '', by_zeros: lead === '00' }
}

function readInternational(digits: string, country: CountryCode): PhoneReading {
  const calling_code = getCountryCallingCode(country)
  if (!digits.startsWith(calling_code)) return IMPOSSIBLE
  return readNational(digits.slice(calling_code.length), country)
}

function readNational(digits: string, country: CountryCode): PhoneReading {
  const plan = findNumberPlan(country)
  const phone = parsePhoneNumberFromString(plan ? renumber(plan, digits) : digits, country)
  if (phone?.countryCallingCode !== getCountryCallingCode(country)) return IMPOSSIBLE
  const national = phone.nationalNumber
  if (!phone.isPossible() || !hasShape(national, country)) return IMPOSSIBLE
  if (plan && !plan.now.test(national)) return IMPOSSIBLE
  return { is: 'phone', e164: phone.number, national }
}

function readOld(digits: string, country: CountryCode): PhoneReading {
  const plan = findNumberPlan(country)
  const isOld = plan !== undefined && renumber(plan, digits) !== digits
  return isOld ? readNational(digits, country) : IMPOSSIBLE
}

/**
 * A number that need not be of the country it is read by: with `+`, of the country that it names;
 * without, by that country's plan. No country: only with one of these calling codes (alpha-2 of
 * countries), and a form that this country's plan has; otherwise nothing is guessed.
 */
export function readAnyPhone(
  input: string,
  country: string | null,
  known: readonly string[],
): PhoneReading | Readonly<{ is: 'unclear' }> {
  const typed = clean(input)
  if (!typed) return IMPOSSIBLE
  if (input.trim().normalize('NFKC').startsWith('+')) return readOfAnywhere(typed.digits)
  if (country !== null) return readPhone(input, country)
  const { digits } = typed
  for (const one of known) {
    if (!isSupportedCountry(one)) continue
    const reading = readInternational(digits, one)
    if (reading.is === 'phone') return reading
  }
  return { is: 'unclear' }
}

function readOfAnywhere(digits: string): PhoneReading {
  const phone = parsePhoneNumberFromString(`+${renumberInternational(digits)}`)
  if (!phone?.isPossible()) return IMPOSSIBLE
  return { is: 'phone', e164: phone.number, national: phone.nationalNumber }
}

/**
 * The country's general form and the length of its mobile numbers. Not the library's `isValid`:
 * that one knows which ranges are assigned, so it refuses ranges opened since its release, and the
 * made-up numbers that merchants test with.
 */
function hasShape(national: string, country: CountryCode): boolean {
  const metadata = new Metadata()
  metadata.selectNumberingPlan(country)
  const plan: unknown = metadata.numberingPlan
  if (!isDetailed(plan)) return true
  const lengths = plan.type('MOBILE')?.possibleLengths() ?? [national.length]
  return (
    lengths.includes(national.length) &&
    new RegExp(`^(?:${plan.nationalNumberPattern()})$`).test(national)
  )
}

/** What a numbering plan of the library can also do, though its type does not show it. */
type DetailedPlan = {
  nationalNumberPattern(): string
  type(name: 'MOBILE'): { possibleLengths(): readonly number[] } | undefined
}

function isDetailed(plan: unknown): plan is DetailedPlan {
  if (typeof plan !== 'object' || plan === null) return false
  if (!('nationalNumberPattern' in plan && 'type' in plan)) return false
  return typeof plan.nationalNumberPattern === 'function' && typeof plan.type === 'function'
}

/** Whether this number, typed with its calling code, has the form before its country's change. */
export function isOfOldPlan(input: string): boolean {
  const digits = clean(input)?.digits ?? ''
  return renumberInternational(digits) !== digits
}

/** `+2250700000001` to `+225*******01`, for logs and for rows that are never erased. */
export function maskPhone(e164: string): string {
  const [head, tail] = e164.length > 8 ? [e164.slice(0, 4), e164.slice(-2)] : ['', '']
  return head + '*'.repeat(e164.length - head.length - tail.length) + tail
}

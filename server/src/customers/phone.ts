// Reading a phone number as people type it, into E.164 by the network's country (contract 5.3).
// A number is refused only when it cannot exist there; whether it has a wallet, the gateway knows.

import {
  type CountryCode,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  Metadata,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/mobile'
import examples from 'libphonenumber-js/mobile/examples'

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

/**
 * Whether this number has the form before its country's change: typed with its calling code, or
 * without it where the country (alpha-2) is known.
 */
export function isOfOldPlan(input: string, country: string | null = null): boolean {
  const digits = clean(input)?.digits ?? ''
  const plan = country === null ? undefined : findNumberPlan(country)
  const national = plan === undefined ? digits : renumber(plan, digits)
  return renumberInternational(digits) !== digits || national !== digits
}

/** `+2250700000001` to `+225*******01`, for logs and for rows that are never erased. */
export function maskPhone(e164: string): string {
  const [head, tail] = e164.length > 8 ? [e164.slice(0, 4), e164.slice(-2)] : ['', '']
  return head + '*'.repeat(e164.length - head.length - tail.length) + tail
}

// Numbers as people of their country write them, and the country of a number. Others who have a
// page's address see of a number only what its owner needs to recognise it.

/** `+2290197000010` as `01 97 00 00 10`; what cannot be read stays as it is. */
export function writePhone(e164: string): string {
  const phone = parsePhoneNumberFromString(e164)
  if (phone === undefined) return e164
  // The library writes the last four digits of Côte d'Ivoire together; people there write pairs.
  if (phone.country === 'CI') return phone.nationalNumber.replace(/\B(?=(\d{2})+$)/g, ' ')
  return phone.format('NATIONAL')
}

/** `+229 01 97 00 00 10`: to be called from anywhere. */
export const writeInternational = (e164: string): string =>
  parsePhoneNumberFromString(e164)?.formatInternational() ?? e164

/** `01 97 •• •• 10`: the beginning and the last two digits. */
export function writeHiddenPhone(e164: string): string {
  const text = writePhone(e164)
  const total = text.replace(/\D/g, '').length
  const shown = Math.min(4, Math.max(0, total - 7) + 1)
  let seen = 0
  return text.replace(/\d/g, (digit) => {
    seen += 1
    return seen <= shown || seen > total - 2 ? digit : '•'
  })
}

/** Alpha-2, of a number in international form; undefined when it does not show. */
export function countryOfPhone(text: string): string | undefined {
  const typed = text.trim().replace(/^00/, '+')
  return typed.startsWith('+') ? parsePhoneNumberFromString(typed)?.country : undefined
}

/** `+229`; undefined for what is no country (cards). */
export const callingCodeOf = (country: string): string | undefined =>
  isSupportedCountry(country) ? `+${getCountryCallingCode(country)}` : undefined

/** A number of the country's plan that nobody has, as people there write it. */
export function exampleOf(country: string): string | undefined {
  if (!isSupportedCountry(country)) return undefined
  const example = getExampleNumber(country, examples)
  return example === undefined ? undefined : writePhone(example.number)
}

/**
 * The beginning of a number in international form, without its last two digits: of one that this
 * operator's numbers look like, by what they begin with behind the calling code. Undefined where
 * the country has no numbering plan.
 */
export function lineOf(country: string, prefixes: readonly string[]): string | undefined {
  if (!isSupportedCountry(country)) return undefined
  const example = getExampleNumber(country, examples)
  if (example === undefined) return undefined
  const { length } = example.nationalNumber
  const calling_code = getCountryCallingCode(country)
  const tried = prefixes.map((prefix) => `+${calling_code}${prefix.padEnd(length, '0')}`)
  const line = tried.find((number) => readPhone(number, country).is === 'phone') ?? example.number
  return line.slice(0, -2)
}

// Changes of national numbering plans that people still type across: the old form, the date it
// ended, and the digits that went before it. Data with its source; the rule is `renumber` below.

type Renumbering = Readonly<{
  /** A whole national number of the old plan. */
  old: RegExp
  /** Put before it. */
  prefix: string
}>

export type NumberPlan = Readonly<{
  country: string
  calling_code: string
  /** The day the new plan came into force. */
  since: string
  /** The form of a national number since then. */
  now: RegExp
  renumberings: readonly Renumbering[]
}>

/**
 * Côte d'Ivoire. The operator's two digits went before the old eight: ARTCI's announcement of
 * 2020-07-28 (newsgeek.ci, same day). Which old range was whose: the libphonenumber metadata of
 * February 2021, when both forms were valid (mobile `01` before 0[1-3], [457][0-3]; `05` before
 * [04-9][4-6]; `07` before [04-8][7-9], 9[78]), and its carrier table for +225 names the same
 * operators. Old fixed lines (2x, 3x) hold no wallet and the closed GreenN (60, 61) has no
 * successor: both stay eight digits, which is impossible.
 */
const coteDIvoire: NumberPlan = {
  country: 'CI',
  calling_code: '225',
  since: '2021-01-31',
  now: /^[02][157]\d{8}$/,
  renumberings: [
    { old: /^(?:0[1-3]|[457][0-3])\d{6}$/, prefix: '01' }, // Moov
    { old: /^[04-9][4-6]\d{6}$/, prefix: '05' }, // MTN
    { old: /^(?:[04-8][7-9]|9[78])\d{6}$/, prefix: '07' }, // Orange
  ],
}

/**
 * Bénin. One prefix for every operator: ARCEP's change as reported on the day (allafrica.com,
 * 2024-11-30). Every number of eight digits is read as an old one, whatever it begins with
 * (contract 8.5): one rule, and no judgement of which ranges were ever given out.
 */
const benin: NumberPlan = {
  country: 'BJ',
  calling_code: '229',
  since: '2024-11-30',
  now: /^01\d{8}$/,
  renumberings: [{ old: /^\d{8}$/, prefix: '01' }],
}

const plans: readonly NumberPlan[] = [coteDIvoire, benin]

/** The dated plan of a country, where it has one. */
function findNumberPlan(country_iso2: string): NumberPlan | undefined {
  return plans.find((plan) => plan.country === country_iso2)
}

/**
 * Where people keep their number when they change operator, so that it does not say for sure whose
 * it is. Bénin, Cameroun, Ghana, Nigeria: the libphonenumber metadata of 2026-07-17
 * (`mobileNumberPortableRegion`). Sénégal: ARTP, 2015-09-01 (socialnetlink.org, same day). Côte
 * d'Ivoire: ARTCI, September 2018 (bbc.com/afrique/region-45395636). Togo: ARCEP, 2024-05-03
 * (osiris.sn, same day).
 */
const portable: ReadonlySet<string> = new Set(['BJ', 'CI', 'CM', 'GH', 'NG', 'SN', 'TG'])

export const isPortable = (country_iso2: string): boolean => portable.has(country_iso2)

/** A national number in today's form; one that is not of the old form comes back as it is. */
function renumber(plan: NumberPlan, national: string): string {
  const change = plan.renumberings.find(({ old }) => old.test(national))
  return change ? change.prefix + national : national
}

/** The same for digits that begin with a calling code (no `+`), of any country. */
function renumberInternational(digits: string): string {
  const plan = plans.find(({ calling_code }) => digits.startsWith(calling_code))
  if (!plan) return digits
  return plan.calling_code + renumber(plan, digits.slice(plan.calling_code.length))
}

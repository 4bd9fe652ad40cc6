// How our pages write sums and networks, and which addresses they may lead to.

import { writeAmount } from '../money/format.ts'
import { parseHundredths } from '../money/parse-amount.ts'
import { assert, type Locale } from '../platform/errors.ts'
import { placeOf, withFirst } from '../platform/write-moment.ts'

/** An amount as our JSON writes it, the way people read it. */
export function writeDecimal(decimal: string, currency: string, locale: Locale): string {
  const hundredths = parseHundredths(decimal)
  assert(hundredths !== undefined, 'our own amount')
  return writeAmount(hundredths, currency, locale)
}

// What a person typed as an amount. Three digits behind a point or a comma are no cents in any
// currency, so they are thousands: "5.000" is five thousand.

const currency_words =
  /(?:f\s*cfa|cfa|xof|xaf|gnf|fg|ghs|gh₵|ngn|₦|cdf|fc|usd|us\$|eur|francs?|f|\$|€)/

const around = new RegExp(`^${currency_words.source}|${currency_words.source}$`, 'gi')

/** As the API reads it: no spaces, no currency's name, cents behind a point. */
export function readTyped(text: string): string {
  const bare = text.replace(/[\s'’]/g, '').replace(around, '')
  const [, units, cents] = /^([1-9]\d{0,2}(?:[.,]\d{3})+)(?:[.,](\d{1,2}))?$/.exec(bare) ?? []
  if (units === undefined) return bare.replace(/,(\d{1,2})$/, '.$1')
  const digits = units.replace(/[.,]/g, '')
  return cents === undefined ? digits : `${digits}.${cents}`
}

// A moment as the clocks of the merchant show it; with its date and its zone's name it is written
// by platform/write-moment.ts.

const languages = { en: 'en-GB', fr: 'fr-FR' } as const

const formatMoment = (moment: Date, locale: Locale, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(languages[locale], options).format(moment)

/** `time`: "12:21 (Porto-Novo, UTC+1)"; `day`: "24 nov.", empty today. */
export function writeClock(
  moment: Date,
  timeZone: string,
  reading: Reading,
): Readonly<{ day: string; time: string }> {
  const { day, hours } = writeHours(moment, timeZone, reading)
  return { day, time: `${hours} (${placeOf(moment, timeZone, reading.locale)})` }
}

/** The same without the place: "12:21". */
export function writeHours(
  moment: Date,
  timeZone: string,
  { locale, now_ms }: Reading,
): Readonly<{ day: string; hours: string }> {
  const dayOf = (one: Date) => formatMoment(one, locale, { dateStyle: 'short', timeZone })
  const hours = formatMoment(moment, locale, { hour: '2-digit', minute: '2-digit', timeZone })
  const isToday = dayOf(moment) === dayOf(new Date(now_ms))
  const day = isToday
    ? ''
    : withFirst(formatMoment(moment, locale, { day: 'numeric', month: 'short', timeZone }), locale)
  return { day: day.replaceAll(' ', '\u00a0'), hours }
}

type Reading = Readonly<{ locale: Locale; now_ms: number }>

/** A network beside its country: "MTN MoMo Bénin" is "MTN MoMo". */
export function shortName(name: string, country: Readonly<{ name: string }> | undefined): string {
  const end = ` ${country?.name}`
  return name.endsWith(end) ? name.slice(0, -end.length) : name
}

// An address that a page may lead to: on the web. It is the operator's or the merchant's stored
// one, never one that the request brought.

export const webAddress = (text: string): string | undefined =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined

/** What a telephone dials: a menu's code, its `#` written so that it stays in the address. */
export const dialAddress = (ussd: string): string => `tel:${ussd.replaceAll('#', '%23')}`

const turning = /[\u202a-\u202e\u2066-\u2069]/g

/** Words of others within a sentence of ours, without the signs that would turn it. */
export const unturned = (words: string): string => words.replace(turning, '')

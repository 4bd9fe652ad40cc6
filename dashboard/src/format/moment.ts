// Moments as the clocks of the merchant's country show them, and days of the calendar. 24 hours a
// day; the year only where it is another one.

import type { Language } from './amount.ts'

/** One hour ahead of UTC all year; the other countries that we serve keep UTC itself. */
const hourAhead = new Set(['BJ', 'NE', 'NG', 'TD', 'CM', 'CF', 'CG', 'CD', 'GA'])

export type Clock = Readonly<{ language: Language; country: string | null }>

const localeOf = (language: Language): string => (language === 'fr' ? 'fr-FR' : 'en-GB')

export const zoneOf = (country: string | null): string =>
  country !== null && hourAhead.has(country) ? 'Africa/Lagos' : 'UTC'

export const zoneName = (country: string | null): string =>
  zoneOf(country) === 'UTC' ? 'UTC' : 'UTC+1'

/** "14:05" today, "21 Nov, 14:05" before, with its year when it is another. */
export function writeMoment(iso: string, clock: Clock, now: Date = new Date()): string {
  const moment = new Date(iso)
  const timeZone = zoneOf(clock.country)
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const day = dayIn(moment, timeZone)
  const isToday = day === dayIn(now, timeZone)
  const isThisYear = day.slice(0, 4) === dayIn(now, timeZone).slice(0, 4)
  const date = {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  } as const
  const parts = isToday ? time : { ...date, ...time }
  return new Intl.DateTimeFormat(localeOf(clock.language), { ...parts, timeZone }).format(moment)
}

/** With day and seconds: for a story, where two moments may be of the same minute. */
export function writeExactly(iso: string, { language, country }: Clock): string {
  return new Intl.DateTimeFormat(localeOf(language), {
    ...{ dateStyle: 'long', timeStyle: 'medium' },
    timeZone: zoneOf(country),
  }).format(new Date(iso))
}

/** "Sunday 22 November": a day of the calendar, written as `2026-11-22`. */
export const writeDay = (day: string, language: Language): string =>
  new Intl.DateTimeFormat(localeOf(language), {
    ...{ weekday: 'long', day: 'numeric', month: 'long' },
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`))

const dayIn = (moment: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    timeZone,
  }).format(moment)

/** The day of reports by the clocks of the merchant's country. */
export const today = (country: string | null, now: Date = new Date()): string =>
  dayIn(now, zoneOf(country))

/** A day of the merchant's calendar as the moment it begins or ends, for the API's filters. */
export function edgeOfDay(day: string, edge: 'begins' | 'ends', country: string | null): string {
  const zone = zoneOf(country) === 'UTC' ? 'Z' : '+01:00'
  return `${day}T${edge === 'begins' ? '00:00:00.000' : '23:59:59.999'}${zone}`
}

export const countryName = (iso_code: string, language: Language): string => {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' })
  return /^[A-Z]{2}$/.test(iso_code) ? (names.of(iso_code) ?? iso_code) : iso_code
}

/** "Porto-Novo" of "Africa/Porto-Novo". */
export const placeOf = (zone: string): string =>
  zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone

/** What a field for a day and a time holds ("2026-11-22T14:05"), by the merchant's clocks. */
export const momentOfClock = (typed: string, country: string | null): string =>
  typed === '' ? '' : `${typed}:00${zoneOf(country) === 'UTC' ? 'Z' : '+01:00'}`

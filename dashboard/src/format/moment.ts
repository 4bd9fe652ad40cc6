// Moments as the merchant's clocks show them (their `time_zone`, as on pages and in e-mails), and
// days of the calendar. 24 hours a day; the year only where it is another one.

import type { Language } from './amount.ts'

/** `zone`: an IANA name, such as Africa/Porto-Novo. */
export type Clock = Readonly<{ language: Language; zone: string }>

const localeOf = (language: Language): string => (language === 'fr' ? 'fr-FR' : 'en-GB')

const kept = new Map<string, Intl.DateTimeFormat>()

/** To make a format costs a hundred times what it costs to use it: a list has one in each row. */
function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${locale} ${JSON.stringify(options)}`
  const format = kept.get(name) ?? new Intl.DateTimeFormat(locale, options)
  kept.set(name, format)
  return format
}

/** "le 1er décembre": Intl writes the first of a month as any other day. */
const withFirst = (text: string, language: Language): string =>
  language === 'fr' ? text.replace(/(^|\s)1(?= \p{L})/u, (one) => `${one}er`) : text

/** In the words of a language, by the clocks of a place. */
function write(moment: Date, { language, zone }: Clock, how: Intl.DateTimeFormatOptions): string {
  const format = formatOf(localeOf(language), { ...how, timeZone: zone })
  return withFirst(format.format(moment), language)
}

/** "+01:00", or "" where the clocks show UTC itself. */
function offsetOf(zone: string, at: Date): string {
  const parts = formatOf('en', { timeZone: zone, timeZoneName: 'longOffset' })
  const name = parts.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return name.replace(/^(GMT|UTC)/, '').replace(/^[+-]00:00$/, '')
}

/** "UTC", "UTC+1", "UTC+5:30". */
export const zoneName = (zone: string, at: Date = new Date()): string =>
  `UTC${offsetOf(zone, at)
    .replace(/^([+-])0?(\d+):00$/, '$1$2')
    .replace(/^([+-])0/, '$1')}`

/** "14:05" today, "21 Nov, 14:05" before, with its year when it is another. */
export function writeMoment(iso: string, clock: Clock, now: Date): string {
  const moment = new Date(iso)
  const timeZone = clock.zone
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const day = dayIn(moment, timeZone)
  const todayThere = dayIn(now, timeZone)
  const isToday = day === todayThere
  const isThisYear = day.slice(0, 4) === todayThere.slice(0, 4)
  const date = {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  } as const
  const parts = isToday ? time : { ...date, ...time }
  return write(moment, clock, parts)
}

/** "24 November 2026": the day of a moment. */
export const writeDate = (iso: string, clock: Clock): string =>
  write(new Date(iso), clock, { dateStyle: 'long' })

/** "14:05:09": for a story, where two moments may be of the same minute. */
export const writeTime = (iso: string, clock: Clock): string =>
  write(new Date(iso), clock, { timeStyle: 'medium', hourCycle: 'h23' })

/** "14:00": an hour of a day, on an axis. */
export const writeHour = (iso: string, clock: Clock): string =>
  write(new Date(iso), clock, { timeStyle: 'short', hourCycle: 'h23' })

/** With day and seconds. */
export const writeExactly = (iso: string, clock: Clock): string =>
  write(new Date(iso), clock, { dateStyle: 'long', timeStyle: 'medium' })

/** "Sunday 22 November": a day of the calendar, written as `2026-11-22`. */
export const writeDay = (day: string, language: Language): string =>
  write(
    new Date(`${day}T00:00:00Z`),
    { language, zone: 'UTC' },
    { weekday: 'long', day: 'numeric', month: 'long' },
  )

/** "November 2026": a month of the calendar, written as `2026-11`. */
export const writeMonth = (month: string, language: Language): string =>
  formatOf(localeOf(language), {
    ...{ month: 'long', year: 'numeric' },
    timeZone: 'UTC',
  }).format(new Date(`${month}-01T00:00:00Z`))

const dayIn = (moment: Date, timeZone: string): string =>
  formatOf('en-CA', {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    timeZone,
  }).format(moment)

/** The day of reports by the merchant's clocks. */
export const today = (zone: string, now: Date): string => dayIn(now, zone)

/** A day of the merchant's calendar as the moment it begins or ends, for the API's filters. */
export function edgeOfDay(day: string, edge: 'begins' | 'ends', zone: string): string {
  const offset = offsetOf(zone, new Date(`${day}T12:00:00Z`))
  const time = edge === 'begins' ? '00:00:00.000' : '23:59:59.999'
  return `${day}T${time}${offset === '' ? 'Z' : offset}`
}

/** So many days before a day, in the calendar. */
export function daysBefore(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() - days)
  return date.toISOString().slice(0, 10)
}

/** The day before or after, `2026-11-22` to `2026-11-21`. */
export function dayBeside(day: string, step: -1 | 1): string {
  const moment = new Date(`${day}T12:00:00Z`)
  moment.setUTCDate(moment.getUTCDate() + step)
  return moment.toISOString().slice(0, 10)
}

/** The whole month before the one of this day. */
export function monthBefore(day: string): Readonly<{ from: string; to: string }> {
  const to = daysBefore(`${day.slice(0, 7)}-01`, 1)
  return { from: `${to.slice(0, 7)}-01`, to }
}

/** What a field for a day and a time holds ("2026-11-22T14:05"), by the merchant's clocks. */
export const momentOfClock = (typed: string, zone: string): string => {
  if (typed === '') return ''
  const offset = offsetOf(zone, new Date(`${typed}:00Z`))
  return `${typed}:00${offset === '' ? 'Z' : offset}`
}

/** What such a field holds for a moment. */
export function clockOfMoment(iso: string, zone: string): string {
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const moment = new Date(iso)
  return `${dayIn(moment, zone)}T${formatOf('en-GB', { ...time, timeZone: zone }).format(moment)}`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
const second = ['second', 1_000] as const

type Least = (typeof units)[2] | typeof second

/** "in 23 hours", "3 minutes ago": rounded to the largest unit that there is one of. */
export const writeLeft = (
  iso: string,
  language: Language,
  now: Date = new Date(),
  style: Style = 'long',
): string => writeSpan(new Date(iso).getTime() - now.getTime(), { language, style }, units[2])

/** "4 seconds ago", "3 minutes ago": what is ahead of the clock is now. */
export function writeAgo(iso: string, language: Language, now: number): string {
  const ago_ms = new Date(iso).getTime() - now
  return writeSpan(ago_ms < 0 ? ago_ms : -0, { language, style: 'long' }, second)
}

type Style = 'long' | 'short'
type How = Readonly<{ language: Language; style: Style }>

function writeSpan(left_ms: number, { language, style }: How, least: Least): string {
  const size = left_ms < 0 ? -left_ms : left_ms
  const [unit, ms] = units.find(([, one]) => size >= one) ?? least
  const names = new Intl.RelativeTimeFormat(localeOf(language), { numeric: 'always', style })
  return names.format(Number((left_ms / ms).toFixed(0)), unit)
}

/** "26 min ago"; '' where it is less than a minute, or has not come. */
export function writeAge(iso: string, language: Language, now: Date): string {
  const [, , [, minute_ms]] = units
  const isOld = now.getTime() - new Date(iso).getTime() >= minute_ms
  return isOld ? writeLeft(iso, language, now, 'short') : ''
}

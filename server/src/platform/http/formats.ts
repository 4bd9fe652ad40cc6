// The string formats that our schemas may name. Few and our own, so that what OpenAPI publishes is
// what is checked; an unknown format fails when the server starts.

import { isIP } from 'node:net'
import { isUuid } from '../ids.ts'

// Dates and times as text, to the microsecond. They stay text on the way to PostgreSQL, because a
// `Date` has milliseconds only and would cut the last three digits of a bound.

const day = String.raw`(\d{4})-(\d\d)-(\d\d)`
const time = String.raw`(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?`
const zone = String.raw`([Zz]|[+-]\d\d:?\d\d)?`
const form = new RegExp(`^${day}(?:[Tt ]${time} ?${zone})?$`)

const offset_minutes_max = 15 * 60

/** Minutes east of UTC; undefined when the text is no possible zone. No zone means UTC. */
function offsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
  const total = hours * 60 + minutes
  if (minutes > 59 || total > offset_minutes_max) return undefined
  return zone.startsWith('-') ? -total : total
}

function utcMillis(date: number[], time: number[]): number | undefined {
  const [year = 0, month = 0, day = 0] = date
  const [hour = 0, minute = 0, second = 0] = time
  // PostgreSQL has no year 0.
  if (year < 1 || hour > 23 || minute > 59 || second > 59) return undefined
  const moment = new Date(0)
  // `setUTCFullYear`, because `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  moment.setUTCFullYear(year, month - 1, day)
  // A day that the month does not have rolls over: 30 February is then not in February.
  if (moment.getUTCMonth() !== month - 1 || moment.getUTCDate() !== day) return undefined
  return moment.setUTCHours(hour, minute, second, 0)
}

/**
 * Reads an ISO 8601 date or date-time and returns it in UTC with six fractional digits, ready for
 * `::timestamptz`. A date alone is its midnight. Undefined when it is no moment of the calendar.
 */
export function readMoment(text: string): string | undefined {
  const [whole, year, month, day, hour, minute, second, part, zone] = form.exec(text) ?? []
  const offset = offsetMinutes(zone)
  if (whole === undefined || offset === undefined) return undefined
  const date = [Number(year), Number(month), Number(day)]
  const millis = utcMillis(date, [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)])
  if (millis === undefined) return undefined
  const utc = new Date(millis - offset * 60_000)
  // A zone can push the first and the last day out of the years that four digits can express.
  if (utc.getUTCFullYear() < 1) return '0001-01-01T00:00:00.000000Z'
  if (utc.getUTCFullYear() > 9999) return '9999-12-31T23:59:59.999999Z'
  return `${utc.toISOString().slice(0, 19)}.${(part ?? '').slice(0, 6).padEnd(6, '0')}Z`
}

/**
 * The same as a `Date`, to the millisecond; an invalid one where it is no moment. Its year has four
 * digits whatever its zone makes of it, so the database takes it.
 */
export const dateOf = (text: string): Date => new Date(readMoment(text) ?? Number.NaN)

/** A full RFC 3339 date-time: time and zone must be there, as the published format demands. */
const isDateTime = (text: string): boolean =>
  /[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) && readMoment(text) !== undefined

export const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && readMoment(text) !== undefined

const email_form =
  /^[^\s@<>()",;:\\[\]]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i

const isEmail = (text: string): boolean => text.length <= 254 && email_form.test(text)

/** An absolute http(s) URL without a user or password in it. */
function isWebUrl(text: string): boolean {
  // The parser forgives white space, line ends and backslashes; what is kept and sent should not.
  if (!/^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** What a person writes as one line is one line in each letter and on each paper that has it. */
const isOneLine = (text: string): boolean => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)

export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: isUuid,
  email: isEmail,
  date: isDate,
  'date-time': isDateTime,
  uri: isWebUrl,
  ip: (text) => isIP(text) !== 0,
  'one-line': isOneLine,
}

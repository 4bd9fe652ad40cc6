// When an account is open, in its country's own time: hours of the week, and closings with their
// dates. Pure. Law: what has no hours is open whenever it is not closed by hand.

/** Part of one weekday (1: Monday … 7: Sunday), in minutes since its midnight. */
export type OpenWindow = Readonly<{ weekday: number; opens_min: number; closes_min: number }>

/** Milliseconds since 1970; `until_ms` null: until it is lifted. */
export type Closing = Readonly<{ from_ms: number; until_ms: number | null }>

export type OpeningHours = Readonly<{
  time_zone: string
  /** Empty: open at every hour. */
  windows: readonly OpenWindow[]
  closings: readonly Closing[]
}>

/** Why it is closed, and until when as far as that is known. */
export type Closure = Readonly<{
  by: 'SCHEDULE' | 'STAFF'
  until_ms: number | null
  time_zone: string
}>

const dayMin = 1440
const weekMin = 7 * dayMin
const minuteMs = 60_000

/** Undefined while it is open. A closing by hand goes before the hours of the week. */
export function closedAt(hours: OpeningHours, now_ms: number): Closure | undefined {
  const { time_zone, windows, closings } = hours
  for (const { from_ms, until_ms } of closings) {
    if (from_ms > now_ms || (until_ms !== null && until_ms <= now_ms)) continue
    return { by: 'STAFF', until_ms, time_zone }
  }
  if (windows.length === 0) return undefined
  const now_min = minuteOfWeek(time_zone, now_ms)
  let wait_min = weekMin
  for (const { weekday, opens_min, closes_min } of windows) {
    const from = (weekday - 1) * dayMin
    if (from + opens_min <= now_min && now_min < from + closes_min) return undefined
    wait_min = Math.min(wait_min, (from + opens_min - now_min + weekMin) % weekMin)
  }
  const this_minute_ms = now_ms - (now_ms % minuteMs)
  return { by: 'SCHEDULE', until_ms: this_minute_ms + wait_min * minuteMs, time_zone }
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
/** To ask the calendar costs more than to choose a route: each zone's minute is kept. */
const minutes = new Map<string, { at: number; minute_of_week: number }>()
const formats = new Map<string, Intl.DateTimeFormat>()

/** Minutes since Monday, midnight, by the clocks of the zone. */
export function minuteOfWeek(time_zone: string, now_ms: number): number {
  const at = Math.floor(now_ms / minuteMs)
  const kept = minutes.get(time_zone)
  if (kept?.at === at) return kept.minute_of_week
  const format =
    formats.get(time_zone) ??
    new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone: time_zone, weekday: 'short', hourCycle: 'h23' },
      ...{ hour: '2-digit', minute: '2-digit' },
    })
  formats.set(time_zone, format)
  const parts = new Map(format.formatToParts(now_ms).map(({ type, value }) => [type, value]))
  const days = weekdays.indexOf(parts.get('weekday') ?? '')
  const hour = Number(parts.get('hour'))
  const minute_of_week = days * dayMin + hour * 60 + Number(parts.get('minute'))
  minutes.set(time_zone, { at, minute_of_week })
  return minute_of_week
}

/** `06:30`, `24:00`; undefined where it is none. Minutes since midnight. */
export function readClock(text: string): number | undefined {
  const [, hour = '', minute = ''] = /^([01]\d|2[0-4]):([0-5]\d)$/.exec(text) ?? []
  if (hour === '') return undefined
  const minutes_of_day = Number(hour) * 60 + Number(minute)
  return minutes_of_day <= dayMin ? minutes_of_day : undefined
}

export const writeClock = (minutes_of_day: number): string =>
  [Math.floor(minutes_of_day / 60), minutes_of_day % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')

/** What is wrong with hours that are to be set: none may end before it begins, or meet another. */
export function faultIn(windows: readonly OpenWindow[]): 'backwards' | 'overlap' | undefined {
  if (windows.some(({ opens_min, closes_min }) => closes_min <= opens_min)) return 'backwards'
  const sorted = windows.toSorted((a, b) => a.weekday - b.weekday || a.opens_min - b.opens_min)
  const meets = sorted.some((one, at) => {
    const next = sorted[at + 1]
    return next?.weekday === one.weekday && next.opens_min < one.closes_min
  })
  return meets ? 'overlap' : undefined
}

// When an account is open: hours of the week by the country's clocks, closings by their dates.

import { describe, expect, it } from 'vitest'
import {
  type Closing,
  closedAt,
  faultIn,
  minuteOfWeek,
  type OpeningHours,
  type OpenWindow,
  readClock,
  writeClock,
} from './opening-hours.ts'

/** Monday 23 November 2026; Porto-Novo is an hour ahead of UTC. */
const at = (text: string) => Date.parse(`2026-11-${text}Z`)

const window = (weekday: number, opens: string, closes: string): OpenWindow => ({
  weekday,
  opens_min: readClock(opens) ?? -1,
  closes_min: readClock(closes) ?? -1,
})
const hours = (
  windows: readonly OpenWindow[],
  closings: readonly Closing[] = [],
): OpeningHours => ({ time_zone: 'Africa/Porto-Novo', windows, closings })

const weekdays = [1, 2, 3, 4, 5].map((day) => window(day, '06:00', '22:00'))

describe('hours of the week', () => {
  it('are the country’s own, to the minute', () => {
    expect(closedAt(hours(weekdays), at('23T04:59:59'))).toMatchObject({ by: 'SCHEDULE' })
    expect(closedAt(hours(weekdays), at('23T05:00:00'))).toBeUndefined()
    expect(closedAt(hours(weekdays), at('23T20:59:59'))).toBeUndefined()
    expect(closedAt(hours(weekdays), at('23T21:00:00'))).toBeDefined()
  })

  it('say when it opens, over the weekend too', () => {
    expect(closedAt(hours(weekdays), at('23T21:00:30'))).toEqual({
      by: 'SCHEDULE',
      until_ms: at('24T05:00:00'),
      time_zone: 'Africa/Porto-Novo',
    })
    expect(closedAt(hours(weekdays), at('28T12:00:00'))?.until_ms).toBe(at('30T05:00:00'))
  })

  it('that are none leave it open, and 24:00 is the end of the day', () => {
    expect(closedAt(hours([]), at('23T03:00:00'))).toBeUndefined()
    const whole = hours([window(1, '00:00', '24:00')])
    expect(closedAt(whole, at('22T23:00:00'))).toBeUndefined()
    expect(closedAt(whole, at('23T22:59:59'))).toBeUndefined()
    expect(closedAt(whole, at('23T23:00:00'))).toBeDefined()
  })

  it('open when they say that they open, from any minute of two weeks', () => {
    const some = hours([...weekdays, window(6, '00:15', '00:30'), window(7, '23:00', '24:00')])
    for (let minute = 0; minute < 2 * 7 * 1440; minute += 7) {
      const now = at('23T00:00:00') + minute * 60_000
      const closure = closedAt(some, now)
      if (closure === undefined) continue
      const { until_ms } = closure
      expect(until_ms).toBeGreaterThan(now)
      expect(closedAt(some, until_ms ?? 0)).toBeUndefined()
      expect(closedAt(some, (until_ms ?? 0) - 1)).toBeDefined()
    }
  })
})

describe('a closing', () => {
  const closing = { from_ms: at('23T10:00:00'), until_ms: at('23T11:00:00') }

  it('holds from its first moment to before its last, whatever the hours are', () => {
    const closed = hours(weekdays, [closing])
    expect(closedAt(closed, closing.from_ms - 1)).toBeUndefined()
    const found = { by: 'STAFF', until_ms: closing.until_ms, time_zone: 'Africa/Porto-Novo' }
    expect(closedAt(closed, closing.from_ms)).toEqual(found)
    expect(closedAt(closed, closing.until_ms - 1)).toEqual(found)
    expect(closedAt(closed, closing.until_ms)).toBeUndefined()
  })

  it('without an end holds until it is lifted', () => {
    const closed = hours([], [{ from_ms: at('23T10:00:00'), until_ms: null }])
    expect(closedAt(closed, at('29T10:00:00'))).toMatchObject({ by: 'STAFF', until_ms: null })
  })
})

describe('clocks', () => {
  it('are read as they are written', () => {
    for (const text of ['00:00', '06:30', '23:59', '24:00']) {
      expect(writeClock(readClock(text) ?? -1)).toBe(text)
    }
    for (const text of ['24:01', '6:30', '25:00', '12:60', '', 'noon']) {
      expect(readClock(text)).toBeUndefined()
    }
  })

  it('of a zone are counted from its own Monday', () => {
    expect(minuteOfWeek('Africa/Porto-Novo', at('22T23:00:00'))).toBe(0)
    expect(minuteOfWeek('UTC', at('22T23:59:00'))).toBe(7 * 1440 - 1)
    expect(minuteOfWeek('Africa/Porto-Novo', at('22T22:59:00'))).toBe(7 * 1440 - 1)
  })
})

describe('hours that may not be set', () => {
  it('end before they begin, or meet on the same day', () => {
    expect(faultIn(weekdays)).toBeUndefined()
    expect(faultIn([window(1, '08:00', '12:00'), window(1, '12:00', '18:00')])).toBeUndefined()
    expect(faultIn([window(1, '12:00', '18:00'), window(1, '08:00', '12:01')])).toBe('overlap')
    expect(faultIn([window(1, '12:00', '18:00'), window(2, '08:00', '12:01')])).toBeUndefined()
    expect(faultIn([window(1, '12:00', '12:00')])).toBe('backwards')
  })
})

// Moments for people: by the clocks of the place that is named, in their language.

import { describe, expect, it } from 'vitest'
import { isTimeZone, writeDay, writeMoment } from './write-moment.ts'

const summer = new Date('2026-07-14T22:30:00Z')
const first = new Date('2026-12-01T12:05:00Z')
const winter = new Date('2026-11-22T23:16:05Z')

describe('a moment for people', () => {
  it.each([
    [winter, 'Africa/Porto-Novo', 'fr', '23 novembre 2026 à 00:16 (Porto-Novo, UTC+1)'],
    [winter, 'Africa/Abidjan', 'fr', '22 novembre 2026 à 23:16 (Abidjan, UTC)'],
    [winter, 'UTC', 'en', '22 November 2026 at 23:16 (UTC)'],
    [winter, 'America/New_York', 'en', '22 November 2026 at 18:16 (New York, UTC-5)'],
    [winter, 'Asia/Kolkata', 'en', '23 November 2026 at 04:46 (Kolkata, UTC+5:30)'],
    [first, 'Africa/Porto-Novo', 'fr', '1er décembre 2026 à 13:05 (Porto-Novo, UTC+1)'],
    [first, 'Africa/Porto-Novo', 'en', '1 December 2026 at 13:05 (Porto-Novo, UTC+1)'],
    [summer, 'Europe/Paris', 'fr', '15 juillet 2026 à 00:30 (Paris, UTC+2)'],
  ] as const)('%s in %s, %s', (moment, zone, locale, written) => {
    expect(writeMoment(moment, zone, locale)).toBe(written)
  })

  it('may be its day alone', () => {
    expect(writeDay(winter, 'Africa/Porto-Novo', 'fr')).toBe('23 novembre 2026')
    expect(writeDay(first, 'UTC', 'fr')).toBe('1er décembre 2026')
    expect(writeDay(winter, 'UTC', 'en')).toBe('22 November 2026')
  })
})

describe('the name of a zone', () => {
  it.each(['UTC', 'Africa/Porto-Novo', 'europe/paris', 'America/Argentina/Buenos_Aires'])(
    'may be %s',
    (name) => expect(isTimeZone(name)).toBe(true),
  )

  it.each(['', 'Paris', '+01:00', 'EST5EDT', 'Mars/Base', 'posix/Africa/Lagos', "A/B'; --"])(
    'is not %j',
    (name) => expect(isTimeZone(name)).toBe(false),
  )
})

// What everybody may know of networks: the best of their routes, when each state shows and clears,
// and no figure through which one merchant could be seen. Time is the test's own.

import { describe, expect, it } from 'vitest'
import { type Availability, availabilityIn, availabilityOf } from './availability.ts'
import type { RouteFare } from './availability-store.ts'

const now = Date.parse('2026-11-23T08:00:00Z')
const ago = (seconds: number) => new Date(now - seconds * 1000)

const fare = (changes: Partial<RouteFare> = {}): RouteFare => ({
  ...{ environment: 'LIVE', country_code: 'BJ', network_code: 'mtn_bj', network_name: 'MTN' },
  ...{ direction: 'COLLECT', is_on: true, float_empty: false, hours: null },
  ...{ broken_since: null, demoted_at: null, merchants: [1, 2, 3] },
  ...{ published_state: null, published_since: null },
  tally: { good: 90, bad: 8, expired: 50, unknown: 2 },
  ...changes,
})

const only = (fares: readonly RouteFare[], at = now): Availability => {
  const [row, ...others] = availabilityOf(fares, 'LIVE', at)
  if (row === undefined || others.length > 0) throw new Error(`${others.length} more rows`)
  return row
}

const closed = (until_ms: number | null) => ({
  ...{ time_zone: 'Africa/Porto-Novo', windows: [] },
  closings: [{ from_ms: now - 1000, until_ms }],
})

describe('a network', () => {
  it('that works says so, with the share of its payments', () => {
    expect(only([fare()])).toEqual({
      ...{ country_code: 'BJ', network_code: 'mtn_bj', direction: 'COLLECT' },
      ...{ status: 'OPERATIONAL', success_rate: '0.90', sample: 100, window_minutes: 60 },
      ...{ since: null, source: 'OBSERVED' },
      message: { en: 'MTN works normally.', fr: 'MTN fonctionne normalement.' },
    })
  })

  it('is as well as the best of its routes', () => {
    const dead = fare({ broken_since: ago(1000) })
    const ill = fare({ demoted_at: ago(700) })
    expect(only([dead, ill, fare()]).status).toBe('OPERATIONAL')
    expect(only([dead, ill])).toMatchObject({ status: 'DELAYED', since: ago(700).toISOString() })
    expect(only([fare({ direction: 'DISBURSE', float_empty: true })])).toMatchObject({
      ...{ status: 'DELAYED', source: 'STAFF' },
    })
  })

  it('is what its operator says where we see it less ill, and by its best route all the same', () => {
    const said = { published_state: 'CLOSED', published_since: ago(60) } as const
    const one = only([fare(said)])
    expect(one).toMatchObject({ status: 'CLOSED', source: 'OPERATOR' })
    expect([one.since, one.message]).toEqual([
      ago(60).toISOString(),
      { en: 'MTN is down, as its operator says.', fr: 'MTN est en panne, selon son opérateur.' },
    ])
    expect(only([fare(said), fare()])).toMatchObject({ status: 'OPERATIONAL', source: 'OBSERVED' })
    const slow = fare({
      published_state: 'DELAYED',
      published_since: ago(60),
      demoted_at: ago(700),
    })
    expect(only([slow])).toMatchObject({ status: 'DELAYED', source: 'OPERATOR' })
    const dead = fare({ published_state: 'OPERATIONAL', broken_since: ago(500) })
    expect(only([dead])).toMatchObject({ status: 'CLOSED', source: 'OBSERVED' })
    expect(only([fare({ published_state: 'OPERATIONAL' })])).toMatchObject({ source: 'OBSERVED' })
    const off = fare({ ...said, is_on: false })
    expect(only([off])).toMatchObject({ status: 'CLOSED', source: 'STAFF' })
  })

  it('is closed two minutes after all its routes died, and not a second later than it is well', () => {
    const shown = (seconds: number) => only([fare({ broken_since: ago(seconds) })]).status
    expect([shown(0), shown(119), shown(120)]).toEqual(['DELAYED', 'DELAYED', 'CLOSED'])
    const both = [fare({ broken_since: ago(500) }), fare({ broken_since: ago(60) })]
    expect(only(both).status).toBe('DELAYED')
    expect(only([fare({ broken_since: null })]).status).toBe('OPERATIONAL')
  })

  it('is closed by hand or by its hours from their first moment to their last', () => {
    const until = now + 3_600_000
    const row = only([fare({ hours: closed(until) })])
    expect(row).toMatchObject({ status: 'CLOSED', source: 'STAFF' })
    expect(row.message.en).toBe(
      'MTN is closed until 23 November 2026 at 10:00 (Porto-Novo, UTC+1).',
    )
    expect(row.message.fr).toMatch(/^MTN est fermé jusqu’au 23 novembre 2026 à 10:00/)
    expect(only([fare({ hours: closed(until) })], until).status).toBe('OPERATIONAL')
    expect(only([fare({ hours: closed(null) })]).message.en).toBe('MTN is closed for now.')
    const windows = [{ weekday: 2, opens_min: 0, closes_min: 60 }]
    const hours = { time_zone: 'UTC', windows, closings: [] }
    expect(only([fare({ hours })])).toMatchObject({ status: 'CLOSED', source: 'SCHEDULE' })
    expect(only([fare({ is_on: false })])).toMatchObject({ status: 'CLOSED', source: 'STAFF' })
  })

  it('of one direction or environment says nothing of another', () => {
    const fares = [fare(), fare({ direction: 'DISBURSE', is_on: false })]
    expect(availabilityOf(fares, 'LIVE', now).map(({ status }) => status)).toEqual([
      'OPERATIONAL',
      'CLOSED',
    ])
    expect(availabilityOf(fares, 'SANDBOX', now)).toEqual([])
  })
})

describe('no merchant is seen through it', () => {
  it('under twenty payments, or of fewer than three merchants, there is no figure', () => {
    const hidden = { success_rate: null, sample: 0 }
    expect(only([fare({ merchants: [1, 2] })])).toMatchObject(hidden)
    const tally = { good: 19, bad: 0, expired: 500, unknown: 0 }
    expect(only([fare({ tally })])).toMatchObject(hidden)
    const two = [fare({ merchants: [1, 2], tally }), fare({ merchants: [2, 1], tally })]
    expect(only(two)).toMatchObject(hidden)
    const three = [fare({ merchants: [1, 2], tally }), fare({ merchants: [3], tally })]
    expect(only(three)).toMatchObject({ success_rate: '1.00', sample: 38 })
  })
})

describe('the copy that is served', () => {
  it('is read once at a time, served while it is read again, and never served when it is old', async () => {
    let at = now
    let reads = 0
    let done: (fares: readonly RouteFare[]) => void = () => undefined
    const read = () => {
      reads += 1
      return new Promise<readonly RouteFare[]>((resolve) => {
        done = resolve
      })
    }
    const served = availabilityIn(read, () => at)
    const first = [served('LIVE'), served('LIVE')]
    done([fare()])
    for (const one of await Promise.all(first)) expect(one).toHaveLength(1)
    expect(reads).toBe(1)
    await served('LIVE')
    expect(reads).toBe(1)
    at += 5_000
    expect((await served('LIVE'))[0]?.status).toBe('OPERATIONAL')
    await served('SANDBOX')
    expect(reads).toBe(2)
    done([fare({ is_on: false })])
    await new Promise((resolve) => setImmediate(resolve))
    expect((await served('LIVE'))[0]?.status).toBe('CLOSED')
    at += 60_000
    const waiting = served('LIVE')
    done([fare()])
    expect((await waiting)[0]?.status).toBe('OPERATIONAL')
  })

  it('is read again after a failure, which only those who have nothing else are told', async () => {
    let at = now
    let fails = false
    const served = availabilityIn(
      async () => {
        if (fails) throw new Error('away')
        return [fare()]
      },
      () => at,
    )
    await served('LIVE')
    fails = true
    at += 5_000
    expect(await served('LIVE')).toHaveLength(1)
    at += 60_000
    await expect(served('LIVE')).rejects.toThrow('away')
    fails = false
    expect(await served('LIVE')).toHaveLength(1)
  })
})

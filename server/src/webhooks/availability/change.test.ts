// What is news of a network: that it differs from what was announced, and has lasted.

import { expect, it } from 'vitest'
import type { Availability } from '../../gateways/availability.ts'
import { newsOf } from './change.ts'

const now_ms = Date.parse('2026-11-21T12:00:00.000Z')
const ago = (s: number) => new Date(now_ms - s * 1000).toISOString()
const at = { environment: 'SANDBOX', now_ms } as const

const row = (changes: Partial<Availability> = {}): Availability => ({
  ...{ country_code: 'BJ', network_code: 'mtn_bj', direction: 'COLLECT', status: 'OPERATIONAL' },
  ...{ success_rate: null, sample: 0, window_minutes: 60, since: null, source: 'OBSERVED' },
  message: { en: 'well', fr: 'bien' },
  ...changes,
})
const known = (status: Availability['status']) => [
  { environment: 'SANDBOX', network_code: 'mtn_bj', direction: 'COLLECT', status } as const,
]
const statusesOf = (rows: readonly Availability[], before: Parameters<typeof newsOf>[1]) =>
  newsOf(rows, before, at).map(({ status }) => status)

it('what nobody knows is taken over, and what is as it was is none', () => {
  expect(statusesOf([row()], [])).toEqual(['OPERATIONAL'])
  expect(statusesOf([row()], known('OPERATIONAL'))).toEqual([])
  expect(statusesOf([row({ direction: 'DISBURSE' })], known('OPERATIONAL'))).toHaveLength(1)
  expect(newsOf([row()], known('CLOSED'), { ...at, environment: 'LIVE' })).toHaveLength(1)
})

it('what is observed must have lasted two minutes, what staff or hours close need not', () => {
  const broken = (s: number) => row({ status: 'DELAYED', since: ago(s) })
  expect(statusesOf([broken(119)], known('OPERATIONAL'))).toEqual([])
  expect(statusesOf([broken(120)], known('OPERATIONAL'))).toEqual(['DELAYED'])
  const dead = row({ status: 'CLOSED', since: ago(120) })
  expect(statusesOf([dead], known('OPERATIONAL'))).toEqual(['CLOSED'])
  for (const source of ['STAFF', 'SCHEDULE'] as const) {
    const closed = row({ status: 'CLOSED', source })
    expect(statusesOf([closed], known('OPERATIONAL'))).toEqual(['CLOSED'])
  }
  expect(statusesOf([row()], known('CLOSED'))).toEqual(['OPERATIONAL'])
})

it('holds what its event needs: where, since when, by whom, in both languages', () => {
  const dead = row({ status: 'CLOSED', since: ago(130), message: { en: 'shut', fr: 'fermé' } })
  expect(newsOf([dead], known('DELAYED'), at)).toEqual([
    {
      ...{ id: expect.any(String), environment: 'SANDBOX', country_code: 'BJ' },
      ...{ network_code: 'mtn_bj', direction: 'COLLECT', status: 'CLOSED', source: 'OBSERVED' },
      ...{ since: ago(130), message_en: 'shut', message_fr: 'fermé' },
    },
  ])
})

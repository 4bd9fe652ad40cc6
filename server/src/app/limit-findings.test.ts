// What a check says of the limits that an operator publishes, in both languages.

import { describe, expect, it } from 'vitest'
import type { RuleLook } from '../gateways/operator-rule-statements.ts'
import { limitFindings } from './limit-findings.ts'

const now = Date.parse('2026-11-29T08:00:00Z')
const ago = (minutes: number) => new Date(now - minutes * 60_000)
const look = (changes: Partial<RuleLook> = {}): RuleLook => ({
  ...{ asked_at: ago(90), read_at: ago(90), fault: '', waiting: [] },
  ...changes,
})
const saidOf = (found: RuleLook | undefined) => {
  const [first, ...others] = limitFindings(found, now)
  expect(others).toEqual([])
  return [first?.is, first?.found.en, first?.found.fr]
}

describe('limits as published', () => {
  it('are no finding where nobody has asked for them', () => {
    expect(limitFindings(undefined, now)).toEqual([])
    expect(limitFindings(look({ asked_at: null, read_at: null }), now)).toEqual([])
  })

  it('that were read are right, and so are those that are read just now', () => {
    const read = ['PASS', 'read 2026-11-29 06:30 UTC', 'lues le 29/11/2026 à 06:30 UTC']
    expect(saidOf(look())).toEqual(read)
    expect(saidOf(look({ asked_at: ago(0.5) }))).toEqual(read)
  })

  it('that could not be read say when they last were', () => {
    expect(saidOf(look({ asked_at: ago(30) }))).toEqual([
      ...['WARN', 'last read 2026-11-29 06:30 UTC', 'dernière lecture le 29/11/2026 à 06:30 UTC'],
    ])
    expect(saidOf(look({ read_at: null }))).toEqual(['WARN', 'never read yet', 'jamais lues'])
  })

  it('that cannot be meant are named, and what is narrower', () => {
    const waiting = [{ network_code: 'mtn_bj', direction: 'COLLECT', at_ms: now }] as const
    expect(saidOf(look({ fault: 'mtn_gh DISBURSE' }))).toEqual([
      'WARN',
      'cannot be meant, or are not what we send: mtn_gh DISBURSE',
      'incohérentes, ou différentes de nos envois : mtn_gh DISBURSE',
    ])
    expect(
      saidOf(look({ waiting: [...waiting, { ...waiting[0], direction: 'DISBURSE' }] })),
    ).toEqual([
      'WARN',
      'narrower: mtn_bj COLLECT from 2026-11-29 08:00 UTC; ' +
        'mtn_bj DISBURSE from 2026-11-29 08:00 UTC',
      'plus étroites : mtn_bj COLLECT à partir du 29/11/2026 à 08:00 UTC ; ' +
        'mtn_bj DISBURSE à partir du 29/11/2026 à 08:00 UTC',
    ])
    // What will count soon is named whatever else there is.
    const soon = 'narrower: mtn_bj COLLECT from 2026-11-29 08:00 UTC'
    const textsOf = (found: RuleLook) => limitFindings(found, now).map((one) => one.found.en)
    expect(textsOf(look({ fault: 'mtn_gh DISBURSE', waiting }))[1]).toBe(soon)
    expect(textsOf(look({ asked_at: ago(30), waiting }))[1]).toBe(soon)
  })
})

// What is claimed of operators by the API is what the table has, and what is old says so.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { adapters } from './adapters.ts'
import { goodUntil, type VerifiedLine, viewSeen, viewVerified } from './verified.ts'

const table: VerifiedLine[] = JSON.parse(
  readFileSync(new URL('../../../docs/operators/verified.json', import.meta.url), 'utf8'),
)
const day_ms = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * day_ms).toISOString().slice(0, 10)

describe('what was proven of an operator', () => {
  it('is each line of the table, under the operator that has it, and none of another', () => {
    const shown = adapters.flatMap(({ adapter, name }) =>
      viewVerified(adapter).map(({ ability, imitated, client_proof, sandbox, live }) => ({
        ...{ operator: name, ability, imitated, client_proof },
        ...{ sandbox: sandbox?.on ?? null, live: live?.on ?? null },
      })),
    )
    const lines = table.map(({ sandbox, live, ...line }) => ({
      ...line,
      ...{ sandbox: sandbox?.on ?? null, live: live?.on ?? null },
    }))
    const sorted = (of: typeof shown) => of.map((one) => JSON.stringify(one)).sort()
    expect(sorted(shown)).toEqual(sorted(lines))
    for (const { adapter } of adapters) expect(viewVerified(adapter)).not.toEqual([])
  })

  it('is nothing of the sandbox’s own operator', () => {
    expect(viewVerified('simulator')).toEqual([])
  })

  it('is stale after 180 days', () => {
    const seen = { by: 'Ada', evidence: 'seen.json' }
    expect(viewSeen(null)).toBeNull()
    expect(viewSeen({ ...seen, on: daysAgo(179) })).toMatchObject({ is_stale: false, amount: null })
    const old = { ...seen, on: daysAgo(182), amount: '100.00 XOF' }
    expect(viewSeen(old)).toEqual({ ...old, is_stale: true })
    expect(goodUntil({ on: '2026-11-20' }).toISOString().slice(0, 10)).toBe('2027-05-19')
  })
})

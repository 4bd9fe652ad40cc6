// What the honesty table claims of each operator: no more than its evidence, and every adapter has a
// page with its facts.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Claim, faultsOf, tableOf } from '../../tools/generate/honesty-table.ts'
import { adapters } from '../src/gateways/adapters.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'docs/operators')
const claims: Claim[] = JSON.parse(readFileSync(join(folder, 'verified.json'), 'utf8'))

const evidenceIsThere = (file: string) => existsSync(join(folder, 'evidence', file))

describe('the honesty table', () => {
  it('claims nothing without its evidence', () => {
    expect(faultsOf(claims, evidenceIsThere)).toEqual([])
  })

  it('is the page that people read', () => {
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(tableOf(claims))
  })

  it('finds a claim that nobody has evidence of, or that is old', () => {
    const [first] = claims
    if (first === undefined) throw new Error('there are no claims')
    const seen = { on: '2026-11-20', by: 'Ada', evidence: 'nowhere.txt' }
    expect(faultsOf([{ ...first, sandbox: seen }], evidenceIsThere)).toHaveLength(1)
    expect(faultsOf([{ ...first, sandbox: { ...seen, evidence: '' } }], () => true)).toHaveLength(1)
    expect(faultsOf([{ ...first, sandbox: seen }], () => true)).toEqual([])
    expect(tableOf([{ ...first, sandbox: seen }])).toContain(
      '2026-11-20, Ada (stale after 2027-05-19)',
    )
    expect(tableOf([{ ...first, sandbox: null }])).toContain('not yet')
  })

  it('has a page of facts and a runbook for each operator that has accounts', () => {
    for (const { adapter } of adapters) {
      expect(readdirSync(folder)).toContain(`${adapter}.md`)
      expect(readdirSync(join(root, 'docs/runbooks'))).toContain(`operator-${adapter}.md`)
    }
  })
})

// The verdict on a mutation run: each mutated file counts in one area, and a weak area shows.

import { describe, expect, it } from 'vitest'
import { areaOf, scores } from './areas.ts'

const mutant = (file: string, status: string) => ({ fileName: `server/src/${file}`, status })

describe('the areas', () => {
  it.each([
    ['money/round.ts', 'money'],
    ['ledger/view.ts', 'money'],
    ['rates/convert.ts', 'money'],
    ['pricing/charge.ts', 'pricing'],
    ['platform/states.ts', 'states'],
    ['webhooks/states.ts', 'states'],
    ['attempts/attempt.ts', 'states'],
    ['attempts/decide.ts', 'states'],
    ['platform/idempotency/run-once.ts', 'idempotency'],
    ['platform/crypto/seal.ts', 'signatures'],
    ['webhooks/sign.ts', 'signatures'],
    ['attempts/callback-token.ts', 'signatures'],
    ['gateways/simulator/callback.ts', 'signatures'],
    ['gateways/routing.ts', 'routes and retries'],
    ['webhooks/delivery.ts', 'routes and retries'],
    ['planning/order-routes.ts', 'routes and retries'],
    ['platform/crypto/http-signature.ts', 'signatures'],
    ['gateways/wave-business-api/read-answer.ts', 'answers of operators'],
  ])('%s counts for %s', (file, area) => {
    expect(areaOf(`server/src/${file}`)).toBe(area)
  })

  it('leave no file uncounted in silence', () => {
    expect(() => areaOf('server/src/checkout/pages.ts')).toThrow('belongs to no area')
  })
})

describe('the score of an area', () => {
  it('is what was killed of what could be run, and does not borrow from another', () => {
    const killed = ['Killed', 'Killed', 'Timeout'].map((status) => mutant('money/a.ts', status))
    const alive = ['Survived', 'NoCoverage'].map((status) => mutant('money/a.ts', status))
    const unrun = ['RuntimeError', 'Ignored'].map((status) => mutant('money/a.ts', status))
    const other = mutant('pricing/a.ts', 'Killed')
    const rows = scores([...killed, ...alive, ...unrun, other])
    expect(rows.get('money')).toEqual({ mutants: 5, killed: 3, percent: 60 })
    expect(rows.get('pricing')).toEqual({ mutants: 1, killed: 1, percent: 100 })
    expect([...rows.keys()]).toEqual(['money', 'pricing'])
  })
})

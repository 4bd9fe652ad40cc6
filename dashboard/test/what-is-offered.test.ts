// What is offered to be chosen is not refused afterwards: networks that take money now, and numbers
// of people who can be reached.

import { describe, expect, it } from 'vitest'
import type { Network, NetworkRates } from '../src/api/types.gen.ts'
import { networksForMethod, networksToRetry } from '../src/parts/open-networks.ts'
import { lastOfEach } from '../src/parts/recent-numbers.ts'

type Takes = Readonly<{ payin?: boolean; payout?: boolean; top_up?: boolean; currency?: string }>

function rate(network_code: string, takes: Takes): NetworkRates {
  const { payin = false, payout = false, top_up = false, currency = 'XOF' } = takes
  const country_code = network_code.slice(-2).toUpperCase()
  const of = (available: boolean) => ({ available })
  return {
    ...{ network_code, country_code, currency },
    ...{ payin: of(payin), payout: of(payout), top_up: of(top_up) },
  } as unknown as NetworkRates
}

const codes = (all: readonly { network_code: string }[]) => all.map((one) => one.network_code)

describe('a payment that failed', () => {
  const rates = [
    rate('mtn_bj', { payin: true, top_up: true }),
    rate('moov_bj', { payin: true }),
    rate('celtiis_bj', { payout: true }),
    rate('card_bj', { payin: true, currency: 'EUR' }),
    rate('mtn_ci', { payin: true, top_up: true }),
  ]
  const failed = { country_code: 'BJ', currency: 'XOF' }

  it('is asked for again by networks that take payments of its currency, in its country', () => {
    const of = { ...failed, transaction_type: 'PAIEMENT' } as const
    expect(codes(networksToRetry(rates, of))).toEqual(['mtn_bj', 'moov_bj'])
  })

  it('and a top-up by those that take top-ups', () => {
    const of = { ...failed, transaction_type: 'RECHARGE' } as const
    expect(codes(networksToRetry(rates, of))).toEqual(['mtn_bj'])
  })
})

describe('an account for settlements', () => {
  const network = (code: string) => ({ code }) as unknown as Network
  const own = [network('mtn_ng'), network('airtel_ng')]
  const chosen = (...rates: NetworkRates[]) => networksForMethod(own, rates).map(({ code }) => code)
  const both = { payin: true, payout: true }

  it('is on a network that pays out', () => {
    const other = rate('mtn_bj', both)
    expect(chosen(rate('mtn_ng', { payin: true }), rate('airtel_ng', both), other)).toEqual([
      'airtel_ng',
    ])
    expect(chosen(rate('mtn_ng', { payin: true }), rate('airtel_ng', {}), other)).toEqual([])
  })

  it('may be on any where the shop works no more, and while nothing is known', () => {
    const all = ['mtn_ng', 'airtel_ng']
    expect(chosen(rate('mtn_ng', {}), rate('airtel_ng', {}), rate('mtn_bj', both))).toEqual(all)
    expect(chosen()).toEqual(all)
  })
})

describe('the last numbers', () => {
  const row = (operation_msisdn: string, id: number) => ({ operation_msisdn, id })

  it('are each once, and five at most', () => {
    const rows = [1, 1, 2, 3, 4, 5, 6].map((n, id) => row(`+229019700000${n}`, id))
    expect(lastOfEach(rows).map(({ id }) => id)).toEqual([0, 2, 3, 4, 5])
  })

  it('are nobody’s who was erased, and none that is not known', () => {
    const rows = [row('***********10', 0), row('', 1), row('+2290197000011', 2)]
    expect(lastOfEach(rows).map(({ id }) => id)).toEqual([2])
  })
})

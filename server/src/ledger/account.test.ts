// An account's id is its content: any difference in what it is makes another account, and every
// process names the same one alike.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Account,
  type AccountKind,
  account,
  accountId,
  balanceId,
  gatewayAccount,
  nilId,
  normalSide,
  type Place,
  platformMerchant,
} from './account.ts'

const place: Place = {
  merchant_id: '01890000-0000-7000-8000-00000000000a',
  environment: 'SANDBOX',
  country: 'SN',
  currency: 'XOF',
}
const gateway_id = '01890000-0000-7000-8000-0000000000b0'
const kinds = Object.keys(normalSide) as AccountKind[]

describe('the chart of accounts', () => {
  it('has each account of money 3 on its normal side', () => {
    const debit = kinds.filter((kind) => normalSide[kind] === 'DEBIT').sort()
    const credit = kinds.filter((kind) => normalSide[kind] === 'CREDIT').sort()
    expect(debit).toEqual(
      ['bank', 'gateway', 'gateway_costs', 'losses', 'merchant_debt', 'sandbox_funding'].sort(),
    )
    expect(credit).toEqual(
      [
        ...['available', 'frozen', 'fx', 'gateway_fees', 'pending', 'platform_fees'],
        'suspense',
      ].sort(),
    )
  })

  it('has the platform of each environment where it has always been', () => {
    expect(platformMerchant).toEqual({
      SANDBOX: '00000000-0000-7000-8000-000000000001',
      LIVE: '00000000-0000-7000-8000-000000000002',
    })
    expect(nilId).toBe('00000000-0000-0000-0000-000000000000')
  })
})

describe('accountId', () => {
  it('is the same for the same account, today as ever', () => {
    const id = accountId(account(place, 'available'))
    expect(id).toBe(accountId({ ...account({ ...place }, 'available') }))
    expect(id).toBe('cb9b22b4-3e52-869a-be74-84137a7a0ba2')
    expect(id[14]).toBe('8')
  })

  it('is another one when any part of it is', () => {
    const one = gatewayAccount(place, gateway_id, 'COLLECT')
    const others: Account[] = [
      { ...one, merchant_id: '01890000-0000-7000-8000-00000000000b' },
      { ...one, environment: 'LIVE' },
      { ...one, country: 'CI' },
      { ...one, currency: 'XAF' },
      { ...one, gateway_id: nilId },
      { ...one, purpose: 'DISBURSE' },
      ...kinds.filter((kind) => kind !== 'gateway').map((kind) => ({ ...one, kind })),
    ]
    const ids = [one, ...others].map(accountId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('never meets another account’s, whatever parts are drawn', () => {
    const part = fc.record({
      country: fc.constantFrom('SN', 'CI', 'CM'),
      currency: fc.constantFrom('XOF', 'XAF'),
      environment: fc.constantFrom('SANDBOX' as const, 'LIVE' as const),
      kind: fc.constantFrom(...kinds),
      purpose: fc.constantFrom('', 'COLLECT', 'DISBURSE', gateway_id),
    })
    fc.assert(
      fc.property(part, part, (a, b) => {
        const [one, other] = [a, b].map(({ kind, purpose, ...where }) =>
          account({ ...place, ...where }, kind, purpose),
        ) as [Account, Account]
        const same = JSON.stringify(a) === JSON.stringify(b)
        expect(accountId(one) === accountId(other)).toBe(same)
      }),
    )
  })

  it('names the gateway only on a gateway account', () => {
    expect(account(place, 'available')).toMatchObject({ gateway_id: nilId, purpose: '' })
    expect(gatewayAccount(place, gateway_id, 'COLLECT')).toMatchObject({
      kind: 'gateway',
      gateway_id,
      purpose: 'COLLECT',
    })
  })
})

describe('balanceId', () => {
  it('is one a merchant, environment and country, whatever the currency', () => {
    expect(balanceId({ ...place, currency: '' })).toBe(balanceId(place))
    const others = [
      { ...place, country: 'CI' },
      { ...place, environment: 'LIVE' as const },
      { ...place, merchant_id: gateway_id },
    ]
    expect(new Set([place, ...others].map(balanceId)).size).toBe(4)
  })

  it('is the same, today as ever', () => {
    expect(balanceId(place)).toBe('d009b808-44b8-88ae-a271-57c671898bf1')
  })

  it('is no account’s id', () => {
    const ids = kinds.map((kind) => accountId(account(place, kind)))
    expect(ids).not.toContain(balanceId(place))
  })
})

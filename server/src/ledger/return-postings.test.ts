// Without these what came back would be credited in part, or with fees that nobody gave back.

import { describe, expect, it } from 'vitest'
import { account, gatewayAccount } from './account.ts'
import { payoutReturned, returnedAmount } from './return-postings.ts'

const place = {
  merchant_id: '01981f3a-0000-7000-8000-00000000a001',
  environment: 'LIVE',
  country: 'SN',
  currency: 'XOF',
} as const
const gateway = gatewayAccount(place, '01981f3a-0000-7000-8000-0000000000a1', 'DISBURSE')

/** A payout of 10 000, of which the receiver got 9 750. */
const figures = {
  net_amount: 975_000n,
  gateway_fee: 10_000n,
  platform_fee: 15_000n,
  gateway_cost_excess: 0n,
  gateway_fee_returns: false,
  platform_fee_returns: false,
}

const kinds = (changes: Partial<typeof figures>) =>
  payoutReturned(place, gateway, { ...figures, ...changes }).map(
    ({ line, debit, credit, amount }) => [line, debit.kind, credit.kind, amount],
  )

const net = [1, 'gateway', 'available', 975_000n]

describe('a payout that came back books', () => {
  it.each([
    [{}, [net], 975_000n],
    [{ gateway_fee_returns: true }, [net, [2, 'gateway_fees', 'available', 10_000n]], 985_000n],
    [{ platform_fee_returns: true }, [net, [3, 'platform_fees', 'available', 15_000n]], 990_000n],
    [
      { gateway_fee_returns: true, platform_fee_returns: true, gateway_cost_excess: 6_000n },
      [
        net,
        [2, 'gateway_fees', 'available', 10_000n],
        [3, 'platform_fees', 'available', 15_000n],
        [4, 'gateway_fees', 'gateway_costs', 6_000n],
      ],
      1_000_000n,
    ],
  ])('%o', (changes, lines, returned) => {
    expect(kinds(changes)).toEqual(lines)
    expect(returnedAmount({ ...figures, ...changes })).toBe(returned)
  })

  it('the sum from where it was first put down, where its operator said so first', () => {
    const [line] = payoutReturned(place, account(place, 'suspense', 'an incident'), figures)
    expect(line?.debit.kind).toBe('suspense')
  })
})

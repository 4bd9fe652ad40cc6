// Without these, a franc could be made or lost between payer, merchant, gateway and us.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { smallestUnit } from '../money/currency.ts'
import type { SplitInput } from './split-amount.ts'
import { splitAmount } from './split-amount.ts'

const francs = (sum: number) => BigInt(sum) * 100n

const input = (change: Partial<SplitInput>): SplitInput => ({
  requested: francs(10_000),
  client_fee: francs(325),
  route_cost: francs(150),
  mode: 'ADD_ON',
  direction: 'COLLECT',
  currency: 'XOF',
  amount_step: 100n,
  ...change,
})

const split = (change: Partial<SplitInput>) => {
  const answer = splitAmount(input(change))
  if (answer.is !== 'split') throw new Error(answer.is)
  return answer
}

describe('the split of one amount', () => {
  it('adds the fee on top, or takes it out', () => {
    const parts = {
      is: 'split',
      client_fee: francs(325),
      gateway_fee: francs(150),
      platform_fee: francs(175),
      gateway_cost_excess: 0n,
    }
    const added = { ...parts, debited_amount: francs(10_325), net_amount: francs(10_000) }
    const taken = { ...parts, debited_amount: francs(10_000), net_amount: francs(9_675) }
    for (const direction of ['COLLECT', 'DISBURSE'] as const) {
      expect(split({ mode: 'ADD_ON', direction })).toEqual(added)
      expect(split({ mode: 'DEDUCTED', direction })).toEqual(taken)
    }
  })

  it('never charges the client for what the route costs above the fee', () => {
    const answer = split({ client_fee: 0n, route_cost: francs(60), requested: francs(4_000) })
    expect(answer).toMatchObject({
      client_fee: 0n,
      gateway_fee: 0n,
      platform_fee: 0n,
      gateway_cost_excess: francs(60),
      debited_amount: francs(4_000),
    })
    expect(split({ client_fee: francs(100) })).toMatchObject({
      gateway_fee: francs(100),
      platform_fee: 0n,
      gateway_cost_excess: francs(50),
    })
  })

  it.each([10_000, 10_001])('answers that a deducted fee of %s F leaves nothing', (fee) => {
    const change = { mode: 'DEDUCTED', client_fee: francs(fee) } as const
    expect(splitAmount(input({ ...change, direction: 'COLLECT' })).is).toBe('net_not_positive')
    expect(splitAmount(input({ ...change, direction: 'DISBURSE' })).is).toBe('net_not_positive')
  })

  it('raises the fee until the wire carries a multiple of the step', () => {
    const payin = split({ client_fee: francs(322), amount_step: francs(5) })
    expect(payin).toMatchObject({ client_fee: francs(325), debited_amount: francs(10_325) })
    const payout = split({
      mode: 'DEDUCTED',
      direction: 'DISBURSE',
      client_fee: francs(250),
      amount_step: francs(1_000),
    })
    expect(payout).toMatchObject({
      client_fee: francs(1_000),
      platform_fee: francs(850),
      debited_amount: francs(10_000),
      net_amount: francs(9_000),
    })
  })

  it('gives the gateway its cost out of a raised fee', () => {
    const raised = split({
      client_fee: 0n,
      route_cost: francs(3),
      requested: francs(1_001),
      amount_step: francs(5),
    })
    expect(raised).toMatchObject({
      client_fee: francs(4),
      gateway_fee: francs(3),
      platform_fee: francs(1),
      gateway_cost_excess: 0n,
    })
  })

  it.each([
    ['DEDUCTED', 'COLLECT'],
    ['ADD_ON', 'DISBURSE'],
  ] as const)(
    'refuses an amount off the step where the fee cannot help (%s %s)',
    (mode, direction) => {
      const step = francs(5)
      const off = input({ mode, direction, amount_step: step, requested: francs(10_002) })
      expect(splitAmount(off)).toEqual({ is: 'not_a_step', step })
      expect(split({ mode, direction, amount_step: step })).toMatchObject({
        client_fee: francs(325),
      })
    },
  )

  it('answers that nothing is left when the step swallows a payout', () => {
    const swallowed = input({
      mode: 'DEDUCTED',
      direction: 'DISBURSE',
      requested: francs(900),
      client_fee: francs(10),
      amount_step: francs(1_000),
    })
    expect(splitAmount(swallowed).is).toBe('net_not_positive')
  })

  it.each<[Partial<SplitInput>, string]>([
    [{ requested: 0n }, 'amounts to split'],
    [{ client_fee: -100n }, 'amounts to split'],
    [{ route_cost: -100n }, 'amounts to split'],
    [{ client_fee: 150n }, 'sums of XOF are whole units'], // half a franc
    [{ amount_step: 0n }, 'step 0 of XOF'],
    [{ amount_step: -100n }, 'step -100 of XOF'],
    [{ amount_step: 150n }, 'step 150 of XOF'],
  ])('stops at what no caller may ask: %o', (change, why) => {
    expect(() => splitAmount(input(change))).toThrow(`bug: ${why}`)
  })

  it('takes a step finer than the currency for one that moves nothing', () => {
    expect(split({ amount_step: 1n })).toEqual(split({ amount_step: 100n }))
    expect(split({ amount_step: 50n })).toEqual(split({ amount_step: 100n }))
  })

  it('holds its laws for every amount, fee, cost, mode, direction, currency and step', () => {
    const units = fc.bigInt(0n, 10n ** 12n)
    const fees = fc.oneof(fc.bigInt(0n, 2_000n), units)
    const cases = fc.record({
      requested: fc.bigInt(1n, 10n ** 12n),
      client_fee: fees,
      route_cost: fees,
      mode: fc.constantFrom('ADD_ON', 'DEDUCTED'),
      direction: fc.constantFrom('COLLECT', 'DISBURSE'),
      currency: fc.constantFrom('XOF', 'XAF', 'GNF', 'GHS', 'USD'),
      amount_step: fc.constantFrom(1n, 5n, 25n, 1_000n),
    })
    fc.assert(fc.property(cases, holdsTheLaws), { numRuns: 2_000 })
  })
})

/** `given` counts in units of its currency. */
function holdsTheLaws(given: SplitInput): void {
  const unit = smallestUnit(given.currency)
  const input: SplitInput = {
    ...given,
    requested: given.requested * unit,
    client_fee: given.client_fee * unit,
    route_cost: given.route_cost * unit,
    amount_step: given.amount_step * unit,
  }
  const { mode, direction, amount_step: step, requested } = input
  const answer = splitAmount(input)
  const fee_on_wire = (mode === 'ADD_ON') === (direction === 'COLLECT')

  if (answer.is === 'not_a_step') {
    expect(!fee_on_wire && requested % step !== 0n && answer.step === step).toBe(true)
    return
  }
  if (answer.is === 'net_not_positive') {
    expect(mode).toBe('DEDUCTED')
    expect(requested - input.client_fee < (fee_on_wire ? step : 1n)).toBe(true)
    return
  }
  const { client_fee, gateway_fee, platform_fee, gateway_cost_excess } = answer
  const { debited_amount, net_amount } = answer
  expect(debited_amount).toBe(net_amount + client_fee)
  expect(gateway_fee + platform_fee).toBe(client_fee)
  expect(gateway_fee + gateway_cost_excess).toBe(input.route_cost)
  expect(platform_fee > 0n && gateway_cost_excess > 0n).toBe(false)
  expect(mode === 'ADD_ON' ? net_amount : debited_amount).toBe(requested)
  expect((direction === 'COLLECT' ? debited_amount : net_amount) % step).toBe(0n)
  const raise = client_fee - input.client_fee
  expect(raise >= 0n && raise < (fee_on_wire ? step : 1n)).toBe(true)
  for (const sum of Object.values(answer)) {
    if (typeof sum === 'bigint') expect(sum >= 0n && sum % unit === 0n).toBe(true)
  }
}

// The table of money 3, line by line, with its own figures; and the law that holds for whatever
// figures come: nothing is made and nothing is lost.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Account, account, accountId, gatewayAccount, type Place } from './account.ts'
import * as postings from './postings.ts'

const place: Place = {
  merchant_id: '01890000-0000-7000-8000-00000000000a',
  environment: 'LIVE',
  country: 'CI',
  currency: 'XOF',
}
const cameroon: Place = { ...place, country: 'CM', currency: 'XAF' }
const first = '01890000-0000-7000-8000-0000000000a1'
const second = '01890000-0000-7000-8000-0000000000a2'
const incident_id = '01890000-0000-7000-8000-0000000000c1'
const incident = { place, incident_id, gateway_id: first }
const duplicate = { ...incident, gateway_id: second }

/** Whole francs, as the table writes them, to hundredths. */
const francs = (sum: number): bigint => BigInt(sum) * 100n

type Sums = Record<keyof postings.Figures, number>
const figuresOf = (sums: Sums): postings.Figures => ({
  requested_amount: francs(sums.requested_amount),
  client_fee: francs(sums.client_fee),
  gateway_fee: francs(sums.gateway_fee),
  platform_fee: francs(sums.platform_fee),
  gateway_cost_excess: francs(sums.gateway_cost_excess),
  debited_amount: francs(sums.debited_amount),
  net_amount: francs(sums.net_amount),
})

const payin = { requested_amount: 10_000, client_fee: 325, gateway_fee: 150, platform_fee: 175 }
const payout = { requested_amount: 10_000, client_fee: 250, gateway_fee: 100, platform_fee: 150 }
const settled = { requested_amount: 10_000, client_fee: 200, gateway_fee: 50, platform_fee: 150 }
const noExcess = { gateway_cost_excess: 0 }
const payinAddOn = figuresOf({ ...payin, ...noExcess, debited_amount: 10_325, net_amount: 10_000 })
const payinDeducted = figuresOf({
  ...payin,
  ...noExcess,
  debited_amount: 10_000,
  net_amount: 9_675,
})
const payoutDeducted = figuresOf({
  ...payout,
  ...noExcess,
  debited_amount: 10_000,
  net_amount: 9_750,
})
const payoutAddOn = figuresOf({
  ...payout,
  ...noExcess,
  debited_amount: 10_250,
  net_amount: 10_000,
})
const settlement = figuresOf({
  ...settled,
  ...noExcess,
  debited_amount: 10_000,
  net_amount: 9_800,
})
const topUp = figuresOf({
  requested_amount: 4_000,
  client_fee: 0,
  gateway_fee: 0,
  platform_fee: 0,
  gateway_cost_excess: 60,
  debited_amount: 4_000,
  net_amount: 4_000,
})

const nameOf = ({ kind, gateway_id, purpose, country, currency }: Account): string => {
  const where = country === place.country ? '' : `[${country},${currency}]`
  if (kind === 'gateway') return `gateway${gateway_id === second ? '₂' : ''}:${purpose}${where}`
  if (kind === 'suspense') expect(purpose).toBe(incident_id)
  else expect(purpose).toBe('')
  return `${kind}${where}`
}

/** `debit → credit sum`, as the table reads; sums in whole francs. */
const read = (lines: readonly postings.Line[]): string[] =>
  lines.map(({ debit, credit, amount }) => {
    expect(amount % 100n).toBe(0n)
    return `${nameOf(debit)} → ${nameOf(credit)} ${amount / 100n}`
  })

const cases: [event: string, lines: postings.Line[], table: string[]][] = [
  [
    'payin success ADD_ON',
    postings.payinSuccess(place, first, payinAddOn),
    [
      'gateway:COLLECT → available 10000',
      'gateway:COLLECT → gateway_fees 150',
      'gateway:COLLECT → platform_fees 175',
    ],
  ],
  [
    'payin success DEDUCTED',
    postings.payinSuccess(place, first, payinDeducted),
    [
      'gateway:COLLECT → available 9675',
      'gateway:COLLECT → gateway_fees 150',
      'gateway:COLLECT → platform_fees 175',
    ],
  ],
  [
    'late success: the winning attempt’s gateway',
    postings.payinSuccess(place, second, payinAddOn),
    [
      'gateway₂:COLLECT → available 10000',
      'gateway₂:COLLECT → gateway_fees 150',
      'gateway₂:COLLECT → platform_fees 175',
    ],
  ],
  [
    'duplicate capture',
    postings.capturedToSuspense(duplicate, francs(10_400)),
    ['gateway₂:COLLECT → suspense 10400'],
  ],
  [
    'duplicate capture, the payer is refunded',
    postings.refundPayer(duplicate, francs(10_400)),
    ['suspense → gateway₂:COLLECT 10400'],
  ],
  [
    'duplicate capture, the merchant is credited',
    postings.creditMerchant(duplicate, francs(10_400)),
    ['suspense → available 10400'],
  ],
  [
    'amount mismatch',
    postings.capturedToSuspense(incident, francs(9_900)),
    ['gateway:COLLECT → suspense 9900'],
  ],
  [
    'amount mismatch, accepted as it is',
    postings.acceptMismatch(incident, francs(9_900), payinAddOn),
    ['suspense → available 9575', 'suspense → gateway_fees 150', 'suspense → platform_fees 175'],
  ],
  [
    'failure after SUCCESS',
    postings.reversedToSuspense(incident, payinAddOn.debited_amount),
    ['suspense → gateway:COLLECT 10325'],
  ],
  [
    'failure after SUCCESS, charged to a merchant who has it',
    postings.chargeMerchantForReversal(incident, payinAddOn, francs(10_000)),
    ['available → suspense 10000', 'gateway_fees → suspense 150', 'platform_fees → suspense 175'],
  ],
  [
    'failure after SUCCESS, charged to a merchant who has nothing',
    postings.chargeMerchantForReversal(incident, payinAddOn, 0n),
    [
      'merchant_debt → suspense 10000',
      'gateway_fees → suspense 150',
      'platform_fees → suspense 175',
    ],
  ],
  [
    'failure after SUCCESS, charged to a merchant who has a part',
    postings.chargeMerchantForReversal(incident, payinAddOn, francs(4_000)),
    [
      'available → suspense 4000',
      'merchant_debt → suspense 6000',
      'gateway_fees → suspense 150',
      'platform_fees → suspense 175',
    ],
  ],
  [
    'failure after SUCCESS, written off',
    postings.writeOff(incident, payinAddOn.debited_amount, 'DEBIT'),
    ['losses → suspense 10325'],
  ],
  [
    'payout create DEDUCTED',
    postings.hold(place, payoutDeducted.debited_amount),
    ['available → pending 10000'],
  ],
  [
    'payout create ADD_ON',
    postings.hold(place, payoutAddOn.debited_amount),
    ['available → pending 10250'],
  ],
  [
    'payout success DEDUCTED',
    postings.payoutSuccess(place, first, payoutDeducted),
    [
      'pending → gateway:DISBURSE 9750',
      'pending → gateway_fees 100',
      'pending → platform_fees 150',
    ],
  ],
  [
    'payout success ADD_ON',
    postings.payoutSuccess(place, first, payoutAddOn),
    [
      'pending → gateway:DISBURSE 10000',
      'pending → gateway_fees 100',
      'pending → platform_fees 150',
    ],
  ],
  [
    'payout failure: all of it',
    postings.release(place, payoutAddOn.debited_amount),
    ['pending → available 10250'],
  ],
  [
    'payout confirmed after release',
    postings.paidToSuspense(incident, payoutDeducted.net_amount),
    ['suspense → gateway:DISBURSE 9750'],
  ],
  [
    'payout confirmed after release, charged to a merchant who has it',
    postings.chargeMerchantForPayout(incident, payoutDeducted, francs(10_000)),
    ['available → suspense 9750', 'available → gateway_fees 100', 'available → platform_fees 150'],
  ],
  [
    'payout confirmed after release, charged to a merchant who has nothing',
    postings.chargeMerchantForPayout(incident, payoutDeducted, 0n),
    [
      'merchant_debt → suspense 9750',
      'merchant_debt → gateway_fees 100',
      'merchant_debt → platform_fees 150',
    ],
  ],
  [
    'payout confirmed after release, charged to a merchant who has most of it',
    postings.chargeMerchantForPayout(incident, payoutDeducted, francs(9_800)),
    [
      'available → suspense 9750',
      'available → gateway_fees 50',
      'merchant_debt → gateway_fees 50',
      'merchant_debt → platform_fees 150',
    ],
  ],
  ['transfer CI→CM create', postings.hold(place, francs(10_000)), ['available → pending 10000']],
  [
    'transfer CI→CM approve',
    postings.transferApproved(place, cameroon, {
      from_amount: francs(10_000),
      fee_amount: francs(100),
      to_amount: francs(9_900),
    }),
    ['pending → fx 9900', 'pending → platform_fees 100', 'fx[CM,XAF] → available[CM,XAF] 9900'],
  ],
  [
    'transfer reject or lapse',
    postings.release(place, francs(10_000)),
    ['pending → available 10000'],
  ],
  [
    'settlement success through a gateway',
    postings.payoutSuccess(place, first, settlement),
    ['pending → gateway:DISBURSE 9800', 'pending → gateway_fees 50', 'pending → platform_fees 150'],
  ],
  [
    'settlement success through the bank',
    postings.bankSettlementSuccess(place, settlement),
    ['pending → bank 9800', 'pending → gateway_fees 50', 'pending → platform_fees 150'],
  ],
  [
    'settlement RETURNED to the bank',
    postings.settlementReturned(place, account(place, 'bank'), settlement.net_amount),
    ['bank → available 9800'],
  ],
  [
    'settlement RETURNED to a gateway',
    postings.settlementReturned(
      place,
      gatewayAccount(place, first, 'DISBURSE'),
      settlement.net_amount,
    ),
    ['gateway:DISBURSE → available 9800'],
  ],
  [
    'top-up (fee 0, route cost 60)',
    postings.payinSuccess(place, first, topUp),
    ['gateway:COLLECT → available 4000', 'gateway_costs → gateway_fees 60'],
  ],
  ['freeze a sum', postings.freeze(place, francs(700)), ['available → frozen 700']],
  ['lift it', postings.liftFreeze(place, francs(700)), ['frozen → available 700']],
  [
    'sandbox funding',
    postings.sandboxFunding(place, francs(5_000)),
    ['sandbox_funding → available 5000'],
  ],
]

describe('the table of money 3', () => {
  it.each(cases)('%s', (_event, lines, table) => {
    expect(read(lines)).toEqual(table)
  })

  it.each(cases)('%s: its lines are numbered once each, from 1', (_event, lines) => {
    const numbers = lines.map(({ line }) => line)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    expect(numbers.every((line) => line >= 1)).toBe(true)
  })

  it('a line of zero is left out and the others keep their numbers: never twice by line', () => {
    const lines = postings.payinSuccess(place, first, topUp)
    expect(lines.map(({ line }) => line)).toEqual([1, 4])
    expect(postings.hold(place, 0n)).toEqual([])
  })
})

describe('what cannot be booked', () => {
  it('figures that do not add up', () => {
    const short = { ...payinAddOn, net_amount: payinAddOn.net_amount - 1n }
    const torn = { ...payinAddOn, platform_fee: payinAddOn.platform_fee + 1n }
    for (const [figures, why] of [
      [short, 'bug: debited = net + fee'],
      [torn, 'bug: fees sum'],
    ] as const) {
      expect(() => postings.payinSuccess(place, first, figures)).toThrow(why)
      expect(() => postings.payoutSuccess(place, first, figures)).toThrow(why)
      expect(() => postings.bankSettlementSuccess(place, figures)).toThrow(why)
      expect(() => postings.acceptMismatch(incident, francs(9_900), figures)).toThrow(why)
      expect(() => postings.chargeMerchantForReversal(incident, figures, 0n)).toThrow(why)
      expect(() => postings.chargeMerchantForPayout(incident, figures, 0n)).toThrow(why)
    }
  })

  it('a sum below zero', () => {
    expect(() => postings.hold(place, -1n)).toThrow('bug: a posting is never negative')
    expect(() => postings.capturedToSuspense(incident, -1n)).toThrow('bug')
  })

  it('a charge beyond what is owed', () => {
    const reversal = () =>
      postings.chargeMerchantForReversal(incident, payinAddOn, payinAddOn.net_amount + 1n)
    const paid = () =>
      postings.chargeMerchantForPayout(incident, payoutDeducted, payoutDeducted.debited_amount + 1n)
    expect(reversal).toThrow('bug')
    expect(paid).toThrow('bug: never more than is owed')
  })

  it('a mismatch that does not cover its fee', () => {
    const came = payinAddOn.client_fee
    const accept = () => postings.acceptMismatch(incident, came, payinAddOn)
    expect(accept).toThrow('bug: what came covers the fee')
  })
})

// Any figures that a price could make: both modes, costs above the fee, fees of zero.
const figures = fc
  .record({
    requested: fc.bigInt({ min: 1n, max: 10n ** 14n }),
    fee_ppm: fc.bigInt({ min: 0n, max: 999_999n }),
    cost: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    added: fc.boolean(),
  })
  .map(({ requested, fee_ppm, cost, added }): postings.Figures => {
    const client_fee = (requested * fee_ppm) / 1_000_000n
    const gateway_fee = cost < client_fee ? cost : client_fee
    return {
      requested_amount: requested,
      client_fee,
      gateway_fee,
      platform_fee: client_fee - gateway_fee,
      gateway_cost_excess: cost - gateway_fee,
      debited_amount: added ? requested + client_fee : requested,
      net_amount: added ? requested : requested - client_fee,
    }
  })

/** Debits less credits of each account, by its name. */
function movesOf(lines: readonly postings.Line[]): Map<string, bigint> {
  const moves = new Map<string, bigint>()
  const move = (one: Account, sum: bigint) =>
    moves.set(nameOf(one), (moves.get(nameOf(one)) ?? 0n) + sum)
  for (const { debit, credit, amount } of lines) {
    move(debit, amount)
    move(credit, -amount)
  }
  return moves
}

function expectBalanced(lines: readonly postings.Line[]): void {
  const sums = new Map<string, bigint>()
  for (const { debit, credit, amount } of lines) {
    expect(amount > 0n).toBe(true)
    expect(accountId(debit)).not.toBe(accountId(credit))
    expect([credit.merchant_id, credit.environment, credit.country, credit.currency]).toEqual([
      debit.merchant_id,
      debit.environment,
      debit.country,
      debit.currency,
    ])
    sums.set(debit.currency, (sums.get(debit.currency) ?? 0n) + amount)
    sums.set(credit.currency, (sums.get(credit.currency) ?? 0n) - amount)
  }
  expect([...sums.values()].every((sum) => sum === 0n)).toBe(true)
}

describe('for whatever figures', () => {
  it('every posting of the table balances in each currency', () => {
    for (const [, lines] of cases) expectBalanced(lines)
  })

  it('a payin gives the merchant its net, and the gateway owes what it collected', () => {
    fc.assert(
      fc.property(figures, (one) => {
        const lines = postings.payinSuccess(place, first, one)
        expectBalanced(lines)
        const moves = movesOf(lines)
        expect(moves.get('available') ?? 0n).toBe(-one.net_amount)
        expect(moves.get('gateway:COLLECT') ?? 0n).toBe(one.debited_amount)
        expect(moves.get('gateway_fees') ?? 0n).toBe(-(one.gateway_fee + one.gateway_cost_excess))
        expect(moves.get('platform_fees') ?? 0n).toBe(-one.platform_fee)
      }),
    )
  })

  it('a payout empties exactly its hold, whether it succeeds or fails', () => {
    fc.assert(
      fc.property(figures, (one) => {
        const held = postings.hold(place, one.debited_amount)
        const paid = postings.payoutSuccess(place, first, one)
        const back = postings.release(place, one.debited_amount)
        for (const lines of [held, paid, back]) expectBalanced(lines)
        const spent = movesOf([...held, ...paid])
        expect(spent.get('pending')).toBe(0n)
        expect(spent.get('available')).toBe(one.debited_amount)
        expect(spent.get('gateway:DISBURSE') ?? 0n).toBe(-one.net_amount)
        const released = movesOf([...held, ...back])
        expect([...released.values()]).toEqual([0n, 0n])
      }),
    )
  })

  it('a mismatch that is accepted empties its suspense account and books the route’s cost', () => {
    fc.assert(
      fc.property(figures, fc.bigInt({ min: 1n, max: 10n ** 14n }), (one, above) => {
        const came = one.client_fee + above
        const taken = postings.capturedToSuspense(incident, came)
        const accepted = postings.acceptMismatch(incident, came, one)
        expectBalanced(accepted)
        const moves = movesOf([...taken, ...accepted])
        expect(moves.get('suspense')).toBe(0n)
        expect(moves.get('available')).toBe(-above)
        expect(moves.get('gateway_fees') ?? 0n).toBe(-(one.gateway_fee + one.gateway_cost_excess))
        expect(moves.get('gateway_costs') ?? 0n).toBe(one.gateway_cost_excess)
      }),
    )
  })

  it('a reversal charged to the merchant undoes the payment, whatever it still has', () => {
    fc.assert(
      fc.property(figures, fc.bigInt({ min: 0n, max: 10n ** 14n }), (one, has) => {
        const part = has < one.net_amount ? has : one.net_amount
        const lines = [
          ...postings.payinSuccess(place, first, one),
          ...postings.reversedToSuspense(incident, one.debited_amount),
          ...postings.chargeMerchantForReversal(incident, one, part),
        ]
        expectBalanced(lines)
        const moves = movesOf(lines)
        expect(moves.get('suspense')).toBe(0n)
        expect(moves.get('gateway:COLLECT')).toBe(0n)
        for (const name of ['gateway_fees', 'gateway_costs', 'platform_fees']) {
          expect([name, moves.get(name) ?? 0n]).toEqual([name, 0n])
        }
        expect((moves.get('available') ?? 0n) + (moves.get('merchant_debt') ?? 0n)).toBe(0n)
      }),
    )
  })

  it('a payout paid after its release and charged ends as one that succeeded', () => {
    fc.assert(
      fc.property(figures, fc.bigInt({ min: 0n, max: 10n ** 14n }), (one, has) => {
        const part = has < one.debited_amount ? has : one.debited_amount
        const lines = [
          ...postings.paidToSuspense(incident, one.net_amount),
          ...postings.chargeMerchantForPayout(incident, one, part),
        ]
        expectBalanced(lines)
        const moves = movesOf(lines)
        const asPaid = movesOf([
          ...postings.hold(place, one.debited_amount),
          ...postings.payoutSuccess(place, first, one),
        ])
        expect(moves.get('suspense') ?? 0n).toBe(0n)
        expect((moves.get('available') ?? 0n) + (moves.get('merchant_debt') ?? 0n)).toBe(
          one.debited_amount,
        )
        for (const name of ['gateway:DISBURSE', 'gateway_fees', 'platform_fees', 'gateway_costs']) {
          expect([name, moves.get(name) ?? 0n]).toEqual([name, asPaid.get(name) ?? 0n])
        }
      }),
    )
  })

  it('a transfer takes all of it from one country and gives the other what was promised', () => {
    const sum = fc.bigInt({ min: 1n, max: 10n ** 14n })
    fc.assert(
      fc.property(sum, sum, sum, (net, fee_amount, to_amount) => {
        const from_amount = net + fee_amount
        const lines = [
          ...postings.hold(place, from_amount),
          ...postings.transferApproved(place, cameroon, { from_amount, fee_amount, to_amount }),
        ]
        expectBalanced(lines)
        const moves = movesOf(lines)
        expect(moves.get('pending')).toBe(0n)
        expect(moves.get('available')).toBe(from_amount)
        expect(moves.get('available[CM,XAF]')).toBe(-to_amount)
      }),
    )
  })
})

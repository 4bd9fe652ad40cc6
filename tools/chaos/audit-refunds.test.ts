// What the audit finds of refunds: nothing where one is well, and each wrong that is planted, by its
// law and id.

import { describe, expect, it } from 'vitest'
import { doubled, first, type Plant, refundWell } from './all-well.ts'
import type { Facts } from './facts.ts'
import { audit } from './rest.ts'
import type { SentRefund } from './sent.ts'

/** The same, where the merchant's one refund is known otherwise. */
const askedWith = ({ sent }: Facts, changes: Partial<SentRefund>): Partial<Facts> => ({
  sent: sent.map((one) => ({ ...one, refunds: first(one.refunds, changes) })),
})

const answer = { status: 201, text: 'same', payment: 'r1' }

const plants: readonly Plant[] = [
  {
    law: 'each key of a refund was answered for good',
    wrong: (facts) => askedWith(facts, { answers: [] }),
  },
  {
    law: 'no key has made two refunds',
    wrong: ({ refunds }) => ({ refunds: doubled(refunds, 'r2') }),
  },
  {
    law: 'no refund without a key',
    wrong: ({ sent }) => ({ sent: sent.map((one) => ({ ...one, refunds: [] })) }),
  },
  {
    law: 'the kept key names its refund',
    wrong: ({ keys }) => ({ keys: keys.map((row) => ({ ...row, transaction_id: 't1' })) }),
  },
  { law: 'a refund that was answered is there', wrong: () => ({ refunds: [] }) },
  {
    law: 'every answer of a refund’s key names its one refund',
    wrong: (facts) => askedWith(facts, { answers: [answer, { ...answer, payment: 'r2' }] }),
  },
  {
    law: 'an answer for good to a refund is the same for ever',
    wrong: (facts) => askedWith(facts, { answers: [answer, { ...answer, text: 'other' }] }),
  },
  {
    law: 'a refund that was answered to have succeeded stays so',
    wrong: ({ refunds }) => ({ refunds: first(refunds, { status: 'FAILED' }) }),
  },
  {
    law: 'a refund that succeeded was paid',
    wrong: ({ orders }) => ({ orders: orders.slice(0, 1) }),
  },
  {
    law: 'a refund that was paid has succeeded',
    wrong: ({ refunds }) => ({ refunds: first(refunds, { status: 'PENDING' }) }),
  },
  {
    law: 'nobody is given back twice',
    wrong: ({ orders, attempts }) => ({
      orders: [...orders, ...first(orders.slice(1), { reference: 'o3' })],
      attempts: [...attempts, ...first(attempts.slice(1), { our_key: 'o3' })],
    }),
  },
  {
    law: 'a refund ends as its reason says',
    wrong: (facts) => askedWith(facts, { ends: 'refused' }),
  },
  {
    law: 'a refund that can end has ended',
    wrong: ({ refunds }) => ({ refunds: first(refunds, { status: 'PENDING' }) }),
  },
  {
    law: 'a refund fails only when its operator did not take it',
    wrong: ({ refunds }) => ({ refunds: first(refunds, { status: 'FAILED' }) }),
  },
  {
    law: 'no more is given back than was paid',
    wrong: ({ refunds }) => ({ refunds: first(refunds, { amount: 103_201n }) }),
  },
  {
    law: 'a payment counts its refunds',
    wrong: ({ transactions }) => ({ transactions: first(transactions, { refund_reserved: 0n }) }),
  },
  {
    law: 'a payment counts its refunds',
    wrong: ({ transactions }) => ({ transactions: first(transactions, { refunded_amount: 0n }) }),
  },
  {
    law: 'an order is for what its attempt asks',
    wrong: ({ orders }) => ({
      orders: orders.map((row) => ({ ...row, amount: '1032.00' })),
    }),
  },
  {
    law: 'each success is booked once',
    wrong: ({ booked }) => ({ booked: booked.slice(0, 1) }),
  },
  {
    law: 'a balance is the sum of its successes',
    wrong: ({ balances }) => ({ balances: first(balances, { available: 100_000n }) }),
  },
  {
    law: 'a payout or refund holds what it costs',
    wrong: ({ holds }) => ({ holds: first(holds, { amount: 1n }) }),
  },
  {
    law: 'a hold ends as its payout or refund does',
    wrong: ({ holds }) => ({ holds: first(holds, { ends: ['RELEASE'] }) }),
  },
  {
    law: 'each move of a refund is one event',
    wrong: ({ events }) => ({ events: events.filter(({ type }) => type !== 'refund.success') }),
  },
  {
    law: 'each move of a refund is one event',
    wrong: ({ events }) => ({ events: doubled(events, 'e9') }),
  },
]

describe('the audit of refunds', () => {
  it('finds nothing where one is well, paid or given up', () => {
    const facts = refundWell()
    expect(audit(facts)).toEqual([])
    const [, second] = facts.attempts
    expect(second?.refund_id).toBe('r1')
    const given_up: Facts = {
      ...facts,
      ...askedWith(facts, { ends: 'refused', was_success: false }),
      transactions: first(facts.transactions, {
        refund_reserved: 0n,
        refunded_amount: 0n,
        version: 2,
      }),
      refunds: first(facts.refunds, { status: 'FAILED' }),
      attempts: facts.attempts.map((row) =>
        row.refund_id === null ? row : { ...row, status: 'FAILED' },
      ),
      orders: facts.orders.map((row) =>
        row.reference === 'o2' ? { ...row, status: 'FAILED' } : row,
      ),
      events: facts.events
        .filter(({ id }) => id !== 'e5')
        .map((row) => (row.id === 'e4' ? { ...row, type: 'refund.failed' } : row)),
      feeds: first(facts.feeds, { last_seq: 4n }),
      balances: first(facts.balances, { available: 100_000n }),
      booked: facts.booked.slice(0, 1),
      holds: first(facts.holds, { ends: ['RELEASE'] }),
    }
    expect(audit(given_up)).toEqual([])
  })

  it.each(plants)('finds a breach of: $law', ({ law, wrong }) => {
    const facts = refundWell()
    const found = audit({ ...facts, ...wrong(facts) })
    expect(found.map((breach) => breach.law)).toContain(law)
    expect(found.every(({ id }) => id !== '')).toBe(true)
  })
})

// The audit is only as good as what it finds: where all is well there is no breach, and each wrong
// that is planted is named, with its id.

import { describe, expect, it } from 'vitest'
import {
  allWell,
  created_key,
  doubled,
  first,
  merchant_id,
  type Plant,
  payoutWell,
  receivedOf,
  sentOnce,
  succeeded,
  succeeded_key,
} from './all-well.ts'
import { formatBreaches } from './breach.ts'
import { audit } from './rest.ts'

const sentWith = (change: (sent: ReturnType<typeof sentOnce>) => void) => {
  const sent = sentOnce()
  change(sent)
  return { sent: [sent] }
}

const plants: readonly Plant[] = [
  { law: 'each key has made a transaction', wrong: () => ({ transactions: [] }) },
  {
    law: 'no key has made two',
    wrong: ({ transactions }) => ({ transactions: doubled(transactions, 't2') }),
  },
  { law: 'no transaction without a key', wrong: () => ({ sent: [] }) },
  {
    law: 'the kept key names its transaction',
    wrong: ({ keys }) => ({ keys: first(keys, { transaction_id: 't2' }) }),
  },
  { law: 'each key was answered for good', wrong: () => sentWith(({ answers }) => answers.pop()) },
  {
    law: 'every answer of a key names its one transaction',
    wrong: () =>
      sentWith(({ answers }) => answers.push({ status: 201, text: 'same', payment: 't2' })),
  },
  {
    law: 'an answer for good is the same for ever',
    wrong: () =>
      sentWith(({ answers }) => answers.push({ status: 201, text: 'other', payment: 't1' })),
  },
  {
    law: 'no call is answered by what it should never get',
    wrong: () => sentWith(({ strange }) => strange.push('404')),
  },
  {
    law: 'a success that was answered stays one',
    wrong: ({ transactions }) => ({
      transactions: first(transactions, { status: 'FAILED' }),
      ...sentWith((sent) => {
        sent.was_success = true
      }),
    }),
  },
  {
    law: 'a retry key begins again at most once',
    wrong: ({ transactions }) => ({ transactions: first(transactions, { restarts: 1 }) }),
  },
  { law: 'a success was paid', wrong: () => ({ orders: [] }) },
  { law: 'each success of ours is an order', wrong: () => ({ orders: [] }) },
  {
    law: 'what was paid is a success',
    wrong: ({ transactions }) => ({ transactions: first(transactions, { status: 'FAILED' }) }),
  },
  {
    law: 'a payment that can end has ended',
    wrong: ({ transactions }) => ({ transactions: first(transactions, { status: 'PENDING' }) }),
  },
  {
    law: 'a payment fails only when no route took it',
    wrong: ({ transactions }) => ({ transactions: first(transactions, { status: 'FAILED' }) }),
  },
  {
    law: 'nobody pays twice',
    wrong: ({ orders, attempts }) => ({
      orders: [...orders, ...first(orders, { reference: 'o2' })],
      attempts: [...attempts, ...first(attempts, { our_key: 'o2' })],
    }),
  },
  {
    law: 'no attempt has two orders',
    wrong: ({ orders }) => ({ orders: [...orders, ...orders] }),
  },
  {
    law: 'each order at the operator is an attempt of ours',
    wrong: ({ orders }) => ({ orders: [...orders, ...first(orders, { reference: 'o2' })] }),
  },
  {
    law: 'an order is for what its attempt asks',
    wrong: ({ orders }) => ({ orders: first(orders, { amount: '1033.00' }) }),
  },
  {
    law: 'a paid order is a success of ours',
    wrong: ({ attempts }) => ({ attempts: first(attempts, { status: 'FAILED' }) }),
  },
  {
    law: 'no success without a paid order',
    wrong: ({ orders }) => ({ orders: first(orders, { status: 'FAILED' }) }),
  },
  {
    law: 'no failure with an open order',
    wrong: ({ orders, attempts }) => ({
      orders: first(orders, { status: 'PENDING' }),
      attempts: first(attempts, { status: 'FAILED' }),
    }),
  },
  {
    law: 'no incident but a second payment that a retry asked for',
    wrong: () => ({
      incidents: [
        { merchant_id, id: 'i', type: 'DUPLICATE_CAPTURE', attempt_id: 'a1', transaction_id: 't1' },
      ],
    }),
  },
  {
    law: 'ledger: entries balance',
    wrong: ({ checks }) => ({ checks: first(checks, { ok: false, broken: 1, examples: ['e'] }) }),
  },
  { law: 'each success is booked once', wrong: () => ({ booked: [] }) },
  {
    law: 'nothing else is booked',
    wrong: ({ booked }) => ({ booked: [...booked, ...first(booked, { cause_id: 't2' })] }),
  },
  {
    law: 'a balance is the sum of its successes',
    wrong: ({ balances }) => ({ balances: first(balances, { available: 200_000n }) }),
  },
  {
    law: 'events are numbered once and without gap',
    wrong: ({ events }) => ({ events: first(events, { seq: 2n }) }),
  },
  {
    law: 'events are numbered once and without gap',
    wrong: ({ feeds }) => ({ feeds: first(feeds, { last_seq: 3n }) }),
  },
  {
    law: 'each event is numbered',
    wrong: ({ events }) => ({ events: first(events, { seq: null }) }),
  },
  {
    law: 'each move of a payment is one event',
    wrong: ({ events }) => ({ events: first(events, { type: 'transaction.success' }) }),
  },
  { law: 'each event was taken by each endpoint', wrong: () => ({ heard: new Map() }) },
  {
    law: 'each delivery is known to be taken',
    wrong: ({ deliveries }) => ({ deliveries: first(deliveries, { status: 'EXHAUSTED' }) }),
  },
  {
    law: 'each delivery is of an event and an endpoint',
    wrong: ({ deliveries }) => ({ deliveries: doubled(deliveries, 'd9') }),
  },
  {
    law: 'what was heard is a delivery of ours',
    wrong: ({ heard }) => ({ heard: new Map([...heard, ['d9', []]]) }),
  },
  {
    law: 'a delivery says what its event says',
    wrong: ({ heard }) => ({
      heard: new Map([...heard, [created_key, heard.get(succeeded_key) ?? []]]),
    }),
  },
  {
    law: 'the body is the same at each try',
    wrong: ({ heard }) => {
      const one = receivedOf('transaction.created', 1, false)
      return { heard: new Map([...heard, [created_key, [{ ...one, hash: 'x' }, one]]]) }
    },
  },
  {
    law: 'what was taken is sent again only after a crash',
    wrong: ({ heard }) => {
      const tries = [60, 70].map((at_ms) => receivedOf('transaction.created', at_ms))
      return { heard: new Map([...heard, [created_key, tries]]) }
    },
  },
]

const payoutPlants: readonly Plant[] = [
  { law: 'each key has made a transaction', wrong: () => ({ transactions: [] }) },
  { law: 'each hold is of a payout or refund', wrong: () => ({ transactions: [] }) },
  {
    law: 'no key has made two',
    wrong: ({ transactions }) => ({ transactions: doubled(transactions, 't2') }),
  },
  {
    law: 'nobody is paid twice',
    wrong: ({ orders, attempts }) => ({
      orders: [...orders, ...first(orders, { reference: 'o2' })],
      attempts: [...attempts, ...first(attempts, { our_key: 'o2' })],
    }),
  },
  {
    law: 'no attempt has two orders',
    wrong: ({ orders }) => ({ orders: [...orders, ...orders] }),
  },
  {
    law: 'an order is for what its attempt asks',
    wrong: ({ orders }) => ({ orders: first(orders, { amount: '500.00' }) }),
  },
  { law: 'a payout or refund holds what it costs', wrong: () => ({ holds: [] }) },
  {
    law: 'a payout or refund holds what it costs',
    wrong: ({ holds }) => ({ holds: doubled(holds, 't2') }),
  },
  {
    law: 'a hold ends as its payout or refund does',
    wrong: ({ holds }) => ({ holds: first(holds, { ends: [] }) }),
  },
  {
    law: 'a hold ends as its payout or refund does',
    wrong: ({ holds }) => ({ holds: first(holds, { ends: ['RELEASE', 'SPEND'] }) }),
  },
  {
    law: 'a balance is the sum of its successes',
    wrong: ({ balances }) => ({ balances: first(balances, { available: 300_000n }) }),
  },
  {
    law: 'a balance is the sum of its successes',
    wrong: ({ balances }) => ({ balances: first(balances, { pending: 50_000n }) }),
  },
]

describe('the audit', () => {
  it('finds nothing where all is well', () => {
    expect(audit(allWell())).toEqual([])
  })

  it('finds nothing where a payout is well, paid or given back', () => {
    const facts = payoutWell()
    expect(audit(facts)).toEqual([])
    const { transactions, attempts, orders, holds, balances, sent, events } = facts
    const refused = sent.map((one) => ({
      ...one,
      payer: { ...one.payer, ends: 'refused' as const },
    }))
    const given_back = {
      ...facts,
      sent: refused,
      transactions: first(transactions, { status: 'FAILED', settled_attempt: null }),
      attempts: first(attempts, { status: 'FAILED' }),
      orders: first(orders, { status: 'FAILED' }),
      holds: first(holds, { ends: ['RELEASE'] }),
      balances: first(balances, { available: 300_000n }),
      events: events.map((one) =>
        one.id === succeeded ? { ...one, type: 'transaction.failed' } : one,
      ),
      booked: [],
    }
    const found = audit(given_back).filter(({ law }) => !law.includes('delivery says'))
    expect(found).toEqual([])
  })

  it.each(payoutPlants)('finds a breach of a payout: $law', ({ law, wrong }) => {
    const facts = payoutWell()
    const found = audit({ ...facts, ...wrong(facts) })
    expect(found.map((breach) => breach.law)).toContain(law)
    expect(found.every(({ id }) => id !== '')).toBe(true)
  })

  it('lets a repeat pass when a worker was killed between', () => {
    const facts = allWell()
    const tries = [40, 60].map((at_ms) => receivedOf('transaction.created', at_ms))
    expect(audit({ ...facts, heard: new Map([...facts.heard, [created_key, tries]]) })).toEqual([])
  })

  it.each(plants)('finds a breach of: $law', ({ law, wrong }) => {
    const facts = allWell()
    const found = audit({ ...facts, ...wrong(facts) })
    expect(found.map((breach) => breach.law)).toContain(law)
    expect(found.every(({ id }) => id !== '')).toBe(true)
    expect(formatBreaches(found)).toContain(law)
  })
})

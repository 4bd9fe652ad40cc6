// The audit is only as good as what it finds: where all is well there is no breach, and each wrong
// that is planted is named, with its id.

import { describe, expect, it } from 'vitest'
import { deliveryId } from '../../server/src/webhooks/delivery.ts'
import { formatBreaches } from './breach.ts'
import type { Facts } from './facts.ts'
import { type DeliveryReceived, receivedKey } from './receiver.ts'
import { audit } from './rest.ts'
import { newSent } from './sent.ts'

const merchant_id = 'merchant'
const created = '01981f3a-5b60-7c11-9a52-0242ac120002'
const succeeded = '01981f3a-5b61-7c11-9a52-0242ac120003'
const hook_url = 'http://127.0.0.1:1/hooks/m1/0'
const created_key = receivedKey(created, hook_url)
const succeeded_key = receivedKey(succeeded, hook_url)
const deliveryIds = [deliveryId(created, 'hook'), deliveryId(succeeded, 'hook')] as const

const receivedOf = (event: string, at_ms: number, is_taken = true): DeliveryReceived => ({
  at_ms,
  is_taken,
  is_late: false,
  hash: event,
  event,
  transaction_id: 't1',
  status: '',
})

function sentOnce() {
  const payer = {
    ends: 'paid',
    gives_code: false,
    country: 'BJ',
    network: 'n',
    phone: '10',
  } as const
  const sent = newSent('k1', merchant_id, '1000', payer)
  sent.answers.push({ status: 201, text: 'same', payment: 't1' })
  return sent
}

/** One payment of 1000, paid, delivered and taken. */
function allWell(): Facts {
  const id = 't1'
  const row = {
    merchant_id,
    id,
    merchant_reference: 'k1',
    transaction_type: 'PAIEMENT',
    status: 'SUCCESS',
    country_code: 'BJ',
  }
  const amounts = { requested_amount: 100_000n, debited_amount: 103_200n, net_amount: 100_000n }
  const more = { version: 2, failure_code: '', settled_attempt: 'a1', restarts: 0 }
  const event = { merchant_id, transaction_id: id }
  const attempt = { merchant_id, id: 'a1', transaction_id: id, status: 'SUCCESS', our_key: 'o1' }
  const delivery = { merchant_id, webhook_id: 'hook', status: 'SUCCESS' }
  return {
    sent: [sentOnce()],
    heard: new Map([
      [created_key, [receivedOf('transaction.created', 1)]],
      [succeeded_key, [receivedOf('transaction.success', 2)]],
    ]),
    strikes: [{ victim: 'worker-1', how: 'kill', at_ms: 50, until_ms: 50 }],
    orders: [{ operator: 'a', reference: 'o1', status: 'SUCCESSFUL', amount: '1032.00' }],
    checks: [{ check: 'entries balance', ok: true, counted: 1, broken: 0, examples: [] }],
    transactions: [{ ...row, ...amounts, ...more }],
    attempts: [{ ...attempt, gateway_code: 'simulator_a', wire_amount: 103_200n }],
    keys: [{ merchant_id, key: 'k1', transaction_id: id }],
    events: [
      { ...event, id: created, type: 'transaction.created', seq: 1n, version: 1 },
      { ...event, id: succeeded, type: 'transaction.success', seq: 2n, version: 2 },
    ],
    feeds: [{ merchant_id, last_seq: 2n }],
    webhooks: [{ merchant_id, id: 'hook', url: hook_url }],
    deliveries: [
      { ...delivery, id: deliveryIds[0], event_id: created },
      { ...delivery, id: deliveryIds[1], event_id: succeeded },
    ],
    incidents: [],
    balances: [{ merchant_id, country: 'BJ', available: 100_000n, pending: 0n }],
    booked: [{ merchant_id, cause_id: id, postings: 1 }],
    holds: [],
    funds: [],
  }
}

/** The same with one payout of 500, paid: 480 went out, 20 are its fee. */
function payoutWell(): Facts {
  const well = allWell()
  const payer = {
    is_paid: true,
    ends: 'paid',
    gives_code: false,
    country: 'BJ',
    network: 'n',
    phone: '10',
  } as const
  const sent = newSent('k1', merchant_id, '500', payer)
  sent.answers.push({ status: 201, text: 'same', payment: 't1' })
  const amounts = { requested_amount: 50_000n, debited_amount: 50_000n, net_amount: 48_000n }
  return {
    ...well,
    sent: [sent],
    transactions: first(well.transactions, { ...amounts, transaction_type: 'RETRAIT' }),
    attempts: first(well.attempts, { wire_amount: 48_000n }),
    orders: first(well.orders, { amount: '480.00' }),
    balances: [{ merchant_id, country: 'BJ', available: 250_000n, pending: 0n }],
    holds: [{ merchant_id, id: 't1', cause_id: 't1', amount: 50_000n, ends: ['SPEND'] }],
    funds: [{ merchant_id, country: 'BJ', amount: 300_000n }],
  }
}

type Plant = Readonly<{ law: string; wrong: (facts: Facts) => Partial<Facts> }>

/** The first row of a list with other values. */
const first = <T>([row, ...rest]: readonly T[], changes: Partial<T>): T[] =>
  row === undefined ? [] : [{ ...row, ...changes }, ...rest]

const doubled = <T extends { id: string }>(rows: readonly T[], id: string): T[] => [
  ...rows,
  ...rows.map((row) => ({ ...row, id })),
]

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
  { law: 'each hold is of a payout', wrong: () => ({ transactions: [] }) },
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
  { law: 'a payout holds what it costs', wrong: () => ({ holds: [] }) },
  {
    law: 'a payout holds what it costs',
    wrong: ({ holds }) => ({ holds: doubled(holds, 't2') }),
  },
  {
    law: 'a hold ends as its payout does',
    wrong: ({ holds }) => ({ holds: first(holds, { ends: [] }) }),
  },
  {
    law: 'a hold ends as its payout does',
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

// Histories of a payment's refunds as data: one or two payments that mostly succeed, and then
// whatever may happen to what is given back of them, in any order. Apart from the worlds of
// everything, in which refunds are few.

import fc from 'fast-check'
import { type Crash, crash } from './payout-world.ts'
import {
  createAnswers,
  deeds,
  type Event,
  fates,
  long,
  type Operator,
  pick,
  queryAnswers,
  sayings,
  type World,
} from './world.ts'

/** What an operator promises of refunds, in the words of the port. */
export type GivingBack = Readonly<{
  partial: boolean
  returns_fee: boolean
  one_at_a_time: boolean
}>

const onRefunds = ['verify', 'cancel', 'approve', 'reject'] as const

/** Of the refunds in the order in which they were made; so many decide at the same time. */
export type OnRefund = Readonly<{
  is: 'on_refund'
  refund: number
  hows: readonly (typeof onRefunds)[number][]
  crash: Crash | null
}>

const payment = fc.constantFrom(0, 0, 0, 1)
// Orders are counted over both operators: the payments' own come first.
const order = fc.constantFrom(0, 1, 1, 1, 2, 2, 2, 3, 3, 4)

type Choice = fc.WeightedArbitrary<Event>

/** The merchant, their people, and ours. */
const people: readonly Choice[] = [
  {
    weight: 24,
    arbitrary: fc.record({
      is: fc.constant('refund' as const),
      payment,
      part: fc.constantFrom(0, 0, 500, 1000, 1500, 2000, 3000, 4000),
      times: fc.constantFrom(1, 1, 2),
      crash,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('job' as const),
      job: fc.constantFrom('send_refunds_again', 'lapse_refunds'),
      crash,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant('on_refund' as const),
      refund: fc.constantFrom(0, 0, 1, 1, 2, 3),
      hows: fc.array(fc.constantFrom(...onRefunds), { minLength: 1, maxLength: 3 }),
      crash,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ is: fc.constant('staff' as const), word: fc.nat(4), crash }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('verify' as const), payment, crash }) },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant('freeze' as const), frozen: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('fund' as const),
      amount: fc.constantFrom(3000, 5000),
      crash,
    }),
  },
]

/** The operators, and the time that passes while they say nothing. */
const outside: readonly Choice[] = [
  { weight: 6, arbitrary: fc.record({ is: fc.constant('poll' as const), crash }) },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('age' as const),
      seconds: fc.constantFrom(3, 20, 1000, 4000, 90_000, 270_000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('operator' as const),
      order,
      does: fc.constantFrom('pays', 'contradicts', ...deeds),
      calls: fc.constantFrom(0, 1, 3),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('callback' as const),
      order,
      says: fc.constantFrom(...sayings),
      times: fc.constantFrom(1, 1, 3),
      crash,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ is: fc.constant('expire' as const), over: fc.boolean(), crash }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('rush' as const), times: fc.constantFrom(1, 2), crash }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('float' as const),
      operator: fc.constantFrom(0, 1),
      empty: fc.boolean(),
      closes: fc.boolean(),
    }),
  },
]

const givingBack: fc.Arbitrary<GivingBack | null> = fc.option(
  fc.record({
    partial: fc.constantFrom(true, true, false),
    returns_fee: fc.boolean(),
    one_at_a_time: fc.constantFrom(false, false, true),
  }),
  { freq: 3, nil: null },
)

/** The first that it is asked for is the payment, mostly. */
const operator: fc.Arbitrary<Operator> = fc.record({
  create_is_idempotent: fc.boolean(),
  callback_address: fc.constantFrom('PER_CALL', 'PER_CALL', 'STATIC'),
  cancels: fc.constant(false),
  creates: fc
    .tuple(
      fc.constantFrom('confirms', 'confirms', 'confirms', 'lost_and_paid', 'waits' as const),
      fc.array(fc.constantFrom(...createAnswers), { maxLength: 5, ...long }),
    )
    .map(([first, others]) => [first, ...others]),
  asks: fc.array(fc.constantFrom('truth', ...queryAnswers), { maxLength: 5, ...long }),
  giving_back: givingBack,
})

/** The first network's price gives its fee back, the second's keeps it. */
export const feeIsReturned = [true, false] as const

const payments = fc.array(
  fc.record({
    network: fc.constantFrom(0, 0, 1),
    amount: fc.constantFrom(4000, 5000, 7000),
    mode: fc.constantFrom('ADD_ON', 'DEDUCTED'),
  }),
  { minLength: 1, maxLength: 2 },
)

export const refundWorlds: fc.Arbitrary<World> = fc.noBias(
  fc.record({
    payments,
    paying: fc.record({
      opening: fc.constantFrom(0, 4000, 20_000, 20_000, 20_000),
      at_once: fc.constant(false),
      empty: fc.constantFrom([], [], [true, false], [true, true]),
      refilled: fc.boolean(),
      payouts: fc.constant([]),
    }),
    moving: fc.constant({ settlements: [], transfers: [], adjustments: [] }),
    sessions: fc.constant([]),
    one_process: fc.boolean(),
    paid_first: fc.constantFrom(true, true, true, false),
    operators: fc.tuple(operator, operator),
    events: fc.array(fc.oneof(...people, ...outside), { minLength: 2, maxLength: 20, ...long }),
    order: fc.array(pick, { maxLength: 90, ...long }),
    fates: fc.array(fc.constantFrom('pays', ...fates), { maxLength: 3 }),
  }),
)

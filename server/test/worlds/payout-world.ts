// The payouts of a world as data: what there is to pay from, who is paid, and what happens to a
// payout beside what happens to any attempt (polls, callbacks, deeds of operators).

import fc from 'fast-check'

/** Where a line of work dies: at its step of this number, before or after the step took effect. */
export type Crash = Readonly<{ step: number; after: boolean }>

export const crash: fc.Arbitrary<Crash | null> = fc.option(
  fc.record({ step: fc.integer({ min: 1, max: 12 }), after: fc.boolean() }),
  { freq: 4, nil: null },
)

export type PayoutEvent = Readonly<
  | { is: 'pay_out'; payout: number; times: number; crash: Crash | null }
  | { is: 'verify_payout'; payout: number; crash: Crash | null }
  | { is: 'resolve_payout'; payout: number; pays: boolean; crash: Crash | null }
  /** Staff mark the balance, or take the mark away. */
  | { is: 'freeze'; frozen: boolean }
  /** Another member decides on a payout that waits for them; so many do at the same time. */
  | { is: 'decide'; payout: number; hows: readonly Deciding[]; crash: Crash | null }
  /** Staff say that an operator's float is used up, or filled again. */
  /** With `closes` it is the account that is closed and opened, in place of its float. */
  | { is: 'float'; operator: number; empty: boolean; closes?: boolean }
  /** Other prices and rates come into force. */
  | { is: 'prices'; market: number }
  /** Due work: what waits for a float goes, where there is one. */
  | { is: 'start_waiting'; crash: Crash | null }
  /** Two people ask its operator for a payout that has succeeded. */
  | { is: 'ask_back'; payout: number; crash: Crash | null }
  /** Due work: operators are asked for what people want back. These take none back themselves. */
  | { is: 'take_back'; crash: Crash | null }
  /** Nobody decided in time. */
  | { is: 'lapse'; crash: Crash | null }
>

export type Deciding = 'approve' | 'reject' | 'cancel'

/** `large`: it costs more than one person may send. */
export type Payout = Readonly<{
  network: number
  amount: number
  mode: 'ADD_ON' | 'DEDUCTED'
  large: boolean
}>

export type Paying = Readonly<{
  /** Play money that is there from the start, in whole units. */
  opening: number
  /** All of them are called for at the start, not when an event says so. */
  at_once: boolean
  /** Whose floats are used up at the start, in the order of the operators. */
  empty: readonly boolean[]
  /** They are filled in the end; else what waits for them ends by itself. */
  refilled: boolean
  payouts: readonly Payout[]
}>

/** What costs more waits for a second person. */
export const largeAbove = 5000

const payout: fc.Arbitrary<Payout> = fc.record({
  network: fc.constantFrom(0, 1),
  amount: fc.constantFrom(1000, 3000, 4000),
  mode: fc.constantFrom('ADD_ON', 'DEDUCTED'),
  large: fc.constantFrom(false, false, true),
})

export const nothing: Paying = {
  opening: 0,
  at_once: false,
  empty: [],
  refilled: true,
  payouts: [],
}

/** A balance for none, for one of two, for all. Many worlds pay nothing out. */
export const paying: fc.Arbitrary<Paying> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(nothing) },
  {
    weight: 2,
    arbitrary: fc.record({
      opening: fc.constantFrom(0, 4500, 4500, 20_000),
      at_once: fc.boolean(),
      empty: fc.constantFrom([], [], [true, false], [true, true]),
      refilled: fc.boolean(),
      payouts: fc.array(payout, { minLength: 1, maxLength: 2 }),
    }),
  },
)

const at = fc.constantFrom(0, 0, 1)

/** In a world without payouts nothing comes of these. */
export const payingOut: fc.WeightedArbitrary<PayoutEvent>[] = [
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('pay_out' as const),
      payout: at,
      times: fc.constantFrom(1, 1, 2),
      crash,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('verify_payout' as const), payout: at, crash }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('resolve_payout' as const),
      payout: at,
      pays: fc.boolean(),
      crash,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('freeze' as const), frozen: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('decide' as const),
      payout: at,
      hows: fc.array(fc.constantFrom('approve', 'approve', 'reject', 'cancel'), {
        minLength: 1,
        maxLength: 2,
      }),
      crash,
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('lapse' as const), crash }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('float' as const),
      operator: fc.constantFrom(0, 1),
      empty: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('prices' as const), market: fc.constantFrom(0, 1, 2) }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('start_waiting' as const), crash }) },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('ask_back' as const), payout: at, crash }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('take_back' as const), crash }) },
]

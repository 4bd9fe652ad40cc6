// A world as data: payments, what the operators are like and how they answer, what happens, in
// which order its lines of work advance, and where they die. The same data plays the same way.

import fc from 'fast-check'
import { type Moving, type MovingEvent, moving, movings } from './moving-world.ts'
import {
  type Crash,
  crash,
  type Paying,
  type PayoutEvent,
  paying,
  payingOut,
} from './payout-world.ts'
import { onSessions, type Session, type SessionEvent, sessions } from './session-world.ts'

/** How an operator takes a request for money. What is lost is lost on the way back to us. */
export const createAnswers = [
  'waits',
  'confirms',
  'confirms_other_amount',
  'confirms_by_early_callback',
  'payer_refuses',
  'gateway_refuses',
  'gateway_refuses_by_early_callback',
  'float_is_empty',
  'never_sent',
  'lost_and_waits',
  'lost_and_paid',
  'lost_on_the_way_there',
  'arrives_late',
] as const
export type CreateAnswer = (typeof createAnswers)[number]

/**
 * How it answers a question, a code, a cancellation or a decision. `not_found` is said of an order
 * that it has, within its grace; `denies` whatever the order is and however old.
 */
export const queryAnswers = ['truth', 'unknown', 'not_found', 'never_sent', 'denies'] as const
export type QueryAnswer = (typeof queryAnswers)[number]

export const deeds = ['pays', 'refuses', 'pays_other_amount', 'contradicts', 'arrives'] as const
export type Deed = (typeof deeds)[number]

export const sayings = ['truth', 'unsigned', 'first_said', 'forged', 'for_another'] as const
export type Saying = (typeof sayings)[number]

export const fates = ['pays', 'refuses', 'never'] as const
export type Fate = (typeof fates)[number]

export type HoldHow = 'RELEASE' | 'SPEND'

export type { Crash } from './payout-world.ts'

import { type RefundEvent, refunding } from './refund-acts.ts'
import type { GivingBack, OnRefund } from './refund-world.ts'
import type { StaffEvent } from './staff-acts.ts'

export type Event = Readonly<
  | { is: 'initialize'; payment: number; crash: Crash | null }
  | { is: 'retry'; payment: number; how: number; keyed: boolean; crash: Crash | null }
  | { is: 'confirm'; payment: number; right: boolean; times: number; crash: Crash | null }
  | { is: 'verify'; payment: number; crash: Crash | null }
  | { is: 'poll'; crash: Crash | null }
  | { is: 'age'; seconds: number }
  /** The asking time of what is open ends, just now or in a moment; a poller is there. */
  | { is: 'expire'; over: boolean; crash: Crash | null }
  /** What is open is closed for want of an answer, and tried again: it is cancelled first. */
  | { is: 'cancel'; payment: number; crash: Crash | null }
  /** A test decides what the payer of the sandbox does. */
  | { is: 'resolve'; payment: number; pays: boolean; crash: Crash | null }
  /** One process hears of every order at once, each so many times: what waits goes together. */
  | { is: 'rush'; times: number; crash: Crash | null }
  | { is: 'fund'; amount: number; crash: Crash | null }
  | { is: 'hold'; place: number; amount: number; times: number; crash: Crash | null }
  | { is: 'end_hold'; place: number; hows: readonly HoldHow[]; crash: Crash | null }
  | { is: 'operator'; order: number; does: Deed; calls: number }
  | { is: 'callback'; order: number; says: Saying; times: number; crash: Crash | null }
  | PayoutEvent
  | RefundEvent
  | OnRefund
  | StaffEvent
  | MovingEvent
  | SessionEvent
>

export type Operator = Readonly<{
  create_is_idempotent: boolean
  callback_address: 'PER_CALL' | 'STATIC'
  cancels: boolean
  creates: readonly CreateAnswer[]
  asks: readonly QueryAnswer[]
  /** How it gives back what it collected; `null`: not at all. Absent: in parts, the fee kept. */
  giving_back?: GivingBack | null
}>

export type Payment = Readonly<{ network: number; amount: number; mode: 'ADD_ON' | 'DEDUCTED' }>

export type World = Readonly<{
  payments: readonly Payment[]
  paying: Paying
  moving: Moving
  sessions: readonly Session[]
  /** One process takes the first call for each payment; else each is taken by its own. */
  one_process: boolean
  /** Their first calls have ended before anything else begins. */
  paid_first?: boolean
  operators: readonly [Operator, Operator]
  events: readonly Event[]
  /**
   * What advances next: the choice is this number modulo how many there are; `together` lets all
   * that wait go at once, on as many connections. When it is used up, the oldest goes first.
   */
  order: readonly number[]
  /** What becomes, in the end, of an order that nobody has paid or refused. */
  fates: readonly Fate[]
}>

export const together = 63
export const networksMax = 4

// Mostly the first of each, so that what happens meets.
const payment = fc.constantFrom(0, 0, 0, 1)
const order = fc.constantFrom(0, 0, 0, 1, 1, 2, 3)
const times = fc.constantFrom(1, 1, 1, 3)

// Two things that money may be promised to; their ends meet.
const place = fc.constantFrom(0, 0, 1)

const holding: fc.WeightedArbitrary<Event>[] = [
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('fund' as const),
      amount: fc.constantFrom(3000, 5000),
      crash,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('hold' as const),
      place,
      amount: fc.constantFrom(1000, 2500, 4000),
      times: fc.constantFrom(1, 1, 2),
      crash,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('end_hold' as const),
      place,
      hows: fc.array(fc.constantFrom('RELEASE', 'SPEND'), { minLength: 1, maxLength: 3 }),
      crash,
    }),
  },
]

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ is: fc.constant('initialize' as const), payment, crash }) },
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('retry' as const),
      payment,
      how: fc.nat(networksMax),
      keyed: fc.boolean(),
      crash,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('confirm' as const),
      payment,
      right: fc.boolean(),
      times: fc.constantFrom(1, 5),
      crash,
    }),
  },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('verify' as const), payment, crash }) },
  { weight: 5, arbitrary: fc.record({ is: fc.constant('poll' as const), crash }) },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('age' as const),
      seconds: fc.constantFrom(3, 20, 140, 1000, 90_000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('operator' as const),
      order,
      does: fc.constantFrom(...deeds),
      calls: fc.constantFrom(0, 1, 3),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('callback' as const),
      order,
      says: fc.constantFrom(...sayings),
      times,
      crash,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('expire' as const), over: fc.boolean(), crash }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('cancel' as const), payment, crash }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('resolve' as const),
      payment,
      pays: fc.boolean(),
      crash,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('rush' as const), times: fc.constantFrom(1, 2), crash }),
  },
  ...holding,
  ...payingOut,
  ...refunding,
  ...movings,
  ...onSessions,
)

export const long = { size: 'max' } as const

const operator: fc.Arbitrary<Operator> = fc.record({
  create_is_idempotent: fc.boolean(),
  callback_address: fc.constantFrom('PER_CALL', 'PER_CALL', 'STATIC'),
  cancels: fc.boolean(),
  creates: fc.array(fc.constantFrom(...createAnswers), { maxLength: 4, ...long }),
  asks: fc.array(fc.constantFrom('truth', ...queryAnswers), { maxLength: 5, ...long }),
})

const payments = fc.array(
  fc.record({
    network: fc.constantFrom(0, 1, 2, 3, 3),
    amount: fc.constantFrom(5000, 5000, 7000),
    mode: fc.constantFrom('ADD_ON', 'DEDUCTED'),
  }),
  { minLength: 1, maxLength: 2 },
)

export const pick = fc.oneof({ weight: 5, arbitrary: fc.nat(7) }, fc.constant(together))

export const worlds: fc.Arbitrary<World> = fc.noBias(
  fc.record({
    payments,
    paying,
    moving,
    sessions,
    one_process: fc.boolean(),
    operators: fc.tuple(operator, operator),
    events: fc.array(event, { maxLength: 24, ...long }),
    order: fc.array(pick, { maxLength: 90, ...long }),
    fates: fc.array(fc.constantFrom('pays', ...fates), { maxLength: 3 }),
  }),
)

/** A world as lines that a person reads, the events in the order they begin. */
export function formatWorld(world: World): string {
  const { payments, paying, moving, one_process, operators, events, order, fates } = world
  const { sessions } = world
  const first = world.paid_first === true ? ', paid first' : ''
  const lines = [
    `payments of ${one_process ? 'one process' : 'several processes'}${first}`,
    ...payments.map((one, at) => `payment ${at}: ${JSON.stringify(one)}`),
    `paying out ${JSON.stringify(paying)}`,
    `moving ${JSON.stringify(moving)}`,
    `sessions ${JSON.stringify(sessions)}`,
    ...operators.map((one, at) => `operator ${'ab'[at]}: ${JSON.stringify(one)}`),
    ...events.map((one) => `  ${JSON.stringify(one)}`),
    `order ${JSON.stringify(order)}, fates ${JSON.stringify(fates)}`,
  ]
  return lines.join('\n')
}

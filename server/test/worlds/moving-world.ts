// What a merchant's own money does in a world, as data: settlements to their phone and their bank,
// transfers to another country, adjustments by staff; and who decides on them, how many at a time.

import fc from 'fast-check'
import { type Crash, crash } from './payout-world.ts'

const toSettle = ['approve', 'execute', 'fail', 'cancel', 'declare', 'confirm'] as const
const toTransfer = ['approve', 'reject'] as const
const toAdjust = ['confirm', 'confirm_own', 'refuse'] as const

export type OnSettlement = (typeof toSettle)[number]
export type OnTransfer = (typeof toTransfer)[number]
export type OnAdjustment = (typeof toAdjust)[number]

export type MovingEvent = Readonly<
  | { is: 'settle'; settlement: number; times: number; crash: Crash | null }
  | {
      is: 'on_settlement'
      settlement: number
      hows: readonly OnSettlement[]
      crash: Crash | null
    }
  | { is: 'transfer'; transfer: number; times: number; crash: Crash | null }
  | { is: 'on_transfer'; transfer: number; hows: readonly OnTransfer[]; crash: Crash | null }
  | { is: 'adjust'; adjustment: number; times: number; crash: Crash | null }
  | { is: 'on_adjustment'; adjustment: number; hows: readonly OnAdjustment[]; crash: Crash | null }
>

export type Moving = Readonly<{
  settlements: readonly Readonly<{ to: 'phone' | 'bank'; amount: number }>[]
  transfers: readonly number[]
  adjustments: readonly Readonly<{ kind: 'CREDIT_MERCHANT' | 'CHARGE_MERCHANT'; amount: number }>[]
}>

/** Below it a settlement or a transfer needs nobody, in whole units. */
export const automaticBelow = 1500

const amount = fc.constantFrom(1000, 3000, 4000)
const two = { maxLength: 2 } as const

const nothing: Moving = { settlements: [], transfers: [], adjustments: [] }

/** Most worlds move nothing; the others some of each. */
export const moving: fc.Arbitrary<Moving> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(nothing) },
  {
    weight: 2,
    arbitrary: fc.record({
      settlements: fc.array(
        fc.record({ to: fc.constantFrom('phone', 'phone', 'bank'), amount }),
        two,
      ),
      transfers: fc.array(amount, two),
      adjustments: fc.array(
        fc.record({ kind: fc.constantFrom('CREDIT_MERCHANT', 'CHARGE_MERCHANT'), amount }),
        two,
      ),
    }),
  },
)

const at = fc.constantFrom(0, 0, 1)
const times = fc.constantFrom(1, 1, 2)
const some = <const T>(values: readonly T[]) =>
  fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })

/** In a world that moves nothing, nothing comes of these. */
export const movings: fc.WeightedArbitrary<MovingEvent>[] = [
  {
    weight: 3,
    arbitrary: fc.record({ is: fc.constant('settle' as const), settlement: at, times, crash }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('on_settlement' as const),
      settlement: at,
      hows: some(['approve', 'approve', ...toSettle]),
      crash,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('transfer' as const), transfer: at, times, crash }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('on_transfer' as const),
      transfer: at,
      hows: some(toTransfer),
      crash,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant('adjust' as const), adjustment: at, times, crash }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('on_adjustment' as const),
      adjustment: at,
      hows: some(toAdjust),
      crash,
    }),
  },
]

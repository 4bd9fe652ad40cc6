// A world at rest as its laws see it: the records, and the operators' own books beside them.

import type { OperatorOrder } from './operator.ts'
import type { AttemptRecord, EntryRecord, Records } from './records.ts'
import { ordersOf, type Scene } from './scene.ts'

export type Seen = Readonly<{
  scene: Scene
  records: Records
  attemptById: ReadonlyMap<string, AttemptRecord>
  attemptByKey: ReadonlyMap<string, AttemptRecord>
  orders: readonly OperatorOrder[]
}>

export type Law = (seen: Seen) => string[]

export function seenOf(scene: Scene, records: Records): Seen {
  const { attempts } = records
  return {
    scene,
    records,
    attemptById: new Map(attempts.map((one) => [one.id, one])),
    attemptByKey: new Map(attempts.map((one) => [one.our_key, one])),
    orders: ordersOf(scene),
  }
}

export const sum = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((all, one) => all + one, 0n)

/** Credits less debits of the accounts that `which` takes. */
export function credited(
  entries: readonly EntryRecord[],
  which: (one: EntryRecord['debit']) => boolean,
) {
  const legs = entries.flatMap(({ debit, credit, amount }) => [
    ...(which(credit) ? [BigInt(amount)] : []),
    ...(which(debit) ? [-BigInt(amount)] : []),
  ])
  return sum(legs)
}

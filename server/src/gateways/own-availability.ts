// How one merchant's own payments do on each network, beside what everybody sees. Law: it is read
// by nobody's payment, once in a quarter of a minute for each merchant at most, and no figure of
// another merchant is in it.

import type { Environment } from '../platform/http/route.ts'
import type { Availability } from './availability.ts'
import { availability_minutes } from './availability-store.ts'

export type Owner = Readonly<{ merchant_id: string; environment: Environment }>

/** What was counted of a network and direction. */
export type Counted = Pick<Availability, 'network_code' | 'direction'> &
  Readonly<{ good: number; counted: number }>

export type Own = Pick<Availability, 'success_rate' | 'sample'>

/** By `<network code> <direction>`; what is not in it had no payment. */
export type OwnNow = (owner: Owner) => Promise<ReadonlyMap<string, Own>>

/** Of fewer no share is shown: it would change by five points with each. */
export const own_least = 20
const freshMs = 15_000
const owners_most = 1_000

export const ownKey = ({
  network_code,
  direction,
}: Pick<Counted, 'network_code' | 'direction'>): string => `${network_code} ${direction}`

const ownOf = ({ good, counted }: Counted): Own => ({
  success_rate: counted < own_least ? null : (good / counted).toFixed(2),
  sample: counted,
})

/** `count` is never called twice at a time for one merchant and environment. */
export function ownIn(
  count: (owner: Owner & Readonly<{ minutes: number }>) => Promise<readonly Counted[]>,
  clock: () => number,
): OwnNow {
  const kept = new Map<string, { at: number; shares: Promise<ReadonlyMap<string, Own>> }>()
  return ({ merchant_id, environment }) => {
    const name = `${merchant_id} ${environment}`
    const last = kept.get(name)
    const at = clock()
    if (last !== undefined && at - last.at < freshMs) return last.shares
    const shares = count({ merchant_id, environment, minutes: availability_minutes }).then(
      (rows) => new Map(rows.map((row) => [ownKey(row), ownOf(row)])),
    )
    const made = { at, shares }
    // Anew, so that the first of the map is the one that was read longest ago.
    kept.delete(name)
    kept.set(name, made)
    const [oldest] = kept.keys()
    if (kept.size > owners_most && oldest !== undefined) kept.delete(oldest)
    // A failure is for those who share it; whoever comes next reads again.
    shares.catch(() => {
      if (kept.get(name) === made) kept.delete(name)
    })
    return shares
  }
}

// The rates that count now, as this process holds them. A rate may be written with a later
// effective time, so a copy is also let go when it is a minute old, whatever the version says.

import type { Db } from '../platform/db.ts'
import { listCurrentRates, type StoredRate } from './store.ts'

export type RatesOf = (version: bigint) => Promise<readonly StoredRate[]>

const ageMaxMs = 60_000

export function currentRatesIn(db: Db, clock: () => number = Date.now): RatesOf {
  let held: { version: bigint; at: number; rates: Promise<readonly StoredRate[]> } | undefined
  return (version) => {
    if (held === undefined || held.version < version || clock() - held.at > ageMaxMs) {
      const rates = listCurrentRates(db)
      const mine = { version, at: clock(), rates }
      held = mine
      rates.catch(() => {
        if (held === mine) held = undefined
      })
    }
    return held.rates
  }
}

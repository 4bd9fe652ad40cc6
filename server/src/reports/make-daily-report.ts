// A merchant's day, for bookkeeping: what succeeded, and how the balances came from where the day
// before left them to where the next one finds them. Law: everything in it is read in one snapshot,
// so it adds up while payments land.

import { type Db, inSnapshot } from '../platform/db.ts'
import type { Caller } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { type Day, readDay } from './day.ts'
import {
  type Cut,
  listCuts,
  type Movement,
  sumMovements,
  sumSucceeded,
  type TypeTotal,
} from './store.ts'

export type BalanceDay = Cut & Readonly<{ movements: readonly Omit<Movement, 'country'>[] }>

export type DailyReport = Readonly<{
  day: Day
  transactions: readonly TypeTotal[]
  balances: readonly BalanceDay[]
}>

export const makeDailyReport = (
  db: Db,
  owner: Pick<Caller, 'merchant_id' | 'environment'>,
  date: string,
): Promise<DailyReport> =>
  inSnapshot(homeOf(db, owner.merchant_id), async (tx) => {
    const day = await readDay(tx, owner.merchant_id, date)
    const cuts = await listCuts(tx, owner, day)
    const transactions = await sumSucceeded(tx, owner, { ...day, cuts })
    const movements = await sumMovements(tx, owner, { ...day, cuts })
    const balances = cuts.map((cut) => ({
      ...cut,
      movements: movements.filter(({ country }) => country === cut.country),
    }))
    return { day, transactions, balances }
  })

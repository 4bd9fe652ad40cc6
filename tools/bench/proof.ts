// After the load: are the books right, and is every payment there once, confirmed once, delivered
// once?

import { type Check, verifyLedger } from '../../server/src/ledger/verify.ts'
import type { Db } from '../../server/src/platform/db.ts'
import { allGroups } from '../../server/src/platform/places/places.ts'
import type { Load } from './load-processes.ts'

export type Proof = Readonly<{
  ok: boolean
  /** Answered 201 by initialize. */
  accepted: number
  /** SUCCESS in the database, of those the payers began. */
  settled: number
  /** Received by webhook, of merchants whose endpoint answers. */
  received: number
  expected: number
  repeats: number
  doubles: number
  ledger: readonly Check[]
}>

type ProofInput = Readonly<{ load: Load; db: Db; deaf: readonly string[]; stored: number }>

/** `deaf`: merchants whose endpoint never answers; `stored`: confirmed before the load began. */
export async function prove({ load, db, deaf, stored }: ProofInput): Promise<Proof> {
  const { accepted } = await load.counts()
  const { payments: received, repeats, doubles } = await load.tally()
  const settled = (await countSettled(db)) - stored
  const expected = settled - (await countSettled(db, deaf))
  const ledger = await verifyLedger(db)
  const same = accepted === settled && received === expected && doubles === 0
  const ok = same && ledger.every((check) => check.ok)
  return { ok, accepted, settled, received, expected, repeats, doubles, ledger }
}

/** Payments that have succeeded; absent: those of all merchants. */
export async function countSettled(db: Db, merchant_ids?: readonly string[]): Promise<number> {
  const counts = await allGroups(
    db,
    (at) => at<{ settled: number }[]>`
      select count(*)::int as settled from transactions
       where status = 'SUCCESS' and (${merchant_ids === undefined}
             or merchant_id::text = any(${[...(merchant_ids ?? [])]}::text[]))`,
  )
  return counts.reduce((sum, { settled }) => sum + settled, 0)
}

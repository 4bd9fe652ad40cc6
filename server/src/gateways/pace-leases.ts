// Shares of what an operator allows, one row a process that asks; and the client that keeps to
// them. Law: the shares of an account never add up to more than is allowed, those just lost
// included. They are given under the account's lock; no statement is made for a question.

import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import type { Outbound, SendResult } from '../platform/outbound/outbound.ts'
import { deletePaces, listPaces, lockPaces, upsertPace } from './account-store.ts'
import { leaseMs, nextPace, type Pacer } from './pace.ts'

export type PaceOf = Readonly<{ gateway_id: string; process: string; allowed: number }>

/** The share of this process from now on. */
export const claimPace = (db: Db, of: PaceOf): Promise<number> =>
  inTransaction(db, (tx) => claimIn(tx, of))

async function claimIn(tx: Tx, { gateway_id, process, allowed }: PaceOf): Promise<number> {
  await lockPaces(tx, gateway_id)
  const rows = await listPaces(tx, gateway_id)
  const { share, former_share, former_ms } = nextPace(rows, process, allowed)
  const former_s = former_ms === null ? null : former_ms / 1000
  await upsertPace(tx, {
    ...{ gateway_id, process, share, former_share, former_s },
    lease_s: leaseMs / 1000,
  })
  // Processes that are gone leave rows that count for nothing.
  if (rows.some(({ lease_in_ms }) => lease_in_ms < -60_000)) await deletePaces(tx, gateway_id)
  return share
}

const tooOften = 429

/** Asks, which are GETs, wait for their turn; what comes back says when that was too often. */
export function pacedOutbound(outbound: Outbound, pacer: Pacer, now: () => number): Outbound {
  return {
    ...outbound,
    async send(request) {
      const until = now() + request.timeout_ms
      const isAsk = request.method === 'GET'
      if (isAsk && !(await pacer.take(until))) return { is: 'never_sent', because: 'pace' }
      // Whole milliseconds that are left; `take` answers before the time is over.
      const timeout_ms = isAsk ? Math.max(1, Math.floor(until - now())) : request.timeout_ms
      const result = await outbound.send({ ...request, timeout_ms })
      if (result.is === 'answered' && result.status === tooOften) pacer.slowDown(waitIn(result))
      return result
    },
  }
}

/** Seconds; undefined where it says nothing that can be read. */
function waitIn({ headers }: Extract<SendResult, { is: 'answered' }>): number | undefined {
  const [, seconds] = /^\s*(\d{1,6})\s*$/.exec(headers['retry-after'] ?? '') ?? []
  return seconds === undefined ? undefined : Number(seconds)
}

// Shares of what an account may be sent, one row a process that sends; and the client that keeps to
// them. Law: the shares of an account never add up to more than is allowed, those just lost
// included. They are given under the account's lock; no statement is made for a call.

import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import type { Outbound, SendResult } from '../platform/outbound/outbound.ts'
import { deletePaces, listPaces, lockPaces, upsertPace } from './account-store.ts'
import { type CallKind, type Claiming, leaseMs, nextRow, type Pacer, type Shares } from './pace.ts'

export type PaceOf = Claiming & Readonly<{ gateway_id: string }>

/** The shares of this process from now on; 0 where nothing is limited. */
export const claimPace = (db: Db, of: PaceOf): Promise<Shares> =>
  inTransaction(db, (tx) => claimIn(tx, of))

async function claimIn(tx: Tx, of: PaceOf): Promise<Shares> {
  const { gateway_id, process } = of
  await lockPaces(tx, gateway_id)
  const rows = await listPaces(tx, gateway_id)
  const { lost_ms, ...next } = nextRow(rows, of)
  const former_s = lost_ms === null ? null : lost_ms / 1000
  await upsertPace(tx, { gateway_id, process, ...next, former_s, lease_s: leaseMs / 1000 })
  // Processes that are gone leave rows that count for nothing.
  if (rows.some(({ lease_in_ms }) => lease_in_ms < -gone_ms)) await deletePaces(tx, gateway_id)
  return { asks: next.share, creates: next.create_share, open: next.open_share }
}

/** Of a process that has been gone for so long nothing is under way. */
const gone_ms = 600_000

const tooOften = 429

/** For so long a create waits for its turn: its payer, or its merchant, waits with it. */
const createWaitMs = 2_000

export type PacedBy = Readonly<{
  pacer: Pacer
  /** A clock that only goes forward, in milliseconds. */
  now: () => number
  /** Called for each call that found no place in its time. */
  onNoPlace?: (kind: CallKind) => void
}>

/**
 * Every call waits for its turn: a question for as long as it has time, anything else briefly. What
 * comes back says when that was too often.
 */
export function pacedOutbound(outbound: Outbound, { pacer, now, onNoPlace }: PacedBy): Outbound {
  return {
    ...outbound,
    async send(request) {
      const kind = request.pace ?? (request.method === 'GET' ? 'ask' : 'create')
      const until = now() + request.timeout_ms
      const wait_ms = kind === 'ask' ? request.timeout_ms : createWaitMs
      const release = await pacer.take(kind, Math.min(until, now() + wait_ms))
      if (release === undefined) {
        onNoPlace?.(kind)
        return { is: 'never_sent', because: 'pace' }
      }
      try {
        // Whole milliseconds that are left; `take` answers before the time is over.
        const timeout_ms = Math.max(1, Math.floor(until - now()))
        const result = await outbound.send({ ...request, timeout_ms })
        if (result.is === 'answered' && result.status === tooOften) pacer.slowDown(waitIn(result))
        return result
      } finally {
        release()
      }
    },
  }
}

/** Seconds; undefined where it says nothing that can be read. */
function waitIn({ headers }: Extract<SendResult, { is: 'answered' }>): number | undefined {
  const [, seconds] = /^\s*(\d{1,6})\s*$/.exec(headers['retry-after'] ?? '') ?? []
  return seconds === undefined ? undefined : Number(seconds)
}

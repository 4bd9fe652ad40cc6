// Callbacks that matched no attempt when they came: the row may be written a moment later. They are
// retried for fifteen minutes; then, if the gateway signed the callback, an incident reports
// unmatched money.

import type { Gateways } from '../gateways/gateway.ts'
import type { Db } from '../platform/db.ts'
import {
  findDirectoryRow,
  listWaitingCallbacks,
  updateWaitingCallback,
  type WaitingCallback,
  wakeAttempt,
} from './attempt-statements.ts'
import type { GatewayIds } from './receive-callback.ts'

export type MatchDeps = Readonly<{
  db: Db
  gateways: Gateways
  gateway_ids: GatewayIds
  /** Opens UNMATCHED_CALLBACK, once for a gateway and hour. */
  openUnmatched: (callback: WaitingCallback) => Promise<void>
}>

const batchMax = 50
const giveUpAfterS = 15 * 60
const againAfterS = 30

/** Handles one portion, the longest due first. */
export async function matchCallbacks(deps: MatchDeps): Promise<'more' | 'rest'> {
  const waiting = await listWaitingCallbacks(deps.db, batchMax)
  const failed: unknown[] = []
  for (const callback of waiting) {
    try {
      await matchOne(deps, callback)
    } catch (error) {
      // It moves behind the others until its next turn, so that none of them waits for it.
      await waitOn(deps, callback)
      failed.push(error)
    }
  }
  if (failed.length > 0) throw failed[0]
  return waiting.length === batchMax ? 'more' : 'rest'
}

/** At growing intervals: five looks in a quarter of an hour, however many callbacks wait. */
const waitOn = ({ db }: MatchDeps, callback: WaitingCallback): Promise<void> =>
  updateWaitingCallback(db, callback, {
    outcome: 'WAITING',
    due_after_s: Math.max(againAfterS, callback.age_s),
  })

async function matchOne(deps: MatchDeps, callback: WaitingCallback): Promise<void> {
  const { db } = deps
  const [code] = [...deps.gateway_ids].find(([, row]) => row.id === callback.gateway_id) ?? []
  const gateway = code === undefined ? undefined : deps.gateways.get(code)
  // Without its headers a stored body proves nothing; it only tells us which attempt to query.
  const key = gateway?.readCallback(callback.body, {}).key ?? ''
  const attempt = key === '' ? undefined : await findDirectoryRow(db, callback.gateway_id, key)
  if (attempt !== undefined) {
    await wakeAttempt(db, attempt)
    await updateWaitingCallback(db, callback, { outcome: 'WOKE', due_after_s: null })
    return
  }
  if (callback.age_s < giveUpAfterS) {
    await waitOn(deps, callback)
    return
  }
  if (callback.proof === 'SIGNED') await deps.openUnmatched(callback)
  await updateWaitingCallback(db, callback, { outcome: 'UNMATCHED', due_after_s: null })
}

// Callbacks that matched no attempt when they came (its row may be written a moment later), and
// those whose key was not known. They are retried for fifteen minutes; then, if the gateway signed
// the callback, an incident reports unmatched money. What was kept is read again as it came, so a
// signature proves later what it proved then.

import type { Gateway, Gateways, Received } from '../gateways/gateway.ts'
import type { Db } from '../platform/db.ts'
import type { AttemptKeyOf } from './attempt.ts'
import { wakeAttempt } from './attempt-statements.ts'
import {
  findDirectoryRow,
  listWaitingCallbacks,
  updateWaitingCallback,
  type WaitingCallback,
} from './callback-statements.ts'
import { type CallbackDeps, callbackOf, type GatewayIds, isEvidence } from './receive-callback.ts'

export type MatchDeps = Readonly<{
  db: Db
  gateways: Gateways
  gateway_ids: GatewayIds
  /** Applies the evidence of a signed one. */
  apply: CallbackDeps['apply']
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
  const received = receivedThen(callback)
  const reading = gateway?.readCallback(received)
  if (callback.attempt_id !== null && reading?.unknown_key !== undefined) {
    return callback.age_s < giveUpAfterS ? waitOn(deps, callback) : leaveAsHint(deps, callback)
  }
  const attempt = await attemptOf(db, callback, reading?.key ?? '')
  if (attempt !== undefined && gateway !== undefined) {
    const outcome = await applyNow(deps, { gateway, callback, received }, attempt)
    const proof = reading?.proof ?? callback.proof
    await updateWaitingCallback(db, callback, { outcome, due_after_s: null, proof })
    return
  }
  if (callback.age_s < giveUpAfterS) {
    await waitOn(deps, callback)
    return
  }
  if (callback.proof === 'SIGNED') await deps.openUnmatched(callback)
  await updateWaitingCallback(db, callback, { outcome: 'UNMATCHED', due_after_s: null })
}

/** It woke its attempt when it came, and nothing more will be known of it. */
const leaveAsHint = ({ db }: MatchDeps, callback: WaitingCallback): Promise<void> =>
  updateWaitingCallback(db, callback, { outcome: 'WOKE', due_after_s: null })

async function attemptOf(
  db: Db,
  { gateway_id, merchant_id, attempt_id }: WaitingCallback,
  key: string,
): Promise<AttemptKeyOf | undefined> {
  if (attempt_id !== null) return { merchant_id, id: attempt_id }
  return key === '' ? undefined : findDirectoryRow(db, gateway_id, key)
}

/** Without what its signature covered a stored body proves nothing: it says whom to ask about. */
const receivedThen = ({ raw, request }: WaitingCallback): Received => ({
  ...(request ?? { method: '', authority: '', path: '', query: '', headers: {}, at_ms: 0 }),
  body: raw,
})

type Waited = Readonly<{ gateway: Gateway; callback: WaitingCallback; received: Received }>

async function applyNow(
  { db, apply }: MatchDeps,
  { gateway, callback, received }: Waited,
  key: AttemptKeyOf,
): Promise<'APPLIED' | 'WOKE'> {
  const reading = gateway.readCallback(received)
  const row = { id: callback.gateway_id, environment: callback.environment }
  const hash = callback.body_hash
  const applied = isEvidence(reading)
    ? await apply({
        ...{ key, gateway, reading, hash, by_address: false, request_id: `match-${callback.id}` },
        callback: callbackOf({ key, gateway, row, received, reading, hash }),
      })
    : 'nobody'
  if (applied !== 'nobody' && !applied.ask) return 'APPLIED'
  await wakeAttempt(db, key)
  return 'WOKE'
}

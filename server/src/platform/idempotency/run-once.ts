// One key, one movement (contract 4). Wraps a money route: a new key runs the handler, a used one
// answers as before, one in use is 409, and one whose process died is taken over: it never moves
// money again, it answers with the transaction in its current state.

import type { Db } from '../db.ts'
import { defineErrors, Invalid, Refusal, refuse } from '../errors.ts'
import type { Input, Once, Reply, Route } from '../http/route.ts'
import {
  type Begun,
  deleteEmptyClaim,
  deleteKey,
  findKey,
  insertKey,
  type KeyRow,
  markProgress,
  storeAnswer,
  storeRefusal,
  takeOverKey,
} from './store.ts'

export const idempotencyErrors = defineErrors({
  idempotency_conflict: {
    status: 409,
    message: {
      en: 'This Idempotency-Key was used with another body. A new operation needs a new key.',
      fr:
        'Cette Idempotency-Key a servi avec un autre corps. Une nouvelle opération demande une ' +
        'autre Idempotency-Key.',
    },
  },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    message: {
      en: 'The first call with this Idempotency-Key is still running. Repeat it shortly.',
      fr:
        'Le premier appel avec cette Idempotency-Key est encore en cours. Répétez-le dans un ' +
        'instant.',
    },
  },
})

/** Thrown by a verb whose own statement found the key already claimed. */
export class KeyInUse extends Error {
  constructor() {
    super('idempotency key taken')
  }
}

/** A verb's statement claimed the key but made nothing: the key is free again. */
export async function giveBackClaim(db: Db, once: Once, transaction_id: string): Promise<void> {
  if (!once.none) await deleteEmptyClaim(db, once, transaction_id)
}

/**
 * A verb whose key was claimed before it ran is about to do what must not be done twice: from now
 * on a replay answers with the transaction. Throws when the key was taken over meanwhile.
 */
export async function markCommitted(db: Db, once: Once, begun: Begun): Promise<void> {
  if (!once.none && !(await markProgress(db, once, begun))) throw new KeyInUse()
}

type Key = Extract<Once, { none: false }>
type Run = (once: Once) => Promise<Reply>
/** Renders a refusal as it will be answered, so that it can be kept: status and bare error. */
export type RenderRefusal = (refusal: Refusal, input: Input) => { status: number; json: string }

export type OnceDeps = Readonly<{
  db: Db
  fingerprint: (canonical: string) => Buffer
  /**
   * Whether this is the call's fingerprint, under whichever key it was made. Absent: there is one
   * key.
   */
  isFingerprint?: (canonical: string, kept: Buffer) => boolean
  render: RenderRefusal
  lease_s: number
}>

export type KeyedCall = Readonly<{
  route: Pick<Route, 'claims' | 'resume'>
  input: Input
  key: string
  canonical: string
}>

export type RunOnce = { run(call: KeyedCall, handler: Run): Promise<Reply> }

export function runOnce(deps: OnceDeps): RunOnce {
  return {
    async run({ route, input, key, canonical }, handler) {
      const { merchant_id, environment } = input.caller
      const fingerprint = deps.fingerprint(canonical)
      const once: Key = { none: false, merchant_id, environment, key, fingerprint, lease_no: 0n }
      if (route.claims === 'verb')
        return runAndStore(deps, { route, input, once, canonical, handler })
      const lease_no = await insertKey(deps.db, once, deps.lease_s)
      if (lease_no === undefined)
        return answerUsed(deps, { route, input, once, canonical, handler })
      return runAndStore(deps, { route, input, once: { ...once, lease_no }, canonical, handler })
    },
  }
}

type Work = {
  route: KeyedCall['route']
  input: Input
  once: Key
  canonical: string
  handler: Run
}

async function runAndStore(deps: OnceDeps, work: Work): Promise<Reply> {
  let reply: Reply
  try {
    reply = await work.handler(work.once)
  } catch (error) {
    if (error instanceof KeyInUse) return answerUsed(deps, work)
    if (error instanceof Refusal || error instanceof Invalid) {
      return refusedUnderKey(deps, work, error)
    }
    throw error
  }
  return storeReply(deps, work.once, reply)
}

async function storeReply(deps: OnceDeps, once: Key, reply: Reply): Promise<Reply> {
  if (!('data' in reply) && !('json' in reply)) return reply
  if ('json' in reply && reply.stored) return reply
  const json = 'json' in reply ? reply.json : JSON.stringify(reply.data)
  const kept = await storeAnswer(deps.db, once, { status: reply.status, json })
  return { ...reply, status: kept.status, json: kept.json, stored: true }
}

/** 422 without `retryable` is an answer and is kept; every other refusal gives the key back. */
function isStored(error: Refusal | Invalid): error is Refusal {
  if (error instanceof Invalid) return false
  if (error.detail.extra?.['transaction'] !== undefined) return true
  return error.row.status === 422 && !error.retryable
}

async function refusedUnderKey(
  deps: OnceDeps,
  work: Work,
  error: Refusal | Invalid,
): Promise<Reply> {
  const committed = error instanceof Refusal && error.detail.extra?.['transaction'] !== undefined
  if (work.once.lease_no === 0n && !committed) {
    // The verb refused before its statement could claim the key: check whether the key was used
    // already.
    const row = await findKey(deps.db, work.once)
    if (row !== undefined) return answerUsed(deps, work)
  }
  if (isStored(error)) {
    const answer = deps.render(error, work.input)
    if (committed) {
      const kept = await storeAnswer(deps.db, work.once, answer)
      return { status: kept.status, json: kept.json, stored: true }
    }
    if (!(await storeRefusal(deps.db, work.once, answer))) return answerUsed(deps, work)
    return { ...answer, stored: true }
  }
  if (work.once.lease_no > 0n) await deleteKey(deps.db, work.once, work.once.lease_no)
  throw error
}

async function answerUsed(deps: OnceDeps, work: Work): Promise<Reply> {
  const row = await findKey(deps.db, work.once)
  // Given back between our two reads: the same call may simply be made again.
  if (row === undefined) throw inProgress()
  if (!isSameCall(deps, work, row)) throw refuse(idempotencyErrors.idempotency_conflict)
  if (row.answer !== null && row.status !== null) {
    return { status: row.status, json: row.answer, stored: true, replayed: true }
  }
  if (row.running) throw inProgress()
  // From here on the key's own fingerprint, so that what is kept finds its row.
  return takeOver(deps, { ...work, once: { ...work.once, fingerprint: row.fingerprint } }, row)
}

/** Also under an older key: a replay after a rotation is still a replay. */
const isSameCall = (deps: OnceDeps, { once, canonical }: Work, { fingerprint }: KeyRow): boolean =>
  fingerprint.equals(once.fingerprint) || (deps.isFingerprint?.(canonical, fingerprint) ?? false)

const inProgress = () => refuse(idempotencyErrors.idempotency_in_progress, { retry_after_s: 1 })

/** The process that had claimed the key died: answer for it, without moving money a second time. */
async function takeOver(deps: OnceDeps, work: Work, row: KeyRow): Promise<Reply> {
  const lease_no = await takeOverKey(deps.db, work.once, row.lease_no, deps.lease_s)
  if (lease_no === undefined) throw inProgress()
  const taken = { ...work, once: { ...work.once, lease_no } }
  if (row.transaction_id !== null && work.route.resume !== undefined) {
    const progress = { transaction_id: row.transaction_id, attempt_id: row.attempt_id }
    const input = { ...work.input, once: taken.once }
    const reply = await work.route.resume(input as Input<never>, progress)
    if (reply !== undefined) {
      const kept = await storeReply(deps, taken.once, reply)
      return 'json' in kept ? { ...kept, replayed: true } : kept
    }
  }
  return runAndStore(deps, taken)
}

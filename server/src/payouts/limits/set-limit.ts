// A merchant sets, reads and drops limits on its own payouts. A stricter limit counts from the next
// payout on. A looser one counts after a wait in which the owners can object, or as soon as a
// second member confirms it (loosen-limit.ts).

import type { AuditAction } from '../../audit/actions.ts'
import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { emailOwners } from '../../merchants/email-owners.ts'
import type { KeyAndSuccessor } from '../../merchants/keys/issue-keys.ts'
import { waitToLoosen } from '../../merchants/settings/cooling-off.ts'
import { writeInTurn } from '../../platform/batch-calls.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db, Sql, Tx } from '../../platform/db.ts'
import { assert, invalid } from '../../platform/errors.ts'
import { inEnvironment } from '../../platform/http/ownership.ts'
import type { Caller } from '../../platform/http/route.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { limitToComeEmail } from './emails.ts'
import {
  type Figures,
  figuresOf,
  isNothing,
  isSame,
  noFigures,
  type PayoutLimit,
  splitChange,
  wholeMerchant,
} from './limit.ts'
import {
  deleteLimit,
  findLimit,
  findSameLimit,
  insertLimit,
  insertLimitsOfSuccessor,
  isOwnKey,
  lockLimitsOf,
  requireOwnLimit,
  updateLimit,
} from './store.ts'
import { ofWhom, shownFigures } from './view.ts'

export type LimitDeps = Readonly<{
  db: Db
  keyring: Keyring
  /** The cooling-off of a merchant that has none of its own. */
  cooling_hours: number
}>

export type LimitRequest = Figures &
  Readonly<{
    country: string
    currency: string
    /** Null for the whole merchant. */
    api_key: string | null
  }>

/** New, or in place of the limit of the same country and key. */
export async function setLimit(
  deps: LimitDeps,
  caller: Caller,
  request: LimitRequest,
): Promise<PayoutLimit> {
  const { merchant_id, environment } = caller
  const { country, currency, api_key } = request
  const api_key_id = api_key ?? wholeMerchant
  const place = { merchant_id, environment, country, api_key_id }
  return writeInTurn(deps.db, caller, async (tx) => {
    if (api_key !== null) await requireOwnKey(tx, place)
    await lockLimitsOf(tx, place)
    const was = await findSameLimit(tx, place)
    if (was !== undefined) return change(tx, deps, { caller, was, request: figuresOf(request) })
    const id = newId()
    const created_by_member = caller.member_id
    await insertLimit(tx, { ...place, ...figuresOf(request), id, currency, created_by_member })
    const limit = await writtenLimit(tx, { merchant_id, id })
    await recordLimit(tx, caller, 'payout_limit.set', limit)
    return limit
  })
}

/** Undefined: it is gone at once. Otherwise it stays, and is to be dropped. */
export async function dropLimit(
  deps: LimitDeps,
  caller: Caller,
  id: string,
): Promise<PayoutLimit | undefined> {
  return writeInTurn(deps.db, caller, async (tx) => {
    await lockLimitsOf(tx, caller)
    const was = await getLimit(tx, caller, id)
    const limit = await change(tx, deps, { caller, was, request: noFigures })
    return isNothing(limit) ? undefined : limit
  })
}

type LimitChange = Readonly<{ caller: Caller; was: PayoutLimit; request: Figures }>

async function change(
  tx: Tx,
  deps: LimitDeps,
  { caller, was, request }: LimitChange,
): Promise<PayoutLimit> {
  const wait_h = await waitToLoosen(tx, was, deps.cooling_hours)
  const { now, next } = wait_h === 0 ? { now: request, next: null } : splitChange(was, request)
  if (isNothing(now)) {
    await deleteLimit(tx, was)
    await recordLimit(tx, caller, 'payout_limit.dropped', was)
    return { ...was, ...now, next: null }
  }
  // A repeated DELETE, as networks send them, must not begin the wait anew.
  if (next !== null && isPending(was, { now, next, wait_h })) return was
  const by = caller.member_id
  await updateLimit(tx, was, now, next && { ...next, by, wait_h })
  const limit = await writtenLimit(tx, was)
  const act = next === null ? 'payout_limit.set' : 'payout_limit.loosening_asked'
  await recordLimit(tx, caller, act, limit)
  if (next !== null && was.environment === 'LIVE') {
    const email = limitToComeEmail({ limit, to: next }, { wait_h })
    await emailOwners(tx, deps.keyring, was.merchant_id, email)
  }
  return limit
}

/** The very change that is pending already, and no sooner than it would come now. */
const isPending = (
  was: PayoutLimit,
  { now, next, wait_h }: Readonly<{ now: Figures; next: Figures; wait_h: number }>,
): boolean =>
  was.next !== null && was.next.wait_h >= wait_h && isSame(was.next, next) && isSame(was, now)

async function requireOwnKey(tx: Tx, of: Parameters<typeof isOwnKey>[1]): Promise<void> {
  if (await isOwnKey(tx, of)) return
  throw invalid('api_key', {
    en: 'Must be one of your keys in this environment.',
    fr: 'Doit être une de vos clés de cet environnement.',
  })
}

/** Just written, so it is there. */
async function writtenLimit(tx: Tx, { merchant_id, id }: Pick<PayoutLimit, 'merchant_id' | 'id'>) {
  const limit = await findLimit(tx, { merchant_id, id })
  assert(limit !== undefined, 'a limit without a row')
  return limit
}

export async function getLimit(
  sql: Sql,
  { merchant_id, environment }: Caller,
  id: string,
): Promise<PayoutLimit> {
  const key = { merchant_id, id }
  const limit = isUuid(id) ? await findLimit(sql, key) : undefined
  return requireOwnLimit(sql, key, inEnvironment(limit, environment))
}

/** One line of the audit log: which limit, what is in force, and what is to come. */
export async function recordLimit(
  tx: Tx,
  caller: Caller,
  action: AuditAction,
  limit: PayoutLimit,
): Promise<void> {
  const { merchant_id, environment, id, next } = limit
  const view = { ...ofWhom(limit), ...shownFigures(limit) }
  const after = next === null ? view : { ...view, next: shownFigures(next) }
  await recordAct(tx, {
    merchant_id,
    environment,
    actor: actorOf(caller),
    action,
    target_kind: 'payout_limit',
    target_id: id,
    ...(action === 'payout_limit.dropped' ? { before: view } : { after }),
  })
}

// A key that is replaced passes its limits, as they are in force, to the key that follows it; while
// both are valid they count towards the same day, so that rotating gives no second allowance.

export async function passLimitsOn(tx: Tx, keys: KeyAndSuccessor): Promise<void> {
  await lockLimitsOf(tx, keys)
  await insertLimitsOfSuccessor(tx, keys)
}

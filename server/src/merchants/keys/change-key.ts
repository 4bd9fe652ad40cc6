// A member renames a key, or changes its bounds. It takes effect on the next request, in every
// process, since every call reads its row. Law: a member who may not have such a key may narrow it,
// never widen it.

import { actorOf, changedFields } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { writeInTurn } from '../../platform/batch-calls.ts'
import type { Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { emailOwners } from '../email-owners.ts'
import { type ApiKey, keyErrors } from './api-key.ts'
import { changedKeyEmail } from './emails.ts'
import { getKey, keyIdOf } from './get-key.ts'
import type { KeyDeps } from './issue-keys.ts'
import { networksOf, opensMore, requireMayHold } from './key-bounds.ts'
import { type KeyFields, lockKey, requireOwnKey, updateKey } from './store.ts'

/** Absent: as it was. */
export type KeyChange = Readonly<{ id: string }> & Partial<KeyFields>

/** Refuses a key that has ended. Nothing is written when nothing changes. */
export async function changeKey(
  { db, keyring }: KeyDeps,
  caller: Caller,
  { id, ...change }: KeyChange,
): Promise<ApiKey> {
  const of = keyIdOf(caller, id)
  return writeInTurn(db, caller, async (tx) => {
    const was = await requireOwnKey(tx, of, await lockKey(tx, of))
    if (was.status !== 'ACTIVE') throw refuse(keyErrors.key_not_active)
    const next = nextOf(was, change)
    if (opensMore(was, next)) requireMayHold(caller.session, was)
    const changed = changedFields(fieldsOf(was), next)
    if (changed === undefined) return was
    await updateKey(tx, id, next)
    await recordChange(tx, caller, was, changed)
    const isBound = 'ip_whitelist' in changed.after || 'read_only' in changed.after
    if (was.environment === 'LIVE' && isBound) {
      await emailOwners(tx, keyring, was.merchant_id, changedKeyEmail({ ...was, ...next }))
    }
    return getKey(tx, of)
  })
}

const fieldsOf = ({ name, ip_whitelist, read_only }: KeyFields): KeyFields => ({
  name,
  ip_whitelist,
  read_only,
})

const nextOf = (was: ApiKey, { name, ip_whitelist, read_only }: Partial<KeyFields>): KeyFields => ({
  name: name ?? was.name,
  ip_whitelist: ip_whitelist === undefined ? was.ip_whitelist : networksOf(ip_whitelist),
  read_only: read_only ?? was.read_only,
})

const recordChange = (
  tx: Tx,
  caller: Caller,
  { merchant_id, environment, id }: ApiKey,
  changed: NonNullable<ReturnType<typeof changedFields>>,
): Promise<void> =>
  recordAct(tx, {
    merchant_id,
    environment,
    actor: actorOf(caller),
    action: 'api_key.changed',
    target_kind: 'api_key',
    target_id: id,
    ...changed,
  })

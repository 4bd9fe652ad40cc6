// A merchant: made, found, opened to LIVE. A new one works in the sandbox at once, in LIVE only
// after an approval (contract 3.1).

import { systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import type { Sql, Tx } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { accessErrors, transportErrors } from '../platform/http/transport-errors.ts'
import { isUuid, newId } from '../platform/ids.ts'
import { coolOffMethods } from './payout-methods/change-payout-methods.ts'
import {
  findMerchant,
  insertKnownMerchants,
  insertMerchant,
  type KnownMerchant,
  listOwned,
  lockMerchant,
  type MerchantFound,
  updateLiveIfReady,
} from './store.ts'

export type MerchantRequest = Readonly<{
  name: string
  /** Calls a minute, all keys and sessions together (contract 3.6); 300 when absent. */
  rate_limit_per_minute?: number
  live_enabled?: boolean
}>

export type MerchantMade = Readonly<{
  id: string
  name: string
  rate_limit_per_minute: number
  live_enabled: boolean
}>

const rateLimitDefault = 300

export async function createMerchant(sql: Sql, request: MerchantRequest): Promise<MerchantMade> {
  const { name, rate_limit_per_minute = rateLimitDefault, live_enabled = false } = request
  const merchant = { id: newId(), name, rate_limit_per_minute, live_enabled }
  await insertMerchant(sql, merchant)
  return merchant
}

/**
 * Merchants whose ids are known beforehand: the platform's, the demo. Returns how many were
 * missing.
 */
export const ensureMerchants = (sql: Sql, merchants: readonly KnownMerchant[]): Promise<number> =>
  insertKnownMerchants(sql, merchants)

// One merchant by id, for those who act on it from outside: staff and the command line.

/** Refuses an unknown id, or a text that is no id. */
export async function getMerchant(sql: Sql, id: string): Promise<MerchantFound> {
  const merchant = isUuid(id) ? await findMerchant(sql, id) : undefined
  if (merchant === undefined) throw noMerchant(id)
  return merchant
}

/** Refuses where staff have stopped the merchant, as `isStoppedIn` says it of rows. */
export async function requireUnstopped(
  sql: Sql,
  { merchant_id, environment }: Readonly<{ merchant_id: string; environment: Environment }>,
): Promise<void> {
  const { status, live_enabled } = await getMerchant(sql, merchant_id)
  if (status === 'SUSPENDED') throw refuse(accessErrors.merchant_suspended)
  if (environment === 'LIVE' && !live_enabled) {
    throw refuse(accessErrors.live_mode_not_enabled, {
      message: {
        en:
          'Live mode is closed to this merchant: it opens once the account is approved and an ' +
          'owner has confirmed their e-mail address.',
        fr:
          'Le mode réel est fermé à ce marchand : il s’ouvre quand le compte est approuvé et ' +
          'qu’un propriétaire a confirmé son adresse e-mail.',
      },
    })
  }
}

export const noMerchant = (id: string) =>
  refuse(transportErrors.not_found, {
    message: { en: `There is no merchant ${id}.`, fr: `Le marchand ${id} n’existe pas.` },
  })

// LIVE opens when both are there: the platform's approval and an owner whose e-mail is proved
// (contract 3.3). The second of the two calls this, in its own transaction. Law: the merchant is
// locked before it is read, so that of two at once one sees the other.

export type LiveDeps = Readonly<{
  /** The platform's own cooling-off: for what was added before, at least this. */
  cooling_hours: number
}>

/**
 * True when it opened just now. Suspension is not checked: it refuses by itself, and a restored
 * merchant finds what it had. Call it after the approval is written.
 */
export async function openLiveIfReady(
  tx: Tx,
  merchant_id: string,
  cooling_hours: number,
): Promise<boolean> {
  await lockMerchant(tx, merchant_id)
  const opened = await updateLiveIfReady(tx, merchant_id)
  if (!opened) return false
  await coolOffMethods(tx, merchant_id, cooling_hours)
  await recordAct(tx, {
    merchant_id,
    environment: null,
    actor: systemActor,
    action: 'merchant.live_opened',
    target_kind: 'merchant',
    target_id: merchant_id,
    before: { live_enabled: false },
    after: { live_enabled: true },
  })
  return true
}

/** The same for every merchant that the person owns, when they have just proved their e-mail. */
export const openLiveOf =
  ({ cooling_hours }: LiveDeps) =>
  async (tx: Tx, person_id: string): Promise<void> => {
    for (const merchant_id of await listOwned(tx, person_id)) {
      await openLiveIfReady(tx, merchant_id, cooling_hours)
    }
  }

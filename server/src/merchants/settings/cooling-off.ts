// A merchant's cooling-off time. A longer one is in force at once; a shorter one, where real money
// could leave by it, after the longer of both times and a day at least, or as soon as a second
// member confirms it. Until then it can be withdrawn; nothing of it pends for ever.

import { type Static, Type } from 'typebox'
import type { AuditAction } from '../../audit/actions.ts'
import { actorOf, systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { writeInTurn } from '../../platform/batch-calls.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller, Environment } from '../../platform/http/route.ts'
import { parseCount, type Reader } from '../../platform/settings/reader.ts'
import { emailOwners, type OwnersEmail } from '../email-owners.ts'
import { merchantErrors } from '../errors.ts'
import { mayConfirm, requireSecondMember } from '../members/member-rights.ts'
import {
  findCoolingOff,
  listDueMerchants,
  lockCoolingOff,
  lockDueCoolingOff,
  type NextCoolingOff,
  updateCoolingOff,
  updateNextCoolingOff,
} from './store.ts'

// The e-mails to the owners when new payout methods are going to wait for a shorter time, and when
// they do.

const shorterCoolingEmail = (before: number, after: number): OwnersEmail => ({
  kind: 'COOLING_OFF',
  subject: {
    en: 'A shorter cooling-off period for payout methods',
    fr: 'Un délai de sécurité plus court pour les moyens de versement',
  },
  news: {
    en:
      `The cooling-off period of new payout methods was reduced from ${before} hours to ` +
      `${after}.`,
    fr:
      `Le délai de sécurité des nouveaux moyens de versement est passé de ${before} heures à ` +
      `${after}.`,
  },
})

type ToCome = Readonly<{ before: number; after: number; wait_h: number }>

const coolingToComeEmail = ({ before, after, wait_h }: ToCome): OwnersEmail => ({
  kind: 'COOLING_OFF',
  subject: {
    en: 'A shorter cooling-off period was requested',
    fr: 'Un délai de sécurité plus court a été demandé',
  },
  news: {
    en:
      `A member requested that new payout methods wait ${after} hours instead of ${before}. It ` +
      `takes effect in ${wait_h} hours, or at once when a second member confirms it.`,
    fr:
      `Un membre a demandé que les nouveaux moyens de versement attendent ${after} heures au ` +
      `lieu de ${before}. Ce changement prendra effet dans ${wait_h} heures, ou dès qu’un ` +
      'second membre l’aura confirmé.',
  },
  advice: {
    en:
      'If none of you did this, sign in now, cancel it in the settings, and change your ' +
      'password.',
    fr:
      'Si aucun de vous n’est à l’origine de cette demande, connectez-vous, annulez-la dans les ' +
      'réglages et changez votre mot de passe.',
  },
})

const cooling_hours_default = 24
export const cooling_hours_max = 720

export function readCoolingHours(reader: Reader): number {
  const expected = `a whole number of hours from 0 to ${cooling_hours_max}`
  const hours = reader.value('PAYOUT_METHOD_COOLING_HOURS', parseCoolingHours, expected)
  return hours ?? cooling_hours_default
}

function parseCoolingHours(text: string): number | undefined {
  const hours = parseCount(text)
  return hours !== undefined && hours <= cooling_hours_max ? hours : undefined
}

export type CoolingDeps = Readonly<{
  db: Db
  keyring: Keyring
  /** The cooling-off of a merchant that has none of its own. */
  cooling_hours: number
}>

/**
 * In the transaction of the other settings. Requesting the pending change again changes nothing,
 * nor does what is in force: whoever saves all settings as they are withdraws nothing by it. A
 * longer time withdraws a shorter one that is pending.
 */
export async function changeCoolingOff(
  tx: Tx,
  { keyring, cooling_hours }: CoolingDeps,
  caller: Caller,
  new_hours: number | null,
): Promise<void> {
  const { merchant_id, member_id } = caller
  const was = await lockCoolingOff(tx, merchant_id)
  if (new_hours === was.cooling_off_hours) return
  const before = was.cooling_off_hours ?? cooling_hours
  const after = new_hours ?? cooling_hours
  if (after >= before || !was.has_had_live) {
    await updateCoolingOff(tx, merchant_id, new_hours)
    if (was.next !== null) await recordCancelled(tx, caller, was.next)
    return
  }
  if (was.next !== null && was.next.hours === new_hours) return
  const wait_h = Math.max(before, after, live_wait_least_h)
  const next = { hours: new_hours, by: member_id, wait_h }
  await updateNextCoolingOff(tx, merchant_id, was.cooling_off_hours, next)
  await recordCoolingAct(tx, caller, 'merchant.cooling_off_asked', { before, after, wait_h })
  await emailOwners(tx, keyring, merchant_id, coolingToComeEmail({ before, after, wait_h }))
}

/** Staff need not wait; what was to come is no more. */
export const setCoolingOffByStaff = (
  tx: Tx,
  merchant_id: string,
  hours: number | null,
): Promise<void> => updateCoolingOff(tx, merchant_id, hours)

/** At once, by a second member. */
export const confirmCoolingOff = (
  deps: CoolingDeps,
  caller: Caller,
  read: ChangeRead,
): Promise<void> =>
  writeInTurn(deps.db, caller, async (tx) => {
    const { merchant_id, member_id } = caller
    const { next, cooling_off_hours } = await lockCoolingOff(tx, merchant_id)
    if (next === null) throw refuse(merchantErrors.no_pending_change)
    requireChangeRead(next, read)
    const { by: asked_by, wait_h } = next
    await requireSecondMember(tx, { merchant_id, member_id, asked_by, wait_h, needs_factor: true })
    await updateCoolingOff(tx, merchant_id, next.hours)
    const before = cooling_off_hours ?? deps.cooling_hours
    const after = next.hours ?? deps.cooling_hours
    await recordCoolingAct(tx, caller, 'merchant.cooling_off_confirmed', { before, after })
    await emailOwners(tx, deps.keyring, merchant_id, shorterCoolingEmail(before, after))
  })

/** Whether its reader could confirm what is to come, if anything is. */
export async function mayConfirmCoolingOff(sql: Sql, caller: Caller): Promise<boolean> {
  const { next } = await findCoolingOff(sql, caller.merchant_id)
  if (next === null) return false
  const { by: asked_by, wait_h } = next
  return mayConfirm(sql, caller, { asked_by, wait_h, needs_factor: true })
}

/** Any member with the right withdraws it, including the one who requested it. */
export const cancelCoolingOff = (deps: CoolingDeps, caller: Caller): Promise<void> =>
  writeInTurn(deps.db, caller, async (tx) => {
    const { merchant_id } = caller
    const { next, cooling_off_hours } = await lockCoolingOff(tx, merchant_id)
    if (next === null) throw refuse(merchantErrors.no_pending_change)
    await updateCoolingOff(tx, merchant_id, cooling_off_hours)
    await recordCancelled(tx, caller, next)
  })

const recordCancelled = (tx: Tx, caller: Caller, { hours }: NextCoolingOff): Promise<void> =>
  recordCoolingAct(tx, caller, 'merchant.cooling_off_cancelled', { hours })

const recordCoolingAct = (
  tx: Tx,
  caller: Caller,
  action: AuditAction,
  after: Record<string, unknown>,
) =>
  recordAct(tx, {
    merchant_id: caller.merchant_id,
    environment: null,
    actor: actorOf(caller),
    action,
    target_kind: 'merchant',
    target_id: caller.merchant_id,
    after,
  })

const batch = 50

/**
 * Due work: changes that have come into force are written and reported. One failure holds up no
 * other; reads go by the moment, so nothing depends on this being quick.
 */
export async function applyCoolingOffs(deps: CoolingDeps): Promise<void> {
  const failures: unknown[] = []
  for (const merchant_id of await listDueMerchants(deps.db, batch)) {
    await applyDueChange(deps, merchant_id).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

const applyDueChange = (
  { db, keyring, cooling_hours }: CoolingDeps,
  merchant_id: string,
): Promise<void> =>
  inTransaction(db, async (tx) => {
    const due = await lockDueCoolingOff(tx, merchant_id)
    if (due === undefined) return
    await updateCoolingOff(tx, merchant_id, due.after)
    const before = due.before ?? cooling_hours
    const after = due.after ?? cooling_hours
    await recordAct(tx, {
      merchant_id,
      environment: null,
      actor: systemActor,
      action: 'merchant.cooling_off_in_force',
      target_kind: 'merchant',
      target_id: merchant_id,
      before: { hours: before },
      after: { hours: after },
    })
    await emailOwners(tx, keyring, merchant_id, shorterCoolingEmail(before, after))
  })

// A second member confirms what they have read. Law: a change that replaces one that is pending has
// another moment than that one had, so its moment names it.

export const ChangeReadBody = Type.Object({
  effective_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'The `effective_at` of the change that you read: if another is pending by now, nothing ' +
        'is confirmed. If omitted, whatever is pending is confirmed.',
    }),
  ),
})
export type ChangeRead = Readonly<Static<typeof ChangeReadBody>>

/** `pending` is read under the lock of whoever may replace it. */
export function requireChangeRead(
  pending: Readonly<{ at: Date }>,
  { effective_at }: ChangeRead,
): void {
  if (effective_at === undefined) return
  if (pending.at.getTime() === Date.parse(effective_at.toUpperCase())) return
  throw refuse(merchantErrors.pending_change_replaced)
}

// How long a change that loosens a merchant's own safety has to wait: as long as the longer of both
// cooling-off times, in LIVE a day at least (contract 8.11). A merchant that never had LIVE has
// nothing that could be stolen, and waits for nothing.

const live_wait_least_h = 24

type Of = Readonly<{ merchant_id: string; environment: Environment }>

/** Hours; `cooling_hours` is for a merchant that has no time of its own. */
export async function waitToLoosen(
  sql: Sql,
  { merchant_id, environment }: Of,
  cooling_hours: number,
): Promise<number> {
  const current = await findCoolingOff(sql, merchant_id)
  if (!current.has_had_live) return 0
  const hours = current.cooling_off_hours ?? cooling_hours
  const next = current.next === null ? 0 : (current.next.hours ?? cooling_hours)
  return Math.max(hours, next, environment === 'LIVE' ? live_wait_least_h : 0)
}

// An incident is resolved by two people: the first proposes, another confirms, and only then is
// anything booked, in the one database transaction that resolves it. Its suspense account is empty
// afterwards.

import type { Attempt } from '../../attempts/attempt.ts'
import { bookAttempt, findAttempt, wakeAttempt } from '../../attempts/attempt-statements.ts'
import { closeByStaff, unendedOf } from '../../attempts/close-by-staff.ts'
import type { Purpose } from '../../attempts/purpose.ts'
import type { AuditAction } from '../../audit/actions.ts'
import { actorOfPerson, maskedText } from '../../audit/audit.ts'
import { countActsOn, recordAct } from '../../audit/audit-log.ts'
import {
  allowedFor,
  type IncidentState,
  isNoReturn,
  isReturn,
  linesOf,
  type Resolution,
  totalAnswered,
} from '../../incidents/resolution.ts'
import {
  type IncidentLocked,
  lockIncident,
  proposeResolution,
  resolveIncident,
  wasNoReturn,
} from '../../incidents/statements.ts'
import { lockAvailable, postEntries } from '../../ledger/statements.ts'
import { mayStill, requireProposer } from '../../people/proposals/first-person.ts'
import { transactInTurnOfRow } from '../../platform/batch-calls.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { assert, invalid, refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { runWhole } from '../../platform/sql.ts'
import { bookInstead } from '../statements.ts'
import { findTransaction } from '../store.ts'
import type { TransactionKey } from '../transaction.ts'
import { nameOfPayer } from '../view.ts'
import { borneBeside, countAsRefunded, figuresBorne, hasSettled, isWithPayer } from './borne.ts'
import { resolutionErrors } from './errors.ts'

export type ResolveDeps = Readonly<{
  db: Db
  wake: () => void
  /** What the attempt of an incident can be for: that is closed too. */
  purposes: readonly Purpose[]
  /** For a settlement or refund whose money came back: both rank below this folder. */
  bookReturn: (tx: Tx, incident: IncidentLocked) => Promise<void>
  /** Whether a refund of this payment has given its fee back: refunds rank below this folder. */
  hasGivenFee: (tx: Tx, payment: TransactionKey) => Promise<boolean>
}>

export type ResolutionRequest = Readonly<{ resolution: Resolution; amount: bigint; note: string }>

/**
 * The first person proposes; a second person confirms by sending the same resolution. A different
 * one, by anybody, is a new proposal that replaces the old one; so is the same one where the first
 * person may resolve nothing any more.
 */
export async function proposeOrConfirm(
  deps: ResolveDeps,
  person: Person,
  { id, request }: { id: string; request: ResolutionRequest },
): Promise<IncidentLocked> {
  return actUnderLock(deps, { person, id }, async (tx, incident, attempt) => {
    const state = await incidentState(deps, tx, { incident, attempt })
    requireAllowed(incident, state, request.resolution)
    requireSameAmount(incident, request)
    const same =
      incident.resolution === request.resolution &&
      incident.resolution_amount === request.amount &&
      incident.proposed_by !== null &&
      incident.proposed_by !== person.person_id &&
      (await mayStill(tx, incident.proposed_by, 'incidents'))
    if (same) return confirm(tx, person, { incident, attempt, deps })
    await proposeResolution(tx, incident, { ...request, by: person.person_id })
    await recordResolution(tx, person, { incident, action: 'incident.proposed', request })
  })
}

/** What the second person has read. */
export type Seen = Readonly<{ resolution?: Resolution }>

/**
 * The second person's confirmation of what they have read. They may leave it unnamed while there
 * was only one proposal: a later one may have come after they read.
 */
export const confirmResolution = (
  deps: ResolveDeps,
  person: Person,
  id: string,
  { resolution }: Seen = {},
) =>
  actUnderLock(deps, { person, id }, async (tx, incident, attempt) => {
    if (incident.proposed_by === null) throw refuse(resolutionErrors.nothing_proposed)
    if (incident.proposed_by === person.person_id) {
      throw refuse(resolutionErrors.second_person_required)
    }
    await requireProposer(tx, incident.proposed_by, 'incidents')
    const isSeen =
      resolution === undefined
        ? !(await wasChanged(tx, incident))
        : resolution === incident.resolution
    if (!isSeen) throw refuse(resolutionErrors.proposal_changed)
    await requireStillAllowed(deps, tx, { incident, attempt })
    await confirm(tx, person, { incident, attempt, deps })
  })

/** Whether a proposal was replaced or withdrawn: whoever has read it may not know the next. */
async function wasChanged(tx: Tx, { merchant_id, id }: IncidentLocked): Promise<boolean> {
  const of = { merchant_id, target_kind: 'incident', target_id: id, had: 'proposed_by' }
  return (await countActsOn(tx, of)) > 0
}

/** The proposal is withdrawn, or refused by the second person: the incident is open again. */
export const withdrawResolution = (deps: ResolveDeps, person: Person, id: string) =>
  actUnderLock(deps, { person, id }, async (tx, incident) => {
    if (incident.proposed_by === null) throw refuse(resolutionErrors.nothing_proposed)
    await proposeResolution(tx, incident, null)
    await recordResolution(tx, person, { incident, action: 'incident.withdrawn' })
  })

type Work = (tx: Tx, incident: IncidentLocked, attempt: Attempt | undefined) => Promise<unknown>

type Acting = Readonly<{ person: Person; id: string }>

/** Acts under the incident's lock; returns its state afterwards. */
async function actUnderLock(
  { db, wake }: ResolveDeps,
  { person, id }: Acting,
  work: Work,
): Promise<IncidentLocked> {
  if (!isUuid(id)) throw refuse(transportErrors.not_found)
  const { environment } = person
  const row = { table: 'incidents', id, environment }
  const after = await transactInTurnOfRow(db, row, async (tx) => {
    const incident = await lockIncident(tx, id)
    if (incident === undefined || incident.environment !== person.environment) {
      throw refuse(transportErrors.not_found)
    }
    if (incident.status === 'RESOLVED') throw refuse(resolutionErrors.incident_resolved)
    const { merchant_id, attempt_id } = incident
    const attempt =
      attempt_id === null ? undefined : await findAttempt(tx, { merchant_id, id: attempt_id })
    await work(tx, incident, attempt)
    return lockIncident(tx, id)
  })
  assert(after !== undefined, 'an incident does not go away')
  wake()
  return after
}

async function incidentState(
  { purposes }: ResolveDeps,
  tx: Tx,
  { incident, attempt }: Pick<Confirming, 'incident' | 'attempt'>,
): Promise<IncidentState> {
  const { merchant_id, type, follows } = incident
  const was_no_return =
    type === 'RETURNED' && follows !== null && (await wasNoReturn(tx, { merchant_id, id: follows }))
  if (attempt === undefined) return { attempt, unended: 'none', was_no_return }
  const borne_by = await borneBeside(tx, incident, attempt)
  const unended = await unendedOf(tx, purposes, attempt)
  return { attempt, unended, was_no_return, ...(borne_by === undefined ? {} : { borne_by }) }
}

function requireAllowed(incident: IncidentLocked, state: IncidentState, request: Resolution): void {
  const allowed = allowedFor(incident, state)
  if (allowed.includes(request)) return
  throw invalid('resolution', {
    en: `Must be one of ${allowed.join(', ')} for this incident.`,
    fr: `Doit être ${allowed.join(', ')} pour cet incident.`,
  })
}

/** A proposal may no longer fit: the operator has ended it since, or the rules have changed. */
async function requireStillAllowed(
  deps: ResolveDeps,
  tx: Tx,
  { incident, attempt }: Pick<Confirming, 'incident' | 'attempt'>,
): Promise<void> {
  const state = await incidentState(deps, tx, { incident, attempt })
  const allowed = allowedFor(incident, state)
  if (allowed.includes(readResolution(incident))) return
  if (incident.type === 'OUTCOME_UNKNOWN') throw refuse(resolutionErrors.outcome_known)
  const { message } = resolutionErrors.resolution_not_possible
  throw refuse(resolutionErrors.resolution_not_possible, {
    message: {
      en: `${message.en} It must be one of ${allowed.join(', ')}.`,
      fr: `${message.fr} Ce doit être ${allowed.join(', ')}.`,
    },
  })
}

/** A balance that an older version made in another currency takes nothing of this one. */
function requireCurrency(
  kept_in: string,
  { currency }: IncidentLocked,
  resolution: Resolution,
): void {
  const isTheMerchants = resolution === 'CREDIT_MERCHANT' || resolution === 'CHARGE_MERCHANT'
  if (!isTheMerchants || kept_in === currency) return
  throw refuse(resolutionErrors.resolution_not_possible, {
    message: {
      en: `The merchant’s balance is in ${kept_in}, not ${currency}: propose another resolution.`,
      fr:
        `Le solde du marchand est en ${kept_in}, pas en ${currency} : proposez une autre ` +
        'résolution.',
    },
  })
}

function requireSameAmount(incident: IncidentLocked, request: ResolutionRequest): void {
  if (request.amount === incident.amount) return
  throw invalid('amount', {
    en: 'Must be the amount of the incident: look at it again.',
    fr: 'Doit être le montant de l’incident : vérifiez-le à nouveau.',
  })
}

type Confirming = Readonly<{
  incident: IncidentLocked
  attempt: Attempt | undefined
  deps: ResolveDeps
}>

async function confirm(
  tx: Tx,
  person: Person,
  { incident, attempt, deps }: Confirming,
): Promise<void> {
  const { merchant_id, environment, id, country, currency } = incident
  const resolution = readResolution(incident)
  const returned = isReturn(incident, resolution)
  await bookInItsPlace(tx, incident, attempt)
  // The payment is locked before a balance.
  const settles = attempt !== undefined && (await hasSettled(tx, attempt))
  const seen = { incident, resolution, attempt, settles }
  if (isWithPayer(seen)) await countAsRefunded(tx, incident)
  assert(await resolveIncident(tx, incident, person.person_id), 'resolved under its lock')
  if (incident.suspense_side !== null && attempt !== undefined && !returned) {
    const place = { merchant_id, environment, country, currency }
    const { available, currency: kept_in } = await lockAvailable(tx, place)
    requireCurrency(kept_in ?? currency, incident, resolution)
    const borne = await figuresBorne(tx, deps, { incident, attempt, settles })
    const lines = linesOf(incident, resolution, { place, attempt: borne, available })
    const posting = {
      merchant_id,
      environment,
      gate_id: id,
      cause_kind: 'RESOLUTION' as const,
      cause_id: id,
      attempt_id: attempt.id,
      lines,
    }
    await runWhole(tx, postEntries(tx, [posting]), lines.length)
  }
  if (returned) await deps.bookReturn(tx, incident)
  // What its operator said meanwhile passed for what was declared: it is asked again.
  if (attempt !== undefined && isNoReturn(incident, resolution)) await wakeAttempt(tx, attempt)
  const closes = resolution === 'CHARGE_MERCHANT' || resolution === 'CREDIT_MERCHANT'
  if (incident.type === 'OUTCOME_UNKNOWN' && closes && attempt !== undefined) {
    const paid = resolution === 'CHARGE_MERCHANT'
    if (!(await closeByStaff(tx, deps.purposes, attempt, { paid, person }))) {
      throw refuse(resolutionErrors.outcome_known)
    }
  }
  await recordResolution(tx, person, { incident, action: 'incident.resolved' })
}

/**
 * What becomes the merchant's by this resolution is not also credited, or spent, by its attempt.
 */
async function bookInItsPlace(
  tx: Tx,
  incident: IncidentLocked,
  attempt: Attempt | undefined,
): Promise<void> {
  const booked_amount = attempt && totalAnswered(incident, readResolution(incident), attempt)
  if (attempt === undefined || booked_amount === undefined) return
  const { merchant_id, id, transaction_id } = attempt
  const key = { merchant_id, id: transaction_id ?? incident.id, attempt_id: id, booked_amount }
  // A settlement's own statements require the attempt as it was when decided.
  const still_its = transaction_id === null || (await bookInstead(tx, key))
  const booked = { merchant_id, id, booked_by: incident.id, booked_amount }
  if (!still_its || !(await bookAttempt(tx, booked))) throw refuse(resolutionErrors.outcome_known)
}

function readResolution({ resolution }: IncidentLocked): Resolution {
  switch (resolution) {
    case 'CREDIT_MERCHANT':
    case 'CHARGE_MERCHANT':
    case 'REFUND_PAYER':
    case 'RECOVERED':
    case 'WRITE_OFF':
      return resolution
    default:
      throw new Error(`bug: no resolution ${resolution}`)
  }
}

type Recorded = Readonly<{
  incident: IncidentLocked
  action: AuditAction
  request?: ResolutionRequest
}>

async function recordResolution(
  tx: Tx,
  person: Person,
  { incident, action, request }: Recorded,
): Promise<void> {
  const after = request === undefined ? {} : { after: await auditView(tx, incident, request) }
  await recordAct(tx, {
    merchant_id: incident.merchant_id,
    environment: incident.environment,
    actor: actorOfPerson(person),
    action,
    target_kind: 'incident',
    target_id: incident.id,
    before: { resolution: incident.resolution, proposed_by: incident.proposed_by },
    ...after,
  })
}

async function auditView(
  tx: Tx,
  { merchant_id, transaction_id }: IncidentLocked,
  { resolution, note }: ResolutionRequest,
) {
  const found = transaction_id === null ? undefined : { merchant_id, id: transaction_id }
  const transaction = found === undefined ? undefined : await findTransaction(tx, found)
  const payer = transaction === undefined ? '' : nameOfPayer(transaction)
  return { resolution, note: maskedText(note, payer) }
}

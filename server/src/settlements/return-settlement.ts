// Staff report that the money of a settlement has come back: an incident with a first person's
// proposal, and nothing is booked before a second one confirms (money 2, docs/decisions/0017).
// Known once, whether staff report it or the gateway that paid it; again only after two people have
// said of what was declared that nothing had come back.

import { findAttempt } from '../attempts/attempt-statements.ts'
import { actorOfPerson } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { recordEvents } from '../events/statements.ts'
import type { NewIncident } from '../incidents/incident.ts'
import {
  findNoReturn,
  type IncidentLocked,
  lockIncident,
  openIncident,
  proposeResolution,
} from '../incidents/statements.ts'
import { type Account, account, gatewayAccount, nilId } from '../ledger/account.ts'
import { settlementReturned, suspense } from '../ledger/postings.ts'
import { postEntries } from '../ledger/statements.ts'
import { transactInTurnOfRow } from '../platform/batch-calls.ts'
import type { Db, Tx } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import { runPart, runWhole } from '../platform/sql.ts'
import { lockForStaff, rowOf } from './decide-settlement.ts'
import { settlementErrors } from './errors.ts'
import { placeOf, type Settlement } from './settlement.ts'
import { markReturned } from './statements.ts'
import { lockSettlement } from './store.ts'
import { settlementEvent } from './view.ts'

export type Declaration = Readonly<{ id: string; note: string }>

export const declareReturn = async (
  db: Db,
  person: Person,
  { id, note }: Declaration,
): Promise<IncidentLocked> => {
  return transactInTurnOfRow(db, rowOf(person, id), async (tx) => {
    const { settlement } = await lockForStaff(tx, person, id)
    if (settlement.status !== 'SUCCESS') throw refuse(settlementErrors.settlement_not_paid)
    const { merchant_id } = settlement
    const incident = {
      ...incidentOf(settlement, await payerOf(tx, settlement)),
      follows: (await findNoReturn(tx, { merchant_id, settlement_id: id })) ?? null,
    }
    const opened = await runPart(tx, openIncident(tx, incident))
    if (opened === 0) throw refuse(settlementErrors.settlement_return_known)
    await proposeResolution(tx, incident, {
      resolution: 'CREDIT_MERCHANT',
      amount: incident.amount,
      note,
      by: person.person_id,
    })
    await recordAct(tx, {
      merchant_id: incident.merchant_id,
      environment: incident.environment,
      actor: actorOfPerson(person),
      action: 'settlement.return_declared',
      target_kind: 'settlement',
      target_id: id,
      after: { incident: incident.id, note },
    })
    const locked = await lockIncident(tx, incident.id)
    assert(locked !== undefined, 'an incident does not go away')
    return locked
  })
}

/** The gateway whose attempt paid it; none where a bank did. */
async function payerOf(tx: Tx, { merchant_id, settled_attempt }: Settlement): Promise<string> {
  if (settled_attempt === null) return nilId
  const attempt = await findAttempt(tx, { merchant_id, id: settled_attempt })
  assert(attempt !== undefined, `no attempt ${settled_attempt}`)
  return attempt.gateway_id
}

const incidentOf = (settlement: Settlement, gateway_id: string): NewIncident => ({
  merchant_id: settlement.merchant_id,
  environment: settlement.environment,
  id: newId(),
  type: 'RETURNED',
  attempt_id: settlement.settled_attempt,
  transaction_id: null,
  settlement_id: settlement.id,
  callback_id: null,
  gateway_id,
  country: settlement.country,
  currency: settlement.currency,
  amount: settlement.net_amount,
  suspense_side: null,
  detail: {},
})

// A settlement's money becomes the merchant's again by the decision of two people (money 3): out of
// where it came back to, or of suspense where the gateway reported it first. Its status stays
// SUCCESS.

/** In the transaction that resolves its incident, under the incident's lock. */
export async function returnSettlement(tx: Tx, incident: IncidentLocked): Promise<void> {
  const { merchant_id, environment, settlement_id: id } = incident
  assert(id !== null, `incident ${incident.id} is of no settlement`)
  const locked = await lockSettlement(tx, { merchant_id, id })
  assert(locked !== undefined, `no settlement ${id}`)
  const { settlement: before, now } = locked
  const after = { ...before, version: before.version + 1, returned_at: now, updated_at: now }
  const posting = {
    merchant_id,
    environment,
    gate_id: id,
    cause_kind: 'RESOLUTION' as const,
    cause_id: incident.id,
    attempt_id: incident.attempt_id,
    lines: settlementReturned(placeOf(before), sourceOf(incident, before), before.net_amount),
  }
  assert(await markReturned(tx, { before, after }), `settlement ${id} came back under its lock`)
  await runWhole(tx, postEntries(tx, [posting]), 1)
  await runWhole(tx, recordEvents(tx, [settlementEvent('settlement.returned', after)]), 1)
}

function sourceOf(incident: IncidentLocked, settlement: Settlement): Account {
  const place = placeOf(settlement)
  if (incident.suspense_side !== null) return suspense(place, incident.id)
  return incident.gateway_id === nilId
    ? account(place, 'bank')
    : gatewayAccount(place, incident.gateway_id, 'DISBURSE')
}

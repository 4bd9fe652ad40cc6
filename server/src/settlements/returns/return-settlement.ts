// A settlement's money becomes the merchant's again by the decision of two people (money 3): out of
// where it came back to, or of suspense where the gateway reported it first. Its status stays
// SUCCESS.

import { recordEvents } from '../../events/statements.ts'
import type { IncidentLocked } from '../../incidents/statements.ts'
import { type Account, account, gatewayAccount, nilId } from '../../ledger/account.ts'
import { settlementReturned, suspense } from '../../ledger/postings.ts'
import { postEntries } from '../../ledger/statements.ts'
import type { Tx } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import { runWhole } from '../../platform/sql.ts'
import { placeOf, type Settlement } from '../settlement.ts'
import { settlementEvent } from '../settlement-event.ts'
import { markReturned } from '../statements.ts'
import { lockSettlement } from '../store.ts'

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

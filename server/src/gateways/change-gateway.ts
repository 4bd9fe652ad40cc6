// Staff name a gateway, or switch it on or off. Off stops new payments, in every process from the
// next request on; what the gateway has already is queried until it ends.

import { actorOfPerson } from '../audit/audit.ts'
import { changedFields } from '../audit/changed-fields.ts'
import { recordAct } from '../audit/record-act.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { platformMerchant } from '../ledger/account.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import {
  findStaffGateway,
  type GatewaySettings,
  lockGateway,
  type StaffGateway,
  updateGateway,
} from './store.ts'

/** Refuses a gateway of the other environment as unknown. */
export function changeGateway(
  { db }: Readonly<{ db: Db }>,
  person: Person,
  { id, ...request }: Partial<GatewaySettings> & Readonly<{ id: string }>,
): Promise<StaffGateway> {
  const { environment } = person
  return inTransaction(db, async (tx) => {
    const gateway = await lockGateway(tx, { id, environment })
    if (gateway === undefined) throw refuse(transportErrors.not_found)
    const was = { name: gateway.name, is_active: gateway.is_active }
    const to = { ...was, ...request }
    const changes = changedFields(was, to)
    if (changes === undefined) return gateway
    await updateGateway(tx, id, to)
    await recordAct(tx, {
      merchant_id: platformMerchant[environment],
      environment,
      actor: actorOfPerson(person),
      action: 'gateway.changed',
      target_kind: 'gateway',
      target_id: id,
      ...changes,
    })
    await publishCatalogue(tx)
    const changed = await findStaffGateway(tx, { id, environment })
    assert(changed !== undefined, `gateway ${id} is locked`)
    return changed
  })
}

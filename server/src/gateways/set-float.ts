// Staff mark an operator's float as used up. Payouts then take another route or wait; it takes
// effect in every process on the next request, because the catalogue's version moves.

import { actorOfPerson } from '../audit/audit.ts'
import { recordAct } from '../audit/record-act.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { platformMerchant } from '../ledger/account.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { type FloatRow, findGatewayId, upsertFloat } from './store.ts'

export type FloatRequest = Readonly<{
  gateway: string
  country: string
  is_empty: boolean
  note: string
}>

/** Refuses a gateway that is not there, or of the other environment, as unknown. */
export function setFloat(db: Db, person: Person, request: FloatRequest): Promise<FloatRow> {
  const { environment, person_id } = person
  return inTransaction(db, async (tx) => {
    const gateway_id = await findGatewayId(tx, { code: request.gateway, environment })
    if (gateway_id === undefined) throw refuse(transportErrors.not_found)
    const { country, is_empty, note } = request
    const row = await upsertFloat(tx, { gateway_id, country, is_empty, note, set_by: person_id })
    await publishCatalogue(tx)
    await recordAct(tx, {
      merchant_id: platformMerchant[environment],
      environment,
      actor: actorOfPerson(person),
      action: is_empty ? 'gateway_float.emptied' : 'gateway_float.filled',
      target_kind: 'gateway',
      target_id: gateway_id,
      after: { country, is_empty, note },
    })
    return row
  })
}

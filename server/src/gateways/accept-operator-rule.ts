// Staff accept what an operator takes from now on, before its day has passed. One person does: it
// refuses sums that the operator refuses itself.

import { actorOfPerson } from '../audit/audit.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { lockRules, upsertRule } from './operator-rule-statements.ts'
import { recordRule } from './read-operator-rules.ts'
import { findStaffRoute, type StaffRoute } from './store.ts'

/** Refuses a route of the other environment as unknown; where nothing waits nothing is written. */
export function acceptOperatorRule(
  { db }: Readonly<{ db: Db }>,
  person: Person,
  route_id: string,
): Promise<StaffRoute> {
  const { environment } = person
  const of = { id: route_id, environment }
  return inTransaction(db, async (tx) => {
    const found = await findStaffRoute(tx, of)
    if (found === undefined) throw refuse(transportErrors.not_found)
    const { gateway_id, network_id, direction } = found
    const row = (await lockRules(tx, gateway_id)).find(
      (one) => one.network_id === network_id && one.direction === direction,
    )
    if (row?.as_of == null || row.next_at === null) return found
    const rule = { least: row.next_least, most: row.next_most, next: null }
    const { step, as_of } = row
    await upsertRule(tx, { gateway_id, network_id, direction, rule, step, as_of })
    await recordRule(
      tx,
      { id: gateway_id, environment, actor: actorOfPerson(person) },
      { row, before: row, now: rule },
    )
    await publishCatalogue(tx)
    const now = await findStaffRoute(tx, of)
    assert(now !== undefined, `route ${route_id} is there`)
    return now
  })
}

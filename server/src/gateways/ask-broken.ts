// Due work: a broken route that nothing else tries again is tried by a question about a key that
// nobody has. It costs nothing, and its answer shows that the operator is there. Law: no payout
// tries a broken route, and no payer is asked for a code by one.

import { randomUUID } from 'node:crypto'
import type { Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { Gateways } from './gateway.ts'
import type { Health } from './health.ts'
import { listActiveRoutes, type RouteRow } from './store.ts'

export type AskBrokenDeps = Readonly<{ db: Db; gateways: Gateways; health: Health }>

export async function askBroken(deps: AskBrokenDeps): Promise<void> {
  const { db, health } = deps
  if (!health.hasBroken()) return
  const due = (await listActiveRoutes(db)).filter(
    (route) => isTriedByNobody(route) && health.isToTry(route) && health.claimProbe(route),
  )
  await Promise.all(due.map((route) => askOn(deps, route)))
}

/** Payers without a code go by another route, and are shown that none is wanted. */
const isTriedByNobody = ({ direction, wants_code }: RouteRow): boolean =>
  direction === 'DISBURSE' || wants_code === true

async function askOn({ gateways, health }: AskBrokenDeps, route: RouteRow): Promise<void> {
  const gateway = gateways.get(route.gateway_code)
  if (gateway === undefined) return
  const began = health.now()
  const { answer } = await gateway.query({
    ...{ merchant_id: newId(), attempt_id: newId(), direction: route.direction },
    ...{ our_key: randomUUID(), external_reference: '', amount: 100n, currency: 'XOF' },
  })
  const failed = answer.is === 'not_found' ? undefined : `${answer.is} to a question`
  health.record(route, health.now() - began, failed)
}

// Due work: a broken route that nothing else tries again is tried by a question about a key that
// nobody has. It costs nothing, and its answer shows that the operator is there. Law: no payout
// tries a broken route, and no payer is asked for a code by one; what was never asked is no answer.

import { randomUUID } from 'node:crypto'
import type { Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { type Direction, type Gateway, type Gateways, prepares } from './gateway.ts'
import type { Health } from './health.ts'
import { listActiveRoutes, type RouteRow } from './store.ts'
import { reportsBalance } from './wallet.ts'

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
  const fault = await faultOf(gateway, route.direction)
  if (fault !== undefined) health.record(route, health.now() - began, fault || undefined)
}

/**
 * Why its operator is not there; empty where it is, undefined where nothing can be asked. One that
 * makes its own references has none for a key that nobody has, so it shows what it holds of ours.
 */
async function faultOf(gateway: Gateway, direction: Direction): Promise<string | undefined> {
  if (prepares(gateway)) {
    if (!reportsBalance(gateway)) return undefined
    const shown = await gateway.balances()
    return shown.length > 0 ? '' : 'no balance to a question'
  }
  const { answer } = await gateway.query({
    ...{ merchant_id: newId(), attempt_id: newId(), direction },
    ...{ our_key: randomUUID(), external_reference: '', amount: 100n, currency: 'XOF' },
  })
  return answer.is === 'not_found' ? '' : `${answer.is} to a question`
}

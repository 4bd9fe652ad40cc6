// Due work: each route's share of payments that succeed, beside its own usual one. What is ill is
// tried after the others, and comes back when it is well; each change is in the audit log with its
// figures. One process at a time judges; the statement that changes a place says from which.

import { systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { platformMerchant } from '../ledger/account.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import {
  dropOldStats,
  type JudgedRoute,
  listJudged,
  updatePlace,
  updateUsual,
} from './health-store.ts'
import { judgeAtOnce, judgePlace, leastShare, type Share, shareOf } from './success-share.ts'

/** Returns how many changed their place. `now_ms`: milliseconds since 1970. */
export async function judgeRoutes(db: Db, now_ms: number): Promise<number> {
  await dropOldStats(db)
  await updateUsual(db)
  let changed = 0
  for (const route of await listJudged(db)) {
    if (await judgeRoute(db, route, now_ms)) changed += 1
  }
  return changed
}

async function judgeRoute(db: Db, route: JudgedRoute, now_ms: number): Promise<boolean> {
  const { demoted, streak, recent, usual, is_due } = route
  const was = { demoted, streak, changed_at: route.changed_at?.getTime() ?? null }
  const share = shareOf(recent, usual)
  const at_once = judgeAtOnce(was, route.last_minute, now_ms)
  const to = at_once === was && is_due ? judgePlace(was, share, now_ms) : at_once
  const isChanged = to.demoted !== demoted
  if (!isChanged && !is_due) return false
  return inTransaction(db, async (tx) => {
    const place = { changed: isChanged, demoted: to.demoted, streak: to.streak, looked: is_due }
    const { route_id, changed_at } = route
    const least_share_ppm = Math.round(leastShare(share) * 1_000_000)
    const wrote = await updatePlace(tx, { ...place, route_id, changed_at, least_share_ppm })
    if (!wrote) return false
    if (isChanged) await recordAct(tx, actOf(route, to.demoted, share))
    return isChanged
  })
}

const actOf = (
  { route_id, environment, network_code, gateway_code, direction, recent }: JudgedRoute,
  demoted: boolean,
  { share, usual, seen }: Share,
) => ({
  ...{ merchant_id: platformMerchant[environment], environment, actor: systemActor },
  action: demoted ? ('route.demoted' as const) : ('route.restored' as const),
  ...{ target_kind: 'route' as const, target_id: route_id },
  after: {
    ...{ network_code, gateway_code, direction, ...recent, seen },
    ...{ share: share.toFixed(2), usual: usual.toFixed(2) },
  },
})

// Networks, prices and rates are the same in both environments, so they are LIVE's from the first
// gateway of LIVE on. The embedded demo's administrator has no second factor and may touch nothing
// of LIVE (contract 3.3), so from then on may only read them.

import type { Sql } from '../../platform/db.ts'
import { refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { hasLiveGateway } from '../store.ts'

/** For acts that change what both environments share. Throws `totp_required`. */
export async function requireNotDemo(
  sql: Sql,
  { is_demo, second_factor }: Pick<Person, 'is_demo' | 'second_factor'>,
): Promise<void> {
  if (!is_demo || second_factor === 'FRESH') return
  if (await hasLiveGateway(sql)) throw refuse(accessErrors.totp_required)
}

/** Whether what both environments share concerns real money: LIVE has a gateway. */
export const isLiveOpen = (sql: Sql): Promise<boolean> => hasLiveGateway(sql)

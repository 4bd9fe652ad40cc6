// A session or link of the caller (contract 3.5).

import type { Link } from '../orders/link.ts'
import {
  findLink,
  findSession,
  requireOwnLink,
  requireOwnSession,
} from '../orders/order-statements.ts'
import type { Session } from '../orders/session.ts'
import type { Sql } from '../platform/db.ts'
import { inEnvironment } from '../platform/http/ownership.ts'
import type { Caller } from '../platform/http/route.ts'

type Owner = Pick<Caller, 'merchant_id' | 'environment'>

export async function getOwnSession(sql: Sql, owner: Owner, id: string): Promise<Session> {
  const key = { merchant_id: owner.merchant_id, id }
  const session = inEnvironment(await findSession(sql, key), owner.environment)
  return requireOwnSession(sql, key, session)
}

export async function getOwnLink(sql: Sql, owner: Owner, id: string): Promise<Link> {
  const key = { merchant_id: owner.merchant_id, id }
  const link = inEnvironment(await findLink(sql, key), owner.environment)
  return requireOwnLink(sql, key, link?.is_deleted === true ? undefined : link)
}

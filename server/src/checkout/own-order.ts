// A session or link of the caller: the one place that decides between 403 and 404 (contract 3.5).

import type { Link } from '../orders/link.ts'
import { findLink, findSession, isLinkOfAnyone, isSessionOfAnyone } from '../orders/order-record.ts'
import type { Session } from '../orders/session.ts'
import type { Sql } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { accessErrors, transportErrors } from '../platform/http/transport-errors.ts'

type Owner = Pick<Caller, 'merchant_id' | 'environment'>

export async function getOwnSession(sql: Sql, owner: Owner, id: string): Promise<Session> {
  const { merchant_id, environment } = owner
  const session = await findSession(sql, { merchant_id, id })
  if (session?.environment === environment) return session
  throw notOwn(session === undefined && (await isSessionOfAnyone(sql, id)))
}

export async function getOwnLink(sql: Sql, owner: Owner, id: string): Promise<Link> {
  const { merchant_id, environment } = owner
  const link = await findLink(sql, { merchant_id, id })
  if (link?.environment === environment && !link.is_deleted) return link
  throw notOwn(link === undefined && (await isLinkOfAnyone(sql, id)))
}

const notOwn = (isOthers: boolean) =>
  refuse(isOthers ? accessErrors.permission_denied : transportErrors.not_found)

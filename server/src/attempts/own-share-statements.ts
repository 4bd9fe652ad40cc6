// How a merchant's own payments and payouts did lately, by network and direction. Counted of its
// attempts as routes are judged: what the payer caused says nothing of a network. Law: it costs no
// more than its newest attempts of the hour, however long the merchant's history is.

import type { Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'

export type OwnShare = Readonly<{
  network_code: string
  direction: 'COLLECT' | 'DISBURSE'
  good: number
  /** Those that succeeded, failed by the operator, or of which nothing is known. */
  counted: number
}>

/** So many of the newest are looked at. */
const own_attempts_max = 10_000

export type ShareOf = Readonly<{ merchant_id: string; environment: Environment; minutes: number }>

export const listOwnShares = (
  sql: Sql,
  { merchant_id, environment, minutes }: ShareOf,
): Promise<OwnShare[]> => homeOf(sql, merchant_id)<OwnShare[]>`
  select network_code, direction, count(*) filter (where status = 'SUCCESS')::int as good,
         count(*) filter (
           where status = 'SUCCESS'
              or (status = 'FAILED'
                  and failure_code in ('GATEWAY_UNAVAILABLE', 'GATEWAY_REFUSED', 'UNKNOWN'))
              or (status = 'UNKNOWN' and created_at <= now() - interval '3 minutes'))::int
           as counted
    from (select a.network_code, a.direction, a.status, a.failure_code, a.created_at,
                 a.transaction_id
            from attempts a
           where a.merchant_id = ${merchant_id} and a.environment = ${environment}
             and a.created_at > now() - ${minutes} * interval '1 minute'
           order by a.created_at desc, a.id desc
           limit ${own_attempts_max}) as a
   where transaction_id is not null
   group by network_code, direction`

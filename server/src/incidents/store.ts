// The statements about incidents that are not part of a composed one.

import { isOpenOf } from '../attempts/attempt-statements.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { inOrder } from '../platform/places/page-of-all.ts'
import { eachGroup, homeOf } from '../platform/places/places.ts'
import type { IncidentType } from './incident.ts'

export type OpenIncident = Readonly<{
  merchant_id: string
  id: string
  environment: Environment
  type: IncidentType
  transaction_id: string | null
  settlement_id: string | null
  attempt_id: string | null
  callback_id: string | null
  gateway_code: string | null
  country: string
  currency: string
  /** Hundredths in suspense; 0n when nothing moved. */
  amount: bigint
  suspense_side: 'DEBIT' | 'CREDIT' | null
  created_at: Date
}>

export type UnmatchedKey = Readonly<{ merchant_id: string; id: string; callback_id: string }>

/** Whether people have this incident open, or have had one that names this very callback. */
export async function isReportedUnmatched(
  sql: Sql,
  { merchant_id, id, callback_id }: UnmatchedKey,
): Promise<boolean> {
  const rows = await homeOf(sql, merchant_id)`
    select 1 from incidents
     where merchant_id = ${merchant_id}
       and ((id = ${id} and status = 'OPEN')
            or (type = 'UNMATCHED_CALLBACK' and callback_id = ${callback_id}))
     limit 1`
  return rows.count > 0
}

/** Unresolved incidents of all merchants, newest first. */
export async function listOpenIncidents(sql: Sql, limit: number): Promise<OpenIncident[]> {
  const rows = await eachGroup(
    sql,
    (at) => at<OpenIncident[]>`
    select i.merchant_id, i.id, i.environment, i.type, i.transaction_id, i.settlement_id,
           i.attempt_id, i.callback_id, g.code as gateway_code, i.country, i.currency, i.amount,
           i.suspense_side, i.created_at
      from incidents i left join gateways g on g.id = i.gateway_id
     where i.status = 'OPEN'
     order by i.created_at desc, i.id desc
     limit ${limit}`,
  )
  const order = (['created_at', 'id'] as const).map((field) => ({ field, descending: true }))
  return inOrder(rows, order).slice(0, limit)
}

/**
 * Whether incident `i`, of the transaction `t`, is open and contradicts what `t` is recorded as:
 * until people decide nothing is done that would move `t`'s money once more. An outcome that is
 * not known does so only where its operator had ended the attempt, or has not although `t` has
 * ended otherwise: not while it is asked for, nor of a payment that was closed for want of it or
 * is paid, and no longer once it is known.
 */
export const isContradiction = (sql: Sql): Fragment => sql`
  (i.status = 'OPEN'
   and (i.type <> 'OUTCOME_UNKNOWN' or i.detail ? 'after_its_end'
        or (t.status <> 'PENDING'
            and (t.flow_direction = 'OUTBOUND'
                 or (t.status <> 'SUCCESS' and t.failure_code <> 'UNKNOWN'))
            and ${isOpenOf(sql, 'i')})))`

/**
 * Of an incident `d` of a payment: its payer may have the money already. What was taken back of
 * another attempt than the one that settled it was beside the payment.
 */
export const disputes = (sql: Sql): Fragment => sql`
  (d.status = 'OPEN'
   or (d.type = 'REVERSED_AFTER_SUCCESS' and d.refund_id is null
       and d.resolution is distinct from 'RECOVERED'
       and exists (select 1 from transactions s
                    where s.merchant_id = d.merchant_id and s.id = d.transaction_id
                      and s.settled_attempt = d.attempt_id)))`

/** What of a transaction's incidents is looked for: any that is open, or what contradicts it. */
export const openIncidents = ['OPEN', 'CONTRADICTED'] as const
export type OpenIncidents = (typeof openIncidents)[number]

/** Whether such an incident is open about the transaction `t`, by `t`'s own key. */
export const hasIncident = (sql: Sql, which: OpenIncidents): Fragment => sql`
  exists (select 1 from incidents i
           where i.merchant_id = t.merchant_id and i.transaction_id = t.id and i.status = 'OPEN'
             ${which === 'OPEN' ? sql`` : sql`and ${isContradiction(sql)}`})`

/** The ids of a merchant's transactions that open incidents are about: few, by their own index. */
export const idsOfOpen = (
  sql: Sql,
  { merchant_id, environment }: Readonly<{ merchant_id: string; environment: Environment }>,
): Fragment => sql`
  select i.transaction_id from incidents i
   where i.merchant_id = ${merchant_id} and i.environment = ${environment}
     and i.status = 'OPEN' and i.transaction_id is not null`

// The statements about what operators refused us for, and about money of which they say what people
// must see: alarms of an account, kept for a week.

import type { Sql, Tx } from '../platform/db.ts'
import { type FoundGateway, lockAccount } from './account-store.ts'
import type { MoneyAlarmKind, RefusalKind } from './alarm-kinds.ts'

/** To what an operator refused us: a payment or payout that was sent, a question, a refund. */
export type RefusedCall = 'CREATE' | 'ASK' | 'REFUND'

/** `CLOCK`: it is too far from ours, by the answer to any call. `about`: a reference there. */
export type KeptAlarm =
  | Readonly<{ kind: RefusalKind; call: RefusedCall }>
  | Readonly<{ kind: 'CLOCK'; call: 'ANY' }>
  | Readonly<{ kind: MoneyAlarmKind; call: 'ANY'; about: string }>

export type AlarmedAccount = Pick<FoundGateway, 'name' | 'environment' | 'is_active'> &
  Readonly<{
    /** Refusals of our credentials to creates within the minute. */
    recent: number
  }>

/** Locks the account; alarms of it queue up here. */
export async function findAlarmed(tx: Tx, gateway_id: string): Promise<AlarmedAccount | undefined> {
  await lockAccount(tx, gateway_id)
  const [row] = await tx<AlarmedAccount[]>`
    select g.name, g.environment, g.is_active,
           (select count(*)::int from gateway_alarms a
             where a.gateway_id = g.id and a.kind = 'CREDENTIAL' and a.call = 'CREATE'
               and a.created_at > now() - interval '60 seconds') as recent
      from gateways g
     where g.id = ${gateway_id}`
  return row
}

/** Characters: no operator's reference is longer; what is cut is found by its beginning. */
const about_max = 200

/** Those of last week go with it, and what was said before of the same money. */
export async function insertAlarm(
  tx: Tx,
  alarm: KeptAlarm & Readonly<{ id: string; gateway_id: string }>,
): Promise<void> {
  const about = 'about' in alarm ? alarm.about.slice(0, about_max) : ''
  await tx`
    delete from gateway_alarms
     where gateway_id = ${alarm.gateway_id}
       and (created_at < now() - interval '7 days'
            or (kind = ${alarm.kind} and about = ${about} and about <> ''))`
  await tx`
    insert into gateway_alarms (id, gateway_id, kind, call, about)
    values (${alarm.id}, ${alarm.gateway_id}, ${alarm.kind}, ${alarm.call}, ${about})`
}

export type SeenAlarm = Readonly<{
  /** The call that was refused, or the kind of what is no refusal. */
  of: RefusedCall | 'CLOCK' | MoneyAlarmKind
  count: number
  last_at: Date
  /** References at the operator, the latest first: of money, and no more than a few. */
  about: readonly string[]
}>

/** Those of the week, by what was refused, or what they are. */
export const listSeenAlarms = (sql: Sql, gateway_id: string): Promise<SeenAlarm[]> =>
  sql<SeenAlarm[]>`
    select case when call = 'ANY' then kind else call end as of, count(*)::int as count,
           max(created_at) as last_at,
           (coalesce(array_agg(about order by created_at desc, id desc) filter (where about <> ''),
                     array[]::text[]))[1:5] as about
      from gateway_alarms
     where gateway_id = ${gateway_id} and created_at > now() - interval '7 days'
     group by 1
     order by array_position(
                array['CREATE', 'ASK', 'REFUND', 'CLOCK', 'CONTRADICTION', 'GIVEN_BACK'],
                case when call = 'ANY' then kind else call end)`

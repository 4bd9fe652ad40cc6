// The statements about what operators refused us for: alarms of an account, kept for a week.

import type { Sql, Tx } from '../platform/db.ts'
import { type FoundGateway, lockAccount } from './account-store.ts'
import type { AlarmKind } from './gateway.ts'

/** To what an operator refused us: a payment or payout that was sent, a question, a refund. */
export type RefusedCall = 'CREATE' | 'ASK' | 'REFUND'

/** `CLOCK`: it is too far from ours, by the answer to any call. */
export type KeptAlarm =
  | Readonly<{ kind: AlarmKind; call: RefusedCall }>
  | Readonly<{ kind: 'CLOCK'; call: 'ANY' }>

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

/** Those of last week go with it. */
export async function insertAlarm(
  tx: Tx,
  alarm: KeptAlarm & Readonly<{ id: string; gateway_id: string }>,
): Promise<void> {
  await tx`
    delete from gateway_alarms
     where gateway_id = ${alarm.gateway_id} and created_at < now() - interval '7 days'`
  await tx`
    insert into gateway_alarms (id, gateway_id, kind, call)
    values (${alarm.id}, ${alarm.gateway_id}, ${alarm.kind}, ${alarm.call})`
}

export type SeenAlarm = Readonly<{ call: KeptAlarm['call']; count: number; last_at: Date }>

/** Those of the week, by what was refused. */
export const listSeenAlarms = (sql: Sql, gateway_id: string): Promise<SeenAlarm[]> =>
  sql<SeenAlarm[]>`
    select call, count(*)::int as count, max(created_at) as last_at
      from gateway_alarms
     where gateway_id = ${gateway_id} and created_at > now() - interval '7 days'
     group by call
     order by array_position(array['CREATE', 'ASK', 'REFUND', 'ANY'], call)`

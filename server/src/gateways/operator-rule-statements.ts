// The statements about what operators say that they take of one payment.

import type { Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import type { Direction } from './gateway.ts'
import type { KeptRule } from './judge-rule.ts'

export type DueRules = Readonly<{ id: string; environment: Environment; asked_at: Date }>

/** How often an account is asked, and how soon where that failed or something waits. Seconds. */
export type RuleAges = Readonly<{ every_s: number; again_s: number }>

/**
 * The accounts that this process asks now: on, no imitation, and asked by nobody for `every_s` and
 * up to a tenth more, by its id, so that accounts of one operator drift apart. Whoever claims one
 * and dies leaves it to the next who comes after `again_s`. So soon is asked too while something
 * narrower waits: a slip that the operator has put right never counts.
 */
export const claimRules = (
  sql: Sql,
  gateway_ids: readonly string[],
  { every_s, again_s }: RuleAges,
): Promise<DueRules[]> => sql<DueRules[]>`
  update gateways
     set rules_asked_at = clock_timestamp()
   where id = any(${[...gateway_ids]}::uuid[]) and is_active and dialect is null
     and rules_asked_at <= clock_timestamp() - interval '1 second' *
         case when rules_read_at < rules_asked_at
                or exists (select from operator_rules o
                            where o.gateway_id = gateways.id and o.next_at is not null)
              then ${again_s}::float8
              else ${every_s}::float8 * (1 + ('x' || right(id::text, 4))::bit(16)::int / 655360.0)
              end
  returning id, environment, rules_asked_at as asked_at`

/** What is known of one network of an account, in one direction. */
export type RuleRow = Readonly<{
  network_id: string
  network_code: string
  currency: string
  direction: Direction
  /** Null: it never said anything of it. */
  as_of: Date | null
  least: bigint | null
  most: bigint | null
  step: bigint | null
  next_least: bigint | null
  next_most: bigint | null
  next_at: Date | null
  /** Of the account's route there, where it is on. */
  amount_step: bigint | null
}>

/**
 * Of every network, both ways. Readings of an account, its changes by staff and what becomes due
 * queue up here.
 */
export async function lockRules(tx: Tx, gateway_id: string): Promise<RuleRow[]> {
  await tx`select id from gateways where id = ${gateway_id} for no key update`
  return tx<RuleRow[]>`
    select n.id as network_id, n.code as network_code, n.currency, d.direction, o.as_of, o.least,
           o.most, o.step, o.next_least, o.next_most, o.next_at, r.amount_step
      from networks n
     cross join (values ('COLLECT'), ('DISBURSE')) as d (direction)
      left join operator_rules o
        on o.gateway_id = ${gateway_id} and o.network_id = n.id and o.direction = d.direction
      left join routes r
        on r.gateway_id = ${gateway_id} and r.network_id = n.id and r.direction = d.direction
       and r.is_active
     order by n.code, d.direction`
}

export type RuleToKeep = Readonly<{
  gateway_id: string
  network_id: string
  direction: Direction
  rule: KeptRule
  step: bigint | null
  as_of: Date
}>

/** Under `lockRules`. */
export async function upsertRule(tx: Tx, to: RuleToKeep): Promise<void> {
  const { least, most, next } = to.rule
  await tx`
    insert into operator_rules (gateway_id, network_id, direction, least, most, step, as_of,
      next_least, next_most, next_at)
    values (${to.gateway_id}, ${to.network_id}, ${to.direction}, ${least}, ${most}, ${to.step},
      ${to.as_of}, ${next?.least ?? null}, ${next?.most ?? null}, ${next?.at ?? null})
    on conflict (gateway_id, network_id, direction) do update
       set least = excluded.least, most = excluded.most, step = excluded.step,
           as_of = excluded.as_of, next_least = excluded.next_least,
           next_most = excluded.next_most, next_at = excluded.next_at`
}

/** Under `lockRules`. False where a later answer was kept meanwhile. */
export async function markRulesRead(tx: Tx, { id, asked_at }: DueRules): Promise<boolean> {
  const marked = await tx`
    update gateways set rules_read_at = ${asked_at}
     where id = ${id} and rules_read_at < ${asked_at}`
  return marked.count === 1
}

/** Of which networks the last answer was of no use; empty: of none. Written where it changes. */
export async function markRulesFault(sql: Sql, id: string, fault: string): Promise<void> {
  const text = fault.slice(0, 500)
  await sql`update gateways set rules_fault = ${text} where id = ${id} and rules_fault <> ${text}`
}

/** Of networks that their operator has not named for a week, in which it was read. */
export async function deleteGoneRules(tx: Tx, { id, asked_at }: DueRules): Promise<number> {
  const gone = await tx`
    delete from operator_rules
     where gateway_id = ${id} and as_of < ${asked_at}::timestamptz - interval '7 days'`
  return gone.count
}

/** The accounts of which something narrower is due. */
export const listDueRules = (sql: Sql): Promise<DueRules[]> => sql<DueRules[]>`
  select g.id, g.environment, now() as asked_at
    from gateways g
   where exists (select from operator_rules o
                  where o.gateway_id = g.id and o.next_at <= now())
   order by g.id`

export type RuleLook = Readonly<{
  asked_at: Date | null
  read_at: Date | null
  fault: string
  /** What will count later. */
  waiting: readonly Readonly<{ network_code: string; direction: Direction; at_ms: number }>[]
}>

/** How an account's limits were last read. */
export async function findRuleLook(sql: Sql, gateway_id: string): Promise<RuleLook | undefined> {
  const [row] = await sql<RuleLook[]>`
    select nullif(g.rules_asked_at, '-infinity') as asked_at,
           nullif(g.rules_read_at, '-infinity') as read_at, g.rules_fault as fault,
           coalesce((select jsonb_agg(jsonb_build_object(
                              'network_code', n.code, 'direction', o.direction,
                              'at_ms', extract(epoch from o.next_at) * 1000)
                            order by o.next_at, n.code, o.direction)
                       from operator_rules o
                       join networks n on n.id = o.network_id
                      where o.gateway_id = g.id and o.next_at is not null), '[]') as waiting
      from gateways g
     where g.id = ${gateway_id}`
  return row
}

export type RuleFigures = Readonly<{ oldest_rules_s: number; waiting_rules: number }>

/** Of accounts that are on: how old the oldest reading is, and how many narrower limits wait. */
export async function readRuleAges(sql: Sql): Promise<RuleFigures> {
  const [row] = await sql<RuleFigures[]>`
    select coalesce(extract(epoch from now() - min(greatest(g.rules_read_at, g.created_at))),
                    0)::float8 as oldest_rules_s,
           (select count(*)::int from operator_rules where next_at is not null) as waiting_rules
      from gateways g
     where g.is_active and g.rules_asked_at > '-infinity'`
  return row ?? { oldest_rules_s: 0, waiting_rules: 0 }
}

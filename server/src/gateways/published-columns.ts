// What operators say, beside a route: the columns and joins by which whoever reads routes has it.

import type { Fragment, Sql } from '../platform/db.ts'
import type { OperatorState } from './published.ts'

/** Hundredths of one payment that its operator takes at least and at most; null: no such limit. */
export type PublishedLimits = Readonly<{
  published_least: bigint | null
  published_most: bigint | null
}>

export type PublishedOfRoute = PublishedLimits &
  Readonly<{
    published_step: bigint | null
    /** Null: it never said anything of it. */
    published_as_of: Date | null
    next_least: bigint | null
    next_most: bigint | null
    /** From when on those count; null: nothing waits. */
    next_at: Date | null
    /** Null: it does not say, or has not for some minutes. */
    published_state: OperatorState | null
  }>

/** A reading of what works just now counts for so long. */
export const states_count_minutes = 5

export const publishedLimits = (sql: Sql): Fragment => sql`
  ruled.least as published_least, ruled.most as published_most`

/** Of a route `r`, as `ruled`. */
export const joinRules = (sql: Sql): Fragment => sql`
  left join operator_rules ruled
    on ruled.gateway_id = r.gateway_id and ruled.network_id = r.network_id
   and ruled.direction = r.direction`

/** Of a route `r` of an account `g`, as `said`. */
export const joinStates = (sql: Sql): Fragment => sql`
  left join operator_states said
    on said.gateway_id = r.gateway_id and said.network_id = r.network_id
   and said.direction = r.direction
   and g.states_read_at > now() - ${states_count_minutes} * interval '1 minute'`

export const publishedColumns = (sql: Sql): Fragment => sql`
  ${publishedLimits(sql)}, ruled.step as published_step, ruled.as_of as published_as_of,
  ruled.next_least, ruled.next_most, ruled.next_at, said.state as published_state`

export const joinPublished = (sql: Sql): Fragment => sql`${joinRules(sql)} ${joinStates(sql)}`

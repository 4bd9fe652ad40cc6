// Marks that follow the days' own mark: what is counted of a day after the day itself is. Law: none
// of them passes `until_day`.

import type { Sql } from '../../platform/db.ts'
import { eachGroup, homeOf } from '../../platform/places/places.ts'
import type { FollowingMark } from './store.ts'

/** The column that says how far links are counted, or what is counted later. */
export type Follower = 'links_until_day' | 'later_until_day'

/** Marks that are behind their days, in any order; all but those of these names. */
export const listBehind = (
  sql: Sql,
  follower: Follower,
  { limit, but }: Readonly<{ limit: number; but: readonly string[] }>,
): Promise<FollowingMark[]> =>
  eachGroup(
    sql,
    (at) => at<FollowingMark[]>`
  select m.merchant_id, m.environment, to_char(m.until_day, 'YYYY-MM-DD') as until_day,
         to_char(m.${at(follower)}, 'YYYY-MM-DD') as day
    from counting_marks m
   where m.${at(follower)} < m.until_day
     and m.merchant_id || ' ' || m.environment <> all(${but}::text[])
   order by m.merchant_id
   limit ${limit}`,
  )

/** Past days of which there is nothing to count; not where another moved it. */
export const moveFollowing = async (
  sql: Sql,
  follower: Follower,
  { merchant_id, environment, day }: FollowingMark,
  to: string,
): Promise<void> => {
  await homeOf(sql, merchant_id)`
    update counting_marks set ${sql(follower)} = least(until_day, ${to}::date)
     where merchant_id = ${merchant_id} and environment = ${environment}
       and ${sql(follower)} = ${day}::date`
}

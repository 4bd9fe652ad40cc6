// The law of counted days, asked of all worlds of a stage: what the worker counts of each day is
// what the log of ends, the transactions and the first attempts say, whatever became of them and in
// whatever order.

import { allGroups } from '../../src/platform/places/places.ts'
import { countDays } from '../../src/reports/series/count-days.ts'
import type { OwnerSql } from '../setup/database.ts'
import type { Stage } from './stage.ts'

const signal = new AbortController().signal

/** Days that were counted otherwise than they were, a line each; the days are counted first. */
export async function unequalDays({ db, owner }: Stage): Promise<string[]> {
  await leaveBehind(owner)
  const job = countDays({ db })
  while ((await job.run({ signal })) === 'more');
  return [
    ...(await listUnequal(owner)),
    ...(await listUnequalLinks(owner)),
    ...(await listUnequalStarts(owner)),
  ]
}

/** What no world has counted yet is two days older, so that each of its days is settled. */
async function leaveBehind(owner: OwnerSql): Promise<void> {
  await allGroups(
    owner,
    (at) => at<never[]>`
    update transaction_status_logs l set created_at = l.created_at - interval '2 days'
     where not exists (select from counting_marks m where m.merchant_id = l.merchant_id)`,
  )
  await allGroups(
    owner,
    (at) => at<never[]>`
    update transactions t set created_at = t.created_at - interval '2 days'
     where not exists (select from counting_marks m where m.merchant_id = t.merchant_id)`,
  )
}

/** No world has told its country, so its days are those of UTC. */
const listUnequal = async (owner: OwnerSql): Promise<string[]> => {
  const rows = await allGroups(
    owner,
    (at) => at<{ line: string }[]>`
    with plain as (
      select l.merchant_id, (l.created_at at time zone 'UTC')::date as day, t.transaction_type,
             t.country_code as country, t.currency, l.to_status as status, count(*) as count,
             coalesce(sum(t.requested_amount) filter (where l.to_status = 'SUCCESS'), 0) as asked,
             coalesce(sum(t.client_fee) filter (where l.to_status = 'SUCCESS'), 0) as fees,
             coalesce(sum(t.net_amount) filter (where l.to_status = 'SUCCESS'), 0) as net
        from transaction_status_logs l
        join transactions t on t.merchant_id = l.merchant_id and t.id = l.transaction_id
       where l.to_status in ('SUCCESS', 'FAILED')
         and t.transaction_type in ('PAIEMENT', 'RETRAIT', 'RECHARGE')
       group by 1, 2, 3, 4, 5, 6
    ), counted as (
      select merchant_id, day, transaction_type, country, currency, status, sum(count) as count,
             sum(requested) as asked, sum(fees) as fees, sum(net) as net
        from (table counted_days union all table counted_later) as d
       where d.status <> 'STARTED'
       group by 1, 2, 3, 4, 5, 6
    )
    select coalesce(p, c)::text as line
      from plain p
      full join counted c using (merchant_id, day, transaction_type, country, currency, status)
     where (p.count, p.asked, p.fees, p.net) is distinct from (c.count, c.asked, c.fees, c.net)
     limit 20`,
  )
  return rows.map(({ line }) => line)
}

const listUnequalLinks = async (owner: OwnerSql): Promise<string[]> => {
  const rows = await allGroups(
    owner,
    (at) => at<{ line: string }[]>`
    with plain as (
      select l.merchant_id, (l.created_at at time zone 'UTC')::date as day, t.payment_link,
             l.to_status as status, count(*) as count,
             coalesce(sum(t.requested_amount) filter (where l.to_status = 'SUCCESS'), 0) as asked
        from transaction_status_logs l
        join transactions t on t.merchant_id = l.merchant_id and t.id = l.transaction_id
       where l.to_status in ('SUCCESS', 'FAILED') and t.payment_link is not null
       group by 1, 2, 3, 4
    ), counted as (
      select merchant_id, day, payment_link, status, sum(count) as count, sum(requested) as asked
        from counted_links
       group by 1, 2, 3, 4
    )
    select coalesce(p, c)::text as line
      from plain p
      full join counted c using (merchant_id, day, payment_link, status)
     where (p.count, p.asked) is distinct from (c.count, c.asked)
     limit 20`,
  )
  return rows.map(({ line }) => line)
}

/** By networks too: a payment that was asked for again elsewhere began where it began. */
const listUnequalStarts = async (owner: OwnerSql): Promise<string[]> => {
  const rows = await allGroups(
    owner,
    (at) => at<{ line: string }[]>`
    with first_asked as (
      select distinct on (a.merchant_id, a.transaction_id) a.merchant_id, a.transaction_id,
             a.network_code
        from attempts a
       where a.transaction_id is not null
       order by a.merchant_id, a.transaction_id, a.created_at, a.id
    ), plain as (
      select t.merchant_id, (t.created_at at time zone 'UTC')::date as day, t.transaction_type,
             t.country_code as country, coalesce(a.network_code, t.network_code, '') as network,
             t.currency, count(*) as count
        from transactions t
        left join first_asked a on a.merchant_id = t.merchant_id and a.transaction_id = t.id
       where t.transaction_type in ('PAIEMENT', 'RETRAIT', 'RECHARGE')
         -- A day that is not settled is not counted yet.
         and t.created_at < date_trunc('day', now() - interval '5 minutes', 'UTC')
       group by 1, 2, 3, 4, 5, 6
    ), counted as (
      select merchant_id, day, transaction_type, country, network, currency, sum(count) as count
        from counted_later
       where status = 'STARTED'
       group by 1, 2, 3, 4, 5, 6
    )
    select coalesce(p, c)::text as line
      from plain p
      full join counted c using (merchant_id, day, transaction_type, country, network, currency)
     where p.count is distinct from c.count
     limit 20`,
  )
  return rows.map(({ line }) => line)
}

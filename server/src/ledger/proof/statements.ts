// What `ledger verify` checks (money 5, design 1). Each fragment is one query over whole tables
// that gives a row for each thing checked: `breach` describes the fault, or is null. Tables of
// other folders are read here and never written.

import type { Fragment, Sql } from '../../platform/db.ts'

/** Each entry as its two legs: what it adds to the credit side of an account. */
export const legs = (sql: Sql): Fragment => sql`
  select merchant_id, cause_kind, cause_id, attempt_id, debit_account as account_id,
         -amount as credited
    from ledger_entries
  union all
  select merchant_id, cause_kind, cause_id, attempt_id, credit_account, amount
    from ledger_entries`

/** Entries with the kinds of both their accounts. */
const kinds = (sql: Sql): Fragment => sql`
  select e.merchant_id, e.environment, e.country, e.currency, e.id, e.cause_id, e.amount,
         e.available_change, d.kind as debit_kind, c.kind as credit_kind
    from ledger_entries e
    join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
    join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account`

/** Both accounts exist, in the entry's own books, place and currency: so it sums to zero. */
export const entriesBalance = (sql: Sql): Fragment => sql`
  select case
           when d.id is null then 'entry ' || e.id || ' debits an account that is not there'
           when c.id is null then 'entry ' || e.id || ' credits an account that is not there'
           when d.currency <> e.currency or c.currency <> e.currency
             then 'entry ' || e.id || ' mixes currencies'
           when d.environment <> e.environment or c.environment <> e.environment
             then 'entry ' || e.id || ' mixes environments'
           when d.country <> e.country or c.country <> e.country
             then 'entry ' || e.id || ' mixes countries'
         end as breach
    from ledger_entries e
    left join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
    left join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account`

/** `available_change` agrees with the entry's own accounts. */
export const changesStated = (sql: Sql): Fragment => sql`
  select case when k.available_change <> k.amount * (k.credit_kind = 'available')::int
                                       - k.amount * (k.debit_kind = 'available')::int
           then 'entry ' || k.id || ' says ' || k.available_change || ' of available'
         end as breach
    from (${kinds(sql)}) k`

/** `available`, `pending` and `frozen` are the sums of their entries. */
export const balancesSum = (sql: Sql): Fragment => sql`
  select case
           when b.id is null
             then 'merchant ' || s.merchant_id || ' has entries in ' || s.country
                  || ' and no balance'
           when (b.available, b.pending, b.frozen)
                <> (coalesce(s.available, 0), coalesce(s.pending, 0), coalesce(s.frozen, 0))
             then 'balance ' || b.id || ' is ' || b.available || '/' || b.pending || '/'
                  || b.frozen || ', its entries sum to ' || coalesce(s.available, 0) || '/'
                  || coalesce(s.pending, 0) || '/' || coalesce(s.frozen, 0)
           when s.currencies <> array[b.currency]
             then 'balance ' || b.id || ' has entries of another currency'
         end as breach
    from balances b
    full join (
      select merchant_id, environment, country, array_agg(distinct currency) as currencies,
             sum(amount * (credit_kind = 'available')::int
                 - amount * (debit_kind = 'available')::int) as available,
             sum(amount * (credit_kind = 'pending')::int
                 - amount * (debit_kind = 'pending')::int) as pending,
             sum(amount * (credit_kind = 'frozen')::int
                 - amount * (debit_kind = 'frozen')::int) as frozen
        from (${kinds(sql)}) k
       where debit_kind in ('available', 'pending', 'frozen')
          or credit_kind in ('available', 'pending', 'frozen')
       group by merchant_id, environment, country
    ) s on s.merchant_id = b.merchant_id and s.environment = b.environment
       and s.country = b.country`

/** `entry_no` has no gap, `balance_after` is the running sum, and the balance knows its last. */
export const entriesChain = (sql: Sql): Fragment => sql`
  select case
           when entry_no <> expected_no
             then 'entry ' || id || ' is number ' || entry_no || ' where ' || expected_no
                  || ' is due'
           when balance_after <> running
             then 'entry ' || id || ' leaves ' || balance_after || ' where the sum is ' || running
         end as breach
    from (select e.id, e.entry_no, e.balance_after,
                 row_number() over w as expected_no, sum(e.available_change) over w as running
            from ledger_entries e
           where e.entry_no is not null
          window w as (partition by e.merchant_id, e.environment, e.country order by e.entry_no
                       rows between unbounded preceding and current row)) numbered
  union all
  select case when b.entry_no <> coalesce(n.last_no, 0)
           then 'balance ' || b.id || ' counts ' || b.entry_no || ' entries where '
                || coalesce(n.last_no, 0) || ' are numbered'
         end
    from balances b
    left join (select merchant_id, environment, country, max(entry_no) as last_no
                 from ledger_entries group by merchant_id, environment, country) n
      on n.merchant_id = b.merchant_id and n.environment = b.environment
     and n.country = b.country`

/** A hold ends at most once, and only one that was made. */
export const holdsEndOnce = (sql: Sql): Fragment => sql`
  select case
           when h.id is null then 'hold ' || n.hold_id || ' was ended and never made'
           when n.ends > 1 then 'hold ' || n.hold_id || ' was ended ' || n.ends || ' times'
           when n.environment <> h.environment
             then 'hold ' || n.hold_id || ' was ended in another environment'
         end as breach
    from (select merchant_id, hold_id, count(*) as ends, min(environment) as environment
            from hold_ends group by merchant_id, hold_id) n
    left join holds h on h.merchant_id = n.merchant_id and h.id = n.hold_id`

/** A hold moved its amount into pending, and out of it once when it ended, never before. */
export const holdsMoveOnce = (sql: Sql): Fragment => sql`
  select case
           when f.taken <> h.amount
             then 'hold ' || h.id || ' of ' || h.amount || ' moved ' || f.taken || ' into pending'
           when f.given <> h.amount * (n.hold_id is not null)::int
             then 'hold ' || h.id || ' of ' || h.amount || ' moved ' || f.given
                  || ' out of pending and is '
                  || case when n.hold_id is null then 'open' else 'ended' end
         end as breach
    from holds h
    left join (select distinct merchant_id, hold_id from hold_ends) n
      on n.merchant_id = h.merchant_id and n.hold_id = h.id
    join (
      select cause.merchant_id, cause.hold_id,
             coalesce(sum(k.amount) filter (where k.credit_kind = 'pending'), 0) as taken,
             coalesce(sum(k.amount) filter (where k.debit_kind = 'pending'), 0) as given
        from (select merchant_id, id as hold_id, id as cause_id from holds
              union
              select merchant_id, id, cause_id from holds) cause
        left join (${kinds(sql)}) k
          on k.merchant_id = cause.merchant_id and k.cause_id = cause.cause_id
       group by cause.merchant_id, cause.hold_id
    ) f on f.merchant_id = h.merchant_id and f.hold_id = h.id`

/** `pending` is the sum of the holds that have not ended. */
export const pendingIsInHolds = (sql: Sql): Fragment => sql`
  select case when coalesce(b.pending, 0) <> coalesce(o.held, 0)
           then 'merchant ' || coalesce(b.merchant_id, o.merchant_id) || ' has '
                || coalesce(b.pending, 0) || ' pending in ' || coalesce(b.country, o.country)
                || ', open holds sum to ' || coalesce(o.held, 0)
         end as breach
    from balances b
    full join (
      select h.merchant_id, h.environment, h.country, sum(h.amount) as held
        from holds h
       where not exists (select 1 from hold_ends n
                          where n.merchant_id = h.merchant_id and n.hold_id = h.id)
       group by h.merchant_id, h.environment, h.country
    ) o on o.merchant_id = b.merchant_id and o.environment = b.environment
       and o.country = b.country`

/** What each transaction has booked, by kind of account, on the credit side. */
const bookedByTransaction = (sql: Sql): Fragment => sql`
  select l.merchant_id, l.cause_id,
         array_agg(distinct l.attempt_id) as attempts,
         array_agg(distinct k.gateway_id || ' ' || k.purpose)
           filter (where k.kind = 'gateway') as gateways,
         array[
           coalesce(sum(l.credited) filter (where k.kind = 'available'), 0),
           coalesce(sum(l.credited) filter (where k.kind = 'pending'), 0),
           coalesce(sum(l.credited) filter (where k.kind = 'gateway'), 0),
           coalesce(sum(l.credited) filter (where k.kind = 'gateway_fees'), 0),
           coalesce(sum(l.credited) filter (where k.kind = 'platform_fees'), 0),
           coalesce(sum(l.credited) filter (where k.kind = 'gateway_costs'), 0),
           count(*) filter (where k.kind not in ('available', 'pending', 'gateway',
             'gateway_fees', 'platform_fees', 'gateway_costs'))
         ] as figures
    from (${legs(sql)}) l
    join accounts k on k.merchant_id = l.merchant_id and k.id = l.account_id
   where l.cause_kind = 'TRANSACTION'
   group by l.merchant_id, l.cause_id`

/**
 * Each SUCCESS has booked the figures of the attempt that carried it out, and no other status has
 * booked any.
 */
export const successesBooked = (sql: Sql): Fragment => sql`
  select case
           when t.id is null then 'entries name the transaction ' || b.cause_id || ', not there'
           when t.status <> 'SUCCESS' and b.cause_id is not null
             then 'transaction ' || t.id || ' is ' || t.status || ' and has entries'
           when t.status <> 'SUCCESS' then null
           when a.id is null then 'transaction ' || t.id || ' was settled by no attempt of its own'
           when a.status <> 'SUCCESS'
             then 'transaction ' || t.id || ' was settled by an attempt that is ' || a.status
           when b.cause_id is null then 'transaction ' || t.id || ' is SUCCESS without entries'
           when (t.debited_amount, t.net_amount, t.client_fee, t.gateway_fee, t.platform_fee,
                 t.currency)
                <> (a.debited_amount, a.net_amount, a.client_fee, a.gateway_fee, a.platform_fee,
                    a.currency)
             then 'transaction ' || t.id || ' has other figures than its settled attempt'
           when b.attempts <> array[a.id]
                or b.gateways <> array[a.gateway_id || ' ' || a.direction]
             then 'transaction ' || t.id || ' is booked for another attempt or gateway'
           when b.figures <> array[
                  case when t.flow_direction = 'INBOUND' then a.net_amount else 0 end,
                  case when t.flow_direction = 'INBOUND' then 0 else -a.debited_amount end,
                  case when t.flow_direction = 'INBOUND' then -a.debited_amount
                       else a.net_amount end,
                  a.gateway_fee + a.gateway_cost_excess, a.platform_fee,
                  -a.gateway_cost_excess, 0]::numeric[]
             then 'transaction ' || t.id || ' is booked with other figures than its attempt has'
         end as breach
    from (select merchant_id, id, status, flow_direction, settled_attempt, debited_amount,
                 net_amount, client_fee, gateway_fee, platform_fee, currency
            from transactions where transaction_type <> 'TRANSFERT') t
    full join (${bookedByTransaction(sql)}) b
      on b.merchant_id = t.merchant_id and b.cause_id = t.id
    left join attempts a
      on a.merchant_id = t.merchant_id and a.id = t.settled_attempt and a.transaction_id = t.id`

/** Suspense contains what is open of each incident, on its side, and nothing else. */
export const suspenseIsOpen = (sql: Sql): Fragment => sql`
  select case
           when i.id is null and s.credited <> 0
             then 'suspense holds ' || s.credited || ' for no incident (' || s.purpose || ')'
           when i.id is not null and coalesce(s.credited, 0) <> case
                  when i.status <> 'OPEN' then 0
                  when i.suspense_side = 'CREDIT' then i.amount
                  when i.suspense_side = 'DEBIT' then -i.amount
                  else 0 end
             then i.status || ' incident ' || i.id || ' of ' || i.amount || ' has '
                  || coalesce(s.credited, 0) || ' in suspense'
         end as breach
    from incidents i
    full join (
      select k.merchant_id, k.purpose, sum(l.credited) as credited
        from (${legs(sql)}) l
        join accounts k on k.merchant_id = l.merchant_id and k.id = l.account_id
       where k.kind = 'suspense'
       group by k.merchant_id, k.purpose
    ) s on s.merchant_id = i.merchant_id and s.purpose = i.id::text`

/**
 * The logged moves lead from the first status to the present one: each status is left as often as
 * it is entered. Not checked by time, because two moves of one moment may be dated either way.
 */
export const statusesChain = (sql: Sql): Fragment => sql`
  select case when bool_or(steps <> 0)
           then 'transaction ' || id || ' has logs that do not lead to its status'
         end as breach
    from (select merchant_id, id, status, sum(step) as steps
            from (select merchant_id, transaction_id as id, from_status as status, 1 as step
                    from transaction_status_logs
                  union all
                  select merchant_id, transaction_id, to_status, -1 from transaction_status_logs
                  union all
                  select merchant_id, id, status, 1 from transactions
                  union all
                  select merchant_id, id,
                         case when transaction_type = 'TRANSFERT' then 'SUCCESS'
                              else 'PENDING' end, -1
                    from transactions) step_by_step
           group by merchant_id, id, status) net
   group by merchant_id, id
  union all
  select case
           when l.from_status = l.to_status then 'log ' || l.id || ' moves nothing'
           when l.from_status = 'SUCCESS'
             then 'transaction ' || t.id || ' left SUCCESS, which is final'
           when t.transaction_type = 'RETRAIT' and l.from_status <> 'PENDING'
             then 'payout ' || t.id || ' left ' || l.from_status || ', which is final'
         end
    from transaction_status_logs l
    join transactions t on t.merchant_id = l.merchant_id and t.id = l.transaction_id`

/** A version is one more than the logged moves and the changes of what is refunded. */
export const versionsCount = (sql: Sql): Fragment => sql`
  select case when t.version <> 1 + coalesce(n.moves, 0) + t.refund_changes
           then 'transaction ' || t.id || ' is version ' || t.version || ' after '
                || coalesce(n.moves, 0) + t.refund_changes || ' moves'
         end as breach
    from transactions t
    left join (select merchant_id, transaction_id, count(*) as moves
                 from transaction_status_logs group by merchant_id, transaction_id) n
      on n.merchant_id = t.merchant_id and n.transaction_id = t.id`

/** At most one attempt of a transaction, settlement or refund has no known end. */
export const oneAttemptOpen = (sql: Sql): Fragment => sql`
  select case when count(*) filter (where status in ('PENDING', 'UNKNOWN')) > 1
           then coalesce('transaction ' || transaction_id, 'settlement ' || settlement_id,
                         'refund ' || refund_id)
                || ' has several open attempts'
         end as breach
    from attempts
   group by merchant_id, transaction_id, settlement_id, refund_id`

// The statements of the journal. What the ledger credits to a merchant is an asset in the
// merchant's own books, so each entry appears mirrored: its credit side is debited here, and the
// other way round.

import type { Fragment, Sql, Tx } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { control, homeOf } from '../../platform/places/places.ts'
import { stringify } from '../../platform/sql.ts'
import type { Accounts } from './accounts.ts'

export type LineValue = Readonly<{ line: string; value: string }>

type OwnValue = LineValue & Readonly<{ kind: 'account' | 'third_party' }>

/** What a merchant has set. */
export const listAccounts = (sql: Sql, merchant_id: string): Promise<OwnValue[]> => control(sql)<
  OwnValue[]
>`
  select 'account' as kind, line, account as value
    from journal_accounts where merchant_id = ${merchant_id}
   union all
  select 'third_party', line, third_party
    from journal_third_parties where merchant_id = ${merchant_id}`

/** All of them at once: a line that is not named goes back to its default. */
export async function replaceAccounts(
  tx: Tx,
  merchant_id: string,
  accounts: readonly LineValue[],
): Promise<void> {
  await tx`delete from journal_accounts where merchant_id = ${merchant_id}`
  await tx`
    insert into journal_accounts (merchant_id, line, account)
    select ${merchant_id}, r.line, r.value
      from json_to_recordset(${stringify(accounts)}::text::json) as r (line text, value text)`
}

/** All of them at once: a line that is not named is nobody's. */
export async function replaceThirdParties(
  tx: Tx,
  merchant_id: string,
  third_parties: readonly LineValue[],
): Promise<void> {
  await tx`delete from journal_third_parties where merchant_id = ${merchant_id}`
  await tx`
    insert into journal_third_parties (merchant_id, line, third_party)
    select ${merchant_id}, r.line, r.value
      from json_to_recordset(${stringify(third_parties)}::text::json)
           as r (line text, value text)`
}

/** Two changes at once follow each other. */
export async function lockMerchantsAccounts(tx: Tx, merchant_id: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`journal ${merchant_id}`}, 0))`
}

export type Stretch = Readonly<{
  merchant_id: string
  environment: Environment
  from: Date
  to: Date
}>

/**
 * Ids are time, by the clocks of our processes; the time that counts is the entry's own. Where the
 * two are further apart than this, the entry is of a wrong clock (migration 0040).
 */
const clocks_differ = '1 hour'

/** The entries `e` whose ids show that they may be of the period: a range of the primary key. */
const ofPeriodById = (sql: Sql, { merchant_id, from, to }: Stretch): Fragment => sql`
  e.merchant_id = ${merchant_id}
  and e.id >= uuid_floor(greatest(${from}::timestamptz - ${clocks_differ}::interval, 'epoch'))
  and e.id < uuid_floor(${to}::timestamptz + ${clocks_differ}::interval)`

/** Those of the period with ids of any time: an index of their own, nearly always empty. */
const ofWrongClocks = (sql: Sql, { merchant_id, from, to }: Stretch): Fragment => sql`
  e.merchant_id = ${merchant_id} and is_of_wrong_clock(e.id, e.created_at)
  and e.created_at >= ${from} and e.created_at < ${to}`

/**
 * The last id of the next stretch of at most `limit` entries after an id; undefined when there is
 * none.
 */
export async function findStretchEnd(
  sql: Sql,
  period: Stretch,
  { after, limit }: Readonly<{ after: string; limit: number }>,
): Promise<string | undefined> {
  const [row] = await homeOf(sql, period.merchant_id)<{ id: string }[]>`
    select id from (
      (select e.id from ledger_entries e
        where ${ofPeriodById(sql, period)} and e.id > ${after}
        order by e.id limit ${limit})
      union
      (select e.id from ledger_entries e
        where ${ofWrongClocks(sql, period)} and e.id > ${after}
        order by e.id limit ${limit})
       order by id limit ${limit}) as next
     order by id desc limit 1`
  return row?.id
}

/** A day of the merchant, and its moments. */
export type JournalDay = Readonly<{ date: string; from: Date; to: Date }>

/**
 * The next day of a period, from a date on, that may have entries: days before the first of those
 * that are left are passed over, so that a period of years costs no query for each of its days. By
 * ids, an entry is at most two differences of clocks before the one with the first id.
 */
export async function findNextDay(
  sql: Sql,
  period: Stretch,
  { date, last }: Readonly<{ date: string; last: string }>,
): Promise<JournalDay | undefined> {
  const { merchant_id } = period
  const [row] = await homeOf(sql, merchant_id)<JournalDay[]>`
    with rest as (
      select start_of_merchants_day(${merchant_id}, ${date}::date) as begins
    ), first as (
      select least(
               (select e.created_at - 2 * ${clocks_differ}::interval from ledger_entries e
                 where ${ofPeriodById(sql, period)}
                   and e.id >= uuid_floor(greatest(r.begins - ${clocks_differ}::interval, 'epoch'))
                   and not is_of_wrong_clock(e.id, e.created_at)
                 order by e.id limit 1),
               (select min(e.created_at) from ledger_entries e
                 where ${ofWrongClocks(sql, period)} and e.created_at >= r.begins)) as at
        from rest r
    ), next as (
      select greatest(merchants_day_of(${merchant_id}, at), ${date}::date) as day
        from first where at is not null
    )
    select to_char(day, 'YYYY-MM-DD') as date, start_of_merchants_day(${merchant_id}, day) as from,
           start_of_merchants_day(${merchant_id}, day + 1) as to
      from next where day <= ${last}::date`
  return row
}

export const journalColumns = [
  ...['date', 'piece', 'operation', 'account', 'label', 'debit', 'credit', 'currency', 'country'],
  ...['merchant_reference', 'time_zone', 'third_party'],
]

/** The texts of `journalColumns`, and what its label is made of (`labels.ts`). */
export type JournalLine = Readonly<Record<string, string>>

/**
 * A stretch of the journal: after one id, through another. What was booked for one cause is one
 * piece, which is where its first line is and is never cut in two.
 */
export function listJournal(
  sql: Sql,
  { merchant_id, environment, from, to }: Stretch,
  { after, through, accounts }: Readonly<{ after: string; through: string; accounts: Accounts }>,
): Promise<JournalLine[]> {
  return homeOf(sql, merchant_id)<JournalLine[]>`
    with ${piecesOf(sql, { merchant_id, environment, from, to }, { after, through })},
    ${linesOf(sql)}
    select to_char(greatest(z.from_day, least((created_at at time zone z.zone)::date,
                                              z.until_day - 1)), 'YYYY-MM-DD') as date,
           piece_id::text as entry,
           coalesce(reference || coalesce('-' || refund, ''),
                    cause_kind || '-' || upper(right(cause_id::text, 8))) as piece,
           cause_kind as operation,
           ${JSON.stringify(accounts)}::text::json ->> name as account,
           coalesce(${JSON.stringify(accounts.third_parties)}::text::json ->> name, '')
             as third_party,
           name as slot,
           coalesce(transaction_type, '') as type, coalesce(reference, '') as reference,
           coalesce(refund, '') as refund, coalesce(network, '') as network,
           to_char(sum(debit) / 100, 'FM999999999999999990.00') as debit,
           to_char(sum(credit) / 100, 'FM999999999999999990.00') as credit,
           currency, country, merchant_reference, z.zone as time_zone
      from line
      join time_zones_of(${merchant_id}) z on z.from_at <= created_at and created_at < z.until_at
     group by piece_id, created_at, country, currency, cause_kind, cause_id, reference, refund,
              merchant_reference, transaction_type, network, name, debit > 0, z.from_day,
              z.until_day, z.zone
     order by piece_id, country, debit > 0 desc, name`
}

/** `piece, entry as (…)`: what was booked for each cause whose first line is in the stretch. */
const piecesOf = (
  sql: Sql,
  period: Stretch,
  { after, through }: Readonly<{ after: string; through: string }>,
): Fragment => {
  const { merchant_id, environment, from, to } = period
  const ofStretch = (which: Fragment) => sql`
      select e.id, e.cause_kind, e.cause_id, e.line
        from ledger_entries e
       where ${which} and e.environment = ${environment}
         and e.id > ${after} and e.id <= ${through}
         and e.created_at >= ${from} and e.created_at < ${to}`
  return sql`
    stretch as (
      ${ofStretch(ofPeriodById(sql, period))} union ${ofStretch(ofWrongClocks(sql, period))}
    ), piece as (
      select e.id as piece_id, e.cause_kind, e.cause_id
        from stretch e
       where not exists (
             select 1 from ledger_entries s
              where s.merchant_id = ${merchant_id} and s.cause_kind = e.cause_kind
                and s.cause_id = e.cause_id and s.line < e.line)
    ), entry as (
      select p.piece_id, p.cause_kind, p.cause_id, e.created_at, e.country, e.currency, e.amount,
             d.kind as debit_kind, c.kind as credit_kind,
             case when r.id is not null then 'REFUND' when w.id is not null then 'TRANSFERT'
                  else t.transaction_type end as transaction_type,
             coalesce(t.fee_charge_mode, b.fee_charge_mode) as fee_charge_mode,
             -- A transfer's own first: its transaction's is there only once it has succeeded.
             coalesce(w.reference, t.reference, s.reference, b.reference) as reference,
             coalesce(t.merchant_reference, b.merchant_reference, '') as merchant_reference,
             -- A payment may have several: each is a piece, by the end of its id.
             'R' || upper(right(r.id::text, 8)) as refund, n.name as network,
             case when p.cause_kind = 'RESOLUTION' and i.type = 'RETURNED' then
               case when i.settlement_id is not null then 'settlements'
                    when i.refund_id is not null then 'sales' else 'payouts' end
             end as undone
        from piece p
        join ledger_entries e on e.merchant_id = ${merchant_id}
         and e.cause_kind = p.cause_kind and e.cause_id = p.cause_id
        join accounts d on d.merchant_id = ${merchant_id} and d.id = e.debit_account
        join accounts c on c.merchant_id = ${merchant_id} and c.id = e.credit_account
        left join transactions t on t.merchant_id = ${merchant_id} and t.id = p.cause_id
        left join wallet_transfers w on w.merchant_id = ${merchant_id} and w.id = p.cause_id
        left join incidents i on i.merchant_id = ${merchant_id} and i.id = p.cause_id
         and p.cause_kind in ('INCIDENT', 'RESOLUTION')
        left join settlements s on s.merchant_id = ${merchant_id}
         and s.id = coalesce(i.settlement_id, p.cause_id)
        -- A refund and its hold take back a sale, and are named by their payment.
        left join refunds r on r.merchant_id = ${merchant_id}
         and r.id = coalesce(i.refund_id, p.cause_id)
        left join transactions b on b.merchant_id = ${merchant_id}
         and b.id = coalesce(r.payment_id, i.transaction_id)
        left join networks n on n.code = coalesce(t.network_code, b.network_code))`
}

const legColumns = (sql: Sql): Fragment => sql`
  piece_id, cause_kind, cause_id, created_at, country, currency, transaction_type, reference,
  merchant_reference, refund, network, undone`

/**
 * `own, leg, line as (…)`: each entry's two sides, mirrored, by what they are in the merchant's
 * books.
 */
const linesOf = (sql: Sql): Fragment => sql`
    own as (
      -- What touches the merchant's own accounts, and a fee that the merchant bears: one that
      -- the payer bears is not the merchant's. It is given back with the refund of the whole, by
      -- the operator or at our cost, and is the merchant's again where that refund came back.
      select ${legColumns(sql)}, amount, debit_kind, credit_kind from entry
       where debit_kind in ('available', 'pending', 'frozen', 'merchant_debt')
          or credit_kind in ('available', 'pending', 'frozen', 'merchant_debt')
          or (fee_charge_mode = 'DEDUCTED'
              and (cause_kind = 'TRANSACTION' and debit_kind = 'gateway'
                   and credit_kind in ('gateway_fees', 'platform_fees')
                   or cause_kind = 'REFUND' and credit_kind = 'gateway'
                   and debit_kind in ('gateway_fees', 'gateway_costs', 'platform_fees')
                   or undone = 'sales' and debit_kind = 'suspense'
                   and credit_kind in ('gateway_fees', 'gateway_costs', 'platform_fees')))
    ), leg as (
      select ${legColumns(sql)}, credit_kind as kind, amount as debit, 0 as credit from own
      union all
      select ${legColumns(sql)}, debit_kind, 0, amount from own
    ), line as (
      select ${legColumns(sql)}, debit, credit,
             case kind when 'available' then 'balance'
                       when 'pending' then 'reserved'
                       when 'frozen' then 'frozen'
                       when 'merchant_debt' then 'debt'
                       when 'gateway_fees' then 'fees'
                       when 'platform_fees' then 'fees'
                       when 'gateway_costs' then 'fees'
                       when 'fx' then 'transfers'
                       when 'bank' then 'settlements'
                       when 'sandbox_funding' then 'own_funds'
                       -- What came back undoes what it had been booked as.
                       when 'suspense' then coalesce(undone, 'incidents')
                       when 'gateway' then
                         case when undone is not null then undone
                              when transaction_type = 'PAIEMENT' then 'sales'
                              when cause_kind = 'REFUND' then 'sales'
                              when transaction_type = 'RECHARGE' then 'own_funds'
                              when transaction_type = 'RETRAIT' then 'payouts'
                              when cause_kind = 'SETTLEMENT' then 'settlements'
                              else 'incidents' end
                       else 'incidents' end as name
        from leg)`

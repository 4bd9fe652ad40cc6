// The rows of the file of movements, and its columns. What a movement was for is said as the list
// says it (`viewEntry`), by the same tables.

import type { Fragment, Sql } from '../../platform/db.ts'
import { amount, asItIs, type Columns, moment, plain } from '../../platform/export/columns.ts'
import type { RowsOf } from '../../platform/export/export-route.ts'
import type { Bind } from '../../platform/sql.ts'
import { type EntriesSought, entriesFiltered, entryKinds, whatFor } from '../entries-store.ts'

/** A hold is of what it is for; an incident and its resolution are one kind. */
const named = `case when p.cause_kind = 'RESOLUTION' then 'INCIDENT'
                    when p.cause_kind in ('HOLD', 'HOLD_END') then h.cause_kind
                    else p.cause_kind end`

/** Only what has lost its transaction goes by its sign. */
const kind = `coalesce(
  case when ${named} in (${entryKinds.map((one) => `'${one}'`).join(', ')}) then ${named} end,
  case t.transaction_type when 'PAIEMENT' then 'PAYMENT' when 'RECHARGE' then 'TOP_UP'
                          when 'RETRAIT' then 'PAYOUT' when 'TRANSFERT' then 'TRANSFER' end,
  case when p.available_change > 0 then 'PAYMENT' else 'PAYOUT' end)`

const reference = 'coalesce(t.reference, s.reference, w.reference, a.reference)'
/** One that has succeeded has booked by its own id, without a hold. */
const transfer = `case when ${kind} = 'TRANSFER' then coalesce(w.id, p.cause_id) end`

/** By the names that a movement's fields have. */
export const columns: Columns = {
  id: asItIs('p.id'),
  created_at: moment('p.created_at'),
  country: asItIs('p.country'),
  currency: asItIs('p.currency'),
  kind: asItIs(kind),
  direction: asItIs(`case when p.available_change > 0 then 'CREDIT' else 'DEBIT' end`),
  amount: amount('abs(p.available_change)'),
  balance_after: amount('p.balance_after'),
  reference: plain(
    `coalesce(${reference}, p.cause_kind || '-' || upper(right(p.cause_id::text, 8)))`,
  ),
  transaction: asItIs('t.id'),
  settlement: asItIs('s.id'),
  wallet_transfer: asItIs(transfer),
  environment: asItIs('p.environment'),
}

/**
 * Every match, newest first: of one country in the order in which its balance moved, so that each
 * `balance_after` follows from the row below. That is not the order in which they began.
 */
export const entryRows =
  (sought: EntriesSought): RowsOf =>
  (db, { bind, list }) => {
    const { merchant_id, environment, country } = sought
    const order = country === undefined ? db`p.created_at desc, p.id desc` : db`p.entry_no desc`
    return db`
  select ${list}
    from (select e.id, e.environment, e.country, e.currency, e.available_change,
                 e.balance_after, e.cause_kind, e.cause_id, e.created_at, e.entry_no
            from ledger_entries e
           where e.merchant_id = ${bind(merchant_id)}::uuid
             and e.environment = ${bind(environment)} and e.entry_no is not null
             ${country === undefined ? db`` : db`and e.country = ${bind(country)}`}
             ${entriesFiltered(db, sought, bind)}) as p
    ${whatFor(db, db`${bind(merchant_id)}::uuid`)}
    left join wallet_transfers own
      on own.merchant_id = ${bind(merchant_id)}::uuid
     and own.id = case when p.cause_kind = 'TRANSFER' then p.cause_id else w.id end
   where true ${forWhat(db, sought, bind)}
   order by ${order}`
  }

/** Of this kind, and for these things. */
function forWhat(sql: Sql, sought: EntriesSought, bind: Bind): Fragment {
  const { kind: of, transaction, settlement, wallet_transfer, reference: borne } = sought
  const is = (source: string, value: string | undefined, type: string) =>
    value === undefined
      ? sql``
      : sql`and ${sql.unsafe(source)} = ${bind(value)}::${sql.unsafe(type)}`
  return sql`
    ${is(kind, of, 'text')} ${is('t.id', transaction, 'uuid')} ${is('s.id', settlement, 'uuid')}
    ${is(transfer, wallet_transfer, 'uuid')}
    ${borne === undefined ? sql`` : bears(sql, borne, bind)}`
}

/**
 * A transfer that has succeeded is shown by its transaction's reference, and found by its own, too:
 * by that it was asked for.
 */
const bears = (sql: Sql, borne: string, bind: Bind): Fragment => sql`
  and ${bind(borne.toUpperCase())}::text in (${sql.unsafe(reference)}, own.reference)`

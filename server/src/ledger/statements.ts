// The ledger's parts of a statement: accounts, balances and entries, written together or not at
// all. Entries are numbered without gap under the balance row's own lock, which the same statement
// takes.

import type { Fragment, Sql, Tx } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import {
  type Gate,
  jsonRows,
  type OptionalGate,
  type Part,
  part,
  type Relation,
} from '../platform/sql.ts'
import { type Account, accountId, assertDebtCause, balanceId } from './account.ts'
import type { Line } from './postings.ts'

export type CauseKind =
  | 'TRANSACTION'
  | 'HOLD'
  | 'HOLD_END'
  | 'INCIDENT'
  | 'RESOLUTION'
  | 'TRANSFER'
  | 'SETTLEMENT'
  | 'FREEZE'
  | 'SANDBOX'
  | 'ADJUSTMENT'
  | 'REFUND'
  | 'RETURN'

/** One event's postings, and what they are booked for. `gate_id`: the id that lets them through. */
export type Posting = Readonly<{
  merchant_id: string
  environment: Environment
  gate_id: string
  cause_kind: CauseKind
  cause_id: string
  attempt_id: string | null
  lines: readonly Line[]
}>

const kept = ['available', 'pending', 'frozen'] as const

const changeOf = (kind: (typeof kept)[number], { debit, credit, amount }: Line) =>
  (credit.kind === kind ? amount : 0n) - (debit.kind === kind ? amount : 0n)

function entryRows(postings: readonly Posting[]): object[] {
  return postings.flatMap((posting) =>
    posting.lines.map((line) => {
      assertDebtCause(posting.cause_kind, line)
      return {
        merchant_id: posting.merchant_id,
        environment: posting.environment,
        gate_id: posting.gate_id,
        id: newId(),
        cause_kind: posting.cause_kind,
        cause_id: posting.cause_id,
        attempt_id: posting.attempt_id,
        line: line.line,
        country: line.credit.country,
        currency: line.credit.currency,
        debit_account: accountId(line.debit),
        credit_account: accountId(line.credit),
        amount: line.amount,
        available_change: changeOf('available', line),
        pending_change: changeOf('pending', line),
        frozen_change: changeOf('frozen', line),
        balance_id: balanceId(line.credit),
      }
    }),
  )
}

function accountRows(postings: readonly Posting[]): object[] {
  const accounts = new Map<string, Account>()
  for (const { lines } of postings) {
    for (const { debit, credit } of lines) {
      accounts.set(accountId(debit), debit)
      accounts.set(accountId(credit), credit)
    }
  }
  return [...accounts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, account]) => ({ ...account, id }))
}

const moves = (line: Line): boolean =>
  kept.some((kind) => line.debit.kind === kind || line.credit.kind === kind)

/** Whether any line takes from a balance. Then existing rows are updated, never inserted. */
function takesFromBalance(postings: readonly Posting[]): boolean {
  return postings.some(({ lines }) =>
    lines.some((line) => kept.some((kind) => changeOf(kind, line) < 0n)),
  )
}

/** The balances that may move, by name. A balance has one currency, so each is read in one. */
function countBalances(postings: readonly Posting[]): number {
  const currencies = new Map<string, string>()
  for (const { credit } of postings.flatMap(({ lines }) => lines.filter(moves))) {
    const id = balanceId(credit)
    const known = currencies.get(id) ?? credit.currency
    assert(known === credit.currency, `one balance in ${known} and ${credit.currency}`)
    currencies.set(id, known)
  }
  return currencies.size
}

/**
 * `posting, account_made, change, touched, entry_made as (…)`: books the lines of those postings
 * whose gate is among the ids of `when` (of all without it), numbered in the order they are given.
 * A balance that would fall below zero fails the whole statement (constraint
 * `balances_available_check`, `…_pending_check`, `…_frozen_check`); so does a currency other than
 * the balance's, or a first entry in a currency other than its country's.
 */
export function postEntries(
  sql: Sql,
  postings: readonly Posting[],
  { when }: OptionalGate = {},
): Part {
  const balances = countBalances(postings)
  return part(
    'entry_made',
    sql`posting as (
      select p.merchant_id, p.environment, p.gate_id, p.id, p.cause_kind, p.cause_id,
             p.attempt_id, p.line, p.country,
             p.currency, p.debit_account, p.credit_account, p.amount, p.available_change,
             p.pending_change, p.frozen_change, p.balance_id,
             p.available_change <> 0 or p.pending_change <> 0 or p.frozen_change <> 0 as moves,
             count(*) filter (where p.available_change <> 0) over so_far as at_no,
             sum(p.available_change) over so_far as running
        from ${jsonRows(
          sql,
          entryRows(postings),
          sql`
        merchant_id uuid, environment text, gate_id uuid, id uuid, cause_kind text,
        cause_id uuid, attempt_id uuid, line int, country text, currency text,
        debit_account uuid, credit_account uuid, amount bigint,
        available_change bigint, pending_change bigint, frozen_change bigint,
        balance_id uuid`,
        )} as p
        ${when === undefined ? sql`` : joinGate(sql, when)}
      window so_far as (partition by p.balance_id order by p.id)
    )`,
    sql`account_made as (
      insert into accounts (merchant_id, id, environment, country, currency, kind, gateway_id,
        purpose)
      select a.merchant_id, a.id, a.environment, a.country, a.currency, a.kind, a.gateway_id,
             a.purpose
        from ${jsonRows(
          sql,
          accountRows(postings),
          sql`
        merchant_id uuid, id uuid, environment text, country text, currency text,
        kind text, gateway_id uuid, purpose text`,
        )} as a
       where exists (select 1 from posting)
      on conflict do nothing
    )`,
    sql`change as (${changes(sql)})`,
    ...(takesFromBalance(postings)
      ? balancesTaken(sql, balances > 1)
      : [
          sql`touched as (
            ${balancesGiven(sql)} returning ${balanceName(sql)}, available, entry_no)`,
        ]),
    sql`entry_made as (
      insert into ledger_entries (merchant_id, id, environment, country, debit_account,
        credit_account, amount, currency, cause_kind, cause_id, attempt_id, line,
        available_change, entry_no, balance_after)
      select p.merchant_id, p.id, p.environment, p.country, p.debit_account, p.credit_account,
             p.amount, p.currency, p.cause_kind, p.cause_id, p.attempt_id, p.line,
             p.available_change,
             case when d.moves and t.merchant_id is null then ${refusedNo}
                  when p.available_change <> 0 then t.entry_no - d.entries + p.at_no end,
             case when p.available_change <> 0 then t.available - d.available + p.running end
        from posting p
        join change d on d.balance_id = p.balance_id
        left join touched t on t.merchant_id = p.merchant_id and t.environment = p.environment
                           and t.country = p.country
      returning id
    )`,
  )
}

const joinGate = (sql: Sql, { name }: Relation): Fragment => sql`
  join (select id as gate_id from ${sql(name)}) as open on open.gate_id = p.gate_id`

/** For an entry whose balance should have moved and did not: no check lets it in without one. */
const refusedNo = 0

/** The name of a balance: its row's own id may be older than the rule that makes ids. */
const balanceName = (sql: Sql): Fragment => sql`merchant_id, environment, country`

/**
 * A balance is made in its country's own currency only: a bug is refused before it becomes a
 * balance that later payments could not be added to. An existing one keeps its currency.
 */
const inItsCurrency = (sql: Sql): Fragment => sql`
  (exists (select 1 from countries c
            where c.iso_code = d.country and c.default_currency = d.currency)
   or exists (select 1 from balances b
               where b.merchant_id = d.merchant_id and b.environment = d.environment
                 and b.country = d.country and b.currency = d.currency))`

/** A new row, or more on the existing one: for balances that nothing takes from. */
const balancesGiven = (sql: Sql, which: Fragment = sql`d.moves`): Fragment => sql`
  insert into balances as b (merchant_id, id, environment, country, currency, available,
    pending, frozen, entry_no)
  select d.merchant_id, d.balance_id, d.environment, d.country, d.currency,
         d.available, d.pending, d.frozen, d.entries
    from change d
   where ${which} and ${inItsCurrency(sql)}
   order by d.balance_id
  on conflict (merchant_id, environment, country) do update
     set available = b.available + excluded.available,
         pending = b.pending + excluded.pending,
         frozen = b.frozen + excluded.frozen,
         entry_no = b.entry_no + excluded.entry_no,
         updated_at = now()
   where b.currency = excluded.currency`

/**
 * Rows that fall are updated: an insert would be refused for its negative sums before it met them.
 * The others, and a row that is missing, are inserted; if it falls, that is the refusal. Several
 * rows are locked first, in the order of their ids, so that no two transfers deadlock.
 */
function balancesTaken(sql: Sql, several: boolean): Fragment[] {
  const ofChange = sql`b.merchant_id = d.merchant_id and b.environment = d.environment
    and b.country = d.country`
  const locked = sql`locked as (
    select b.id from change d join balances b on ${ofChange} where d.moves order by b.id
       for update of b)`
  const afterLock = several ? sql`and (select count(*) from locked) >= 0` : sql``
  const falls = sql`(d.available < 0 or d.pending < 0 or d.frozen < 0)`
  const isThere = sql`exists (select 1 from balances b where ${ofChange})`
  return [
    ...(several ? [locked] : []),
    sql`lowered as (
      update balances b
         set available = b.available + d.available,
             pending = b.pending + d.pending,
             frozen = b.frozen + d.frozen,
             entry_no = b.entry_no + d.entries,
             updated_at = now()
        from change d
       where ${ofChange} and b.currency = d.currency
         and d.moves and ${falls} ${afterLock}
      returning b.merchant_id, b.environment, b.country, b.available, b.entry_no)`,
    sql`raised as (
      ${balancesGiven(sql, sql`d.moves and not (${falls} and ${isThere}) ${afterLock}`)}
      returning ${balanceName(sql)}, available, entry_no)`,
    sql`touched as (
      select merchant_id, environment, country, available, entry_no from lowered
      union all select merchant_id, environment, country, available, entry_no from raised)`,
  ]
}

const changes = (sql: Sql): Fragment => sql`
  select balance_id, min(merchant_id::text)::uuid as merchant_id, min(environment) as environment,
         min(country) as country, min(currency) filter (where moves) as currency,
         sum(available_change)::bigint as available, sum(pending_change)::bigint as pending,
         sum(frozen_change)::bigint as frozen,
         count(*) filter (where available_change <> 0) as entries, bool_or(moves) as moves
    from posting group by balance_id`

type Where = Readonly<{ merchant_id: string; environment: Environment; country: string }>

/**
 * `balance_open, unfrozen as (…)`: the balance, locked, unless staff have frozen it; and the ids
 * of the relation `when` when it is open. A freeze that came first is seen.
 */
export function lockUnfrozen(sql: Sql, place: Where, { when }: Gate): Part {
  return part(
    'unfrozen',
    sql`balance_open as (
      select id from balances
       where merchant_id = ${place.merchant_id} and environment = ${place.environment}
         and country = ${place.country} and not is_frozen
         for update)`,
    sql`unfrozen as (
      select g.id from ${sql(when.name)} g where exists (select 1 from balance_open))`,
  )
}

/** What a balance has, and in which currency; no currency where there is none yet. */
export type Having = Readonly<{
  available: bigint
  /** With what is pending and what is frozen. */
  whole: bigint
  currency: string | null
}>

/** What the balance has, locked: nothing is taken from it until the transaction ends. */
export async function lockAvailable(tx: Tx, place: Where): Promise<Having> {
  const [row] = await tx<Having[]>`
    select available, available + pending + frozen as whole, currency from balances
     where merchant_id = ${place.merchant_id} and environment = ${place.environment}
       and country = ${place.country}
       for update`
  return row ?? { available: 0n, whole: 0n, currency: null }
}

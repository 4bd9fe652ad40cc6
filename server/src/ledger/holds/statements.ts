// The holds' parts of a statement: a hold is written with the entry that moves its sum into
// `pending`, and its end with the entries that take it out again. The end's own key is the gate, so
// ending it a second time books nothing.

import type { Sql } from '../../platform/db.ts'
import {
  type Gate,
  type OptionalGate,
  type Part,
  part,
  type Relation,
  relation,
} from '../../platform/sql.ts'
import { hold as holdLines, release } from '../postings.ts'
import { type Posting, postEntries } from '../statements.ts'
import { assertSpent, type Hold, type HoldEnd, type NewHold } from './hold.ts'

/**
 * `hold_made as (…)` and its entry: when `when` has a row, and once for each cause; a cause
 * that has a hold makes no other. A sum that `available` does not cover fails the whole statement
 * (`isBalanceTooLow`).
 */
export function insertHold(sql: Sql, hold: NewHold, { when }: Gate): Part {
  const { merchant_id, id, environment, country, currency, amount, cause_kind, cause_id } = hold
  const posting: Posting = {
    merchant_id,
    environment,
    gate_id: id,
    cause_kind: 'HOLD',
    cause_id: id,
    attempt_id: null,
    lines: holdLines({ merchant_id, environment, country, currency }, amount),
  }
  const hold_made = relation('hold_made')
  return part(
    hold_made.name,
    sql`hold_made as (
      insert into holds (merchant_id, id, environment, country, currency, amount, cause_kind,
        cause_id)
      select ${merchant_id}, ${id}, ${environment}, ${country}, ${currency}, ${amount},
             ${cause_kind}, ${cause_id}
       where exists (select 1 from ${sql(when.name)})
      on conflict (merchant_id, cause_kind, cause_id) do nothing
      returning id)`,
    ...postEntries(sql, [posting], { when: hold_made }).fragments,
  )
}

/**
 * `hold_found, hold_ended as (…)` and the entries of the end: the one hold of this id, place and
 * amount (`hold_found`), ended unless it has ended (`hold_ended`), when `when` has a row. Released,
 * all of it goes back to `available`; spent, the postings it is spent on are booked for their
 * cause.
 */
export function insertHoldEnd(
  sql: Sql,
  hold: Hold,
  end: HoldEnd,
  { when }: OptionalGate = {},
): Part & Readonly<{ found: Relation }> {
  const { merchant_id, id, environment, country, currency, amount } = hold
  const hold_ended = relation('hold_ended')
  const parts = part(
    hold_ended.name,
    sql`hold_found as (
      select merchant_id, id, environment from holds
       where merchant_id = ${merchant_id} and id = ${id} and environment = ${environment}
         and country = ${country} and currency = ${currency} and amount = ${amount})`,
    sql`hold_ended as (
      insert into hold_ends (merchant_id, hold_id, how, environment)
      select merchant_id, id, ${end.how}, environment from hold_found
       ${when === undefined ? sql`` : sql`where exists (select 1 from ${sql(when.name)})`}
      on conflict do nothing
      returning hold_id as id)`,
    ...postEntries(sql, [postingOf(hold, end)], { when: hold_ended }).fragments,
  )
  return { ...parts, found: relation('hold_found') }
}

function postingOf(hold: Hold, end: HoldEnd): Posting {
  const { merchant_id, id, environment, country, currency, amount } = hold
  if (end.how === 'SPEND') {
    assertSpent(hold, end.on)
    return { merchant_id, environment, gate_id: id, ...end.on }
  }
  return {
    merchant_id,
    environment,
    gate_id: id,
    cause_kind: 'HOLD_END',
    cause_id: id,
    attempt_id: null,
    lines: release({ merchant_id, environment, country, currency }, amount),
  }
}

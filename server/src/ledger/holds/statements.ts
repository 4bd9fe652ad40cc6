// The holds' parts of a statement: a hold is written with the entry that moves its sum into
// `pending`, and its end with the entries that take it out again. The end's own key is the gate, so
// ending it a second time books nothing.

import type { Fragment, Sql } from '../../platform/db.ts'
import { hold as held, release } from '../postings.ts'
import { type Posting, postEntries } from '../statements.ts'
import { assertSpent, type Hold, type HoldEnd, type NewHold } from './hold.ts'

/**
 * `hold_made as (…)` and its entry: gated by the relation `gate`, and once for each cause; a cause
 * that has a hold makes no other. A sum that `available` does not cover fails the whole statement
 * (`isBalanceTooLow`).
 */
export function insertHold(sql: Sql, hold: NewHold, gate: string): Fragment[] {
  const { merchant_id, id, environment, country, currency, amount, cause_kind, cause_id } = hold
  const posting: Posting = {
    merchant_id,
    environment,
    gate: id,
    cause_kind: 'HOLD',
    cause_id: id,
    attempt_id: null,
    lines: held({ merchant_id, environment, country, currency }, amount),
  }
  return [
    sql`hold_made as (
      insert into holds (merchant_id, id, environment, country, currency, amount, cause_kind,
        cause_id)
      select ${merchant_id}, ${id}, ${environment}, ${country}, ${currency}, ${amount},
             ${cause_kind}, ${cause_id}
       where exists (select 1 from ${sql(gate)})
      on conflict (merchant_id, cause_kind, cause_id) do nothing
      returning id)`,
    ...postEntries(sql, 'hold_made', [posting]),
  ]
}

/**
 * `held, hold_ended as (…)` and the entries of the end: the one hold of this id, place and amount
 * (`held`), ended unless it has ended (`hold_ended`), gated by the relation `gate`. Released, all
 * of it goes back to `available`; spent, the postings it is spent on are booked for their cause.
 */
export function insertHoldEnd(sql: Sql, hold: Hold, end: HoldEnd, gate: string): Fragment[] {
  const { merchant_id, id, environment, country, currency, amount } = hold
  return [
    sql`held as (
      select merchant_id, id, environment from holds
       where merchant_id = ${merchant_id} and id = ${id} and environment = ${environment}
         and country = ${country} and currency = ${currency} and amount = ${amount})`,
    sql`hold_ended as (
      insert into hold_ends (merchant_id, hold_id, how, environment)
      select merchant_id, id, ${end.how}, environment from held
       where exists (select 1 from ${sql(gate)})
      on conflict do nothing
      returning hold_id as id)`,
    ...postEntries(sql, 'hold_ended', [postingOf(hold, end)]),
  ]
}

function postingOf(hold: Hold, end: HoldEnd): Posting {
  const { merchant_id, id, environment, country, currency, amount } = hold
  if (end.how === 'SPEND') {
    assertSpent(hold, end.on)
    return { merchant_id, environment, gate: id, ...end.on }
  }
  return {
    merchant_id,
    environment,
    gate: id,
    cause_kind: 'HOLD_END',
    cause_id: id,
    attempt_id: null,
    lines: release({ merchant_id, environment, country, currency }, amount),
  }
}

// The customers' part of a statement: find by phone, without one by e-mail, otherwise insert
// (contract 5.3). An existing customer is left unchanged.

import {
  nameList,
  omitColumns,
  type RowOf,
  selectList,
  typedList,
  uuid,
} from '../platform/columns.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import { type Gate, jsonRows, type Part, part } from '../platform/sql.ts'
import { newCustomerRow } from './records/customer.ts'

/** What a new one is made with here: their country is known from the phone. */
const payerRow = omitColumns(newCustomerRow, ['country'])

const wantedRow = {
  /** The id in the gate relation that lets it through: the transaction's. */
  gate_id: uuid(),
  /** `id`: the customer's, if new. `phone` is E.164 with `+`, `email` in lower case. */
  ...payerRow,
}

export type CustomerFacts = RowOf<typeof wantedRow>

/** The identifying name: no two of one statement may be alike. */
export const customerName = ({ merchant_id, environment, phone, email }: CustomerFacts): string =>
  `${merchant_id} ${environment} ${phone ?? email}`

/**
 * `customer_wanted, …, known, made_by_phone, made_by_email, customer as (…)`: in `customer` a row
 * for each whose gate has a row in the relation `when`: `id` (the gate) and `customer_id`. A
 * known customer is locked, as the foreign key would do a moment later: if they are being erased,
 * this waits, looks again, finds no customer of this name any more, and inserts a new one.
 */
export function upsertCustomers(
  sql: Sql,
  facts: readonly CustomerFacts[],
  { when }: Gate,
): Part<'id' | 'customer_id'> {
  const rows = facts.toSorted((a, b) => (customerName(a) < customerName(b) ? -1 : 1))
  const byEmail = rows.some(({ phone }) => phone === null)
  return part(
    'customer',
    sql`customer_wanted as (
      select ${selectList(sql, wantedRow, 'r')}
        from ${jsonRows(sql, rows, typedList(sql, wantedRow))} as r
        join (select id as gate_id from ${sql(when.name)}) as open on open.gate_id = r.gate_id)`,
    sql`known_by_phone as (
      select w.gate_id, c.id
        from customer_wanted w
        join customers c on c.merchant_id = w.merchant_id and c.environment = w.environment
                        and c.phone = w.phone
         for key share of c)`,
    ...(byEmail ? [knownByEmail(sql)] : []),
    sql`known as (
      select gate_id, id from known_by_phone
      ${byEmail ? sql`union all select gate_id, id from known_by_email` : sql``})`,
    // A rival may insert the same customer meanwhile: the unique index waits for it, and the update
    // that changes nothing returns that row's id.
    made(sql, 'phone', sql`phone) where phone is not null`, sql`w.phone is not null`),
    ...(byEmail
      ? [
          made(
            sql,
            'email',
            sql`email) where phone is null and email is not null`,
            sql`w.phone is null`,
          ),
        ]
      : []),
    sql`customer as materialized (
      select gate_id as id, id as customer_id from known
      union all ${gatesOf(sql, 'phone')}
      ${byEmail ? sql`union all ${gatesOf(sql, 'email')}` : sql``})`,
  )
}

const knownByEmail = (sql: Sql): Fragment => sql`known_by_email as (
  select w.gate_id, c.id
    from customer_wanted w
    join customers c on c.merchant_id = w.merchant_id and c.environment = w.environment
                    and c.email = w.email
   where w.phone is null and c.phone is null
     for key share of c)`

type By = 'phone' | 'email'

const made = (sql: Sql, by: By, key: Fragment, which: Fragment): Fragment => sql`
  ${sql(`made_by_${by}`)} as (
    insert into customers as c (${nameList(sql, payerRow)})
    select ${selectList(sql, payerRow, 'w')}
      from customer_wanted w
     where ${which} and not exists (select 1 from known k where k.gate_id = w.gate_id)
    on conflict (merchant_id, environment, ${key} do update set updated_at = c.updated_at
    returning c.merchant_id, c.environment, c.${sql(by)}, c.id)`

const gatesOf = (sql: Sql, by: By): Fragment => sql`
  select w.gate_id as id, m.id as customer_id
    from ${sql(`made_by_${by}`)} m
    join customer_wanted w on w.merchant_id = m.merchant_id and w.environment = m.environment
                          and w.${sql(by)} = m.${sql(by)}
                          ${by === 'email' ? sql`and w.phone is null` : sql``}`

/** `no_customer as (…)`: for what has no customer, as `customer` is for what has one. */
export const noCustomers = (sql: Sql, { when }: Gate): Part<'id' | 'customer_id'> =>
  part(
    'no_customer',
    sql`no_customer as (select id, null::uuid as customer_id from ${sql(when.name)})`,
  )

// The customers' part of a statement: find by phone, without one by e-mail, else make (5.3). An
// existing customer is left as he is.

import type { Fragment, Sql } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'

export type CustomerFacts = Readonly<{
  /** The id he gets if he is new. */
  id: string
  merchant_id: string
  environment: Environment
  /** E.164 with `+`; null only where there is none. */
  phone: string | null
  /** Lower case; null only where there is none. */
  email: string | null
  first_name: string
  last_name: string
}>

/** `known, customer_made, customer as (…)`: one row `id` in `customer`, when `gate` has a row. */
export function upsertCustomer(sql: Sql, facts: CustomerFacts, gate: string): Fragment[] {
  const byPhone = facts.phone !== null
  return [
    sql`known as (
      select id from customers
       where merchant_id = ${facts.merchant_id} and environment = ${facts.environment}
         and ${
           byPhone ? sql`phone = ${facts.phone}` : sql`phone is null and email = ${facts.email}`
         } and exists (select 1 from ${sql(gate)})
    )`,
    // A rival may make the same customer meanwhile: the unique index waits for him, and the
    // update that changes nothing hands us his row's id.
    sql`customer_made as (
      insert into customers as c (merchant_id, id, environment, phone, email, first_name,
        last_name)
      select ${facts.merchant_id}, ${facts.id}, ${facts.environment}, ${facts.phone},
             ${facts.email}, ${facts.first_name}, ${facts.last_name}
       where exists (select 1 from ${sql(gate)}) and not exists (select 1 from known)
      on conflict (merchant_id, environment, ${
        byPhone
          ? sql`phone) where phone is not null`
          : sql`email) where phone is null and email is not null`
      } do update set updated_at = c.updated_at
      returning id
    )`,
    sql`customer as (select id from known union all select id from customer_made)`,
  ]
}

// The parts of statements that search is made of: what is said of a transaction, as one text, and
// whether the terms are in it.

import type { Fragment, Sql } from '../../platform/db.ts'
import type { Bind } from '../store.ts'
import type { Term } from './terms.ts'

/** Everything about `t` that a search looks at, folded, each field after a space. */
export const wordsOf = (sql: Sql): Fragment => sql`
  fold_text(concat_ws(' ', '', t.reference, t.external_reference,
    t.customer_first_name, t.customer_last_name, t.customer_email, t.customer_phone,
    nullif(t.operation_msisdn, t.customer_phone),
    case when t.checkout_session is not null
         then (select s.slug from checkout_sessions s
                where s.merchant_id = t.merchant_id and s.id = t.checkout_session) end,
    case when t.payment_link is not null
         then (select l.slug from payment_links l
                where l.merchant_id = t.merchant_id and l.id = t.payment_link) end))`

/** ` and …`: every term is in `words`, by one of its patterns. */
export function andSaid(
  sql: Sql,
  words: Fragment,
  terms: readonly Term[],
  bind: Bind = (value) => sql`${value}`,
): Fragment {
  let all = sql``
  for (const [first = '', ...others] of terms) {
    let any = sql`${words} like ${bind(first)}`
    for (const pattern of others) any = sql`${any} or ${words} like ${bind(pattern)}`
    all = sql`${all} and (${any})`
  }
  return all
}

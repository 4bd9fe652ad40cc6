// The rows of the file of payment links, and its columns.

import { type LinksSought, linksWhere } from '../../../orders/order-statements.ts'
import { amount, asItIs, type Columns, moment, plain } from '../../../platform/export/columns.ts'
import type { RowsOf } from '../../../platform/export/export-route.ts'

/** By the names that a link's fields have; amounts that a payer chooses are empty. */
export const columns: Columns = {
  id: asItIs('l.id'),
  name: plain('l.name'),
  description: plain('l.description'),
  slug: plain('l.slug'),
  amount_type: asItIs('l.amount_type'),
  amount: amount('l.amount'),
  min_amount: amount('l.min_amount'),
  currency: asItIs('l.currency'),
  is_active: asItIs(`case when l.is_active then 'true' else 'false' end`),
  usage_count: asItIs('l.usage_count'),
  usage_limit: asItIs('l.usage_limit'),
  expires_at: moment('l.expires_at'),
  created_at: moment('l.created_at'),
  environment: asItIs('l.environment'),
}

/** Every match, newest first. */
export const linkRows =
  (sought: LinksSought): RowsOf =>
  (db, { bind, list }) =>
    db`
  select ${list}
    from payment_links l
   where ${linksWhere(db, sought, bind)}
   order by l.created_at desc, l.id desc`

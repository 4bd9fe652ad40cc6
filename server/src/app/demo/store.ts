// What made-up history reads from the database beside what it writes.

import type { Sql } from '../../platform/db.ts'

/** How many customers there have ever been: the numbers of new ones go on from there. */
export async function countCustomers(sql: Sql, merchant_id: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from customers where merchant_id = ${merchant_id}`
  return row?.count ?? 0
}

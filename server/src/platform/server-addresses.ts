// Where a server of ours (the sandbox operator) can be reached by the other processes.

import type { Sql } from './db.ts'

export async function findServiceUrl(sql: Sql, name: string): Promise<string | undefined> {
  const [row] = await sql<{ url: string }[]>`
    select url from service_addresses where name = ${name}`
  return row?.url
}

export async function saveServiceUrl(sql: Sql, name: string, url: string): Promise<void> {
  await sql`
    insert into service_addresses (name, url) values (${name}, ${url})
    on conflict (name) do update set url = excluded.url, updated_at = now()`
}

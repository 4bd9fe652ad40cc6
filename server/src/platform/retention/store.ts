// When each kind of data was last brought to its end date.

import type { Sql } from '../db.ts'

export async function addRemoved(
  sql: Sql,
  kind: string,
  { removed, is_finished }: Readonly<{ removed: number; is_finished: boolean }>,
): Promise<void> {
  await sql`
    insert into retention_runs as r (kind, removed, finished_at)
    values (${kind}, ${removed}, case when ${is_finished}::boolean then now() end)
    on conflict (kind) do update
       set removed = r.removed + excluded.removed,
           finished_at = coalesce(excluded.finished_at, r.finished_at)`
}

export type Run = Readonly<{ kind: string; removed: bigint; finished_at: Date | null }>

export const listRuns = (sql: Sql): Promise<Run[]> => sql<Run[]>`
  select kind, removed, finished_at from retention_runs order by kind`

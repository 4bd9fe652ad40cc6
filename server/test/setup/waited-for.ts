// What comes while a transaction holds a row has to wait for it. Who lets go after a time has
// perhaps done so before the other came, and then shows nothing: so it is looked for.

import { eventually } from '../harness.ts'
import type { OwnerSql } from './database.ts'

type Asking = (sql: TemplateStringsArray) => PromiseLike<readonly Readonly<{ pid?: number }>[]>

/** Until somebody waits for what this transaction holds; call it with the transaction open. */
export async function waitedFor(owner: OwnerSql, tx: Asking): Promise<void> {
  const [own] = await tx`select pg_backend_pid() as pid`
  await eventually(async () => {
    const waiting = await owner`
      select 1 from pg_stat_activity where ${own?.pid ?? 0} = any(pg_blocking_pids(pid))`
    if (waiting.length === 0) throw new Error('nobody waits for it')
  })
}

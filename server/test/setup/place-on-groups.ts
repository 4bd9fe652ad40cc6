// A distributed database without a cluster: each worker is a clone of the test database that has
// the merchants' tables and not those of control, so a statement that is sent to the wrong place
// fails there, or finds nothing. Of the few that every node has a copy of it reads control's own.
// What Citus does itself (placing, moving, planning over all shards) is not here.

import { copiedTables, merchantTables } from '../../src/app/distribute/merchant-tables.ts'
import { createTestDatabase, type DatabaseOptions, type TestDatabase } from './database.ts'

export type Groups = Readonly<{
  workers: readonly TestDatabase[]
  /** The worker with this merchant's rows. */
  workerOf(merchant_id: string): Promise<TestDatabase>
  drop(): Promise<void>
}>

const lowest = -(2 ** 31)
const highest = 2 ** 31 - 1

/** Places the merchants of `database` on two workers, by the halves of their hashes. */
export async function placeOnGroups({ owner, options }: TestDatabase): Promise<Groups> {
  const workers = [await openWorker(options), await openWorker(options)]
  const ends = [
    { hash_min: lowest, hash_max: -1 },
    { hash_min: 0, hash_max: highest },
  ]
  for (const [no, worker] of workers.entries()) {
    const { hash_min = 0, hash_max = 0 } = ends[no] ?? {}
    await owner`
      insert into shard_groups (no, hash_min, hash_max, host, port, database, schema_name)
      values (${no}, ${hash_min}, ${hash_max}, ${options.host}, ${options.port}, ${worker.name},
              'public')`
  }
  return {
    workers,
    async workerOf(merchant_id) {
      const [row] = await owner<{ no: number }[]>`
        select no from shard_groups
         where uuid_hash(${merchant_id}::uuid) between hash_min and hash_max`
      const worker = workers[row?.no ?? -1]
      if (worker === undefined) throw new Error(`no worker has ${merchant_id}`)
      return worker
    },
    async drop() {
      await Promise.all(workers.map((worker) => worker.drop()))
    },
  }
}

async function openWorker(control: DatabaseOptions): Promise<TestDatabase> {
  const worker = await createTestDatabase()
  const { owner } = worker
  const tables = await owner<{ name: string }[]>`
    select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and c.relname <> all(${[...merchantTables]})`
  for (const { name } of tables) await owner`drop table ${owner(name)} cascade`
  await owner.unsafe(`
    create extension postgres_fdw;
    create server control foreign data wrapper postgres_fdw
      options (host '${control.host}', port '${control.port}', dbname '${control.database}');
    create user mapping for public server control
      options (user '${control.user}', password '${control.password ?? ''}',
               password_required 'false');
    import foreign schema public limit to (${Object.keys(copiedTables).join(', ')})
      from server control into public;
    grant select on ${Object.keys(copiedTables).join(', ')} to pirogue_app;
    create table guard_lock (is_here boolean primary key);
    insert into guard_lock values (true);
    create function shard_guard() returns void language plpgsql security definer
      set search_path = public as $$
      begin
        perform 1 from guard_lock where is_here for share;
        if not found then raise exception 'moved' using errcode = 'PR001'; end if;
      end $$;
    grant execute on function shard_guard() to pirogue_app`)
  await dropUncopied(worker)
  return worker
}

/** A copy has the columns that are copied, and no other. */
async function dropUncopied({ owner }: TestDatabase): Promise<void> {
  for (const [table, columns] of Object.entries(copiedTables)) {
    if (columns.length === 0) continue
    const rows = await owner<{ name: string }[]>`
      select attname as name from pg_attribute
       where attrelid = ${table}::text::regclass and attnum > 0 and not attisdropped
         and attname <> all(${[...columns]}::text[])`
    for (const { name } of rows) {
      await owner`alter foreign table ${owner(table)} drop column ${owner(name)}`
    }
  }
}

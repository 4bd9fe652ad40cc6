// The statements that distribute a database over the nodes of Citus, and those that look whether it
// can be. They run as whoever may change the schema.

import type { Db, Sql, Tx } from '../../platform/db.ts'

export async function hasSchema(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 where to_regclass('schema_migrations') is not null`
  return rows.count > 0
}

export async function isCitusLoaded(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from pg_extension where extname = 'citus'`
  return rows.count > 0
}

/** Servers that shards may be placed on. */
export async function countNodes(sql: Sql): Promise<number> {
  const [row] = await sql<{ nodes: number }[]>`
    select count(*)::int as nodes from pg_dist_node
     where noderole = 'primary' and isactive and shouldhaveshards`
  return row?.nodes ?? 0
}

/** Processes of the service, by the names of their connections. */
export async function listClients(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct application_name as name from pg_stat_activity
     where datname = current_database() and application_name ~ '^pirogue'
       and application_name <> 'pirogue-cli'
     order by name`
  return rows.map(({ name }) => name)
}

/** Which of these tables are distributed. */
export async function listDistributed(
  sql: Sql,
  tables: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
     where p.partmethod = 'h' and c.relnamespace = 'public'::regnamespace
       and c.relname = any(${[...tables]})`
  return new Set(rows.map(({ name }) => name))
}

export async function hasRows(sql: Sql, table: string): Promise<boolean> {
  const rows = await sql`select 1 from ${sql(table)} limit 1`
  return rows.count > 0
}

export type ForeignKey = Readonly<{ name: string; table: string; to: string; definition: string }>

/** Foreign keys of these tables, to one another and to others. */
export const listForeignKeys = (tx: Tx, tables: readonly string[]): Promise<ForeignKey[]> => tx<
  ForeignKey[]
>`
  select k.conname as name, k.conrelid::regclass::text as table,
         k.confrelid::regclass::text as to, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k
   where k.contype = 'f' and k.conparentid = 0 and k.connamespace = 'public'::regnamespace
     and k.conrelid = any(${[...tables]}::regclass[])
   order by k.conrelid::regclass::text, k.conname`

export async function dropForeignKey(tx: Tx, { table, name }: ForeignKey): Promise<void> {
  await tx`alter table ${tx(table)} drop constraint ${tx(name)}`
}

export async function addForeignKey(tx: Tx, key: ForeignKey): Promise<void> {
  const { table, name, definition } = key
  await tx`alter table ${tx(table)} add constraint ${tx(name)} ${tx.unsafe(definition)}`
}

/** Citus connects to its nodes as the role that acts, and these must act there as here. */
export async function openRoles(sql: Sql): Promise<void> {
  await sql`alter role pirogue_owner login`
  await sql`alter role pirogue_app login`
  await sql`alter role pirogue_app set timezone = 'UTC'`
  await sql`alter role pirogue_app set jit = off`
}

export async function oneShardAfterTheOther(tx: Tx, shards: number): Promise<void> {
  await tx`set local citus.multi_shard_modify_mode = 'sequential'`
  await tx`select set_config('citus.shard_count', ${String(shards)}, true)`
}

/** `beside` another table: each merchant's rows of both are on one server. */
export async function distributeTable(
  tx: Tx,
  table: string,
  beside: string | undefined,
): Promise<void> {
  await tx`
    select create_distributed_table(${table}::text::regclass, 'merchant_id',
                                    colocate_with => ${beside ?? 'none'}::text)`
}

/**
 * In each group's schema, on the node that has it: views named like the tables, and the guard. What
 * was there before is made anew, so a column that a migration added and a group that has moved are
 * seen. Returns what failed, by node.
 */
export async function makeGroups(sql: Db): Promise<string[]> {
  const rows = await sql<{ nodeid: number; success: boolean; result: string }[]>`
    select nodeid, success, result from run_command_on_all_nodes(${groupsOnNode})`
  return rows.filter(({ success }) => !success).map(({ nodeid, result }) => `${nodeid}: ${result}`)
}

/** Groups whose server in the map is not the one that has them. */
export async function listMisplaced(sql: Sql): Promise<number[]> {
  const rows = await sql<{ no: number }[]>`
    select g.no from shard_groups g
     where not exists (
           select 1 from pg_dist_shard s
             join pg_dist_placement p using (shardid)
             join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
            where s.logicalrelid = 'transactions'::regclass
              and s.shardminvalue::int = g.hash_min and s.shardmaxvalue::int = g.hash_max
              and n.nodename = g.host and n.nodeport = g.port)
     order by g.no`
  return rows.map(({ no }) => no)
}

/** Tables that a group lacks, or that have columns which its view lacks. */
export async function listStale(sql: Sql): Promise<string[]> {
  const rows = await sql<{ success: boolean; result: string }[]>`
    select success, result from run_command_on_all_nodes(${staleOnNode})`
  const names = rows.flatMap(({ success, result }) => (success ? result.split(' ') : [result]))
  return [...new Set(names.filter((name) => name !== ''))].sort()
}

export async function countGroups(sql: Sql): Promise<number> {
  const [row] = await sql<{ groups: number }[]>`select count(*)::int as groups from shard_groups`
  return row?.groups ?? 0
}

const staleOnNode = `
select coalesce(string_agg(distinct t.relname, ' '), '')
  from pg_dist_partition d
  join pg_class t on t.oid = d.logicalrelid and not t.relispartition
  join pg_namespace n on n.oid = t.relnamespace and n.nspname in ('public', 'copies')
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  join pg_namespace g on g.nspname ~ '^sg_[0-9]+$'
 where not exists (
       select 1 from pg_class v
         join pg_attribute c on c.attrelid = v.oid and not c.attisdropped
        where v.relnamespace = g.oid and v.relname = t.relname and c.attname = a.attname)`

// One statement, because each node runs it as it is sent.
const groupsOnNode = `
do $do$
declare g record; t record;
begin
  perform set_config('citus.enable_ddl_propagation', 'off', true);
  perform set_config('client_min_messages', 'warning', true);
  for g in select nspname from pg_namespace where nspname ~ '^sg_[0-9]+$' loop
    execute format('drop schema %I cascade', g.nspname);
  end loop;
  for g in
    select 'sg_' || x.no as name, x.shardid, x.shardminvalue
      from (select row_number() over (order by shardminvalue::int) as no, shardid, shardminvalue
              from pg_dist_shard where logicalrelid = 'public.transactions'::regclass) x
      join pg_dist_placement p using (shardid)
      join pg_dist_local_group l on l.groupid = p.groupid
  loop
    execute format('create schema %I authorization pirogue_owner', g.name);
    execute format('grant usage on schema %I to pirogue_app', g.name);
    for t in
      select c.relname as name, c.relnamespace::regnamespace::text as place, s.shardid,
             array(select a.privilege_type from aclexplode(c.relacl) a
                    where a.grantee = 'pirogue_app'::regrole) as rights
        from pg_dist_shard s join pg_class c on c.oid = s.logicalrelid
        join pg_dist_partition d on d.logicalrelid = s.logicalrelid
       where not c.relispartition
         and ((s.shardminvalue = g.shardminvalue and c.relnamespace = 'public'::regnamespace)
              or (d.partmethod = 'n' and c.relnamespace = to_regnamespace('copies')))
    loop
      execute format('create view %I.%I as select * from %s.%I',
                     g.name, t.name, t.place, t.name || '_' || t.shardid);
      execute format('alter view %I.%I owner to pirogue_owner', g.name, t.name);
      if cardinality(t.rights) > 0 then
        execute format('grant %s on %I.%I to pirogue_app',
                       array_to_string(t.rights, ', '), g.name, t.name);
      end if;
    end loop;
    execute format($guard$
      create function %I.shard_guard() returns void language plpgsql security definer
        set search_path = pg_catalog as $body$
      begin
        -- A share lock: writers go side by side, and a move waits for all of them.
        perform lock_shard_metadata(5, array[%s]::bigint[]);
        if not exists (
          select 1 from pg_dist_placement p join pg_dist_local_group l on l.groupid = p.groupid
           where p.shardid = %s) then
          raise exception 'the shard group has moved' using errcode = 'PR001';
        end if;
      end $body$ $guard$, g.name, g.shardid, g.shardid);
    execute format('alter function %I.shard_guard() owner to pirogue_owner', g.name);
    execute format('grant execute on function %I.shard_guard() to pirogue_app', g.name);
  end loop;
end $do$`

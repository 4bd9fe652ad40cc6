// What PostgreSQL's own catalogue says of our schema. Law: what this does not know how to show is
// an error, not an omission; partitions of a month are left out.

import type { Db } from '../../server/src/platform/db.ts'
import type { Column, Routine, Table } from './format-schema.ts'

export type Schema = Readonly<{
  extensions: readonly { name: string }[]
  tables: readonly Table[]
  functions: readonly Routine[]
}>

export async function readSchema(db: Db): Promise<Schema> {
  await refuseUnknown(db)
  return {
    extensions: await db<{ name: string }[]>`
      select extname as name from pg_extension where extname <> 'plpgsql' order by extname`,
    tables: await readTables(db),
    functions: await readFunctions(db),
  }
}

async function readTables(db: Db): Promise<Table[]> {
  const rows = await db<Omit<Table, 'columns' | 'constraints' | 'indexes' | 'grants'>[]>`
    select c.relname as name,
           c.relpersistence = 'u' as is_unlogged,
           coalesce(array_to_string(c.reloptions, ', '), '') as storage,
           coalesce(pg_get_partkeydef(c.oid), '') as partition_key,
           array(select p.relname::text
                   from pg_inherits i join pg_class p on p.oid = i.inhrelid
                  where i.inhparent = c.oid and pg_get_expr(p.relpartbound, p.oid) = 'DEFAULT'
                  order by p.relname) as default_partitions
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition
     order by c.relname collate "C"`
  const tables: Table[] = []
  for (const row of rows) {
    tables.push({
      ...row,
      columns: await readColumns(db, row.name),
      constraints: await readConstraints(db, row.name),
      indexes: await readIndexes(db, row.name),
      grants: await readGrants(db, row.name),
    })
  }
  return tables
}

const readColumns = (db: Db, table: string): Promise<Column[]> => db<Column[]>`
  select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
         a.attnotnull as is_not_null, a.attgenerated <> '' as is_generated,
         coalesce(pg_get_expr(d.adbin, d.adrelid, true), '') as expression
    from pg_attribute a
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped
   order by a.attnum`

/** "Not null" is said with the column; from PostgreSQL 18 on it is a constraint as well. */
async function readConstraints(db: Db, table: string): Promise<string[]> {
  const rows = await db<{ line: string }[]>`
    select format('constraint %I %s', conname, pg_get_constraintdef(oid, true)) as line
      from pg_constraint
     where conrelid = ${table}::regclass and contype <> 'n'
     order by array_position(array['p', 'u', 'x', 'f', 'c'], contype::text),
              conname collate "C"`
  return rows.map(({ line }) => line)
}

/** Those that no constraint makes. */
async function readIndexes(db: Db, table: string): Promise<string[]> {
  const rows = await db<{ line: string }[]>`
    select pg_get_indexdef(i.indexrelid, 0, true) as line
      from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = ${table}::regclass
       and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid
                          and k.conrelid = i.indrelid)
     order by c.relname collate "C"`
  return rows.map(({ line }) => line)
}

/** The rights of everyone but the owner. */
async function readGrants(db: Db, table: string): Promise<string[]> {
  const rows = await db<{ line: string }[]>`
    select format('grant %s on %I to %s',
             string_agg(lower(g.privilege_type), ', ' order by array_position(
               array['SELECT', 'INSERT', 'UPDATE', 'DELETE'], g.privilege_type)),
             c.relname, pg_get_userbyid(g.grantee)) as line
      from pg_class c cross join aclexplode(c.relacl) g
     where c.oid = ${table}::regclass and g.grantee <> c.relowner
     group by c.relname, g.grantee
     order by 1`
  return rows.map(({ line }) => line)
}

const readFunctions = (db: Db): Promise<Routine[]> => db<Routine[]>`
  select pg_get_functiondef(p.oid) as text,
         array(select format('grant execute on function %s to %s', p.oid::regprocedure,
                        case when g.grantee = 0 then 'public' else pg_get_userbyid(g.grantee) end)
                 from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
                where g.grantee <> p.proowner
                order by 1) as grants
    from pg_proc p
   where p.pronamespace = 'public'::regnamespace
     and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
   order by p.proname collate "C"`

/** Kinds of things that this dump does not show must not be there unseen. */
async function refuseUnknown(db: Db): Promise<void> {
  const rows = await db<{ what: string }[]>`
    select 'relation ' || relname as what
      from pg_class c
     where relnamespace = 'public'::regnamespace and relkind not in ('r', 'p', 'i', 'I')
       and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    union all select 'trigger ' || tgname from pg_trigger where not tgisinternal
    union all select 'policy ' || polname from pg_policy
    union all
    select 'type ' || typname from pg_type t
     where typnamespace = 'public'::regnamespace and typtype in ('e', 'd', 'r')
       and not exists (select 1 from pg_depend d where d.objid = t.oid and d.deptype = 'e')
    union all
    select 'column grant on ' || attrelid::regclass from pg_attribute
     where attacl is not null and attrelid in
       (select oid from pg_class where relnamespace = 'public'::regnamespace)
    order by what`
  if (rows.length === 0) return
  const list = rows.map(({ what }) => what).join(', ')
  throw new Error(`The schema holds what schema.sql cannot show yet: ${list}.`)
}

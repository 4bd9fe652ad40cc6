// Copies of tables of control on every node. The table itself stays plain, as does every statement
// that control runs on it; a trigger writes what has changed to the copy, in the same transaction,
// and Citus commits both on all nodes or on none.

import { type Db, inTransaction, type Tx } from '../../platform/db.ts'

type Shape = Readonly<{ columns: string[]; key: string[] }>

/** Makes the copy, or brings it up to the table's columns and rows; safe to repeat. */
export async function copyTable(db: Db, table: string, columns: readonly string[]): Promise<void> {
  await inTransaction(db, async (tx) => {
    // Nothing is written to it before the trigger is there.
    await tx`lock table ${tx(table)} in share row exclusive mode`
    const shape = await shapeOf(tx, table, columns)
    await makeCopy(tx, table, shape)
    await makeTrigger(tx, table, shape)
    await refresh(tx, table, shape)
  })
}

/** Tables whose copy is not there, or lacks a column that is to be copied. */
export async function listUncopied(
  db: Db,
  tables: Readonly<Record<string, readonly string[]>>,
): Promise<string[]> {
  const found: string[] = []
  for (const [table, columns] of Object.entries(tables)) {
    const rows = await db`
      select 1 from pg_attribute a
       where a.attrelid = ${table}::text::regclass and a.attnum > 0 and not a.attisdropped
         and (${columns.length === 0} or a.attname = any(${[...columns]}::text[]))
         and not exists (
             select 1 from pg_attribute c
              where c.attrelid = to_regclass(${`copies.${table}`}) and c.attname = a.attname
                and not c.attisdropped)
       limit 1`
    if (rows.length > 0) found.push(table)
  }
  return found
}

async function shapeOf(tx: Tx, table: string, columns: readonly string[]): Promise<Shape> {
  const rows = await tx<{ name: string; is_key: boolean }[]>`
    select a.attname as name, a.attnum = any(k.conkey) as is_key
      from pg_attribute a
      join pg_constraint k on k.conrelid = a.attrelid and k.contype = 'p'
     where a.attrelid = ${table}::text::regclass and a.attnum > 0 and not a.attisdropped
       and (${columns.length === 0} or a.attname = any(${[...columns]}::text[]))
     order by a.attnum`
  const names = (which: typeof rows | { name: string }[]) => which.map(({ name }) => name)
  return { columns: names(rows), key: names(rows.filter(({ is_key }) => is_key)) }
}

async function makeCopy(tx: Tx, table: string, { columns, key }: Shape): Promise<void> {
  await tx`create schema if not exists copies authorization pirogue_owner`
  await tx`grant usage on schema copies to pirogue_app`
  const known = await tx<{ name: string }[]>`
    select attname as name from pg_attribute
     where attrelid = to_regclass(${`copies.${table}`}) and attnum > 0 and not attisdropped`
  if (known.length === 0) {
    const list = tx(columns)
    await tx`create table ${tx(`copies.${table}`)} as select ${list} from ${tx(table)} limit 0`
    await tx`alter table ${tx(`copies.${table}`)} add primary key (${tx(key)})`
    await tx`alter table ${tx(`copies.${table}`)} owner to pirogue_owner`
    await tx`grant select on ${tx(`copies.${table}`)} to pirogue_app`
    await tx`select create_reference_table(${`copies.${table}`}::text::regclass)`
    return
  }
  const has = new Set(known.map(({ name }) => name))
  for (const name of columns.filter((one) => !has.has(one))) {
    const [type] = await tx<{ is: string }[]>`
      select format_type(atttypid, atttypmod) as is from pg_attribute
       where attrelid = ${table}::text::regclass and attname = ${name}`
    const is = tx.unsafe(type?.is ?? 'text')
    await tx`alter table ${tx(`copies.${table}`)} add column ${tx(name)} ${is}`
  }
}

// Named by column: the row's own type is known to the coordinator only. What was written as it was
// needs no node.
async function makeTrigger(tx: Tx, table: string, { columns, key }: Shape): Promise<void> {
  const quoted = columns.map((name) => `"${name}"`)
  const values = quoted.map((name) => `new.${name}`).join(', ')
  const set = quoted.map((name) => `${name} = excluded.${name}`).join(', ')
  const same = key.map((name) => `"${name}" = old."${name}"`).join(' and ')
  const keys = key.map((name) => `"${name}"`).join(', ')
  const were = quoted.map((name) => `old.${name}`).join(', ')
  await tx.unsafe(`
    create or replace function copies."${table}_changed"() returns trigger language plpgsql
      security definer set search_path = pg_catalog as $body$
    begin
      if tg_op = 'DELETE' then
        delete from copies."${table}" where ${same};
      elsif tg_op = 'INSERT' or row(${values}) is distinct from row(${were}) then
        insert into copies."${table}" (${quoted.join(', ')}) values (${values})
            on conflict (${keys}) do update set ${set};
      end if;
      return null;
    end $body$`)
  await tx.unsafe(`alter function copies."${table}_changed"() owner to pirogue_owner`)
  await tx.unsafe(`
    create or replace trigger copied
      after insert or delete or update of ${quoted.join(', ')} on "${table}"
      for each row execute function copies."${table}_changed"()`)
}

/** What a migration wrote between two runs, and the rows of before the first. */
async function refresh(tx: Tx, table: string, { columns }: Shape): Promise<void> {
  const quoted = columns.map((name) => `"${name}"`).join(', ')
  await tx.unsafe(`
    do $do$ begin
      delete from copies."${table}";
      insert into copies."${table}" (${quoted}) select ${quoted} from public."${table}";
    end $do$`)
}

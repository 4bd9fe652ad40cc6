// What a database needs before its first migration: the two roles, the extensions, the list of
// applied files. Law: every step looks first and is safe to repeat, because roles belong to the
// whole cluster and other databases of it may be prepared at the same moment.
import postgres from 'postgres'

export type Connection = postgres.ReservedSql

/** `pirogue_owner` owns the tables; processes work as `pirogue_app` (money 4, Roles). */
const roles = ['pirogue_owner', 'pirogue_app'] as const
const extensions = ['pg_trgm', 'btree_gist', 'btree_gin'] as const
const version_min = 150_000
const race_tries_max = 20

/** Runs as the connecting user, under the migration lock of this database. */
export async function prepareDatabase(connection: Connection): Promise<void> {
  const version = await checkVersion(connection)
  for (const role of roles) {
    await createRole(connection, role)
    await becomeMember(connection, role, version)
  }
  await openRoles(connection)
  await openSchema(connection)
  for (const extension of extensions) await createExtension(connection, extension)
  await createList(connection)
}

async function checkVersion(connection: Connection): Promise<number> {
  const [row] = await connection<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::int as number,
           current_setting('server_version') as name`
  const version = row?.number ?? 0
  if (version < version_min) {
    throw new Error(`PostgreSQL 15 or newer is needed; this one is ${row?.name}.`)
  }
  return version
}

async function createRole(connection: Connection, role: string): Promise<void> {
  await repeatOnRace(async () => {
    const found = await connection`select 1 from pg_roles where rolname = ${role}`
    if (found.length > 0) return
    await connection`create role ${connection(role)} nologin`
  }, `The role ${role} cannot be created; as a superuser run: create role ${role} nologin`)
}

/**
 * A superuser may act as any role; any other role must be a member, and may grant that to itself.
 */
async function becomeMember(connection: Connection, role: string, version: number) {
  // Since 16, membership comes with or without the right to `set role`.
  const right = version >= 160_000 ? 'set' : 'member'
  await repeatOnRace(async () => {
    const [row] = await connection<{ allowed: boolean }[]>`
      select pg_has_role(current_user, ${role}, ${right}) as allowed`
    if (row?.allowed) return
    await connection`grant ${connection(role)} to current_user`
  }, `The connecting user may not act as ${role}; as a superuser run: grant ${role} to that user`)
}

/** Citus connects to its nodes as the role that acts, also for a migration (decision 0068). */
async function openRoles(connection: Connection): Promise<void> {
  const closed = await connection<{ role: string }[]>`
    select rolname as role from pg_roles
     where rolname = any(${[...roles]}) and not rolcanlogin
       and exists (select 1 from pg_extension where extname = 'citus')`
  for (const { role } of closed) {
    await repeatOnRace(
      () => connection`alter role ${connection(role)} login`,
      `The role ${role} may not connect to the nodes; as a superuser run: alter role ${role} login`,
    )
  }
}

async function openSchema(connection: Connection): Promise<void> {
  await explained(async () => {
    const [row] = await connection<{ open: boolean }[]>`
      select has_schema_privilege('pirogue_owner', 'public', 'create')
         and has_schema_privilege('pirogue_owner', 'public', 'usage')
         and has_schema_privilege('pirogue_app', 'public', 'usage') as open`
    if (row?.open) return
    await connection`grant usage, create on schema public to pirogue_owner`
    await connection`grant usage on schema public to pirogue_app`
  }, 'The schema public cannot be opened to pirogue_owner; connect as the owner of the database')
  const [row] = await connection<{ open: boolean }[]>`
    select has_schema_privilege('pirogue_owner', 'public', 'create') as open`
  // A grant by a role that may not give it is a warning, not an error.
  if (!row?.open) {
    throw new Error('pirogue_owner may not create in the schema public; connect as its owner.')
  }
}

async function createExtension(connection: Connection, extension: string): Promise<void> {
  const found = await connection`select 1 from pg_extension where extname = ${extension}`
  if (found.length > 0) return
  await explained(
    () => connection`create extension if not exists ${connection(extension)} with schema public`,
    `The extension ${extension} cannot be created; as a superuser run: create extension ` +
      `${extension}`,
  )
}

async function createList(connection: Connection): Promise<void> {
  const [row] = await connection<{ there: boolean }[]>`
    select to_regclass('public.schema_migrations') is not null as there`
  if (row?.there) return
  // Several statements sent as one are one transaction.
  await connection.unsafe(`
    set local role pirogue_owner;
    create table public.schema_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    );
    grant select on public.schema_migrations to pirogue_app;`)
}

/** Two databases of one cluster may touch the same role at once: the loser looks again. */
async function repeatOnRace(step: () => Promise<unknown>, advice: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await step()
      return
    } catch (error) {
      if (!isRace(error) || tries === race_tries_max) throw explain(error, advice)
    }
  }
}

function isRace(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return false
  return (
    error.code === '42710' || // duplicate_object
    error.code === '23505' || // unique_violation, in a system catalogue
    /tuple concurrently (updated|deleted)/.test(error.message)
  )
}

async function explained(step: () => Promise<unknown>, advice: string): Promise<void> {
  try {
    await step()
  } catch (error) {
    throw explain(error, advice)
  }
}

function explain(error: unknown, advice: string): Error {
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(`${advice} (${reason}).`, { cause: error })
}

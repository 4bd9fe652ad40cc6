// The role that the service logs in as. Law: in production it is `pirogue_app` and nothing more, so
// that a foothold in the process cannot rewrite history; the schema is changed by another login,
// which the service does not have.

import type { Sql } from '../platform/db.ts'
import type { Config } from './config.ts'
import { missingMigrations } from './readiness.ts'
import { type Login, listMigrations, readLogin } from './store.ts'

/** Each excess right, in plain words; none for the login that production requires. */
function surplusOf(login: Login): string[] {
  const { other_roles } = login
  const rights: readonly (readonly [boolean, string])[] = [
    [login.superuser, 'is a superuser'],
    [login.createrole, 'may create roles'],
    [login.createdb, 'may create databases'],
    [login.replication, 'may use replication'],
    [login.bypassrls, 'bypasses row-level security'],
    [login.is_owner, 'may act as pirogue_owner'],
    [login.owns_tables, 'owns tables'],
    [login.may_create, 'may create in this database'],
    [other_roles.length > 0, `may act as ${other_roles.join(', ')}`],
    [!login.is_app, 'may not act as pirogue_app'],
  ]
  // A superuser may do all the rest, which then adds nothing.
  const found = rights.filter(([is]) => is).map(([, words]) => words)
  return login.superuser ? found.slice(0, 1) : found
}

export type LoginJudgement = Readonly<{ may_migrate: boolean; warning: string | null }>

/** Throws one line in production when the login is more than it must be, or there is no schema. */
export async function judgeLogin(
  db: Sql,
  { safety }: Pick<Config, 'safety'>,
): Promise<LoginJudgement> {
  const login = await readLogin(db)
  const surplus = surplusOf(login)
  const line =
    `DATABASE_URL: the login ${login.name} ${surplus.join(', ')}; expected one that is ` +
    'pirogue_app and nothing more (create role … login in role pirogue_app), and ' +
    'DATABASE_URL_OWNER for `npm run cli -- migrate`.'
  const allowed = safety.posture === 'development' || safety.exceptions.has('database_role')
  if (surplus.length > 0 && !allowed) {
    throw new Error(`${line} Exception: ALLOW_INSECURE=database_role.`)
  }
  const may_migrate = login.superuser || login.is_owner || login.may_create
  if (!may_migrate) await requireMigrated(db)
  return { may_migrate, warning: surplus.length > 0 ? line : null }
}

/** The service cannot migrate: it names who must, before it serves on an older schema. */
async function requireMigrated(db: Sql): Promise<void> {
  const missing = await missingMigrations(await listMigrations(db).catch(() => []))
  if (missing.length === 0) return
  throw new Error(
    `The database lacks ${missing.length} migrations, and this login may not apply them: run ` +
      '`npm run cli -- migrate` and `npm run cli -- seed` with DATABASE_URL_OWNER.',
  )
}

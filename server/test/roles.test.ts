// What the application's role may do on a migrated database: everything it needs, and nothing that
// would rewrite history, the schema, or the list of what was migrated (money 4).

import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemActor } from '../src/audit/audit.ts'
import { recordAct } from '../src/audit/audit-log.ts'
import { type Db, openDb } from '../src/platform/db.ts'
import { newId } from '../src/platform/ids.ts'
import { payin, payout, senegal } from './ledger/books.ts'
import { createTestDatabase, type TestDatabase } from './setup/database.ts'

let database: TestDatabase
let service_db: Db
const place = senegal(newId())

beforeAll(async () => {
  database = await createTestDatabase()
  const { options } = database
  const name = { role: 'pirogue_app', application_name: 'roles test' } as const
  service_db = openDb({ ...options, ...name, connections_max: 2, durable: false })
  // Rows to change, so that no refusal is an update that met nothing.
  await payin(database.owner, place)
  await payout(database.owner, place, 'SUCCESS')
  await recordAct(database.owner, {
    merchant_id: newId(),
    environment: null,
    actor: systemActor,
    action: 'merchant.changed',
    target_kind: 'merchant',
    target_id: 'x',
  })
  await database.owner`
    insert into past_pricing_rules (id, network_id, direction, tiers, created_at)
    select ${newId()}, id, 'COLLECT', '[]', now() from networks limit 1`
  await database.owner`
    insert into past_merchant_pricing_rules
      (merchant_id, id, network_id, direction, tiers, created_at)
    select m.id, ${newId()}, n.id, 'COLLECT', '[]', now()
      from merchants m cross join networks n limit 1`
})
afterAll(async () => {
  await service_db.end({ timeout: 1 })
  await database.drop()
})

/** The SQLSTATE of what the database answered; empty when it let it pass. */
async function refusal(statement: string): Promise<string> {
  try {
    // Rolled back: what is let through here must not spoil the next test.
    await service_db.begin(async (tx) => {
      await tx.unsafe(statement)
      throw new Undo()
    })
  } catch (error) {
    if (error instanceof postgres.PostgresError) return error.code
    if (!(error instanceof Undo)) throw error
  }
  return ''
}
class Undo extends Error {}

const denied = '42501'

type Right = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'TRUNCATE' | 'REFERENCES' | 'TRIGGER'

/** Every table that is no partition, with what the application may do to it. */
async function rightsOf(): Promise<ReadonlyMap<string, readonly Right[]>> {
  const rows = await database.owner<{ name: string; rights: Right[] }[]>`
    select c.relname as name,
           array(select r from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE',
                                            'REFERENCES', 'TRIGGER']) as r
                  where has_table_privilege('pirogue_app', c.oid, r)) as rights
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition
     order by c.relname`
  return new Map(rows.map(({ name, rights }) => [name, rights]))
}

const appendOnly = [
  'audit_logs',
  'exchange_rates',
  'hold_ends',
  'holds',
  'ledger_entries',
  'past_merchant_pricing_rules',
  'past_pricing_rules',
  'transaction_status_logs',
]
/** Written once and never changed, and no part of the books. */
const lasting = [
  ...[
    'download_tickets',
    'gateway_alarms',
    'gateway_windows',
    'invoices',
    'journal_third_parties',
    'mac_keys',
    'outflow_counts',
  ],
  ...['receipt_keys', 'receipt_tokens'],
]
/** Rows with an end date, or whose removal is what a merchant asks for. */
const deletable = [
  'availability_changes',
  ...[
    'attempt_memos',
    'attempt_troubles',
    'callback_directory',
    'counted_days',
    'counted_later',
    'counted_links',
    'deliveries',
    'download_tickets',
    'events',
    'gateway_alarms',
    'gateway_balances',
    'gateway_callbacks',
    'gateway_checks',
    'gateway_keys',
    'gateway_pace',
    'gateway_windows',
    'holder_lookups',
    'idempotency_keys',
  ],
  ...[
    'ip_whitelist',
    'journal_accounts',
    'journal_third_parties',
    'merchant_time_zones',
    'leases',
    'merchant_pricing_rules',
    'merchant_pricing_tiers',
  ],
  ...['pricing_tiers', 'prompt_windows', 'rate_windows', 'route_stats', 'service_addresses'],
  ...['loose_files', 'operator_rules', 'operator_states', 'webhook_subscriptions', 'worker_beats'],
  ...['invitations', 'mail_outbox', 'memberships', 'payout_methods', 'person_tokens'],
  ...[
    'outflow_counts',
    'outflow_days',
    'payout_limits',
    'payout_waits',
    'recovery_codes',
    'sessions',
    'throttle_windows',
    'transaction_search',
  ],
]
/** Written by commands that change the schema. */
const notOurs = ['schema_migrations', 'shard_groups']

describe('the role itself', () => {
  it('is what a client opened for the application runs as', async () => {
    expect(await service_db`select current_user::text as role`).toEqual([{ role: 'pirogue_app' }])
  })

  it('is no superuser, cannot make roles or databases, and passes no row security', async () => {
    const [row] = await database.owner`
      select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication
        from pg_roles where rolname = 'pirogue_app'`
    expect(Object.values(row ?? { none: true })).toEqual([false, false, false, false, false])
  })

  it('is a member of no other role, and owns nothing', async () => {
    const members = await database.owner`
      select roleid::regrole::text as role from pg_auth_members
       where member = 'pirogue_app'::regrole`
    expect([...members]).toEqual([])
    const owned = await database.owner`
      select relname from pg_class where relowner = 'pirogue_app'::regrole`
    expect([...owned]).toEqual([])
  })
})

describe('what was written stays as it was written', () => {
  it.each(appendOnly)('%s: no update, no delete, no truncate', async (table) => {
    const column = table === 'hold_ends' || table === 'exchange_rates' ? 'created_at' : 'id'
    expect(await refusal(`update ${table} set ${column} = ${column}`)).toBe(denied)
    expect(await refusal(`delete from ${table}`)).toBe(denied)
    expect(await refusal(`truncate ${table}`)).toBe(denied)
    expect(await refusal(`select 1 from ${table} for update`)).toBe(denied)
    const upsert = `insert into ${table} select * from ${table}
                    on conflict (${keyOf(table)}) do update set ${column} = excluded.${column}`
    expect(await refusal(upsert)).toBe(denied)
  })

  const keyOf = (table: string): string => {
    if (['exchange_rates', 'past_pricing_rules'].includes(table)) return 'id'
    return table === 'hold_ends' ? 'merchant_id, hold_id' : 'merchant_id, id'
  }

  it('there are rows behind these refusals', async () => {
    for (const table of appendOnly) {
      expect(await service_db`select 1 from ${service_db(table)} limit 1`).toHaveLength(1)
    }
  })
})

describe('money’s rows are never removed', () => {
  const kept = ['transactions', 'attempts', 'balances', 'accounts', 'merchants', 'customers']
  const others = ['incidents', 'settlements', 'wallet_transfers', 'networks', 'gateways', 'routes']

  it.each([...kept, ...others])('%s: no delete, no truncate', async (table) => {
    expect(await refusal(`delete from ${table}`)).toBe(denied)
    expect(await refusal(`truncate ${table} cascade`)).toBe(denied)
  })

  it('but what they say may be changed by a statement of ours', async () => {
    expect(await refusal(`update transactions set updated_at = now()`)).toBe('')
    expect(await refusal(`update balances set updated_at = now()`)).toBe('')
  })
})

describe('the schema', () => {
  it.each([
    'create table mine (id int)',
    'create schema mine',
    'alter table ledger_entries drop constraint ledger_entries_amount_check',
    'alter table ledger_entries disable trigger all',
    'alter table transactions add column note text',
    'create index on transactions (note)',
    'drop table transactions cascade',
    'drop index ledger_entries_pkey',
    'create function mine() returns int language sql as $$ select 1 $$',
    'create or replace function ensure_partitions() returns void language sql as $$ $$',
    'alter function ensure_partitions() owner to pirogue_app',
    'create role stranger',
  ])('is not the application’s to change: %s', async (statement) => {
    expect(await refusal(statement)).toBe(denied)
  })

  it('cannot be opened by granting oneself a right: nothing is granted', async () => {
    const [row] = await service_db.begin(async (tx) => {
      await tx`grant delete, update on ledger_entries to pirogue_app`
      return tx`select has_table_privilege('ledger_entries', 'DELETE, UPDATE') as may`
    })
    expect(row).toEqual({ may: false })
  })

  it('cannot be switched off for a session: no constraint is deferred into replica mode', async () => {
    expect(await refusal(`set session_replication_role = 'replica'`)).toBe(denied)
  })
})

describe('the list of migrations', () => {
  it('can be read and not written', async () => {
    const rows = await service_db`select 1 from schema_migrations`
    expect(rows.length).toBeGreaterThan(10)
    const rights = (await rightsOf()).get('schema_migrations')
    expect(rights).toEqual(['SELECT'])
    expect(await refusal('delete from schema_migrations')).toBe(denied)
  })
})

describe('each table', () => {
  it('gives the application what it needs, and no more than is named here', async () => {
    const rights = await rightsOf()
    expect(rights.size).toBeGreaterThan(35)
    for (const [table, granted] of rights) {
      if (notOurs.includes(table)) continue
      const wanted: Right[] = ['SELECT', 'INSERT']
      if (![...appendOnly, ...lasting].includes(table)) wanted.push('UPDATE')
      if (deletable.includes(table)) wanted.push('DELETE')
      expect([table, ...granted]).toEqual([table, ...wanted])
    }
  })

  it('named here is one that there is', async () => {
    const rights = await rightsOf()
    const unknown = [...appendOnly, ...deletable, ...notOurs].filter((table) => !rights.has(table))
    expect(unknown).toEqual([])
  })

  it('can be read, through its columns too', async () => {
    for (const table of (await rightsOf()).keys()) {
      expect(await refusal(`select * from ${table} limit 1`)).toBe('')
    }
  })

  it('belongs to the owner of the schema, partitions and all', async () => {
    const strangers = await database.owner`
      select relname, relowner::regrole::text as owner from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'i', 'I', 'v', 'S')
         and relowner <> 'pirogue_owner'::regrole`
    expect([...strangers]).toEqual([])
  })
})

describe('partitions', () => {
  it('of the months to come are made for the application, and are written through the table', async () => {
    expect(await refusal('select ensure_partitions()')).toBe('')
    const id = newId()
    await service_db`
      insert into events (merchant_id, id, environment, type, plain)
      values (${place.merchant_id}, ${id}, 'SANDBOX', 'webhook.test', '{}')`
    const [row] =
      await service_db`select tableoid::regclass::text as partition from events where id = ${id}`
    expect(row?.['partition']).toMatch(/^events_\d{6}$/)
    const gone = await service_db`delete from events where id = ${id}`
    expect(gone.count).toBe(1)
  })

  it('the function that makes them searches no schema of a caller', async () => {
    const [row] = await database.owner`
      select prosecdef, proconfig, proowner::regrole::text as owner from pg_proc
       where proname = 'ensure_partitions'`
    expect(row).toEqual({
      prosecdef: true,
      proconfig: ['search_path=public, pg_temp', 'lock_timeout=1s'],
      owner: 'pirogue_owner',
    })
  })
})

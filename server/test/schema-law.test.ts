// The laws of the schema, read from the catalogue of a migrated database (money 4,
// docs/decisions/0003). What is excepted from a law is named here with its reason.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './setup/database.ts'
import { tableOwners } from './tidy/table-owners.ts'

type Table = Readonly<{
  name: string
  columns: readonly string[]
  primary_key: readonly string[]
}>
type Index = Readonly<{ name: string; table_name: string; columns: readonly string[] }>
type Column = Readonly<{
  table_name: string
  name: string
  type: string
  not_null: boolean
  identity: string
  fallback: string | null
}>
type ForeignKey = Readonly<{
  name: string
  from_table: string
  to_table: string
  columns: readonly string[]
}>

let database: TestDatabase
let tables: readonly Table[]
let uniqueIndexes: readonly Index[]
let columns: readonly Column[]
let foreignKeys: readonly ForeignKey[]

beforeAll(async () => {
  database = await createTestDatabase()
  tables = await listTables()
  uniqueIndexes = await listUniqueIndexes()
  columns = await listColumns()
  foreignKeys = await listForeignKeys()
})
afterAll(() => database.drop())

// Partitions are their parent's: what holds for it holds for them.
const listTables = () => database.owner<Table[]>`
  select c.relname as name,
         array(select a.attname::text from pg_attribute a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                order by a.attnum) as columns,
         coalesce((select array_agg(a.attname::text order by k.at)
                     from pg_index i,
                          unnest(i.indkey::int2[]) with ordinality as k (attnum, at),
                          pg_attribute a
                    where i.indrelid = c.oid and i.indisprimary
                      and a.attrelid = c.oid and a.attnum = k.attnum), '{}') as primary_key
    from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     and not c.relispartition and c.relname <> 'schema_migrations'
   order by c.relname`

const listUniqueIndexes = () => database.owner<Index[]>`
  select x.relname as name, c.relname as table_name,
         array(select coalesce(a.attname::text, '(expression)')
                 from unnest(i.indkey::int2[]) with ordinality as k (attnum, at)
                 left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
                order by k.at) as columns
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_class x on x.oid = i.indexrelid
   where (i.indisunique or i.indisexclusion) and c.relnamespace = 'public'::regnamespace
     and not c.relispartition
   order by x.relname`

const listColumns = () => database.owner<Column[]>`
  select c.relname as table_name, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
         a.attnotnull as not_null, a.attidentity::text as identity,
         pg_get_expr(d.adbin, d.adrelid) as fallback
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     and not c.relispartition and a.attnum > 0 and not a.attisdropped
     and c.relname <> 'schema_migrations'
   order by c.relname, a.attnum`

const listForeignKeys = () => database.owner<ForeignKey[]>`
  select f.conname as name, f.conrelid::regclass::text as from_table,
         f.confrelid::regclass::text as to_table,
         array(select a.attname::text
                 from unnest(f.conkey) with ordinality as k (attnum, at)
                 join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum
                order by k.at) as columns
    from pg_constraint f
   where f.contype = 'f' and f.connamespace = 'public'::regnamespace and f.conparentid = 0
   order by f.conname`

const ownedByMerchants = () => tables.filter((table) => table.columns.includes('merchant_id'))

// What arrives without a merchant finds its merchant by these rows, once, by their own value (money
// 4).
const directories = ['api_keys', 'callback_directory', 'receipt_tokens', 'slugs']

// Of a merchant as a whole, of both its environments (money 4), or part of a row that says it.
const withoutEnvironment: Readonly<Record<string, string>> = {
  callback_directory: 'a directory: the attempt says it',
  attempt_memos: 'beside its attempt, which says it',
  attempt_troubles: 'a note beside its attempt, which says it',
  delivery_tries: 'the delivery says it',
  payout_looks: 'the payout says it',
  refund_looks: 'the refund says it',
  invitations: 'of the merchant, for both',
  ip_whitelist: 'the merchant’s own, for both',
  journal_accounts: 'the merchant’s own, for both',
  journal_third_parties: 'the merchant’s own, for both',
  kyc_documents: 'of the merchant, for both',
  ledger_checkpoints: 'the account says it, and its id holds it',
  link_visits: 'the link says it',
  memberships: 'of the merchant, for both',
  merchant_pricing_rules: 'the merchant’s own, for both',
  merchant_pricing_tiers: 'the merchant’s own, for both',
  merchant_time_zones: 'the merchant’s own, for both',
  past_merchant_pricing_rules: 'the merchant’s own, for both',
  payment_link_forms: 'the link says it',
  payout_methods: 'the merchant’s own, for both',
  receipt_tokens: 'a directory: the transaction says it',
  receipts: 'the transaction says it',
  rate_windows: 'a minute of all its keys together (contract 3.6)',
  slugs: 'a directory: the session or link says it',
  webhook_lanes: 'the endpoint says it',
  webhook_subscriptions: 'the endpoint says it',
}

const appendOnly = [
  ...['exchange_rates', 'hold_ends', 'holds', 'ledger_entries', 'transaction_status_logs'],
  ...['events', 'gateway_callbacks', 'audit_logs', 'past_pricing_rules'],
  'past_merchant_pricing_rules',
]

// Written by every payment: their foreign keys may name only what belongs to one payment.
const hot = [
  ...['transactions', 'attempts', 'ledger_entries', 'holds', 'hold_ends', 'accounts', 'balances'],
  ...['transaction_status_logs', 'gateway_callbacks', 'events', 'deliveries', 'incidents'],
  ...['customers', 'idempotency_keys'],
]
const heldByAllPayments = [
  ...['merchants', 'countries', 'networks', 'gateways', 'routes', 'accounts', 'balances'],
  ...['pricing_rules', 'pricing_tiers', 'merchant_pricing_rules', 'merchant_pricing_tiers'],
  ...['exchange_rates', 'payment_links', 'webhooks'],
]

describe('what these laws read', () => {
  it('is every table that has an owner, and no other', () => {
    const owned = Object.keys(tableOwners).filter((table) => !notMade.has(table))
    expect(tables.map(({ name }) => name).sort()).toEqual(owned.sort())
  })
  const notMade = new Set(['schema_migrations', 'evidence'])

  it('is indexes, keys and columns, and the names below are names of tables', () => {
    expect(uniqueIndexes.length).toBeGreaterThan(tables.length)
    expect(foreignKeys.length).toBeGreaterThan(15)
    expect(columns.length).toBeGreaterThan(300)
    const known = new Set(tables.map(({ name }) => name))
    const named = [
      ...[...directories, ...Object.keys(withoutEnvironment), ...appendOnly],
      ...[...hot, ...heldByAllPayments],
    ]
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })
})

describe('a merchant’s rows', () => {
  it('have a primary key that begins with the merchant', () => {
    expect(tables.filter(({ primary_key }) => primary_key.length === 0)).toEqual([])
    const others = ownedByMerchants()
      .filter(({ name }) => !directories.includes(name))
      .filter(({ primary_key }) => primary_key[0] !== 'merchant_id')
    expect(others.map(({ name }) => name)).toEqual([])
  })

  it('have no unique index that crosses merchants', () => {
    const owned = new Set(ownedByMerchants().map(({ name }) => name))
    const crossing = uniqueIndexes
      .filter(({ table_name }) => owned.has(table_name) && !directories.includes(table_name))
      .filter((index) => index.columns[0] !== 'merchant_id')
    expect(crossing.map(({ name }) => name)).toEqual([])
  })

  it('are found without a merchant only by the value of a directory’s key', () => {
    const keys = uniqueIndexes.filter(({ table_name }) => directories.includes(table_name))
    expect(keys.map((index) => `${index.table_name}(${index.columns.join(', ')})`).sort()).toEqual([
      'api_keys(hash)',
      'api_keys(id)',
      'callback_directory(gateway_id, key)',
      'receipt_tokens(token_hash)',
      'slugs(slug)',
    ])
  })

  it('name the merchant first in every foreign key among them', () => {
    const owned = new Set(ownedByMerchants().map(({ name }) => name))
    const crossing = foreignKeys
      .filter(({ from_table, to_table }) => owned.has(from_table) && owned.has(to_table))
      .filter((key) => key.columns[0] !== 'merchant_id')
    expect(crossing.map(({ name }) => name)).toEqual([])
  })

  it('name it always', () => {
    const loose = columns.filter(({ name, not_null }) => name === 'merchant_id' && !not_null)
    expect(loose.map(({ table_name }) => table_name)).toEqual([])
  })
})

describe('the environment', () => {
  it('stands on every table of business, but for those named with a reason', () => {
    const without = ownedByMerchants().filter((table) => !table.columns.includes('environment'))
    expect(without.map(({ name }) => name).sort()).toEqual(Object.keys(withoutEnvironment).sort())
  })

  it('is never empty and is one of two', async () => {
    const environments = columns.filter(({ name }) => name === 'environment')
    // An act on what both environments share stands in the audit log without one.
    const open = environments.filter(({ not_null }) => !not_null)
    expect(open.map(({ table_name }) => table_name)).toEqual(['audit_logs'])
    const checked = await database.owner<{ table_name: string }[]>`
      select c.conrelid::regclass::text as table_name from pg_constraint c
       where c.contype = 'c' and c.conparentid = 0
         and pg_get_constraintdef(c.oid) like '%environment = ANY%SANDBOX%LIVE%'`
    const names = checked.map(({ table_name }) => table_name)
    const unchecked = environments.filter(({ table_name }) => !names.includes(table_name))
    // Copied by the statement from the gateway's own row, where it is checked.
    expect(unchecked.map(({ table_name }) => table_name)).toEqual([])
  })
})

describe('foreign keys', () => {
  it('never point at an append-only table', () => {
    const pointing = foreignKeys.filter(({ to_table }) => appendOnly.includes(to_table))
    expect(pointing.map(({ name }) => name)).toEqual([])
  })

  it('from a hot table never point at a row that payments share (docs/decisions/0003)', () => {
    const pointing = foreignKeys
      .filter(({ from_table }) => hot.includes(from_table))
      .filter(({ to_table }) => heldByAllPayments.includes(to_table))
    expect(pointing.map(({ name }) => name)).toEqual([])
  })

  it('stand where a row belongs to one payment', () => {
    const pairs = foreignKeys.map(({ from_table, to_table }) => `${from_table} → ${to_table}`)
    for (const pair of [
      'attempts → transactions',
      'attempts → settlements',
      'transaction_status_logs → transactions',
      'transactions → customers',
      'incidents → attempts',
      'webhook_subscriptions → webhooks',
    ]) {
      expect(pairs).toContain(pair)
    }
  })

  it('are checked at once, and remove nothing behind anybody’s back', async () => {
    const rows = await database.owner`
      select conname from pg_constraint
       where contype = 'f' and connamespace = 'public'::regnamespace
         and (condeferrable or confdeltype <> 'a' or confupdtype <> 'a' or not convalidated)`
    expect([...rows]).toEqual([])
  })
})

describe('nothing is made behind a statement’s back', () => {
  it('no column numbers itself', () => {
    const numbered = columns.filter(
      ({ identity, fallback }) => identity !== '' || (fallback ?? '').includes('nextval('),
    )
    expect(numbered).toEqual([])
  })

  it('no sequence, no trigger of ours, no rule', async () => {
    const sequences = await database.owner`
      select relname from pg_class
       where relkind = 'S' and relnamespace = 'public'::regnamespace`
    const triggers = await database.owner`
      select tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
       where not t.tgisinternal and c.relnamespace = 'public'::regnamespace`
    const rules = await database.owner`
      select rulename from pg_rewrite r join pg_class c on c.oid = r.ev_class
       where c.relnamespace = 'public'::regnamespace and c.relkind <> 'v'`
    expect([...sequences, ...triggers, ...rules]).toEqual([])
  })

  it('no id is drawn by the database: it is made where the intent is', () => {
    const drawn = columns.filter(({ fallback }) => /uuid|random/.test(fallback ?? ''))
    const nil = "'00000000-0000-0000-0000-000000000000'::uuid"
    expect(drawn.filter(({ fallback }) => fallback !== nil)).toEqual([])
  })
})

describe('columns', () => {
  it('no amount, rate or time is a float, and no time is without its zone', () => {
    const wrong = columns.filter(({ type }) =>
      /^(real|double precision|money|json$|timestamp.* without time zone|char|character)/.test(
        type,
      ),
    )
    expect(wrong).toEqual([])
  })

  it('every sum of money is a bigint of hundredths', () => {
    const named =
      /(amount|fee|_change|balance_after|^available|^pending|^frozen|cost_(fixed|floor|cap))$/
    const sums = columns.filter(({ name }) => named.test(name))
    expect(sums.length).toBeGreaterThan(40)
    expect(sums.filter(({ type }) => type !== 'bigint')).toEqual([])
  })

  it('every status is text with a check of its words', async () => {
    const checked = await database.owner<{ table_name: string }[]>`
      select conrelid::regclass::text as table_name from pg_constraint
       where contype = 'c' and pg_get_constraintdef(oid) like 'CHECK ((status = ANY%'`
    const names = checked.map(({ table_name }) => table_name)
    const states = columns.filter(({ name, type }) => name === 'status' && type === 'text')
    expect(states.length).toBeGreaterThan(8)
    expect(states.filter(({ table_name }) => !names.includes(table_name))).toEqual([])
  })
})

// Planted breaches and innocent look-alikes for the laws of money and SQL.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is planted is source as text.

import type { LawName, Planted } from './laws.ts'

const at = 'server/src'

const noFloats: readonly Planted[] = [
  {
    title: 'every way into a float',
    files: {
      [`${at}/pricing/fee.ts`]: [
        'const a = Number(fee)',
        'const b = rows.map(Number)',
        'const c = parseFloat(text)',
        'const d = Number.parseInt(text)',
        'const e = Math.round(fee)',
        'const f = fee.toFixed(2)',
        'const g = 0.015',
        'const h = 1e-3',
        'const i = +text',
        'const j = fee / 100n',
        'let k = fee; k /= 2n',
      ].join('\n'),
      [`${at}/money/money.ts`]: '\nconst half = 0.5',
    },
    found: [
      ...[1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11].map((line) => `${at}/pricing/fee.ts:${line}`),
      `${at}/money/money.ts:2`,
    ],
  },
  {
    title: 'innocent: division in money/, whole numbers, the type, words, tests, other folders',
    files: {
      [`${at}/money/money.ts`]: 'const x = (a * b + 5_000n) / 10_000n',
      [`${at}/pricing/fee.ts`]: [
        '// Math.round(0.5) / 2 would be a float.',
        "const text = 'Number(0.5) / 2'",
        'const matched = /a.b/.test(text)',
        'function digits(count: number): number { return count + 1 }',
        'const flags = 0xe1',
      ].join('\n'),
      [`${at}/pricing/fee.test.ts`]: 'const near = Number(fee) / 100.5',
      [`${at}/payouts/pace.ts`]: 'const wait_ms = Math.round(1.5 * 1000) / 2',
    },
    found: [],
  },
]

const sqlInStores: readonly Planted[] = [
  {
    title: 'SQL in a verb: each verb, a CTE, a fragment, plain text, capitals',
    files: {
      [`${at}/payouts/initiate-payout.ts`]: [
        'const a = tx`select id from payouts where id = ${id}`',
        'const b = tx`\n  insert into payouts (id) values (${id})`',
        'const c = tx`delete from payouts`',
        'const d = tx<Row[]>`update payouts set paid = true`',
        'const e = tx`with held as (select 1) select * from held`',
        "const f = 'SELECT id FROM payouts'",
        'const g = `update ${table} set paid = true`',
        'const h = sql`, held as (select 1)`',
        'const i = sql`and exists (select 1 from payouts)`',
      ].join('\n'),
      [`${at}/platform/http/server.ts`]: 'tx`select 1`',
      [`${at}/payouts/bookstore.ts`]: 'tx`select 1`',
    },
    found: [
      ...[1, 2, 4, 5, 6, 7, 8, 9, 10].map((line) => `${at}/payouts/initiate-payout.ts:${line}`),
      `${at}/platform/http/server.ts:1`,
      `${at}/payouts/bookstore.ts:1`,
    ],
  },
  {
    title: 'innocent: in stores, statements and mechanisms; sentences, tests, pages, comments',
    files: {
      [`${at}/payouts/store.ts`]: 'tx`select id from payouts`',
      [`${at}/payouts/statements.ts`]: 'sql`update payouts set paid = true`',
      [`${at}/payouts/erasure-statements.ts`]: 'sql`update payouts set receiver = null`',
      [`${at}/payouts/limit-store.ts`]: 'sql`select id from payouts`',
      [`${at}/platform/migrate.ts`]: 'tx`select 1`',
      [`${at}/platform/jobs/claim.ts`]: 'tx`select id from leases for update skip locked`',
      [`${at}/platform/idempotency/once.ts`]: 'tx`insert into idempotency_keys (key) values (1)`',
      [`${at}/payouts/initiate-payout.test.ts`]: 'tx`select id from payouts`',
      [`${at}/payouts/errors.ts`]: [
        "const en = 'Select a network from the list.'",
        "const how = 'with the same key'",
        "const event = 'update'",
        "const said = 'update the amount'",
        'const page = html`<select name="network"> from </select>`',
        '// tx`select id from payouts`',
      ].join('\n'),
    },
    found: [],
  },
]

const attemptsAtHome: readonly Planted[] = [
  {
    title: 'a look, a join and a write of another folder; a reader that looks no more',
    files: {
      [`${at}/payouts/store.ts`]: [
        'const a = tx`select id from attempts where id = ${id}`',
        'const b = tx`select 1 from payouts p\n  join attempts a on a.id = p.id`',
        'const c = tx`update attempts set status = ${status}`',
        'const d = tx`select 1 from gateway_callbacks`',
      ].join('\n'),
      [`${at}/erasure/store.ts`]: 'tx`select 1`',
    },
    found: [
      ...[1, 2, 4, 5].map((line) => `${at}/payouts/store.ts:${line}`),
      `${at}/erasure/store.ts:1`,
    ],
  },
  {
    title: 'innocent: its own folder, a reader on the list, a test, words, another table',
    files: {
      [`${at}/attempts/statements.ts`]: 'tx`update attempts set status = ${status}`',
      [`${at}/app/store.ts`]: 'tx`select min(due_at) from attempts`',
      [`${at}/payouts/store.ts`]: 'tx`select attempts from payouts`',
      [`${at}/payouts/store.test.ts`]: 'tx`select 1 from attempts`',
    },
    found: [],
  },
]

const tableOwners: readonly Planted[] = [
  {
    title: 'each kind of write outside the owner, the line of the statement, a test too',
    files: {
      [`${at}/payouts/store.ts`]: [
        'const a = tx`insert into balances (id) values (${id})`',
        'const b = tx`update only holds as h set ended = true`',
        'const c = tx`\n  with done as (\n    delete from public."ledger_entries"\n  ) select 1`',
        "const d = 'truncate accounts'",
        'const e = sql`, ended as (insert into hold_ends (id) select 1)`',
        'const f = tx`update transactions t set amount = ${amount}`',
        'const g = tx`copy transaction_status_logs (id) from stdin`',
      ].join('\n'),
      [`${at}/payouts/initiate-payout.test.ts`]: 'tx`insert into accounts (id) values (1)`',
    },
    found: [
      ...[1, 2, 5, 7, 8, 9, 10].map((line) => `${at}/payouts/store.ts:${line}`),
      `${at}/payouts/initiate-payout.test.ts:1`,
    ],
  },
  {
    title: 'a table nobody owns, one whose name is a hole, one made by a migration',
    files: {
      [`${at}/payouts/store.ts`]:
        'tx`insert into scraps (id) values (1)`\ntx`update ${x} set a = 1`',
      'server/migrations/0009_scraps.sql': '-- Why.\n\ncreate table if not exists scraps (id int);',
    },
    found: [
      'server/migrations/0009_scraps.sql:3',
      `${at}/payouts/store.ts:1`,
      `${at}/payouts/store.ts:2`,
    ],
  },
  {
    title: 'innocent: the owner, reads, row locks, conflicts, comments, sentences, server/test',
    files: {
      [`${at}/ledger/store.ts`]: [
        'tx`insert into balances (id) values (1) on conflict (id) do update\n  set amount = 2`',
        'tx`select id from balances for update of balances skip locked`',
      ].join('\n'),
      [`${at}/payouts/store.ts`]: [
        'tx`select b.id from balances b for no key update`',
        'tx`\n  -- update balances would be the ledger\n  select 1`',
        "tx`select 'delete from holds'`",
        "const en = 'Update the amount, then insert into the form.'",
      ].join('\n'),
      [`${at}/platform/jobs/claim.ts`]: 'tx`update ${sql(table)} set leased = true`',
      [`${at}/platform/migrate.test.ts`]: 'tx`insert into boats (id) values (1)`',
      'server/test/harness.ts': 'tx`insert into balances (id) values (1)`',
      'server/migrations/0009_parts.sql':
        '-- create table scraps ();\ncreate table events_1 partition of events default;',
    },
    found: [],
  },
]

const statusByMove: readonly Planted[] = [
  {
    title: 'a status set by another function, another file, a tuple, a hole, a conflict',
    files: {
      [`${at}/transactions/store.ts`]: [
        'const cancel = (tx: Tx) => tx`update transactions set note = 1, status = ${to}`',
        'const both = (tx: Tx) => tx`update transactions t set (note, status) = (1, 2)`',
        'const any = (tx: Tx) => tx`update transactions set ${tx(row)} where id = 1`',
        'const put = (tx: Tx) => tx`\n  insert into transactions (id) values (1)',
        "  on conflict (id) do update set status = 'FAILED'`",
      ].join('\n'),
      [`${at}/payments/store.ts`]:
        'export const moveStatus = (tx: Tx) => tx`update transactions set status = 1`',
    },
    found: [
      ...[1, 2, 3, 5].map((line) => `${at}/transactions/store.ts:${line}`),
      `${at}/payments/store.ts:1`,
    ],
  },
  {
    title: 'innocent: moveStatus itself, reading a status, another table, a first status',
    files: {
      [`${at}/transactions/statements.ts`]: [
        'export const moveStatusOfPayout = (tx: Tx) => sql`update transactions set status = ${to}`',
        'export function moveStatus(tx: Tx) {\n  return tx`\n    update transactions as t',
        '       set status = ${to}, updated_at = now()`\n}',
      ].join('\n'),
      [`${at}/transactions/store.ts`]: [
        "tx`update transactions set paid = (status = 'SUCCESS') where status = 'PENDING'`",
        "tx`update transactions set seen = case when status = 'SUCCESS' then 1 end`",
        'tx`update transactions set status_seen = 1, from_status = 2`',
        'tx`with made as (insert into transactions (status) values (1)), sent as (',
        '  update attempts set status = 2) select 1`',
        'tx`update settlements set status = 1`',
      ].join('\n'),
    },
    found: [],
  },
]

const atTheirPlace: readonly Planted[] = [
  {
    title: 'a merchant’s rows on whatever pool was given: typed, awaited, returned, written',
    files: {
      [`${at}/payouts/store.ts`]: [
        'const a = (sql: Sql) => sql<Row[]>`select id from transactions where id = ${id}`',
        'async function b(db: Db) { await db`update balances set available = 0` }',
        'function c(sql: Sql): Promise<Row[]> { return sql`select 1 from t join holds h on true` }',
        'async function d(sql: Sql) { await sql`insert into events (id) values (${id})` }',
      ].join('\n'),
    },
    found: [1, 2, 3, 4].map((line) => `${at}/payouts/store.ts:${line}`),
  },
  {
    title: 'innocent: its merchant is named, each group, a transaction, a part, control’s rows',
    files: {
      [`${at}/payouts/store.ts`]: [
        'const a = (sql: Sql) => homeOf(sql, m)<Row[]>`select id from transactions`',
        'const b = (db: Db) => eachGroup(db, (at) => at<Row[]>`select id from transactions`)',
        'async function c(tx: Tx) { await tx`update balances set available = 0` }',
        'async function d(sql: Tx) { await sql`update balances set available = 0` }',
        'const e = (sql: Sql): Fragment => sql`select id from transactions`',
        'const f = (sql: Sql) => sql<Row[]>`select id from merchants`',
        "async function g(sql: Sql) { await sql`select 'from transactions' from merchants` }",
      ].join('\n'),
    },
    found: [],
  },
  {
    title: 'a list whose `from` is a fragment of the file',
    files: {
      [`${at}/payouts/store.ts`]: [
        'const rows = (sql: Sql): Fragment => sql`select id from transactions`',
        'async function a(sql: Sql) { await sql`select 1 from (${rows(sql)}) as r` }',
        'async function b(sql: Sql) {',
        '  const found = sql`from holds`',
        '  await sql`select count(*) ${found}`',
        '}',
      ].join('\n'),
    },
    found: [2, 5].map((line) => `${at}/payouts/store.ts:${line}`),
  },
]

const beginsSomewhere: readonly Planted[] = [
  {
    title: 'a transaction on whatever pool was given',
    files: { [`${at}/payouts/a.ts`]: 'const a = (db: Db) => inTransaction(db, (tx) => go(tx))' },
    found: [`${at}/payouts/a.ts:1`],
  },
  {
    title: 'a transaction at control that reaches a row of a merchant, however far away',
    files: {
      [`${at}/payouts/a.ts`]: [
        "import { read as see } from './b.ts'",
        'const a = (db: Db) => inTransaction(control(db), async (tx) => see(tx, 1))',
      ].join('\n'),
      [`${at}/payouts/b.ts`]: [
        'export const read = (tx: Tx, id: number) => find(tx, id)',
        'function find(sql: Sql, id: number) {',
        '  return oneOfAll(sql, (at) => at`select 1 from transactions where id = ${id}`)',
        '}',
      ].join('\n'),
    },
    found: [`${at}/payouts/a.ts:2`],
  },
  {
    title: 'innocent: it begins with the merchant; or writes to control and the audit log',
    files: {
      [`${at}/payouts/a.ts`]: [
        "import { read, tell } from './b.ts'",
        'async function a(db: Db) { await inTransaction(await homeOfRow(db, t, id), read) }',
        'const b = (db: Db) => inTransaction(control(db), (tx) => tell(tx))',
      ].join('\n'),
      [`${at}/payouts/b.ts`]: [
        'export const read = (tx: Tx) => tx`select 1 from transactions`',
        'export const tell = (tx: Tx) => tx`insert into audit_logs default values`',
      ].join('\n'),
    },
    found: [],
  },
  {
    title: 'innocent: its merchant is named, its row, or control; or the folder is of control',
    files: {
      [`${at}/payouts/a.ts`]: [
        'const a = (db: Db) => inTransaction(homeOf(db, m), go)',
        'async function b(db: Db) { await inTransaction(await homeOfRow(db, t, id), go) }',
        'const c = (db: Db) => inTransaction(control(db), go)',
        'function d(db: Db) { const at = homeOf(db, m); return inTransaction(at, go) }',
      ].join('\n'),
      [`${at}/people/a.ts`]: 'const a = (db: Db) => inTransaction(db, go)',
    },
    found: [],
  },
]

const statesObeyed: readonly Planted[] = [
  {
    title: 'a table that nothing but its drawing and a test reads, and one that is not drawn',
    files: {
      [`${at}/boats/states.ts`]: 'export const boatStates = defineStates<Boat>({})',
      [`${at}/boats/states.test.ts`]: "boatStates.into('ASHORE')",
      [`${at}/cars/states.ts`]: '\nexport const carStates = defineStates<Car>({})',
      [`${at}/cars/statements.ts`]: "const left = carStates.into('PARKED')",
      [`${at}/app/state-machines.ts`]: 'drawStates(boatStates)',
    },
    found: [`${at}/boats/states.ts:1`, `${at}/cars/states.ts:2`],
  },
  {
    title: 'innocent: asked by a statement or a verb, and drawn',
    files: {
      [`${at}/boats/states.ts`]: 'export const boatStates = defineStates<Boat>({})',
      [`${at}/boats/move-boat.ts`]: 'assert(boatStates.allows(from, to))',
      [`${at}/app/state-machines.ts`]: 'drawStates(boatStates)',
    },
    found: [],
  },
]

export const plantedMoney = {
  'no floats': noFloats,
  'SQL in stores': sqlInStores,
  'table owners': tableOwners,
  'attempts at home': attemptsAtHome,
  'status by move': statusByMove,
  'states obeyed': statesObeyed,
  'at their place': atTheirPlace,
  'begins somewhere': beginsSomewhere,
} satisfies Partial<Record<LawName, readonly Planted[]>>

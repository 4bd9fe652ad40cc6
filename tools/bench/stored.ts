// Fills a database with confirmed payments, to show what a payment costs in an old one. Each is a
// copy of one that the service made, in every table that a payment leaves rows in, with ids,
// numbers and balances of its own: the books stay right, and the proof afterwards checks it. (`demo
// generate` makes other histories: without events, deliveries and callbacks.)

import type { Db } from '../../server/src/platform/db.ts'

/** Column to SQL: what a copy has of its own. `t` is the pattern's row, `n` the copy's number. */
type Own = Readonly<Record<string, string>>

/** Copies a merchant gets in one statement. */
const portion = 20_000

/** A UUIDv7 of one millisecond a payment, ending now. */
const idOf = (kind: string) => `(lpad(to_hex($3::bigint + n), 12, '0') || '7'
  || substr(md5('${kind}' || n || $1::uuid::text), 1, 3) || '8'
  || substr(md5('${kind}' || n || $1::uuid::text), 4, 15))::uuid`

const at = `to_timestamp(($3::bigint + n) / 1000.0)`

const copies: readonly (readonly [table: string, of: string, own: Own])[] = [
  [
    'customers',
    `t.id = (select customer_id from transactions where merchant_id = $1::uuid and id = $2)`,
    { id: idOf('customer'), phone: `'+22902' || lpad(n::text, 8, '0')`, created_at: at },
  ],
  [
    'transactions',
    't.id = $2',
    {
      id: idOf('payment'),
      customer_id: idOf('customer'),
      settled_attempt: idOf('attempt'),
      reference: `'TXN-OLD-' || n`,
      merchant_reference: `'old-' || n`,
      created_at: at,
      updated_at: at,
    },
  ],
  [
    'attempts',
    't.transaction_id = $2',
    {
      id: idOf('attempt'),
      transaction_id: idOf('payment'),
      customer_id: idOf('customer'),
      our_key: `'old-' || n`,
      due_at: 'null',
      created_at: at,
    },
  ],
  [
    'transaction_status_logs',
    't.transaction_id = $2',
    {
      id: idOf('move'),
      transaction_id: idOf('payment'),
      attempt_id: idOf('attempt'),
      created_at: at,
    },
  ],
  [
    'ledger_entries',
    't.cause_id = $2',
    {
      id: idOf('entry').replaceAll(`'entry'`, `'entry' || t.line`),
      cause_id: idOf('payment'),
      attempt_id: idOf('attempt'),
      entry_no: `case when t.entry_no is null then null else b.entry_no + n - $4 + 1 end`,
      balance_after: `case when t.entry_no is null then null
        else b.available + t.available_change * (n - $4 + 1) end`,
      created_at: at,
    },
  ],
  [
    'events',
    't.transaction_id = $2',
    {
      id: idOf('event').replaceAll(`'event'`, `'event' || t.type`),
      transaction_id: idOf('payment'),
      seq: `f.last_seq + 2 * (n - $4) + case t.type when 'transaction.created' then 1 else 2 end`,
      created_at: at,
    },
  ],
  [
    'deliveries',
    't.transaction_id = $2',
    {
      id: idOf('delivery'),
      event_id: idOf('event').replaceAll(`'event'`, `'event' || t.event_type`),
      transaction_id: idOf('payment'),
      created_at: at,
    },
  ],
  [
    'gateway_callbacks',
    `t.attempt_id = (select settled_attempt from transactions
                      where merchant_id = $1::uuid and id = $2)`,
    { id: idOf('callback'), attempt_id: idOf('attempt'), created_at: at },
  ],
  [
    'idempotency_keys',
    't.transaction_id = $2',
    {
      key: `'old-' || n`,
      transaction_id: idOf('payment'),
      attempt_id: idOf('attempt'),
      created_at: at,
    },
  ],
]

export type Filling = Readonly<{
  merchant_ids: readonly string[]
  /** Settled payments each of them then has more. */
  each: number
  /** The first number; another one for each filling. */
  first: number
  passed: (payments: number) => void
}>

/** The database's owner does it, while nothing else is at work. */
export async function fillDatabase(db: Db, filling: Filling): Promise<void> {
  const { merchant_ids, each, first, passed } = filling
  const statements = await Promise.all(copies.map((copy) => copyStatement(db, copy)))
  for (const merchant_id of merchant_ids) {
    for (let done = 0; done < each; done += portion) {
      const count = Math.min(portion, each - done)
      const from_ms = Date.now() - (first + done + count)
      const pattern = await patternOf(db, merchant_id)
      const from = first + done
      for (const text of statements) {
        await db.unsafe(text, [merchant_id, pattern, from_ms, from, from + count - 1])
      }
      await moveBalance(db, { merchant_id, pattern, count })
      passed(count)
    }
  }
  await db`vacuum analyze`
}

async function copyStatement(db: Db, [table, of, own]: (typeof copies)[number]): Promise<string> {
  const columns = await db<{ name: string }[]>`
    select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'
     order by ordinal_position`
  const names = columns.map(({ name }) => name)
  const values = names.map((name) => own[name] ?? `t.${name}`)
  // Every statement has the same five parameters; one that a text does not name has no type.
  return `insert into ${table} (${names.join(', ')})
    select ${values.join(', ')}
      from ${table} t
      join generate_series($4::bigint, $5::bigint) n on $3::bigint > 0
      left join balances b on b.merchant_id = t.merchant_id and b.environment = t.environment
      left join event_feeds f on f.merchant_id = t.merchant_id and f.environment = t.environment
     where t.merchant_id = $1::uuid and ${of.replaceAll('$2', '$2::uuid')}`
}

async function patternOf(db: Db, merchant_id: string): Promise<string> {
  const [row] = await db<{ id: string }[]>`
    select id from transactions
     where merchant_id = ${merchant_id} and status = 'SUCCESS' order by id limit 1`
  if (row === undefined) throw new Error(`merchant ${merchant_id} has no settled payment`)
  return row.id
}

type Moved = Readonly<{ merchant_id: string; pattern: string; count: number }>

async function moveBalance(db: Db, { merchant_id, pattern, count }: Moved): Promise<void> {
  await db`
    update balances b
       set available = b.available + e.available_change * ${count}::bigint,
           entry_no = b.entry_no + ${count}::bigint
      from ledger_entries e
     where e.merchant_id = ${merchant_id} and e.cause_id = ${pattern} and e.entry_no is not null
       and b.merchant_id = e.merchant_id and b.environment = e.environment
       and b.country = e.country`
  await db`
    update event_feeds set last_seq = last_seq + 2 * ${count}::bigint
     where merchant_id = ${merchant_id}`
  // The copies have deliveries already.
  await db`
    update delivery_marks m set seq = f.last_seq from event_feeds f
     where m.merchant_id = ${merchant_id} and f.merchant_id = m.merchant_id
       and f.environment = m.environment`
}

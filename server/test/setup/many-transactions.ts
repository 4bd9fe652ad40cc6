// A history of a million payments for who reads it as a file, made within seconds.

import { retryOnDeadlock } from '../../src/platform/db.ts'
import type { OwnerSql } from './database.ts'
import { plantTransaction } from './transaction-rows.ts'

/**
 * Copies of one row, in the order of the one index that a file is read by. The table serves for
 * nothing else afterwards: its other indexes and its keys are gone.
 */
export async function plantManyTransactions(
  owner: OwnerSql,
  merchant_id: string,
  rows: number,
): Promise<void> {
  await strip(owner)
  const { id } = await plantTransaction(owner, merchant_id, {
    status: 'SUCCESS',
    customer_first_name: 'Élodie',
    customer_last_name: 'Œuvrard',
    customer_email: 'elodie.oeuvrard@example.com',
    customer_phone: '+2290197000010',
    ip_address: '127.0.0.1',
  })
  const own = new Map([
    ['id', `lpad(to_hex(n), 32, '0')::uuid`],
    ['reference', `'TXN-20261122-' || lpad(n::text, 10, '0')`],
    // So that it does not pack to nothing.
    ['external_reference', 'md5(n::text)'],
    ['created_at', `created_at - n * interval '1 second'`],
  ])
  const columns = await owner<{ name: string }[]>`
    select column_name as name from information_schema.columns
     where table_name = 'transactions' and is_generated = 'NEVER'`
  const names = columns.map(({ name }) => name)
  const values = names.map((name) => own.get(name) ?? name)
  await owner.unsafe(
    `insert into transactions (${names}) select ${values} from transactions,
       generate_series(1, ${rows - 1}) n where id = '${id}'`,
  )
  await owner`analyze transactions`
}

/** Takes from the table what no reader needs and each row pays for: a third of the time is left. */
async function strip(owner: OwnerSql): Promise<void> {
  const keys = await owner<{ name: string }[]>`
    select conname as name from pg_constraint
     where conrelid = 'transactions'::regclass and contype in ('p', 'u', 'f')`
  for (const { name } of keys) {
    // The service's own jobs lock its partitions one by one, in another order.
    await retryOnDeadlock(
      () => owner`alter table transactions drop constraint ${owner(name)} cascade`,
    )
  }
  const indexes = await owner<{ name: string }[]>`
    select indexrelid::regclass::text as name from pg_index
     where indrelid = 'transactions'::regclass and indexrelid <> 'transactions_listed'::regclass`
  for (const { name } of indexes) await owner`drop index ${owner(name)}`
  await owner`alter table transactions set unlogged`
}

// The statements about receipts, their tokens, invoices, and the key that signs receipts.

import { findOperatorReference } from '../attempts/operator-reference-statements.ts'
import type { TaxDetails } from '../merchants/settings/tax-details.ts'
import type { Fragment, Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { control, homeOf } from '../platform/places/places.ts'
import type { TransactionKey } from '../transactions/transaction.ts'
import type { Outcome } from './receipt.ts'

export type StoredReceipt = Readonly<{ sealed_token: Buffer; revoked_at: Date | null }>
export type NewToken = Readonly<{ token_hash: Buffer; sealed_token: Buffer }>

export async function findReceipt(
  sql: Sql,
  { merchant_id, id }: TransactionKey,
): Promise<StoredReceipt | undefined> {
  const [row] = await homeOf(sql, merchant_id)<StoredReceipt[]>`
    select sealed_token, revoked_at from receipts
     where merchant_id = ${merchant_id} and transaction_id = ${id}`
  return row
}

/** The receipt of a payment, made of `token` when there is none. Of many at once one is made. */
export async function findOrInsertReceipt(
  tx: Tx,
  { merchant_id, id }: TransactionKey,
  token: NewToken,
): Promise<StoredReceipt | undefined> {
  // The loser of a race waits for the winner's row and gets it by an update that changes nothing.
  const [row] = await tx<(StoredReceipt & { is_new: boolean })[]>`
    insert into receipts (merchant_id, transaction_id, token_hash, sealed_token)
    values (${merchant_id}, ${id}, ${token.token_hash}, ${token.sealed_token})
        on conflict (merchant_id, transaction_id) do update
       set transaction_id = excluded.transaction_id
    returning sealed_token, revoked_at, token_hash = ${token.token_hash} as is_new`
  if (row?.is_new === true) {
    await control(tx)`
      insert into receipt_tokens (token_hash, merchant_id, transaction_id)
      values (${token.token_hash}, ${merchant_id}, ${id})`
  }
  return row
}

/** Undefined when there is none. The receipt of a token never changes; whether it is valid may. */
export async function findByToken(
  sql: Sql,
  token_hash: Buffer,
): Promise<(TransactionKey & Pick<StoredReceipt, 'revoked_at'>) | undefined> {
  const [key] = await sql<TransactionKey[]>`
    select merchant_id, transaction_id as id from receipt_tokens where token_hash = ${token_hash}`
  if (key === undefined) return undefined
  const [row] = await homeOf(sql, key.merchant_id)<Pick<StoredReceipt, 'revoked_at'>[]>`
    select revoked_at from receipts
     where merchant_id = ${key.merchant_id} and transaction_id = ${key.id}
       and token_hash = ${token_hash}`
  return row && { ...key, ...row }
}

/** When it was revoked; undefined when it had been before. */
export async function updateRevoked(
  sql: Sql,
  { merchant_id, id }: TransactionKey,
): Promise<Date | undefined> {
  const [row] = await homeOf(sql, merchant_id)<{ revoked_at: Date }[]>`
    update receipts
       set revoked_at = now()
     where merchant_id = ${merchant_id} and transaction_id = ${id} and revoked_at is null
    returning revoked_at`
  return row?.revoked_at
}

/**
 * Of the incidents `i` of the payment `t`: whether people still look at one, and whether what the
 * merchant was charged with is the whole. Null where there is none.
 */
function reversalOf(sql: Sql): Fragment {
  const isBorne = sql`i.status = 'RESOLVED' and i.resolution = 'CHARGE_MERCHANT'`
  return sql`
    select json_build_object(
             'is_open', bool_or(i.status = 'OPEN'),
             'is_borne', bool_or(i.type = 'REVERSED_AFTER_SUCCESS' and ${isBorne})
                         or coalesce(sum(i.amount) filter (where ${isBorne}), 0)
                            >= t.debited_amount)
      from incidents i
     where i.merchant_id = l.merchant_id and i.transaction_id = l.transaction_id
       and i.attempt_id = l.attempt_id
       and (i.type = 'REVERSED_AFTER_SUCCESS'
            or i.type = 'AMOUNT_MISMATCH' and i.suspense_side = 'DEBIT')
    having count(*) > 0`
}

/**
 * When the payment succeeded, what its operator calls it, and what that took back of it; undefined:
 * it did not.
 */
export async function findOutcome(
  sql: Sql,
  { merchant_id, id }: TransactionKey,
): Promise<Outcome | undefined> {
  const key = { merchant_id, id }
  const [[row], operator_reference] = await Promise.all([
    homeOf(sql, merchant_id)<Omit<Outcome, 'operator_reference'>[]>`
      select l.created_at as paid_at,
             (${reversalOf(sql)}) as reversal
        from transaction_status_logs l
        join transactions t on t.merchant_id = l.merchant_id and t.id = l.transaction_id
       where l.merchant_id = ${merchant_id} and l.transaction_id = ${id}
         and l.to_status = 'SUCCESS'`,
    findOperatorReference(sql, key),
  ])
  return row && { ...row, operator_reference }
}

/** An invoice as it was issued. */
export type IssuedInvoice = Readonly<{ number: bigint; seller: TaxDetails; issued_at: Date }>

export async function findInvoice(
  sql: Sql,
  { merchant_id, id }: TransactionKey,
): Promise<IssuedInvoice | undefined> {
  const [row] = await homeOf(sql, merchant_id)<IssuedInvoice[]>`
    select number, seller, issued_at from invoices
     where merchant_id = ${merchant_id} and transaction_id = ${id}`
  return row
}

type Series = Readonly<{ merchant_id: string; environment: Environment }>

/** The row of a series' last number, locked: who comes next waits until the invoice stands. */
export async function lockSeries(tx: Tx, { merchant_id, environment }: Series): Promise<void> {
  await tx`
    insert into invoice_numbers as n (merchant_id, environment, last_number)
    values (${merchant_id}, ${environment}, 0)
        on conflict (merchant_id, environment) do update set last_number = n.last_number`
}

/** With the next number; nothing when the payment has an invoice. Under `lockSeries`. */
export async function insertInvoice(
  tx: Tx,
  { merchant_id, environment, id }: Series & TransactionKey,
  seller: TaxDetails,
): Promise<void> {
  await tx`
    with next as (
      update invoice_numbers set last_number = last_number + 1
       where merchant_id = ${merchant_id} and environment = ${environment}
         and not exists (select from invoices
                          where merchant_id = ${merchant_id} and transaction_id = ${id})
      returning last_number
    )
    insert into invoices (merchant_id, environment, number, transaction_id, seller)
    select ${merchant_id}, ${environment}, last_number, ${id},
           ${JSON.stringify(seller)}::text::jsonb
      from next`
}

export type StoredKey = Readonly<{ number: number; public_key: Buffer; sealed_private_key: Buffer }>

/** Every key there was, the one that signs first. */
export const listKeys = (sql: Sql): Promise<StoredKey[]> => sql<StoredKey[]>`
  select number, public_key, sealed_private_key from receipt_keys order by number desc`

/** False when there is one of this number: of several that are made at once one is kept. */
export async function insertKey(sql: Sql, key: StoredKey): Promise<boolean> {
  const { count } = await sql`
    insert into receipt_keys (number, public_key, sealed_private_key)
    values (${key.number}, ${key.public_key}, ${key.sealed_private_key})
        on conflict (number) do nothing`
  return count > 0
}

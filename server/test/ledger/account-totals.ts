// The total of any account, from the entries alone: its checkpoint and every entry after it. The
// service keeps `available`, `pending` and `frozen` as balances and needs no other total.

import { type Account, accountId, normalSide } from '../../src/ledger/account.ts'
import type { Sql } from '../../src/platform/db.ts'
import { assert } from '../../src/platform/errors.ts'

export type Total = Readonly<{
  account: Account
  debits: bigint
  credits: bigint
  /** On the account's normal side, in hundredths; negative when the other side is larger. */
  balance: bigint
}>

/** The totals of one merchant's accounts, in the order given; one without entries is zero. */
export async function accountTotals(sql: Sql, accounts: readonly Account[]): Promise<Total[]> {
  const [first] = accounts
  if (first === undefined) return []
  const { merchant_id } = first
  assert(
    accounts.every((account) => account.merchant_id === merchant_id),
    'totals of one merchant at a time',
  )
  const sums = await sumAccounts(sql, merchant_id, accounts.map(accountId))
  const byId = new Map(sums.map((row) => [row.account_id, row]))
  return accounts.map((account) => {
    const row = byId.get(accountId(account))
    const debits = BigInt(row?.debits ?? 0)
    const credits = BigInt(row?.credits ?? 0)
    const balance = normalSide[account.kind] === 'DEBIT' ? debits - credits : credits - debits
    return { account, debits, credits, balance }
  })
}

/** The total of one account. */
export async function accountTotal(sql: Sql, account: Account): Promise<Total> {
  const [total] = await accountTotals(sql, [account])
  assert(total, 'one account, one total')
  return total
}

/** Sums as text: a platform-wide total may be larger than int8. */
type Sums = Readonly<{ account_id: string; debits: string; credits: string }>

/** The totals of these accounts of one merchant: their checkpoints and every entry after them. */
async function sumAccounts(
  sql: Sql,
  merchant_id: string,
  account_ids: readonly string[],
): Promise<Sums[]> {
  return sql<Sums[]>`
    with asked as (
      select a.id as account_id, coalesce(c.debits, 0) as debits,
             coalesce(c.credits, 0) as credits,
             coalesce(c.counted_to, '-infinity'::timestamptz) as counted_to
        from unnest(${account_ids}::uuid[]) as a(id)
        left join ledger_checkpoints c
          on c.merchant_id = ${merchant_id} and c.account_id = a.id
    ), after_it as (
      select k.account_id,
             coalesce(sum(e.amount) filter (where e.debit_account = k.account_id), 0) as debits,
             coalesce(sum(e.amount) filter (where e.credit_account = k.account_id), 0) as credits
        from asked k
        join ledger_entries e
          on e.merchant_id = ${merchant_id} and e.created_at > k.counted_to
         and k.account_id in (e.debit_account, e.credit_account)
       group by k.account_id
    )
    select k.account_id, (k.debits + coalesce(n.debits, 0))::text as debits,
           (k.credits + coalesce(n.credits, 0))::text as credits
      from asked k left join after_it n on n.account_id = k.account_id
     order by k.account_id`
}

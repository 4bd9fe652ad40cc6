// The total of an account: its checkpoint and every entry after it. Only `available`, `pending` and
// `frozen` are kept as balances; all other totals are computed here. NOT guaranteed: a checkpoint
// must be cut far enough behind now that no entry dated before it is still to be committed; the
// code that writes checkpoints ensures that.

import type { Sql } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { type Account, accountId, normalSide } from './account.ts'
import { sumAccounts } from './store.ts'

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

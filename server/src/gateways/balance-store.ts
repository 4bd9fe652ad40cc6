// The statements about what accounts with operators hold, and the wallets that hold it.

import type { Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import { newId } from '../platform/ids.ts'
import type { Direction } from './gateway.ts'
import type { WalletBalance } from './wallet.ts'

/** Of one wallet in one currency, as the operator last reported it. */
export type BalanceRow = Readonly<{
  gateway_code: string
  wallet: string
  /** What it is used for; empty: no reading since this is kept has named it. */
  purposes: readonly Direction[]
  /** Its own, as the operator names it; null: the operator names none. */
  country: string | null
  currency: string
  /** Hundredths. */
  amount: bigint
  read_at: Date
  /** Hundredths below which it is low; null: it never is. */
  low_below: bigint | null
  /** The country whose payouts wait while it is low; null: none wait. */
  payouts_wait_in: string | null
  low_since: Date | null
}>

export type DueBalance = Readonly<{ id: string; environment: Environment; asked_at: Date }>

/**
 * The accounts that this process reads now: on, no imitation, and asked by nobody for `every_s`.
 * Whoever claims one and dies leaves it to the next round.
 */
export const claimBalances = (
  sql: Sql,
  gateway_ids: readonly string[],
  every_s: number,
): Promise<DueBalance[]> => sql<DueBalance[]>`
  update gateways
     set balances_asked_at = clock_timestamp()
   where id = any(${[...gateway_ids]}::uuid[]) and is_active and dialect is null
     and balances_asked_at <= clock_timestamp() - ${every_s} * interval '1 second'
  returning id, environment, balances_asked_at as asked_at`

/** Readings and changes of an account's balances queue up here. */
export async function lockBalances(tx: Tx, gateway_id: string): Promise<BalanceRow[]> {
  await tx`select id from gateways where id = ${gateway_id} for no key update`
  return tx<BalanceRow[]>`
    select g.code as gateway_code, b.wallet, coalesce(w.purposes, '{}') as purposes, w.country,
           b.currency, b.amount, b.read_at, b.low_below, b.payouts_wait_in, b.low_since
      from gateway_balances b
      join gateways g on g.id = b.gateway_id
      left join gateway_wallets w
        on w.gateway_id = b.gateway_id and w.operator_key = b.wallet and w.currency = b.currency
     where b.gateway_id = ${gateway_id}`
}

/** Under `lockBalances`. What was reported before `asked_at` is replaced, and nothing later. */
export async function upsertBalance(
  tx: Tx,
  { gateway_id, asked_at }: Readonly<{ gateway_id: string; asked_at: Date }>,
  { wallet, currency, amount }: WalletBalance,
): Promise<void> {
  await tx`
    insert into gateway_balances as b (gateway_id, wallet, currency, amount, read_at)
    values (${gateway_id}, ${wallet}, ${currency}, ${amount}, ${asked_at})
    on conflict (gateway_id, wallet, currency) do update
       set amount = excluded.amount, read_at = excluded.read_at,
           low_since = case when excluded.amount < b.low_below
                            then coalesce(b.low_since, excluded.read_at) end
     where b.read_at < excluded.read_at`
}

/**
 * Under `lockBalances`. The row of a wallet is made once and stays: what was booked there is found
 * by it when its operator shows it no more.
 */
export async function upsertWallet(
  tx: Tx,
  gateway_id: string,
  { wallet, currency, purposes, country }: Omit<WalletBalance, 'amount'>,
): Promise<void> {
  await tx`
    insert into gateway_wallets as w
      (id, gateway_id, operator_key, currency, purposes, country)
    values (${newId()}, ${gateway_id}, ${wallet}, ${currency}, ${[...purposes]},
      ${country ?? null})
    on conflict (gateway_id, operator_key, currency) do update
       set purposes = excluded.purposes, country = excluded.country
     where (w.purposes, w.country) is distinct from (excluded.purposes, excluded.country)`
}

/** Of wallets that their operator has not shown for a week, and that nobody watches. */
export async function deleteGoneBalances(tx: Tx, gateway_id: string): Promise<void> {
  await tx`
    delete from gateway_balances
     where gateway_id = ${gateway_id} and low_below is null
       and read_at < now() - interval '7 days'`
}

type Watch = Pick<BalanceRow, 'wallet' | 'currency' | 'low_below' | 'payouts_wait_in'>

/** Under `lockBalances`. False where the operator has reported no such wallet. */
export async function updateWatch(tx: Tx, gateway_id: string, to: Watch): Promise<boolean> {
  const changed = await tx`
    update gateway_balances
       set low_below = ${to.low_below}, payouts_wait_in = ${to.payouts_wait_in},
           low_since = case when amount < ${to.low_below}::bigint
                            then coalesce(low_since, now()) end
     where gateway_id = ${gateway_id} and wallet = ${to.wallet} and currency = ${to.currency}`
  return changed.count === 1
}

/** By code, wallet and currency. */
export const listBalances = (sql: Sql, environment: Environment): Promise<BalanceRow[]> => sql<
  BalanceRow[]
>`
  select g.code as gateway_code, b.wallet, coalesce(w.purposes, '{}') as purposes, w.country,
         b.currency, b.amount, b.read_at, b.low_below, b.payouts_wait_in, b.low_since
    from gateway_balances b
    join gateways g on g.id = b.gateway_id
    left join gateway_wallets w
      on w.gateway_id = b.gateway_id and w.operator_key = b.wallet and w.currency = b.currency
   where g.environment = ${environment}
   order by g.code, b.wallet, b.currency`

type FloatOf = Readonly<{ gateway_id: string; country: string; note: string }>

/** False where it is marked as empty already, whoever has done it. */
export async function markLow(tx: Tx, { gateway_id, country, note }: FloatOf): Promise<boolean> {
  const marked = await tx`
    insert into gateway_floats as f (gateway_id, country, is_empty, note, set_by)
    values (${gateway_id}, ${country}, true, ${note}, null)
    on conflict (gateway_id, country) do update
       set is_empty = true, note = excluded.note, set_by = null, updated_at = now()
     where not f.is_empty`
  return marked.count === 1
}

/** False where people have marked it since, or another wallet of that country is low still. */
export async function markFilled(tx: Tx, { gateway_id, country, note }: FloatOf): Promise<boolean> {
  const filled = await tx`
    update gateway_floats f
       set is_empty = false, note = ${note}, updated_at = now()
     where f.gateway_id = ${gateway_id} and f.country = ${country}
       and f.is_empty and f.set_by is null
       and not exists (select from gateway_balances b
                        where b.gateway_id = f.gateway_id and b.payouts_wait_in = f.country
                          and b.low_since is not null)`
  return filled.count === 1
}

export type BalanceAges = Readonly<{ low: number; oldest_s: number }>

/** Of accounts that are on: how many are low, and how old what is known of one is at most. */
export async function readBalanceAges(sql: Sql): Promise<BalanceAges> {
  const [row] = await sql<BalanceAges[]>`
    select count(*) filter (where b.low_since is not null)::int as low,
           coalesce(extract(epoch from now() - min(b.read_at)), 0)::float8 as oldest_s
      from gateway_balances b
      join gateways g on g.id = b.gateway_id
     where g.is_active`
  return row ?? { low: 0, oldest_s: 0 }
}

// The statements about what accounts with operators hold.

import type { Sql, Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import type { WalletBalance } from './gateway.ts'

/** Of one wallet in one currency, as the operator last reported it. */
export type BalanceRow = Readonly<{
  gateway_code: string
  wallet: string
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
    select g.code as gateway_code, b.wallet, b.currency, b.amount, b.read_at, b.low_below,
           b.payouts_wait_in, b.low_since
      from gateway_balances b
      join gateways g on g.id = b.gateway_id
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
  select g.code as gateway_code, b.wallet, b.currency, b.amount, b.read_at, b.low_below,
         b.payouts_wait_in, b.low_since
    from gateway_balances b
    join gateways g on g.id = b.gateway_id
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

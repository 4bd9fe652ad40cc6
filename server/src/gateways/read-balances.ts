// What accounts with operators hold is read every five minutes and kept. Law: no payment waits for
// a reading, and one that fails changes nothing: what was reported before stays with its moment,
// which grows old where everybody sees it.

import { systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { platformMerchant } from '../ledger/account.ts'
import { formatAmount } from '../money/format.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import type { Environment } from '../platform/http/route.ts'
import {
  type BalanceRow,
  claimBalances,
  type DueBalance,
  deleteGoneBalances,
  lockBalances,
  markFilled,
  markLow,
  upsertBalance,
  upsertWallet,
} from './balance-store.ts'
import type { Gateways } from './gateway.ts'
import { type ReportsBalance, reportsBalance, type WalletBalance } from './wallet.ts'

export type BalanceDeps = Readonly<{
  db: Db
  gateways: Gateways
  /** The row of each gateway, by its code. */
  row_ids: ReadonlyMap<string, string>
  /** Called for each reading that failed. */
  onFault: (code: string, err: unknown) => void
  onRoom: OnRoom
}>

/** Payouts that waited for it may go out. */
export type Room = Readonly<{ environment: Environment }> &
  (
    | Readonly<{ country: string; waited_for: 'GATEWAY_FLOAT' | 'GATEWAY_CLOSED' }>
    /** The operator shows more in a wallet than before, by a question of that moment. */
    | Readonly<{
        gateway_id: string
        asked_at: Date
        /** Whose payouts it pays; null: nobody has said. */
        pays_in: string | null
        currency: string
        amount: bigint
      }>
  )

/** Called after the commit; whoever dies in between leaves it to the next look. */
export type OnRoom = (room: Room) => Promise<void>

const every_s = 300
/** More than any operator has: what is beyond it is not kept. */
const wallets_max = 200

/** Reads what is due. Of several, a slow or broken one keeps no other from being read. */
export async function readBalances(deps: BalanceDeps): Promise<void> {
  const all = deps.gateways.all().filter(reportsBalance)
  const ids = all.flatMap(({ code }) => deps.row_ids.get(code) ?? [])
  if (ids.length === 0) return
  const claimed = await claimBalances(deps.db, ids, every_s)
  await Promise.all(
    claimed.map((due) => {
      const gateway = all.find(({ code }) => deps.row_ids.get(code) === due.id)
      return gateway === undefined ? undefined : readOne(deps, gateway, due)
    }),
  )
}

async function readOne(deps: BalanceDeps, gateway: ReportsBalance, due: DueBalance): Promise<void> {
  try {
    const shown = (await gateway.balances()).filter(isKept)
    // An account without a wallet pays nobody: nothing shown is a reading that failed.
    if (shown.length === 0) throw new Error('the operator showed no balance')
    await keepBalances(deps, due, shown)
  } catch (err) {
    deps.onFault(gateway.code, err)
  }
}

const isKept = ({ wallet, currency }: WalletBalance): boolean =>
  wallet.length >= 1 && wallet.length <= 100 && /^[A-Z]{3}$/.test(currency)

/** What was reported, and what follows for payouts. */
export async function keepBalances(
  { db, onRoom }: Pick<BalanceDeps, 'db' | 'onRoom'>,
  { id, environment, asked_at }: DueBalance,
  shown: readonly WalletBalance[],
): Promise<void> {
  const { filled, more } = await inTransaction(db, async (tx) => {
    const was = await lockBalances(tx, id)
    for (const one of shown.slice(0, wallets_max)) {
      await upsertWallet(tx, id, one)
      await upsertBalance(tx, { gateway_id: id, asked_at }, one)
    }
    await deleteGoneBalances(tx, id)
    const filled = await followBalances(tx, { id, environment, was })
    return { filled, more: grownIn(was, await lockBalances(tx, id)) }
  })
  await reportFilled(onRoom, environment, filled)
  for (const { payouts_wait_in: pays_in, currency, amount } of more) {
    await onRoom({ environment, gateway_id: id, asked_at, pays_in, currency, amount })
  }
}

/**
 * The wallets that hold more than before. Where staff have said which of them pay somewhere, the
 * others pay nobody; else those that pay out, where the account has any.
 */
function grownIn(was: readonly BalanceRow[], now: readonly BalanceRow[]): readonly BalanceRow[] {
  const nameOf = ({ wallet, currency }: BalanceRow) => JSON.stringify([wallet, currency])
  const before = new Map(was.map((row) => [nameOf(row), row.amount]))
  const isSaid = now.some(({ payouts_wait_in }) => payouts_wait_in !== null)
  const paysOut = ({ purposes }: BalanceRow) => purposes.includes('DISBURSE')
  // Of an account without payouts what waits is a refund: it leaves where payers pay.
  const paying = isSaid
    ? now.filter(({ payouts_wait_in }) => payouts_wait_in !== null)
    : now.some(paysOut)
      ? now.filter(paysOut)
      : now
  return paying.filter((row) => row.amount > (before.get(nameOf(row)) ?? row.amount))
}

/** The countries whose floats were marked as filled. */
export async function reportFilled(
  onRoom: OnRoom,
  environment: Environment,
  countries: readonly string[],
): Promise<void> {
  for (const country of countries) {
    await onRoom({ environment, country, waited_for: 'GATEWAY_FLOAT' })
  }
}

type Following = Readonly<{ id: string; environment: Environment; was: readonly BalanceRow[] }>

/** Under the account's lock, after a change. Where payouts need wait no longer. */
export async function followBalances(
  tx: Tx,
  { id, environment, was }: Following,
): Promise<readonly string[]> {
  const now = await lockBalances(tx, id)
  const [before, after] = [stoppedBy(was), stoppedBy(now)]
  const marks = { id, environment }
  const filled: string[] = []
  for (const [country, { wallet, currency, low_below }] of after) {
    if (before.has(country)) continue
    const note = `Below ${formatAmount(low_below ?? 0n)} ${currency}: ${wallet}.`
    if (await markLow(tx, { gateway_id: id, country, note })) {
      await recordMark(tx, { ...marks, country, is_empty: true, note })
    }
  }
  for (const country of before.keys()) {
    if (after.has(country)) continue
    const note = 'Its balance is no longer low.'
    if (!(await markFilled(tx, { gateway_id: id, country, note }))) continue
    await recordMark(tx, { ...marks, country, is_empty: false, note })
    filled.push(country)
  }
  return filled
}

/** The countries whose payouts wait, each with a wallet that is why. */
const stoppedBy = (rows: readonly BalanceRow[]): ReadonlyMap<string, BalanceRow> =>
  new Map(
    rows.flatMap((row) =>
      row.low_since === null || row.payouts_wait_in === null
        ? []
        : [[row.payouts_wait_in, row] as const],
    ),
  )

type Mark = Readonly<{
  id: string
  environment: Environment
  country: string
  is_empty: boolean
  note: string
}>

async function recordMark(
  tx: Tx,
  { id, environment, country, is_empty, note }: Mark,
): Promise<void> {
  await publishCatalogue(tx)
  await recordAct(tx, {
    merchant_id: platformMerchant[environment],
    environment,
    actor: systemActor,
    action: is_empty ? 'gateway_float.emptied' : 'gateway_float.filled',
    target_kind: 'gateway',
    target_id: id,
    after: { country, is_empty, note },
  })
}

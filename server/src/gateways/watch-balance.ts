// Staff say below what a balance is low, and whose payouts wait then. It counts at once for what
// was last reported.

import { actorOfPerson } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { platformMerchant } from '../ledger/account.ts'
import { formatAmount } from '../money/format.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { type BalanceRow, listBalances, lockBalances, updateWatch } from './balance-store.ts'
import { followBalances, type OnRoom, reportFilled } from './read-balances.ts'
import { findGatewayId } from './store.ts'

export type WatchRequest = Readonly<{
  gateway: string
  wallet: string
  currency: string
  /** Hundredths; null: it is never low. */
  low_below: bigint | null
  payouts_wait_in: string | null
}>

type Deps = Readonly<{
  db: Db
  onRoom: OnRoom
}>

/** Refuses as unknown what its operator has reported nothing of, or is of the other environment. */
export async function watchBalance(
  { db, onRoom }: Deps,
  person: Person,
  request: WatchRequest,
): Promise<BalanceRow> {
  const { environment } = person
  const { row, filled } = await inTransaction(db, async (tx) => {
    const id = await findGatewayId(tx, { code: request.gateway, environment })
    if (id === undefined) throw refuse(transportErrors.not_found)
    const was = await lockBalances(tx, id)
    if (!(await updateWatch(tx, id, request))) throw refuse(transportErrors.not_found)
    const { wallet, currency, low_below, payouts_wait_in } = request
    const limit = low_below === null ? null : formatAmount(low_below)
    await recordAct(tx, {
      merchant_id: platformMerchant[environment],
      environment,
      actor: actorOfPerson(person),
      action: 'gateway_balance.watched',
      target_kind: 'gateway',
      target_id: id,
      after: { wallet, currency, low_below: limit, payouts_wait_in },
    })
    const filled = await followBalances(tx, { id, environment, was })
    const row = (await listBalances(tx, environment)).find(
      (one) =>
        one.gateway_code === request.gateway && one.wallet === wallet && one.currency === currency,
    )
    assert(row !== undefined, `balance ${wallet} ${currency} is locked`)
    return { row, filled }
  })
  await reportFilled(onRoom, environment, filled)
  return row
}

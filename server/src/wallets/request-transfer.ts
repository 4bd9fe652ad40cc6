// A transfer from the merchant's call to its answer: planned by what counts now, frozen, and made
// by one statement. It then waits for staff, unless its amount is below the limit of its
// environment and currency.

import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import { isFrozen } from '../ledger/read-balance.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { autoBelow } from '../planning/auto-below.ts'
import type { Db } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import { type Caller, created, type Input, type Once, type Reply } from '../platform/http/route.ts'
import { giveBackClaim, KeyInUse } from '../platform/idempotency/run-once.ts'
import { newId, newReference } from '../platform/ids.ts'
import type { RatesOf } from '../rates/current-rates.ts'
import { makeTransfer, type TransferResult } from './make-transfer.ts'
import { planTransfer, type TransferBody, type TransferPlan } from './plan-transfer.ts'
import { findNow, findTransfer } from './store.ts'
import type { TransferTerms } from './terms.ts'
import type { Transfer } from './transfer.ts'
import { viewTransfer } from './view.ts'

export type TransferDeps = Readonly<{
  db: Db
  catalogue: CatalogueOf
  rates: RatesOf
  /** What a transfer costs, and from which amount staff approve it. */
  transfers: TransferTerms
  /** After a commit that wrote an event. */
  wake: () => void
}>

const day_ms = 24 * 60 * 60 * 1000

export async function requestTransfer(
  deps: TransferDeps,
  { caller, body, once }: Input<TransferBody>,
): Promise<Reply> {
  const { db, transfers } = deps
  const [catalogue, rates] = await Promise.all([
    deps.catalogue(caller.catalogue_version),
    deps.rates(caller.catalogue_version),
  ])
  const { fee_percent_ppm } = transfers
  const plan = planTransfer({ catalogue, rates, fee_percent_ppm }, caller, body)
  const transfer = rowOf(caller, plan, { fee_percent_ppm, now: await findNow(db) })
  const limit = autoBelow(transfers, caller.environment, transfer.from_currency)
  const is_automatic = transfer.from_amount < limit
  const result = await makeTransfer(db, { once, transfer, auto_below: is_automatic ? limit : null })
  if (result.is !== 'made') throw await refusalOf(db, result.is, { once, transfer })
  deps.wake()
  return created(viewTransfer(result.transfer))
}

async function refusalOf(
  db: Db,
  why: Exclude<TransferResult['is'], 'made'>,
  { once, transfer }: Readonly<{ once: Once; transfer: Transfer }>,
): Promise<Error> {
  if (why === 'key_taken') return new KeyInUse()
  if (why === 'insufficient_balance') return refuse(payoutErrors.insufficient_balance)
  // Nothing was made under the key: the refusal is what it then keeps.
  await giveBackClaim(db, once, transfer.id)
  const frozen = await isFrozen(db, transfer, transfer.from_country)
  return refuse(frozen ? payoutErrors.balance_frozen : payoutErrors.insufficient_balance)
}

/** After a crash: in its current state; undefined when nothing was made. */
export async function currentTransfer(
  { db }: Pick<TransferDeps, 'db'>,
  { merchant_id }: Caller,
  id: string,
): Promise<Reply | undefined> {
  const transfer = await findTransfer(db, { merchant_id, id })
  return transfer && created(viewTransfer(transfer))
}

type Frozen = Readonly<{ fee_percent_ppm: bigint; now: Date }>

function rowOf(caller: Caller, plan: TransferPlan, { fee_percent_ppm, now }: Frozen): Transfer {
  const [rate_id = null, cross_rate_id = null] = plan.rate_ids
  return {
    merchant_id: caller.merchant_id,
    id: newId(),
    environment: caller.environment,
    reference: newReference('TRF'),
    requested_by_member: caller.member_id,
    from_country: plan.from.iso_code,
    to_country: plan.to.iso_code,
    from_amount: plan.from_amount,
    to_amount: plan.to_amount,
    from_currency: plan.from.default_currency,
    to_currency: plan.to.default_currency,
    exchange_rate: plan.exchange_rate,
    rate_id,
    cross_rate_id,
    fee_amount: plan.fee_amount,
    fee_percent_ppm,
    status: 'PENDING',
    version: 1,
    approved_by_admin: null,
    approved_at: null,
    completed_at: null,
    rejection_reason: '',
    lapses_at: new Date(now.getTime() + day_ms),
    request_id: caller.request_id,
    api_key_id: caller.api_key_id,
    member_id: caller.member_id,
    ip_address: caller.ip,
    created_at: now,
    updated_at: now,
  }
}

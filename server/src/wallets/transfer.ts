// A transfer of a merchant's own value from one of its countries to another (contract 5.10). Rate
// and fee are frozen when it is requested; the fee is in the country it leaves, inside the amount.

import type { Place } from '../ledger/account.ts'
import type { Hold } from '../ledger/holds/hold.ts'
import type { Environment } from '../platform/http/route.ts'
import type { TransferStatus } from './states.ts'

export type TransferKey = Readonly<{ merchant_id: string; id: string }>

/** A row of `wallet_transfers`; amounts in hundredths, `exchange_rate` × 10⁸. */
export type Transfer = TransferKey &
  Readonly<{
    environment: Environment
    reference: string
    requested_by_member: string | null
    from_country: string
    to_country: string
    from_amount: bigint
    to_amount: bigint
    from_currency: string
    to_currency: string
    exchange_rate: bigint
    /** The rates it rests on: none within one currency, the second one of a cross only. */
    rate_id: string | null
    cross_rate_id: string | null
    fee_amount: bigint
    fee_percent_ppm: bigint
    status: TransferStatus
    /** 1 at birth, one more with each move of the status. */
    version: number
    /** Null while nobody has approved it, and where it was approved by its amount. */
    approved_by_admin: string | null
    approved_at: Date | null
    completed_at: Date | null
    rejection_reason: string
    lapses_at: Date
    request_id: string
    api_key_id: string | null
    member_id: string | null
    ip_address: string
    created_at: Date
    updated_at: Date
  }>

export const sourceOf = (transfer: Transfer): Place => ({
  merchant_id: transfer.merchant_id,
  environment: transfer.environment,
  country: transfer.from_country,
  currency: transfer.from_currency,
})

export const targetOf = (transfer: Transfer): Place => ({
  merchant_id: transfer.merchant_id,
  environment: transfer.environment,
  country: transfer.to_country,
  currency: transfer.to_currency,
})

/** The whole amount, under the transfer's own id. */
export const holdOf = (transfer: Transfer): Hold => ({
  ...sourceOf(transfer),
  id: transfer.id,
  amount: transfer.from_amount,
})

// A transfer of a merchant's own value from one of its countries to another (contract 5.10). Rate
// and fee are frozen when it is requested; the fee is in the country it leaves, inside the amount.

import type { Place } from '../ledger/account.ts'
import type { Hold } from '../ledger/holds/hold.ts'
import { bigint, int, orNull, type RowOf, text, timestamptz, uuid } from '../platform/columns.ts'
import { defineErrors } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import type { TransferStatus } from './states.ts'

export type TransferKey = Readonly<{ merchant_id: string; id: string }>

/** The columns of `wallet_transfers`, said once; amounts in hundredths, `exchange_rate` × 10⁸. */
export const transferRow = {
  merchant_id: uuid(),
  id: uuid(),
  environment: text<Environment>(),
  reference: text(),
  requested_by_member: orNull(uuid()),
  from_country: text(),
  to_country: text(),
  from_amount: bigint(),
  to_amount: bigint(),
  from_currency: text(),
  to_currency: text(),
  exchange_rate: bigint(),
  /** The rates it rests on: none within one currency, the second one of a cross only. */
  rate_id: orNull(uuid()),
  cross_rate_id: orNull(uuid()),
  fee_amount: bigint(),
  fee_percent_ppm: bigint(),
  status: text<TransferStatus>(),
  /** 1 at birth, one more with each move of the status. */
  version: int(),
  /** Null while nobody has approved it, and where it was approved by its amount. */
  approved_by_admin: orNull(uuid()),
  approved_at: orNull(timestamptz()),
  completed_at: orNull(timestamptz()),
  rejection_reason: text(),
  lapses_at: timestamptz(),
  request_id: text(),
  api_key_id: orNull(uuid()),
  member_id: orNull(uuid()),
  ip_address: text(),
  created_at: timestamptz(),
  updated_at: timestamptz(),
}

export type Transfer = RowOf<typeof transferRow>

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

// What transfers can refuse beside what payouts can (contract 1.3, 3.5, 5.10).

export const walletErrors = defineErrors({
  transaction_terminal: {
    status: 409,
    message: {
      en:
        'This transfer is no longer pending: it was approved or rejected, or its 24 hours are ' +
        'over.',
      fr: 'Ce transfert n’est plus en attente : approuvé, refusé, ou ses 24 heures sont passées.',
    },
  },
  merchant_suspended: {
    status: 403,
    message: {
      en:
        'This merchant is suspended and their transfers wait. Restore the merchant first, or ' +
        'reject the transfer.',
      fr:
        'Ce marchand est suspendu : ses transferts attendent. Rétablissez d’abord le marchand, ' +
        'ou refusez le transfert.',
    },
  },
})

// A correction of a merchant's books that no payment explains: one member of staff requests it,
// another confirms it, and only then is it booked (docs/decisions/0017).

import type { Place } from '../ledger/account.ts'
import {
  collectDebt,
  type Line,
  lossCharged,
  lossCredited,
  writeOffDebt,
} from '../ledger/postings.ts'
import { bigint, orNull, type RowOf, text, timestamptz, uuid } from '../platform/columns.ts'
import type { Environment } from '../platform/http/route.ts'
import type { AdjustmentStatus } from './states.ts'

export const adjustmentKinds = [
  'CREDIT_MERCHANT',
  'CHARGE_MERCHANT',
  'COLLECT_DEBT',
  'WRITE_OFF_DEBT',
] as const
export type AdjustmentKind = (typeof adjustmentKinds)[number]

/** The columns of `adjustments`, said once; the amount in hundredths. */
export const adjustmentRow = {
  merchant_id: uuid(),
  id: uuid(),
  environment: text<Environment>(),
  reference: text(),
  country: text(),
  currency: text(),
  kind: text<AdjustmentKind>(),
  amount: bigint(),
  reason: text(),
  status: text<AdjustmentStatus>(),
  asked_by: uuid(),
  /** The Idempotency-Key of the request; null when there was none. */
  ask_key: orNull(text<string>()),
  decided_by: orNull(uuid()),
  decided_at: orNull(timestamptz()),
  refusal_reason: text(),
  request_id: text(),
  ip_address: text(),
  created_at: timestamptz(),
  updated_at: timestamptz(),
}

export type Adjustment = RowOf<typeof adjustmentRow>

const postings: Readonly<Record<AdjustmentKind, (place: Place, amount: bigint) => Line[]>> = {
  CREDIT_MERCHANT: lossCredited,
  CHARGE_MERCHANT: lossCharged,
  COLLECT_DEBT: collectDebt,
  WRITE_OFF_DEBT: writeOffDebt,
}

export const balancePlace = ({
  merchant_id,
  environment,
  country,
  currency,
}: Adjustment): Place => ({
  merchant_id,
  environment,
  country,
  currency,
})

export const linesOf = (adjustment: Adjustment): Line[] =>
  postings[adjustment.kind](balancePlace(adjustment), adjustment.amount)

/** It lowers what the merchant owes, so it can be no more than that. */
export const lowersDebt = ({ kind }: Pick<Adjustment, 'kind'>): boolean =>
  kind === 'COLLECT_DEBT' || kind === 'WRITE_OFF_DEBT'

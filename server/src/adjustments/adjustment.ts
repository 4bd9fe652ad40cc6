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
import type { Environment } from '../platform/http/route.ts'
import type { AdjustmentStatus } from './states.ts'

export const adjustmentKinds = [
  'CREDIT_MERCHANT',
  'CHARGE_MERCHANT',
  'COLLECT_DEBT',
  'WRITE_OFF_DEBT',
] as const
export type AdjustmentKind = (typeof adjustmentKinds)[number]

/** A row of `adjustments`; the amount in hundredths. */
export type Adjustment = Place &
  Readonly<{
    id: string
    environment: Environment
    reference: string
    kind: AdjustmentKind
    amount: bigint
    reason: string
    status: AdjustmentStatus
    asked_by: string
    /** The Idempotency-Key of the request; null when there was none. */
    ask_key: string | null
    decided_by: string | null
    decided_at: Date | null
    refusal_reason: string
    request_id: string
    ip_address: string
    created_at: Date
    updated_at: Date
  }>

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

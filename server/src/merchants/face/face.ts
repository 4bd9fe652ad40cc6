// What a payer may know of a merchant: no more than stands on a shop's sign.

import type { FeeChargeMode } from '../../money/fee-charge-mode.ts'

export type Face = Readonly<{
  id: string
  name: string
  brand_name: string
  brand_colour: string
  brand_logo_key: string
  fee_charge_mode_locked: FeeChargeMode | null
  allowed_countries: readonly string[] | null
  is_suspended: boolean
  catalogue_version: bigint
}>

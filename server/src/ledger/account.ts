// The chart of accounts (money 3). An account's id is derived from its content, so every process
// knows it without a query, and the first entry that needs an account inserts it.

import { createHash } from 'node:crypto'
import { assert } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { idFromName } from '../platform/ids.ts'

export type AccountKind =
  | 'available'
  | 'pending'
  | 'frozen'
  | 'merchant_debt'
  | 'gateway'
  | 'bank'
  | 'gateway_fees'
  | 'gateway_costs'
  | 'platform_fees'
  | 'fx'
  | 'suspense'
  | 'losses'
  | 'sandbox_funding'

/** The side on which an account grows. */
export const normalSide: Readonly<Record<AccountKind, 'DEBIT' | 'CREDIT'>> = {
  available: 'CREDIT',
  pending: 'CREDIT',
  frozen: 'CREDIT',
  merchant_debt: 'DEBIT',
  gateway: 'DEBIT',
  bank: 'DEBIT',
  gateway_fees: 'CREDIT',
  gateway_costs: 'DEBIT',
  platform_fees: 'CREDIT',
  fx: 'CREDIT',
  suspense: 'CREDIT',
  losses: 'DEBIT',
  sandbox_funding: 'DEBIT',
}

/** Whose books a posting is in: one merchant, one environment, one country, one currency. */
export type Place = Readonly<{
  merchant_id: string
  environment: Environment
  country: string
  currency: string
}>

export type Account = Place &
  Readonly<{
    kind: AccountKind
    /** Only for `gateway`: which gateway has the float. */
    gateway_id: string
    /** `COLLECT` or `DISBURSE` for `gateway`, the incident's id for `suspense`, else empty. */
    purpose: string
  }>

export const nilId = '00000000-0000-0000-0000-000000000000'

/** The reserved merchant of each environment: bank, float and what belongs to no merchant. */
export const platformMerchant: Readonly<Record<Environment, string>> = {
  SANDBOX: '00000000-0000-7000-8000-000000000001',
  LIVE: '00000000-0000-7000-8000-000000000002',
}

export const account = (place: Place, kind: AccountKind, purpose = ''): Account =>
  accountAt(place, { kind, gateway_id: nilId, purpose })

export const gatewayAccount = (
  place: Place,
  gateway_id: string,
  purpose: 'COLLECT' | 'DISBURSE',
): Account => accountAt(place, { kind: 'gateway', gateway_id, purpose })

/** Name by name: a spread with further names costs as much as a statement's part (0154). */
const accountAt = (
  { merchant_id, environment, country, currency }: Place,
  { kind, gateway_id, purpose }: Omit<Account, keyof Place>,
): Account => ({ merchant_id, environment, country, currency, kind, gateway_id, purpose })

export function accountId(account: Account): string {
  const { merchant_id, environment, country, currency, kind, gateway_id, purpose } = account
  return idOf([merchant_id, environment, country, currency, kind, gateway_id, purpose].join('|'))
}

/** The balance row of a merchant in a country: its id is derived from its content too. */
export function balanceId(place: Place): string {
  return idOf(['balance', place.merchant_id, place.environment, place.country].join('|'))
}

const ids_max = 20_000
const ids = new Map<string, string>()

/** An id never changes, and each payment needs the same dozen: the last ones are remembered. */
function idOf(name: string): string {
  const known = ids.get(name)
  if (known !== undefined) return known
  const id = idFromName(createHash('sha256').update(name).digest())
  if (ids.size >= ids_max) ids.clear()
  ids.set(name, id)
  return id
}

type Sided = Readonly<{ debit: Pick<Account, 'kind'>; credit: Pick<Account, 'kind'> }>

/** A debt is booked for these causes alone: its sum reads no others (`read-balance.ts`). */
export const debtCauses = ['RESOLUTION', 'ADJUSTMENT'] as const

/** A debt for another cause would be overlooked: it is a bug, and fails its statement. */
export function assertDebtCause(cause_kind: string, { debit, credit }: Sided): void {
  if (debit.kind !== 'merchant_debt' && credit.kind !== 'merchant_debt') return
  assert(
    debtCauses.some((cause) => cause === cause_kind),
    `a debt is not booked for ${cause_kind}`,
  )
}

// What a call that moves money would cost, and what would be said of it, before it is made. Made by
// what plans the call itself, so that both say the same. No money is touched, and no operator is
// asked anything but whose a number is, where it may be (`recipient.ts`).

import type { Catalogue, Network } from '../catalogue/catalogue.ts'
import { isOfOldPlan, isPortable, readPhone } from '../customers/phone.ts'
import { networkOfPhone, otherNetworkOf } from '../customers/predict-network.ts'
import { refusePhone } from '../customers/refuse-phone.ts'
import { balanceId } from '../ledger/account.ts'
import { findBalance } from '../ledger/store.ts'
import type { FeeChargeMode } from '../money/fee-charge-mode.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { paymentErrors } from '../planning/errors.ts'
import type { Db } from '../platform/db.ts'
import type { ErrorRow } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import type { Rule } from '../pricing/rules.ts'
import { highestBound, lowestBound } from '../pricing/tier.ts'
import type { StoredRate } from '../rates/store.ts'
import type { QuotedRecipient } from './recipient.ts'

export const quoteKinds = ['PAYIN', 'PAYOUT', 'TOP_UP', 'SETTLEMENT', 'TRANSFER'] as const
export type QuoteKind = (typeof quoteKinds)[number]

/** Amounts in hundredths of `currency`; null: there is no such bound. */
export type QuoteLimits = Readonly<{
  min_amount: bigint | null
  max_amount: bigint | null
  /** The strictest of the merchant's and the key's. */
  per_payout: bigint | null
  left_today: bigint | null
}>

export const noLimits: QuoteLimits = {
  min_amount: null,
  max_amount: null,
  per_payout: null,
  left_today: null,
}

export type QuotedNumber = Readonly<{
  e164: string
  was_old_plan: boolean
  network_guess: string | null
  is_sure: boolean
  /** What the call would warn of: the network that the number seems to be of, not the chosen. */
  other_network: string | null
}>

export type Quote = Readonly<{
  /** A network's code; null where the money goes through none. */
  network: string | null
  fee_charge_mode: FeeChargeMode
  requested: bigint
  fee: bigint
  /** What leaves the one side. */
  charged: bigint
  /** What reaches the other, in hundredths of `net_currency`. */
  net: bigint
  currency: string
  net_currency: string
  original: Readonly<{ amount: bigint; currency: string }> | null
  /** Null where nothing is converted. `at`: since when its oldest part has counted. */
  rate: Readonly<{ rate_e8: bigint; at: Date }> | null
  limits: QuoteLimits
  needs_approval: boolean
  /** Null where nothing leaves a balance. */
  insufficient: boolean | null
  /** What the call would be refused with as things stand. */
  refusals: readonly ErrorRow[]
  number: QuotedNumber | null
  /** Whom the number belongs to, as its operator says; null: nobody was asked, or none said. */
  recipient: QuotedRecipient | null
}>

/** The bounds of the amounts that a price has. */
export const boundsOf = (rule: Rule | undefined): QuoteLimits => ({
  ...noLimits,
  min_amount: lowestBound(rule?.tiers ?? []) ?? null,
  max_amount: highestBound(rule?.tiers ?? []) ?? null,
})

/** Refuses what is no number in the country of the chosen network. */
export function readNumber(catalogue: Catalogue, typed: string, chosen: Network): QuotedNumber {
  const country = chosen.country_code
  const phone = readPhone(typed, country)
  if (phone.is === 'impossible') {
    throw refusePhone(paymentErrors.invalid_customer, { field: 'msisdn', country })
  }
  const network = networkOfPhone(catalogue, phone.e164)
  return {
    e164: phone.e164,
    was_old_plan: isOfOldPlan(typed, country),
    network_guess: network?.code ?? null,
    is_sure: network !== undefined && !isPortable(network.country_code),
    other_network: otherNetworkOf(catalogue, chosen, phone.e164)?.code ?? null,
  }
}

/** The rate with the age of its oldest part; null where nothing was converted. */
export function rateOf(
  rate_e8: bigint,
  rows: readonly Pick<StoredRate, 'effective_at'>[],
): Quote['rate'] {
  const [oldest] = rows.map(({ effective_at }) => effective_at).sort((a, b) => +a - +b)
  return oldest === undefined ? null : { rate_e8, at: oldest }
}

type Outflow = Readonly<{ country: string; amount: bigint }>

/** Whether a balance has an amount (hundredths) to give, and what it would refuse it with. */
export async function judgeBalance(
  db: Db,
  { merchant_id, environment }: Pick<Caller, 'merchant_id' | 'environment'>,
  { country, amount }: Outflow,
): Promise<Readonly<{ insufficient: boolean; refusals: readonly ErrorRow[] }>> {
  const id = balanceId({ merchant_id, environment, country, currency: '' })
  const balance = await findBalance(db, { merchant_id, id })
  const insufficient = (balance?.available ?? 0n) < amount
  const refusals = [
    ...(balance?.is_frozen === true ? [payoutErrors.balance_frozen] : []),
    ...(insufficient ? [payoutErrors.insufficient_balance] : []),
  ]
  return { insufficient, refusals }
}

// What a merchant pays on each network, in both directions and for its own top-ups (contract 6.4,
// 8.13). Pure: made from the catalogue and the rules in memory, so it costs no query (peers take
// seconds).

import { type Static, Type } from 'typebox'
import { type Catalogue, instructionIn, type Network } from '../catalogue/catalogue.ts'
import { feeChargeModes } from '../money/fee-charge-mode.ts'
import { formatAmount } from '../money/format.ts'
import { formatPercent } from '../money/percent.ts'
import type { Locale } from '../platform/errors.ts'
import { type Rule, type Rules, topUpRule } from './rules.ts'
import type { Tier } from './tier.ts'

const amount = Type.String({ description: 'Decimal with two decimal places, in `currency`.' })
const bound = Type.Union([amount, Type.Null()])

export const TierView = Type.Object(
  {
    min_amount: amount,
    max_amount: amount,
    percent: Type.String({ description: 'Percentage of the amount, such as `3.25`.' }),
    fixed: amount,
    floor_amount: bound,
    cap_amount: bound,
    fee_charge_mode: Type.Enum([...feeChargeModes]),
  },
  { title: 'PricingTier' },
)

const DirectionView = Type.Object(
  {
    available: Type.Boolean({
      description: 'Whether it works now, in a country that your settings allow.',
    }),
    is_custom: Type.Boolean({ description: 'True when these prices are your own.' }),
    otp_required: Type.Boolean(),
    otp_instructions: Type.String(),
    tiers: Type.Array(TierView),
  },
  { title: 'DirectionRates' },
)

export const NetworkRates = Type.Object(
  {
    country_code: Type.String(),
    country_name: Type.String(),
    currency: Type.String(),
    network_code: Type.String(),
    network_name: Type.String(),
    payin: DirectionView,
    payout: DirectionView,
    top_up: DirectionView,
  },
  { title: 'NetworkRates' },
)

/** Whether its payer needs a code, and how they get it. */
export type CodeOf = (
  network: Network,
) => Readonly<{ otp_required: boolean; otp_instructions: string }>

/** As its network usually has it, whatever its routes say. */
const usualCode: CodeOf = ({ otp_kind, otp_instructions }) => ({
  otp_required: otp_kind !== 'NONE',
  otp_instructions,
})

/** The same, with the instructions in that language. */
export const codeIn =
  (locale: Locale, codeOf: CodeOf = usualCode): CodeOf =>
  (network) => {
    const { otp_required, otp_instructions } = codeOf(network)
    return { otp_required, otp_instructions: instructionIn(locale, otp_instructions) }
  }

type Asking = Readonly<{
  codeOf?: CodeOf
  /** Where the merchant works; null: everywhere. */
  allowed_countries?: readonly string[] | null
}>

/** One row a network, by country and code; both bounds of a tier are inclusive. */
export function myRates(
  catalogue: Catalogue,
  rules: Rules,
  { codeOf = usualCode, allowed_countries = null }: Asking = {},
): Static<typeof NetworkRates>[] {
  const isOpen = ({ country_code }: Network) => allowed_countries?.includes(country_code) ?? true
  const shut = (of: Static<typeof DirectionView>) => ({ ...of, available: false })
  return catalogue.networks.map((network) => {
    const rates = ratesOf(catalogue, rules, codeOf, network)
    if (isOpen(network)) return rates
    const { payin, payout, top_up } = rates
    return { ...rates, payin: shut(payin), payout: shut(payout), top_up: shut(top_up) }
  })
}

const ratesOf = (
  catalogue: Catalogue,
  rules: Rules,
  codeOf: CodeOf,
  network: Network,
): Static<typeof NetworkRates> => ({
  country_code: network.country_code,
  country_name: catalogue.countryByCode(network.country_code)?.name ?? network.country_code,
  currency: network.currency,
  network_code: network.code,
  network_name: network.name,
  payin: payinOf(network, rules.of(network.id, 'COLLECT'), codeOf),
  payout: payoutOf(network, rules.of(network.id, 'DISBURSE')),
  top_up: {
    ...payinOf(network, topUpRule(rules, network.id), codeOf),
    is_custom: rules.of(network.id, 'TOP_UP')?.is_custom ?? false,
  },
})

function payinOf(
  network: Network,
  rule: Rule | undefined,
  codeOf: CodeOf,
): Static<typeof DirectionView> {
  return {
    available: network.is_active && network.takes_payins && rule !== undefined,
    is_custom: rule?.is_custom ?? false,
    ...codeOf(network),
    tiers: (rule?.tiers ?? []).map(viewTier),
  }
}

/** The receiver confirms nothing: a payout requires no code. */
function payoutOf(network: Network, rule: Rule | undefined): Static<typeof DirectionView> {
  return {
    available: network.is_active && network.takes_payouts && rule !== undefined,
    is_custom: rule?.is_custom ?? false,
    otp_required: false,
    otp_instructions: '',
    tiers: (rule?.tiers ?? []).map(viewTier),
  }
}

export function viewTier(tier: Tier): Static<typeof TierView> {
  const boundOf = (sum: bigint | null) => (sum === null ? null : formatAmount(sum))
  return {
    min_amount: formatAmount(tier.min_amount),
    max_amount: formatAmount(tier.max_amount),
    percent: formatPercent(tier.percent_ppm),
    fixed: formatAmount(tier.fixed),
    floor_amount: boundOf(tier.floor_amount),
    cap_amount: boundOf(tier.cap_amount),
    fee_charge_mode: tier.fee_charge_mode,
  }
}

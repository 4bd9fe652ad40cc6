// The tiers of a rule as staff send them (contract 2.4): every wrong figure by its own field, such
// as `tiers.0.min_amount`. A rule is taken whole or not at all.

import { Type } from 'typebox'
import type { Currency } from '../../money/currency.ts'
import { type FeeChargeMode, feeChargeModes } from '../../money/fee-charge-mode.ts'
import { amountFaultText } from '../../money/parse-amount.ts'
import { parsePercent } from '../../money/percent.ts'
import type { FieldErrors, Text } from '../../platform/errors.ts'
import { overlaps, type Tier } from '../tier.ts'
import { aboveCapText, PercentInput, PriceInput, percentText, readPrice } from './read-price.ts'

const TierInput = Type.Object(
  {
    min_amount: PriceInput,
    max_amount: PriceInput,
    percent: PercentInput,
    fixed: Type.Optional(PriceInput),
    floor_amount: Type.Optional(PriceInput),
    cap_amount: Type.Optional(PriceInput),
    fee_charge_mode: Type.Enum([...feeChargeModes]),
  },
  { title: 'PricingTierInput' },
)

export const TiersInput = Type.Array(TierInput, {
  minItems: 1,
  maxItems: 50,
  description: 'Bounds are inclusive; no amount may fall in two tiers.',
})

export const FeeReturnedInput = Type.Optional(
  Type.Boolean({ description: 'Left out, it is as it was; false for a new rule.' }),
)

export type TiersReading =
  | Readonly<{ is: 'tiers'; tiers: readonly Tier[] }>
  | Readonly<{ is: 'invalid'; fields: FieldErrors }>

const orderText: Text = {
  en: 'Must not be above max_amount.',
  fr: 'Ne peut pas dépasser max_amount.',
}
const overlapText: Text = {
  en: 'Overlaps another tier: an amount has one price.',
  fr: 'Chevauche une autre tranche : un montant n’a qu’un prix.',
}

/**
 * Without a currency only what holds in every one is checked; with one, that each sum can be paid
 * in it too. The tiers come back by their bounds.
 */
export function readTiers(
  sent: readonly Readonly<Record<string, unknown>>[],
  currency?: Currency,
): TiersReading {
  const wrong: Record<string, readonly Text[]> = {}
  const tiers: IndexedTier[] = []
  for (const [at, fields] of sent.entries()) {
    const reading = readTier(fields, currency)
    for (const [name, text] of Object.entries(reading.wrong)) wrong[`tiers.${at}.${name}`] = [text]
    if (reading.tier !== undefined) tiers.push({ at, ...reading.tier })
  }
  tiers.sort((a, b) => (a.min_amount < b.min_amount ? -1 : 1))
  for (const { at } of overlapping(tiers)) wrong[`tiers.${at}.min_amount`] = [overlapText]
  if (Object.keys(wrong).length > 0) return { is: 'invalid', fields: wrong }
  return { is: 'tiers', tiers: tiers.map(({ at: _at, ...tier }) => tier) }
}

/** With its place in the list that was sent. */
type IndexedTier = Tier & Readonly<{ at: number }>

/** Those that begin where an earlier one has not ended. */
const overlapping = (sorted: readonly IndexedTier[]): IndexedTier[] =>
  sorted.filter((tier, index) =>
    sorted.slice(0, index).some((earlier) => overlaps([earlier, tier])),
  )

type TierReading = Readonly<{ wrong: Readonly<Record<string, Text>>; tier: Tier | undefined }>

function readTier(fields: Readonly<Record<string, unknown>>, currency?: Currency): TierReading {
  const wrong: Record<string, Text> = {}
  const price = (name: string): bigint => {
    const reading = readPrice(fields[name], currency)
    if (reading.is === 'price') return reading.hundredths
    wrong[name] = reading.text
    return 0n
  }
  const optional = (name: string) => (fields[name] === undefined ? null : price(name))
  const min_amount = price('min_amount')
  const max_amount = price('max_amount')
  const fixed = optional('fixed') ?? 0n
  const floor_amount = optional('floor_amount')
  const cap_amount = optional('cap_amount')
  const percent_ppm = parsePercent(String(fields['percent']))
  const fee_charge_mode = modeOf(fields['fee_charge_mode'])
  if (percent_ppm === undefined) wrong['percent'] = percentText
  if (min_amount === 0n) wrong['min_amount'] ??= amountFaultText.zero
  else if (min_amount > max_amount) wrong['min_amount'] ??= orderText
  if (floor_amount !== null && cap_amount !== null && floor_amount > cap_amount) {
    wrong['floor_amount'] ??= aboveCapText
  }
  const sound = Object.keys(wrong).length === 0
  if (!sound || percent_ppm === undefined || fee_charge_mode === undefined) {
    return { wrong, tier: undefined }
  }
  const bounds = { min_amount, max_amount, floor_amount, cap_amount }
  return { wrong, tier: { ...bounds, percent_ppm, fixed, fee_charge_mode } }
}

/** The schema reports any other value. */
const modeOf = (word: unknown): FeeChargeMode | undefined =>
  feeChargeModes.find((mode) => mode === word)

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** For a route's `check`: what is wrong with the tiers in any currency. */
export function checkTiers(body: Readonly<Record<string, unknown>>): FieldErrors {
  const { tiers } = body
  if (!Array.isArray(tiers) || !tiers.every(isFields)) return {}
  const reading = readTiers(tiers)
  return reading.is === 'invalid' ? reading.fields : {}
}

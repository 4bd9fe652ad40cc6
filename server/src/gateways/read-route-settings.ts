// A route's settings as staff send them, read in its network's currency: every wrong figure by its
// own field, such as `cost.fixed`.

import { Type } from 'typebox'
import { amountFaultText } from '../money/parse-amount.ts'
import { parsePercent } from '../money/percent.ts'
import { Invalid, type Text } from '../platform/errors.ts'
import {
  aboveCapText,
  PercentInput,
  PriceInput,
  percentText,
  readPrice,
} from '../pricing/admin/read-price.ts'
import type { ConfirmationSettings, RouteSettings } from './store.ts'

const CostInput = Type.Object(
  {
    percent: PercentInput,
    fixed: Type.Optional(PriceInput),
    floor: Type.Optional(PriceInput),
    cap: Type.Optional(PriceInput),
  },
  { title: 'RouteCostInput', description: 'Replaced as a whole: what is omitted is unset.' },
)

export const priorityInput = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description: 'The lowest is tried first; ties go to the cheapest.',
})

/** Body properties, to spread into a route's schema. */
export const settingsInput = {
  is_active: Type.Optional(Type.Boolean()),
  breaker: Type.Optional(Type.Boolean()),
  amount_step: Type.Optional(PriceInput),
  cost: Type.Optional(CostInput),
  flow: Type.Optional(
    Type.Union([Type.Enum(['push', 'redirect']), Type.Null()], {
      description: 'How the payer confirms there; null: as on its network.',
    }),
  ),
  otp_kind: Type.Optional(
    Type.Union([Type.Enum(['NONE', 'PRE', 'POST']), Type.Null()], {
      description:
        'A code that the payer makes first (`PRE`) or is sent (`POST`); null: as on its network.',
    }),
  ),
  prompt_lifetime_s: Type.Optional(
    Type.Union([Type.Integer({ minimum: 60, maximum: 86_400 }), Type.Null()], {
      description:
        'Seconds that a payer is waited for before the operator is asked to end it; null: as ' +
        'long as it usually waits.',
    }),
  ),
}

export type CostInputs = Readonly<{
  percent: string
  fixed?: string
  floor?: string
  cap?: string
}>

export type SettingsInput = Readonly<{
  priority?: number
  is_active?: boolean
  breaker?: boolean
  amount_step?: string
  cost?: CostInputs
}> &
  Partial<ConfirmationSettings>

type Wrong = Record<string, readonly Text[]>

/** `was` with what was sent. Throws a 400 by field. */
export function readSettings(
  was: RouteSettings,
  { amount_step, cost, ...sent }: SettingsInput,
  currency: string,
): RouteSettings {
  const wrong: Wrong = {}
  const step = amount_step === undefined ? was.amount_step : stepIn(amount_step, currency, wrong)
  const costs = cost === undefined ? costOf(was) : costIn(cost, currency, wrong)
  if (Object.keys(wrong).length > 0) throw new Invalid(wrong)
  return {
    priority: sent.priority ?? was.priority,
    is_active: sent.is_active ?? was.is_active,
    breaker: sent.breaker ?? was.breaker,
    amount_step: step,
    ...costs,
    ...confirmationIn(was, sent),
  }
}

/** What was sent, null too; the rest as it was. */
const confirmationIn = (
  was: ConfirmationSettings,
  sent: Partial<ConfirmationSettings>,
): ConfirmationSettings => ({
  flow: sent.flow === undefined ? was.flow : sent.flow,
  otp_kind: sent.otp_kind === undefined ? was.otp_kind : sent.otp_kind,
  prompt_lifetime_s:
    sent.prompt_lifetime_s === undefined ? was.prompt_lifetime_s : sent.prompt_lifetime_s,
})

/** A step of no whole unit would raise a fee to half a franc. */
function stepIn(text: string, currency: string, wrong: Wrong): bigint {
  const reading = readPrice(text, currency)
  if (reading.is === 'price' && reading.hundredths > 0n) return reading.hundredths
  wrong['amount_step'] = [reading.is === 'price' ? amountFaultText.zero : reading.text]
  return 1n
}

type Costs = Pick<RouteSettings, 'cost_percent_ppm' | 'cost_fixed' | 'cost_floor' | 'cost_cap'>

const costOf = ({ cost_percent_ppm, cost_fixed, cost_floor, cost_cap }: Costs): Costs => ({
  cost_percent_ppm,
  cost_fixed,
  cost_floor,
  cost_cap,
})

function costIn(cost: CostInputs, currency: string, wrong: Wrong): Costs {
  const price = (name: 'fixed' | 'floor' | 'cap'): bigint | null => {
    const text = cost[name]
    if (text === undefined) return null
    const reading = readPrice(text, currency)
    if (reading.is === 'price') return reading.hundredths
    wrong[`cost.${name}`] = [reading.text]
    return null
  }
  const cost_percent_ppm = parsePercent(cost.percent)
  if (cost_percent_ppm === undefined) wrong['cost.percent'] = [percentText]
  const cost_fixed = price('fixed') ?? 0n
  const cost_floor = price('floor')
  const cost_cap = price('cap')
  if (cost_floor !== null && cost_cap !== null && cost_floor > cost_cap) {
    wrong['cost.floor'] = [aboveCapText]
  }
  return { cost_percent_ppm: cost_percent_ppm ?? 0n, cost_fixed, cost_floor, cost_cap }
}

type LimitInputs = Readonly<Record<string, string | null | undefined>>

/** Limits as they were sent, in hundredths; those that were not are left out. Throws a 400. */
export function readLimits(inputs: LimitInputs): Readonly<Record<string, bigint | null>> {
  const wrong: Record<string, readonly Text[]> = {}
  const limits: Record<string, bigint | null> = {}
  for (const [name, text] of Object.entries(inputs)) {
    if (text === undefined) continue
    // An account may serve countries of several currencies: the form alone is checked.
    const reading = text === null ? undefined : readPrice(text, undefined)
    if (reading === undefined) limits[name] = null
    else if (reading.is !== 'price') wrong[name] = [reading.text]
    else if (reading.hundredths <= 0n) wrong[name] = [amountFaultText.zero]
    else limits[name] = reading.hundredths
  }
  if (Object.keys(wrong).length > 0) throw new Invalid(wrong)
  return limits
}

// What a new installation starts with, made from the seed files: pure, no database. Codes, prices
// and rates are data for operators to edit; this file only turns their lines into rows.

import type { MarkName } from '../catalogue/catalogue.ts'
import type { NewCountry, NewMarks, NewNetwork } from '../catalogue/extend-catalogue.ts'
import type { GatewayRow, NewRoute } from '../gateways/gateways.ts'
import { isCurrency, smallestUnit } from '../money/currency.ts'
import { parseHundredths } from '../money/parse-amount.ts'
import { parsePercent } from '../money/percent.ts'
import { newId } from '../platform/ids.ts'
import type { NewRule } from '../pricing/admin/set-rule.ts'
import type { NewRate } from '../rates/add-rate.ts'
import { parseRate } from '../rates/convert.ts'
import { type CsvRow, readCsv } from './read-csv.ts'

export type CataloguePlan = Readonly<{
  countries: readonly NewCountry[]
  networks: readonly NewNetwork[]
  rules: readonly NewRule[]
  routes: readonly NewRoute[]
}>

/** The operator of the sandbox has two desks, so that the second route can be tried. */
export const sandboxGateways = (): GatewayRow[] =>
  [
    { code: 'simulator_a', name: 'Sandbox operator A' },
    { code: 'simulator_b', name: 'Sandbox operator B' },
  ].map((desk) => ({
    ...desk,
    id: newId(),
    adapter: 'simulator',
    environment: 'SANDBOX',
    is_active: true,
  }))

/** In the order of priority; parts per million of the amount. */
const costs = {
  COLLECT: [
    ['simulator_a', 15_000n],
    ['simulator_b', 16_000n],
  ],
  DISBURSE: [
    ['simulator_a', 10_000n],
    ['simulator_b', 11_000n],
  ],
} as const

type Direction = keyof typeof costs

/** Countries, networks, prices and sandbox routes of `networks.csv`; a bad line is named. */
export function planCatalogue(csv: string): CataloguePlan {
  const rows = readCsv(csv)
  const networks = rows.map(networkOf)
  const countries = new Map(rows.map((row) => [row.text('country_code'), countryOf(row)]))
  return {
    countries: [...countries.values()],
    networks,
    rules: rows.flatMap(rulesOf),
    routes: networks.flatMap((network) => [
      ...routesOf(network, 'COLLECT'),
      ...(network.takes_payouts ? routesOf(network, 'DISBURSE') : []),
    ]),
  }
}

const isMark = (name: string): name is MarkName =>
  name === 'colour' || name === 'rank' || name === 'prefixes' || name === 'ussd'

const unmarked = { colour: '', rank: null, prefixes: [], ussd: '' }

/** The marks of `network-marks.csv`, one line a mark with its source, as one row a network. */
export function planMarks(csv: string): NewMarks[] {
  const marked = new Map<string, NewMarks>()
  for (const row of readCsv(csv)) {
    const [network_code, mark] = [row.text('network_code'), row.text('mark')]
    if (!isMark(mark)) throw mistake(row, 'mark')
    const was = marked.get(network_code) ?? { network_code, ...unmarked, mark_sources: {} }
    const from = { source: row.text('source'), date: row.text('date') }
    const mark_sources = { ...was.mark_sources, [mark]: from }
    marked.set(network_code, { ...was, ...markIn(row, mark), mark_sources })
  }
  return [...marked.values()]
}

function markIn(row: CsvRow, mark: MarkName): Partial<NewMarks> {
  const text = row.text('value')
  if (mark === 'prefixes') return { prefixes: text.split(' ') }
  if (mark !== 'rank') return { [mark]: text }
  if (!/^[1-9]\d?$/.test(text)) throw mistake(row, 'value')
  return { rank: Number(text) }
}

/** Every rate of `exchange-rates.csv`, effective from a fixed day: a second seed adds nothing. */
export function planRates(csv: string): NewRate[] {
  const effective_at = new Date('2026-01-01T00:00:00Z')
  return readCsv(csv).map((row) => {
    const rate = row.text('rate')
    if (parseRate(rate) === undefined) throw mistake(row, 'rate')
    const [from_currency, to_currency] = [
      currencyOf(row, 'from_currency'),
      currencyOf(row, 'to_currency'),
    ]
    return {
      id: newId(),
      from_currency,
      to_currency,
      rate,
      source: row.text('source'),
      effective_at,
    }
  })
}

const countryOf = (row: CsvRow): NewCountry => ({
  id: newId(),
  iso_code: row.text('country_code'),
  name: row.text('country_name'),
  default_currency: currencyOf(row, 'currency'),
})

function networkOf(row: CsvRow): NewNetwork {
  return {
    id: newId(),
    country_code: row.text('country_code'),
    code: row.text('network_code'),
    name: row.text('network_name'),
    currency: currencyOf(row, 'currency'),
    flow: wordOf(row, 'flow', { push: 'push', redirect: 'redirect' }),
    otp_kind: wordOf(row, 'otp', { '': 'NONE', pre: 'PRE', post: 'POST' }),
    otp_instructions: row.text('otp_instructions'),
    takes_payins: true,
    takes_payouts: takesPayouts(row),
    is_active: wordOf(row, 'is_active', { true: true, false: false }),
  }
}

const takesPayouts = (row: CsvRow): boolean => wordOf(row, 'payout', { yes: true, no: false })

/** The least payout is one unit; the most is what a payin may be. */
function rulesOf(row: CsvRow): NewRule[] {
  const network_code = row.text('network_code')
  const max_amount = amountOf(row, 'payin_max')
  const none = { floor_amount: null, cap_amount: null }
  const payin = {
    ...none,
    id: newId(),
    min_amount: amountOf(row, 'payin_min'),
    max_amount,
    percent_ppm: percentOf(row, 'payin_percent'),
    fixed: amountOf(row, 'payin_fixed'),
    fee_charge_mode: 'ADD_ON' as const,
  }
  const collect: NewRule = { id: newId(), network_code, direction: 'COLLECT', tiers: [payin] }
  if (!takesPayouts(row)) return [collect]
  const payout = {
    ...none,
    id: newId(),
    min_amount: 100n,
    max_amount,
    percent_ppm: percentOf(row, 'payout_percent'),
    fixed: amountOf(row, 'payout_fixed'),
    floor_amount: row.text('payout_floor') === '' ? null : amountOf(row, 'payout_floor'),
    fee_charge_mode: 'DEDUCTED' as const,
  }
  return [collect, { id: newId(), network_code, direction: 'DISBURSE', tiers: [payout] }]
}

const routesOf = (network: NewNetwork, direction: Direction): NewRoute[] =>
  costs[direction].map(([gateway_code, cost_percent_ppm], at) => ({
    id: newId(),
    network_code: network.code,
    direction,
    gateway_code,
    environment: 'SANDBOX',
    priority: at + 1,
    is_active: true,
    // Magic numbers make routes fail on purpose: they must not take a route from the next test.
    breaker: false,
    amount_step: smallestUnit(network.currency),
    cost_percent_ppm,
    cost_fixed: 0n,
    cost_floor: null,
    cost_cap: null,
  }))

const mistake = (row: CsvRow, column: string): Error =>
  new Error(`line ${row.line}: ${column} cannot be “${row.text(column)}”`)

function wordOf<T>(row: CsvRow, column: string, words: Readonly<Record<string, T>>): T {
  const word = Object.entries(words).find(([name]) => name === row.text(column))
  if (word === undefined) throw mistake(row, column)
  return word[1]
}

function currencyOf(row: CsvRow, column: string): string {
  const code = row.text(column)
  if (!isCurrency(code)) throw mistake(row, column)
  return code
}

function amountOf(row: CsvRow, column: string): bigint {
  const hundredths = parseHundredths(row.text(column))
  if (hundredths === undefined) throw mistake(row, column)
  return hundredths
}

function percentOf(row: CsvRow, column: string): bigint {
  const ppm = parsePercent(row.text(column))
  if (ppm === undefined) throw mistake(row, column)
  return ppm
}

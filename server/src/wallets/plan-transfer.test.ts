// Without these, a franc could be made or lost on its way between two countries.

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ghana, senegal } from '../../test/setup/plan-facts.ts'
import type { Country } from '../catalogue/catalogue.ts'
import { smallestUnit } from '../money/currency.ts'
import { formatAmount } from '../money/format.ts'
import { Invalid, Refusal } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import {
  checkTransfer,
  planTransfer as planFor,
  type TransferBody,
  type TransferFacts,
} from './plan-transfer.ts'

const cameroon: Country = { ...senegal, id: 'cm', iso_code: 'CM', default_currency: 'XAF' }
const ivory: Country = { ...senegal, id: 'ci', iso_code: 'CI' }
const kenya: Country = { ...senegal, id: 'ke', iso_code: 'KE', default_currency: 'KES' }
const countries = [senegal, ghana, cameroon, ivory, kenya]

const rateOf = (from_currency: string, to_currency: string, rate: string) => ({
  id: `${from_currency}-${to_currency}`,
  from_currency,
  to_currency,
  rate,
})
const seeded = [
  rateOf('EUR', 'XOF', '655.957'),
  rateOf('EUR', 'XAF', '655.957'),
  rateOf('EUR', 'GHS', '12.74'),
]

const factsWith = (changes: Partial<TransferFacts> = {}): TransferFacts => ({
  catalogue: {
    countries,
    networks: [],
    countryByCode: (code) => countries.find(({ iso_code }) => iso_code === code),
    networkByCode: () => undefined,
  },
  rates: seeded,
  fee_percent_ppm: 10_000n,
  ...changes,
})

/** Of a caller, only the countries that its merchant limits itself to are read. */
const callerOf = (allowed_countries: readonly string[] | null) => ({ allowed_countries }) as Caller
const planTransfer = (facts: TransferFacts, body: TransferBody) =>
  planFor(facts, callerOf(null), body)

const bodyOf = (from_country: string, to_country: string, from_amount: string) => ({
  from_country,
  to_country,
  from_amount,
})

function refusalOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return error.row.code
    if (error instanceof Invalid) return Object.keys(error.fields).join()
    throw error
  }
  return ''
}

describe('a plan', () => {
  it('is the example of the books: 10 000 with a fee of 100, one franc for one', () => {
    expect(planTransfer(factsWith(), bodyOf('CI', 'CM', '10000'))).toMatchObject({
      from_amount: 1_000_000n,
      fee_amount: 10_000n,
      to_amount: 990_000n,
      exchange_rate: 100_000_000n,
      rate_ids: ['EUR-XOF', 'EUR-XAF'],
    })
  })

  it('within one currency needs no rate', () => {
    const facts = factsWith({ rates: [], fee_percent_ppm: 0n })
    expect(planTransfer(facts, bodyOf('CI', 'SN', '10000'))).toMatchObject({
      fee_amount: 0n,
      to_amount: 1_000_000n,
      exchange_rate: 100_000_000n,
      rate_ids: [],
    })
  })

  it('costs at least one unit where it costs anything', () => {
    expect(planTransfer(factsWith(), bodyOf('SN', 'CI', '2')).fee_amount).toBe(100n)
    expect(planTransfer(factsWith(), bodyOf('GH', 'CI', '0.20')).fee_amount).toBe(1n)
    const free = factsWith({ fee_percent_ppm: 0n })
    expect(planTransfer(free, bodyOf('SN', 'CI', '2')).fee_amount).toBe(0n)
  })

  it('rounds the fee half up to whole francs, and what arrives down to pesewas', () => {
    // 1.25 % of 2 020 is 25.25, of 2 040 is 25.5.
    const facts = factsWith({ fee_percent_ppm: 12_500n })
    expect(planTransfer(facts, bodyOf('SN', 'GH', '2020')).fee_amount).toBe(2_500n)
    expect(planTransfer(facts, bodyOf('SN', 'GH', '2040')).fee_amount).toBe(2_600n)
    // 2 014 / 655.957 × 12.74 = 39.1158…
    expect(planTransfer(facts, bodyOf('SN', 'GH', '2040')).to_amount).toBe(3_911n)
  })
})

describe('a plan is refused', () => {
  it.each([
    ['a country that it leaves, before one that it goes to', 'ZZ', 'YY', 'invalid_country'],
    ['a country that it goes to', 'SN', 'ZZ', 'invalid_country'],
    ['a currency without a rate', 'SN', 'KE', 'no_exchange_rate'],
  ])('for %s', (_what, from, to, code) => {
    expect(refusalOf(() => planTransfer(factsWith(), bodyOf(from, to, '10000')))).toBe(code)
  })

  it('for a country that the merchant has shut, but not for one that they leave', () => {
    const between = (from: string, to: string) =>
      refusalOf(() => planFor(factsWith(), callerOf(['SN']), bodyOf(from, to, '10000')))
    expect(between('SN', 'CI')).toBe('invalid_country')
    expect(between('CI', 'SN')).toBe('')
  })

  it('for a fee that eats the amount, an amount of which nothing arrives, or too much', () => {
    const dear = factsWith({ fee_percent_ppm: 1_000_000n })
    expect(refusalOf(() => planTransfer(dear, bodyOf('SN', 'CI', '100')))).toBe('from_amount')
    const half = factsWith({ fee_percent_ppm: 500_000n })
    expect(refusalOf(() => planTransfer(half, bodyOf('SN', 'CI', '1')))).toBe('from_amount')
    const poor = factsWith({ rates: [rateOf('XOF', 'GHS', '0.00001')] })
    expect(refusalOf(() => planTransfer(poor, bodyOf('SN', 'GH', '100')))).toBe('from_amount')
    // One franc is all fee; 0.92 of a pesewa is none.
    expect(refusalOf(() => planTransfer(factsWith(), bodyOf('SN', 'CI', '1')))).toBe('from_amount')
    const exact = factsWith({ rates: [rateOf('XOF', 'GHS', '0.0092')], fee_percent_ppm: 0n })
    expect(refusalOf(() => planTransfer(exact, bodyOf('SN', 'GH', '1')))).toBe('from_amount')
    const rich = factsWith({ rates: [rateOf('XOF', 'GHS', '1000')], fee_percent_ppm: 0n })
    expect(refusalOf(() => planTransfer(rich, bodyOf('SN', 'GH', '999999999')))).toBe('')
    const most = bodyOf('SN', 'GH', '1000000000')
    expect(refusalOf(() => planTransfer(rich, most))).toBe('from_amount')
  })

  it('for a rate before an amount, and for a rate too small to be shown', () => {
    const dear = factsWith({ fee_percent_ppm: 1_000_000n })
    expect(refusalOf(() => planTransfer(dear, bodyOf('SN', 'KE', '1')))).toBe('no_exchange_rate')
    const tiny = factsWith({ rates: [rateOf('XOF', 'GHS', '0.000000004')] })
    const huge = bodyOf('SN', 'GH', '999999999999')
    expect(refusalOf(() => planTransfer(tiny, huge))).toBe('no_exchange_rate')
  })
})

describe('the body', () => {
  const currencyOf = (code: string) =>
    countries.find(({ iso_code }) => iso_code === code.toUpperCase())?.default_currency
  const faultsOf = (body: object) => Object.keys(checkTransfer({ ...body }, currencyOf))

  it.each([
    [bodyOf('SN', 'CI', '10000'), []],
    [bodyOf('SN', 'sn', '10000'), ['to_country']],
    [bodyOf('ZZ', 'ZZ', '-1'), ['to_country', 'from_amount']],
    [bodyOf('SN', 'CI', '10.50'), ['from_amount']],
    [bodyOf('sn', 'CI', '10.50'), ['from_amount']],
    [bodyOf('GH', 'CI', '10.50'), []],
    [bodyOf('GH', 'CI', '10.505'), ['from_amount']],
    [bodyOf('ZZ', 'CI', '10.50'), []],
    [bodyOf('ZZ', 'CI', '0'), ['from_amount']],
    [{ from_country: 5, to_country: 5, from_amount: null }, []],
  ])('%j is wrong in %j', (body, fields) => {
    expect(faultsOf(body)).toEqual(fields)
  })
})

describe('whatever the rates, the fee and the amount', () => {
  /** A rate of up to twelve digits, four of them after the point. */
  const rate = fc.bigInt({ min: 1n, max: 10n ** 9n }).map((n) => `${n / 10_000n}.${four(n)}`)
  const four = (n: bigint) => String(n % 10_000n).padStart(4, '0')
  const place = fc.constantFrom('SN', 'GH', 'CM', 'KE')
  const given = fc.record({
    from: place,
    to: place,
    units: fc.bigInt({ min: 1n, max: 10n ** 11n }),
    fee_percent_ppm: fc.bigInt({ min: 0n, max: 200_000n }),
    rates: fc.record({ XOF: rate, XAF: rate, GHS: rate, KES: rate }),
  })
  const exactly = (text: string) => BigInt(text.replace('.', ''))
  const currencyOf = (code: string) =>
    countries.find(({ iso_code }) => iso_code === code)?.default_currency ?? ''

  it('no unit is made, and less than one is lost', () => {
    let planned = 0
    fc.assert(
      fc.property(given, ({ from, to, units, fee_percent_ppm, rates }) => {
        fc.pre(from !== to)
        const [leaving, arriving] = [currencyOf(from), currencyOf(to)]
        const from_amount = units * smallestUnit(leaving)
        const facts = factsWith({
          fee_percent_ppm,
          rates: Object.entries(rates).map(([currency, one]) => rateOf('EUR', currency, one)),
        })
        const body = bodyOf(from, to, formatAmount(from_amount))
        if (refusalOf(() => planTransfer(facts, body)) !== '') return
        planned += 1
        const plan = planTransfer(facts, body)

        // The fee: exact to half a unit, or one unit where that is nothing; inside the amount.
        const fee_off = 2n * (plan.fee_amount * 1_000_000n - from_amount * fee_percent_ppm)
        const unit = smallestUnit(leaving) * 1_000_000n
        const least = plan.fee_amount === smallestUnit(leaving) && fee_percent_ppm > 0n
        expect(fee_off > -unit && (fee_off <= unit || least)).toBe(true)
        expect(plan.fee_amount > 0n).toBe(fee_percent_ppm > 0n)
        expect(plan.fee_amount < from_amount && plan.fee_amount % smallestUnit(leaving)).toBe(0n)

        // What arrives: `rest × arriving rate / leaving rate`, computed without our own rounding.
        const [up, down] = [rates[of(arriving)], rates[of(leaving)]].map(exactly)
        const numerator = (from_amount - plan.fee_amount) * (up ?? 0n)
        const denominator = down ?? 1n
        const step = smallestUnit(arriving)
        expect(plan.to_amount % step).toBe(0n)
        expect(plan.to_amount * denominator <= numerator).toBe(true)
        expect((plan.to_amount + step) * denominator > numerator).toBe(true)
      }),
      { numRuns: 500 },
    )
    expect(planned).toBeGreaterThan(100)
  })
  type Quoted = 'XOF' | 'XAF' | 'GHS' | 'KES'
  const of = (currency: string): Quoted => {
    if (['XOF', 'XAF', 'GHS', 'KES'].includes(currency)) return currency as Quoted
    throw new Error(currency)
  }

  it('there and back again brings no more than was sent', () => {
    fc.assert(
      fc.property(given, ({ from, to, units, rates }) => {
        fc.pre(from !== to)
        const from_amount = units * smallestUnit(currencyOf(from))
        const facts = factsWith({
          fee_percent_ppm: 0n,
          rates: Object.entries(rates).map(([currency, one]) => rateOf('EUR', currency, one)),
        })
        const there = bodyOf(from, to, formatAmount(from_amount))
        if (refusalOf(() => planTransfer(facts, there)) !== '') return
        const { to_amount } = planTransfer(facts, there)
        const back = bodyOf(to, from, formatAmount(to_amount))
        if (refusalOf(() => planTransfer(facts, back)) !== '') return
        expect(planTransfer(facts, back).to_amount <= from_amount).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('between every two currencies of the catalogue', () => {
  const seeds = new URL('../../seeds/exchange-rates.csv', import.meta.url)
  const [, ...quotes] = readFileSync(seeds, 'utf8').trim().split('\n')
  const shipped = quotes.map((line) => {
    const [from = '', to = '', rate = ''] = line.split(',')
    return rateOf(from, to, rate)
  })
  const everywhere = ['EUR', ...shipped.map(({ to_currency }) => to_currency)]
  const places = everywhere.map((currency) => ({ ...senegal, iso_code: currency, id: currency }))
  const catalogue = {
    ...factsWith().catalogue,
    countryByCode: (code: string): Country | undefined => {
      const found = places.find(({ iso_code }) => iso_code === code)
      return found && { ...found, default_currency: code }
    },
  }

  /** What comes back of so many units; undefined where one of the ways is refused. */
  function thereAndBack(facts: TransferFacts, [from, to]: readonly string[], units: bigint) {
    const [leaving = '', arriving = ''] = [from, to]
    const sent = units * smallestUnit(leaving)
    const there = bodyOf(leaving, arriving, formatAmount(sent))
    if (refusalOf(() => planTransfer(facts, there)) !== '') return undefined
    const { to_amount } = planTransfer(facts, there)
    const back = bodyOf(arriving, leaving, formatAmount(to_amount))
    if (refusalOf(() => planTransfer(facts, back)) !== '') return undefined
    return { sent, came: planTransfer(facts, back).to_amount }
  }

  it('at the rates that are shipped, from one unit on, nothing is ever made', () => {
    let ended = 0
    for (const fee_percent_ppm of [0n, 10_000n]) {
      const facts = { catalogue, rates: shipped, fee_percent_ppm }
      for (const from of everywhere) {
        for (const to of everywhere.filter((one) => one !== from)) {
          for (const units of [1n, 2n, 3n, 8n, 53n, 200n, 9_999n]) {
            const end = thereAndBack(facts, [from, to], units)
            if (end === undefined) continue
            ended += 1
            if (end.came > end.sent) throw new Error(`${units} ${from} by ${to} is ${end.came}`)
            if (fee_percent_ppm > 0n) expect(end.came).toBeLessThan(end.sent)
          }
        }
      }
    }
    expect(ended).toBeGreaterThan(1_000)
  })

  it('at ten thousand rates, and their inverses cut to eight digits, nothing is ever made', () => {
    const e8 = 10n ** 8n
    const text = (rate: bigint) => `${rate / e8}.${(rate % e8).toString().padStart(8, '0')}`
    const pair = fc
      .tuple(fc.constantFrom(...everywhere), fc.constantFrom(...everywhere))
      .filter(([from, to]) => from !== to)
    const given = fc.tuple(
      pair,
      fc.bigInt({ min: 1n, max: 10n ** 13n }),
      fc.oneof(fc.bigInt({ min: 1n, max: 60n }), fc.bigInt({ min: 1n, max: 10n ** 9n })),
      fc.boolean(),
    )
    let ended = 0
    fc.assert(
      fc.property(given, ([[from, to], rate, units, isQuotedTwice]) => {
        const inverse = (e8 * e8) / rate
        const rates = [rateOf(from, to, text(rate))]
        if (isQuotedTwice && inverse > 0n) rates.push(rateOf(to, from, text(inverse)))
        const facts = { catalogue, rates, fee_percent_ppm: 0n }
        const end = thereAndBack(facts, [from, to], units)
        if (end === undefined) return true
        ended += 1
        return end.came <= end.sent
      }),
      { numRuns: 10_000 },
    )
    expect(ended).toBeGreaterThan(3_000)
  })
})

// Exchange rates in force, and what an amount becomes at them (contract 5.13).

import { Type } from 'typebox'
import { isCurrency } from '../money/currency.ts'
import { amountFaultText, parseAmount, parseDecimal } from '../money/parse-amount.ts'
import { assert, type FieldErrors, refuse, type Text } from '../platform/errors.ts'
import { sortedPage } from '../platform/http/lists.ts'
import { type Input, ok, type Route } from '../platform/http/route.ts'
import {
  numberList,
  orderingBy,
  reads,
  routesWith,
  searchFilter,
} from '../platform/http/route-list.ts'
import { convert } from './convert.ts'
import type { RatesOf } from './current-rates.ts'
import { rateErrors } from './errors.ts'
import type { StoredRate } from './store.ts'
import {
  ConversionView,
  conversionExample,
  type Question,
  RateView,
  rateExample,
  viewConversion,
  viewRate,
} from './view.ts'

export type RatesDeps = Readonly<{ rates: RatesOf }>

const fields = ['from_currency', 'to_currency', 'effective_at'] as const

const noCurrency: Text = {
  en: 'Must be an ISO 4217 currency code, such as XOF.',
  fr: 'Doit être un code de devise ISO 4217, par exemple XOF.',
}
const code = Type.String({ pattern: '^[A-Za-z]{3}$', 'x-message': noCurrency })

export const ratesRoutes = ({ rates }: RatesDeps): Route[] =>
  routesWith({ tag: 'Exchange rates', access: 'any' }, [
    {
      path: '/exchange-rates/',
      suspended: 'refused',
      ...numberList(RateView, rateExample, {
        search: searchFilter('Searches both currencies.', 100),
        ordering: orderingBy(fields),
      }),
      summary: 'List the exchange rates in force',
      description: 'One row per pair, in the direction it is quoted.',
      handler: async (input) => {
        const rows = await rates(input.caller.catalogue_version)
        const words = (row: StoredRate) => [row.from_currency, row.to_currency]
        return ok(sortedPage(input, { rows, fields, words, view: viewRate }))
      },
    },
    {
      path: '/exchange-rates/convert/',
      suspended: 'refused',
      query: Type.Object({ from: code, to: code, amount: Type.String() }),
      check_query: checkQuestion,
      summary: 'Convert an amount at the current rate',
      description: 'Directly, the other way round, or through EUR or USD; rounded once.',
      errors: [rateErrors.no_exchange_rate],
      ...reads(ConversionView, conversionExample),
      handler: async (input) => {
        const question = readQuestion(input)
        const conversion = convert(await rates(input.caller.catalogue_version), question)
        if (conversion === undefined) throw refuse(rateErrors.no_exchange_rate)
        return ok(viewConversion(question, conversion))
      },
    },
  ])

/** What the schema cannot express: that a code is a currency's, and the form of its amounts. */
function checkQuestion(query: Input['query']): FieldErrors {
  const { from = '', to = '', amount } = query
  const wrong: Record<string, Text[]> = {}
  if (!isCurrency(from.toUpperCase())) wrong['from'] = [noCurrency]
  if (!isCurrency(to.toUpperCase())) wrong['to'] = [noCurrency]
  const reading = readAmount(amount, from.toUpperCase())
  if (reading.is === 'invalid') wrong['amount'] = [amountFaultText[reading.why]]
  return wrong
}

const readAmount = (text: string | undefined, from: string) =>
  isCurrency(from) ? parseAmount(text, from) : parseDecimal(text)

/** The query has passed `checkQuestion`. */
function readQuestion({ query }: Pick<Input, 'query'>): Question {
  const from = query['from']?.toUpperCase() ?? ''
  const to = query['to']?.toUpperCase() ?? ''
  const reading = readAmount(query['amount'], from)
  assert(reading.is === 'amount', 'the query was checked')
  return { from, to, amount: reading.hundredths }
}

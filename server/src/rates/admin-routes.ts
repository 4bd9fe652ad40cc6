// Staff see every exchange rate there was and will be, and add the next one.

import { type Static, Type } from 'typebox'
import { isCurrency } from '../money/currency.ts'
import { proposalErrors } from '../people/proposals/errors.ts'
import { ProposalSchema, viewProposal } from '../people/proposals/proposal.ts'
import { assert, type FieldErrors, type Text } from '../platform/errors.ts'
import { singleSort } from '../platform/http/filters.ts'
import { readMoment } from '../platform/http/formats.ts'
import { listByNumber } from '../platform/http/lists.ts'
import { created, type Input, type Route } from '../platform/http/route.ts'
import { type Listed, numberList, orderingBy, routesWith } from '../platform/http/route-list.ts'
import { type AddRateDeps, addRate } from './add-rate.ts'
import { parseRate } from './convert.ts'
import { rateErrors } from './errors.ts'
import { listHistory } from './store.ts'
import { addedRateExample, HistoricRateView, viewHistoricRate } from './view.ts'

export type Deps = AddRateDeps

const sort_fields = ['effective_at', 'created_at'] as const

const currencyText: Text = {
  en: 'Must be an ISO 4217 currency code, such as XOF.',
  fr: 'Doit être un code de devise ISO 4217, par exemple XOF.',
}
const rateText: Text = {
  en: 'Must be a decimal above zero, with at most 12 digits before and 8 after the point.',
  fr: 'Doit être un décimal positif, 12 chiffres au plus avant la virgule et 8 après.',
}
const sameText: Text = {
  en: 'Must be a currency other than base.',
  fr: 'Doit être une autre devise que base.',
}

const code = Type.String({ pattern: '^[A-Za-z]{3}$', 'x-message': currencyText })

const RateBody = Type.Object({
  base: code,
  quote: code,
  rate: Type.String({
    pattern: '^[0-9]{1,12}([.][0-9]{1,8})?$',
    'x-message': rateText,
    description: 'How much of `quote` one unit of `base` buys, such as "612.35".',
  }),
  effective_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'Defaults to now; must not be in the past.' }),
  ),
})

export const ratesAdminRoutes = (deps: Deps): Route[] =>
  routesWith({ tag: 'Staff', access: 'staff' }, [listRoute(deps), addRoute(deps)])

const listRoute = ({ db }: Deps): Listed => ({
  path: '/admin/exchange-rates/',
  staff: 'read',
  ...numberList(HistoricRateView, addedRateExample, {
    base: Type.Optional(code),
    quote: Type.Optional(code),
    ordering: orderingBy(sort_fields),
  }),
  summary: 'List past, current and future exchange rates',
  description: 'Latest effective date first. They are the same in both environments.',
  handler: listByNumber(viewHistoricRate, ({ query }, cut) =>
    listHistory(db, {
      base: query['base']?.toUpperCase(),
      quote: query['quote']?.toUpperCase(),
      order: singleSort(query, sort_fields, { field: 'effective_at', descending: true }),
      ...cut,
    }),
  ),
})

const addRoute = (deps: Deps): Listed => ({
  method: 'POST',
  path: '/admin/exchange-rates/',
  staff: 'rates',
  body: RateBody,
  check: checkRate,
  summary: 'Add an exchange rate',
  description:
    'A rate is never changed: a later one replaces it. A pair is quoted in one direction only; ' +
    'the other direction divides. Once LIVE has a gateway, another member of staff confirms a ' +
    'pair’s first rate, and any rate that differs from those of the last 24 hours by more than ' +
    '`RATE_STEP_PERCENT` (202, `/admin/proposals/`).',
  responses: { 201: HistoricRateView, 202: ProposalSchema },
  errors: [
    rateErrors.rate_is_pegged,
    rateErrors.rate_exists,
    rateErrors.rate_quoted_other_way,
    proposalErrors.proposal_pending,
  ],
  example: {
    body: {
      base: 'USD',
      quote: 'XOF',
      rate: '612.35',
      effective_at: addedRateExample.effective_at,
    },
    reply: addedRateExample,
  },
  handler: async ({ person, body }: Input<Static<typeof RateBody>>) => {
    const { base, quote, rate } = body
    const effective_at = body.effective_at === undefined ? undefined : momentIn(body.effective_at)
    const request = { base: base.toUpperCase(), quote: quote.toUpperCase(), rate, effective_at }
    const outcome = await addRate(deps, person, request)
    return outcome.is === 'done'
      ? created(viewHistoricRate(outcome.rate))
      : { status: 202, data: viewProposal(outcome.proposal) }
  },
})

/** The schema has passed it. */
function momentIn(text: string): string {
  const moment = readMoment(text)
  assert(moment !== undefined, `${text} is a date-time`)
  return moment
}

/**
 * What the schema cannot express: that codes are currencies, two of them, and the rate above zero.
 */
function checkRate(body: Readonly<Record<string, unknown>>): FieldErrors {
  const { base, quote, rate } = body
  const wrong: Record<string, Text[]> = {}
  const upper = (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : value)
  if (!isCurrency(upper(base))) wrong['base'] = [currencyText]
  if (!isCurrency(upper(quote))) wrong['quote'] = [currencyText]
  else if (upper(base) === upper(quote)) wrong['quote'] = [sameText]
  if (typeof rate === 'string' && parseRate(rate) === undefined) wrong['rate'] = [rateText]
  return wrong
}

// Where settlements go (contract 3.4): by session only, since a stolen key must not send the
// merchant's money to itself.

import { type Static, Type } from 'typebox'
import { CountryInput } from '../../catalogue/view.ts'
import { enumFilter, orderings, uuidParam } from '../../platform/http/filters.ts'
import { numberPageSchema, numberQuery } from '../../platform/http/pages.ts'
import { created, type Input, noContent, ok, type Route } from '../../platform/http/route.ts'
import { sortedPage } from '../../platform/http/sorted-page.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { merchantErrors } from '../errors.ts'
import { addPayoutMethod, type PayoutMethodDeps } from './add-payout-method.ts'
import { namePayoutMethod, removePayoutMethod } from './change-payout-method.ts'
import { payoutMethodErrors } from './errors.ts'
import { getPayoutMethod, searchPayoutMethods } from './get-payout-method.ts'
import { label_length_max, methodFaults, methodTypes } from './payout-method.ts'
import { PayoutMethodSchema, payoutMethodExample, viewPayoutMethod } from './view.ts'

const tag = 'Payout methods'
const ordered = ['created_at', 'label', 'country'] as const

const label = Type.Optional(Type.String({ maxLength: label_length_max }))
const text = (maxLength: number, description?: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength, ...(description === undefined ? {} : { description }) }),
  )

const AddBody = Type.Object({
  country: CountryInput,
  type: Type.Enum([...methodTypes]),
  label,
  network: text(40, 'Network code. Required for MOBILE_MONEY.'),
  msisdn: text(40, 'Required for MOBILE_MONEY.'),
  bank_name: text(100, 'Required for BANK_ACCOUNT.'),
  account_number: text(64, 'An account number or IBAN. Required for BANK_ACCOUNT.'),
  account_name: text(150, 'The name of the account holder.'),
})

const NameBody = Type.Object({ label })

const { invalid_method, payout_not_enabled, payout_method_limit_reached } = payoutMethodErrors

export const payoutMethodRoutes = (deps: PayoutMethodDeps): Route[] => [
  listRoute(deps),
  addRoute(deps),
  readRoute(deps),
  nameRoute(deps),
  removeRoute(deps),
]

const listRoute = ({ db }: PayoutMethodDeps): Route => ({
  method: 'GET',
  path: '/merchant-payout-methods/',
  access: 'dashboard',
  query: Type.Object({
    ...numberQuery,
    country: Type.Optional(Type.String({ description: 'ISO 3166 alpha-2.' })),
    type: Type.Optional(Type.Enum([...methodTypes])),
    search: Type.Optional(
      Type.String({ maxLength: 255, description: 'Searches label, bank and name.' }),
    ),
    ordering: Type.Optional(Type.Enum(orderings(ordered))),
  }),
  summary: 'List payout methods',
  tag,
  responses: { 200: numberPageSchema(PayoutMethodSchema) },
  example: { reply: { count: 1, next: null, previous: null, results: [payoutMethodExample] } },
  handler: async (input) => {
    const { caller, query } = input
    const rows = await searchPayoutMethods(db, caller.merchant_id, {
      country: query['country'],
      type: enumFilter(query, 'type', methodTypes),
      search: query['search'] ?? '',
    })
    return ok(sortedPage(input, { rows, fields: ordered, view: viewPayoutMethod }))
  },
})

const writes = {
  access: 'dashboard',
  permission: 'payout_methods',
  second_factor: 'account',
  tag,
} as const

const addRoute = (deps: PayoutMethodDeps): Route => ({
  ...writes,
  method: 'POST',
  path: '/merchant-payout-methods/',
  body: AddBody,
  check: methodFaults,
  summary: 'Add a payout method',
  description:
    'Where LIVE is open, it can be used after a cooling-off period: from `usable_from` on. If ' +
    'LIVE opens later, the cooling-off starts then. Its destination cannot be changed ' +
    'afterwards.',
  responses: { 201: PayoutMethodSchema },
  errors: [
    merchantErrors.invalid_country,
    invalid_method,
    payout_not_enabled,
    payout_method_limit_reached,
  ],
  example: {
    body: {
      country: 'SN',
      type: 'MOBILE_MONEY',
      label: payoutMethodExample.label,
      network: payoutMethodExample.network,
      msisdn: '77 000 00 10',
    },
    reply: payoutMethodExample,
  },
  handler: async ({ caller, body }: Input<Static<typeof AddBody>>) =>
    created(viewPayoutMethod(await addPayoutMethod(deps, caller, body))),
})

const ofOne = {
  path: '/merchant-payout-methods/:id/',
  errors: [accessErrors.permission_denied],
} as const

const readRoute = ({ db }: PayoutMethodDeps): Route => ({
  ...ofOne,
  method: 'GET',
  access: 'dashboard',
  tag,
  summary: 'Retrieve a payout method',
  responses: { 200: PayoutMethodSchema },
  example: { reply: payoutMethodExample },
  handler: async (input) => {
    const { merchant_id } = input.caller
    const key = { merchant_id, id: uuidParam(input, 'id') }
    return ok(viewPayoutMethod(await getPayoutMethod(db, key)))
  },
})

const nameRoute = ({ db }: PayoutMethodDeps): Route => ({
  ...ofOne,
  ...writes,
  method: 'PATCH',
  body: NameBody,
  summary: 'Rename a payout method',
  description:
    'Changes only its label: another destination is another method, with its own cooling-off.',
  responses: { 200: PayoutMethodSchema },
  example: { body: { label: payoutMethodExample.label }, reply: payoutMethodExample },
  handler: async (input: Input<Static<typeof NameBody>>) => {
    const named = { id: uuidParam(input, 'id'), label: input.body.label }
    return ok(viewPayoutMethod(await namePayoutMethod(db, input.caller, named)))
  },
})

const removeRoute = ({ db }: PayoutMethodDeps): Route => ({
  ...ofOne,
  ...writes,
  method: 'DELETE',
  summary: 'Delete a payout method',
  responses: { 204: null },
  example: {},
  handler: async (input) => {
    await removePayoutMethod(db, input.caller, uuidParam(input, 'id'))
    return noContent
  },
})

// Where settlements go (contract 3.4): by session only, since a stolen key must not send the
// merchant's money to itself.

import { type Static, Type } from 'typebox'
import { CountryInput } from '../../catalogue/view.ts'
import { enumFilter, uuidParam } from '../../platform/http/filters.ts'
import { sortedPage } from '../../platform/http/lists.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  reads,
  removes,
  routesWith,
  searchFilter,
} from '../../platform/http/route-list.ts'
import { merchantErrors } from '../errors.ts'
import {
  addPayoutMethod,
  namePayoutMethod,
  type PayoutMethodDeps,
  removePayoutMethod,
} from './change-payout-methods.ts'
import { payoutMethodErrors } from './errors.ts'
import { getPayoutMethod } from './get-payout-method.ts'
import { label_length_max, methodFaults, methodTypes, type PayoutMethod } from './payout-method.ts'
import { listMethods } from './store.ts'
import { PayoutMethodSchema, payoutMethodExample, viewPayoutMethod } from './view.ts'

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

export const payoutMethodRoutes = (deps: PayoutMethodDeps): Route[] =>
  routesWith({ tag: 'Payout methods', access: 'dashboard' }, [
    listRoute(deps),
    addRoute(deps),
    readRoute(deps),
    nameRoute(deps),
    removeRoute(deps),
  ])

const listRoute = ({ db }: PayoutMethodDeps): Listed => ({
  path: '/merchant-payout-methods/',
  ...numberList(PayoutMethodSchema, payoutMethodExample, {
    country: Type.Optional(Type.String({ description: 'ISO 3166 alpha-2.' })),
    type: Type.Optional(Type.Enum([...methodTypes])),
    search: searchFilter('Searches label, bank and name.'),
    ordering: orderingBy(ordered),
  }),
  summary: 'List payout methods',
  handler: async (input) => {
    const country = input.query['country']?.toUpperCase()
    const type = enumFilter(input.query, 'type', methodTypes)
    const all = await listMethods(db, input.caller.merchant_id)
    const rows = all.filter(
      (row) =>
        (country === undefined || row.country === country) &&
        (type === undefined || row.type === type),
    )
    return ok(sortedPage(input, { rows, fields: ordered, words: wordsOf, view: viewPayoutMethod }))
  },
})

const wordsOf = ({ label, bank_name, account_name }: PayoutMethod): string[] => [
  label,
  bank_name ?? '',
  account_name ?? '',
]

const writes = {
  permission: 'payout_methods',
  second_factor: 'account',
} as const

const addRoute = (deps: PayoutMethodDeps): Listed => ({
  ...writes,
  method: 'POST',
  path: '/merchant-payout-methods/',
  body: AddBody,
  check: methodFaults,
  summary: 'Add a payout method',
  description:
    'Where LIVE is open, it can be used there after a cooling-off period: from `usable_from` on. ' +
    'If LIVE opens later, the cooling-off starts then. SANDBOX does not wait for it. Its ' +
    'destination cannot be changed afterwards.',
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
} as const

const readRoute = ({ db }: PayoutMethodDeps): Listed => ({
  ...ofOne,
  summary: 'Retrieve a payout method',
  ...reads(PayoutMethodSchema, payoutMethodExample),
  handler: async (input) => {
    const { merchant_id } = input.caller
    const key = { merchant_id, id: uuidParam(input, 'id') }
    return ok(viewPayoutMethod(await getPayoutMethod(db, key)))
  },
})

const nameRoute = ({ db }: PayoutMethodDeps): Listed => ({
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

const removeRoute = ({ db }: PayoutMethodDeps): Listed => ({
  ...ofOne,
  ...writes,
  summary: 'Delete a payout method',
  ...removes((input) => removePayoutMethod(db, input.caller, uuidParam(input, 'id'))),
})

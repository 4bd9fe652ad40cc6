// Customers of a merchant (contract 6.3): path, access, schema, one call, view.

import { Type } from 'typebox'
import type { Db } from '../../platform/db.ts'
import { newestFirst, orderings, singleSort, uuidParam } from '../../platform/http/filters.ts'
import { listByNumber } from '../../platform/http/list-by-number.ts'
import { numberPageSchema, numberQuery } from '../../platform/http/pages.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import {
  CustomerSchema,
  customerErrors,
  customerExample,
  name_length_max,
  viewCustomer,
} from './customer.ts'
import {
  type CustomerRequest,
  changeCustomer,
  createCustomer,
  getOwnCustomer,
  type KeepDeps,
} from './keep-customer.ts'
import { customerSortFields, listCustomers } from './store.ts'

const tag = 'Customers'
/** `reads`: for the list, which a slow search may keep busy. */
type Deps = KeepDeps & Readonly<{ reads: Db }>

const orNull = (schema: ReturnType<typeof Type.String>) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

const fields = {
  email: orNull(Type.String({ format: 'email' })),
  first_name: Type.Optional(Type.String({ maxLength: name_length_max })),
  last_name: Type.Optional(Type.String({ maxLength: name_length_max })),
  full_name: Type.Optional(
    Type.String({
      maxLength: 2 * name_length_max + 1,
      description: 'Split at its last space if `first_name` and `last_name` are not sent.',
    }),
  ),
  country: orNull(
    Type.String({ maxLength: 36, description: 'ISO 3166 alpha-2 code or id of a country.' }),
  ),
  phone: orNull(
    Type.String({
      maxLength: 40,
      description: 'In international format with its +, or in the national format of `country`.',
    }),
  ),
}

const CustomerBody = Type.Object(fields, { title: 'CustomerCreate' })
const CustomerChange = Type.Object(fields, { title: 'CustomerChange' })

export const customerRoutes = (deps: Deps): Route[] => [
  listRoute(deps),
  createRoute(deps),
  readRoute(deps),
  changeRoute(deps),
]

const writing = { access: 'any', permission: 'customers', tag } as const
const ofOne = { path: '/customers/:id/', errors: [accessErrors.permission_denied] } as const
const { customer_exists, invalid_customer } = customerErrors

const listRoute = ({ reads }: Deps): Route => ({
  method: 'GET',
  path: '/customers/',
  access: 'any',
  query: Type.Object({
    ...numberQuery,
    search: Type.Optional(
      Type.String({ maxLength: 100, description: 'Searches name, e-mail and phone.' }),
    ),
    ordering: Type.Optional(Type.Enum(orderings(customerSortFields))),
  }),
  summary: 'List your customers',
  description: 'Newest first.',
  tag,
  responses: { 200: numberPageSchema(CustomerSchema) },
  example: { reply: { count: 1, next: null, previous: null, results: [customerExample] } },
  handler: listByNumber(viewCustomer, ({ caller, query }, cut) =>
    listCustomers(reads, {
      merchant_id: caller.merchant_id,
      environment: caller.environment,
      search: query['search'],
      order: singleSort(query, customerSortFields, newestFirst),
      ...cut,
    }),
  ),
})

const createRoute = (deps: Deps): Route => ({
  ...writing,
  method: 'POST',
  path: '/customers/',
  body: CustomerBody,
  summary: 'Create a customer',
  description: 'Payments create customers automatically. A phone or an e-mail is required.',
  responses: { 201: CustomerSchema },
  errors: [customer_exists, invalid_customer],
  example: {
    body: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    reply: customerExample,
  },
  handler: async ({ caller, body }: Input<CustomerRequest>) =>
    created(viewCustomer(await createCustomer(deps, caller, body))),
})

const readRoute = ({ db }: Deps): Route => ({
  ...ofOne,
  method: 'GET',
  access: 'any',
  tag,
  summary: 'Retrieve a customer',
  responses: { 200: CustomerSchema },
  example: { reply: customerExample },
  handler: async (input) =>
    ok(viewCustomer(await getOwnCustomer(db, input.caller, uuidParam(input, 'id')))),
})

const changeRoute = (deps: Deps): Route => ({
  ...ofOne,
  ...writing,
  method: 'PATCH',
  body: CustomerChange,
  summary: 'Update a customer',
  description: 'Transactions keep the name, e-mail and phone they were made with.',
  responses: { 200: CustomerSchema },
  errors: [...ofOne.errors, customer_exists, invalid_customer],
  example: { body: { last_name: 'Sow' }, reply: { ...customerExample, last_name: 'Sow' } },
  handler: async (input: Input<CustomerRequest>) => {
    const change = { id: uuidParam(input, 'id'), request: input.body }
    return ok(viewCustomer(await changeCustomer(deps, input.caller, change)))
  },
})

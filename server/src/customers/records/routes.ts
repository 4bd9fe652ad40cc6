// Customers of a merchant (contract 6.3): path, access, schema, one call, view.

import { Type } from 'typebox'
import type { Db } from '../../platform/db.ts'
import { uuidParam } from '../../platform/http/filters.ts'
import { listByEither } from '../../platform/http/lists.ts'
import type { Signing } from '../../platform/http/pages.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import {
  eitherList,
  type Listed,
  orderingBy,
  reads,
  routesWith,
  searchFilter,
} from '../../platform/http/route-list.ts'
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

/** `reads`: for the list, which a slow search may keep busy. */
type Deps = KeepDeps & Signing & Readonly<{ reads: Db }>

const orNull = (schema: ReturnType<typeof Type.String>) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

/** Empty as we answer it where there is none: a record that was read may be sent back. */
const EmailOrNone = Type.Optional(
  Type.Union([Type.String({ format: 'email' }), Type.Literal(''), Type.Null()], {
    'x-message': { en: 'Must be an e-mail address.', fr: 'Doit être une adresse e-mail.' },
  }),
)

const fields = {
  email: EmailOrNone,
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

export const customerRoutes = (deps: Deps): Route[] =>
  routesWith({ tag: 'Customers', access: 'any' }, [
    listRoute(deps),
    createRoute(deps),
    readRoute(deps),
    changeRoute(deps),
  ])

const writing = { permission: 'customers' } as const
const ofOne = { path: '/customers/:id/' } as const
const { customer_exists, invalid_customer } = customerErrors

const listRoute = ({ reads, cursor_secret }: Deps): Listed => ({
  path: '/customers/',
  ...eitherList(CustomerSchema, customerExample, {
    search: searchFilter('Searches name, e-mail and phone.', 100),
    ordering: orderingBy(customerSortFields),
  }),
  summary: 'List your customers',
  description: 'Newest first.',
  handler: listByEither(
    cursor_secret,
    customerSortFields,
    viewCustomer,
    ({ caller: { merchant_id, environment }, query }, wanted) =>
      listCustomers(reads, { merchant_id, environment, search: query['search'] }, wanted),
  ),
})

const createRoute = (deps: Deps): Listed => ({
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

const readRoute = ({ db }: Deps): Listed => ({
  ...ofOne,
  summary: 'Retrieve a customer',
  ...reads(CustomerSchema, customerExample),
  handler: async (input) =>
    ok(viewCustomer(await getOwnCustomer(db, input.caller, uuidParam(input, 'id')))),
})

const changeRoute = (deps: Deps): Listed => ({
  ...ofOne,
  ...writing,
  method: 'PATCH',
  body: CustomerChange,
  summary: 'Update a customer',
  description: 'Transactions keep the name, e-mail and phone they were made with.',
  responses: { 200: CustomerSchema },
  errors: [customer_exists, invalid_customer],
  example: { body: { last_name: 'Sow' }, reply: { ...customerExample, last_name: 'Sow' } },
  handler: async (input: Input<CustomerRequest>) => {
    const change = { id: uuidParam(input, 'id'), request: input.body }
    return ok(viewCustomer(await changeCustomer(deps, input.caller, change)))
  },
})

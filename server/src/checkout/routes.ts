// Checkout sessions of a merchant (contract 6.1): path, access, schema, one call, view.

import { Type } from 'typebox'
import { listSessions, sessionSortFields } from '../orders/order-statements.ts'
import type { Session } from '../orders/session.ts'
import { sessionStatuses } from '../orders/states.ts'
import { paymentErrors } from '../planning/errors.ts'
import {
  checkTimes,
  enumFilter,
  readTimes,
  timeQuery,
  uuidFilter,
  uuidParam,
} from '../platform/http/filters.ts'
import { listByEither } from '../platform/http/lists.ts'
import type { Signing } from '../platform/http/pages.ts'
import { created, type Input, ok, type Route } from '../platform/http/route.ts'
import {
  eitherList,
  type Listed,
  orderingBy,
  reads,
  routesWith,
  searchFilter,
} from '../platform/http/route-list.ts'
import { type CheckoutDeps, createSession } from './create-session.ts'
import { cancelSession } from './end-session.ts'
import { getOwnSession } from './own-order.ts'
import { checkSession, SessionBody } from './session-body.ts'
import { querySession } from './session-status.ts'
import { SessionSchema, StatusSchema, sessionExample, viewOwnSession } from './view.ts'

export const sessionRoutes = (deps: CheckoutDeps & Signing): Route[] =>
  routesWith({ tag: 'Checkout sessions', access: 'any' }, [
    createRoute(deps),
    listRoute(deps),
    readRoute(deps),
    statusRoute(deps),
    cancelRoute(deps),
  ])

const createRoute = (deps: CheckoutDeps): Listed => ({
  method: 'POST',
  path: '/checkout-sessions/',
  access: 'PAYIN',
  permission: 'checkout',
  body: SessionBody,
  check: checkSession(deps.clock),
  summary: 'Create a checkout session',
  description:
    'Send the payer to checkout_url. Idempotency-Key is ignored: a repeated call creates a ' +
    'second session, which costs nothing until it is paid.',
  responses: { 201: SessionSchema },
  errors: [paymentErrors.no_exchange_rate, paymentErrors.fee_charge_mode_locked],
  example: {
    body: {
      amount: '5000',
      currency: 'XOF',
      description: 'Order 1042',
      country: 'BJ',
      customer_email: 'awa@example.com',
      customer_name: 'Awa Diop',
      return_url: 'https://shop.example.com/thanks',
      merchant_reference: 'ORDER-1042',
    },
    reply: sessionExample,
  },
  handler: async ({ caller, body }: Input<SessionBody>) =>
    created(viewOwnSession(await createSession(deps, caller, body), deps.public_url)),
})

const listRoute = ({ db, public_url, cursor_secret }: CheckoutDeps & Signing): Listed => ({
  path: '/checkout-sessions/',
  ...eitherList(SessionSchema, sessionExample, {
    status: Type.Optional(Type.Enum([...sessionStatuses])),
    search: searchFilter('Searches slug, reference, customer and description.', 100),
    ordering: orderingBy(sessionSortFields),
    payment_link: Type.Optional(
      Type.String({ format: 'uuid', description: 'The id of the link that opened it.' }),
    ),
    ...timeQuery,
  }),
  check_query: checkTimes,
  summary: 'List your checkout sessions',
  description: 'Newest first.',
  handler: listByEither(
    cursor_secret,
    sessionSortFields,
    (session: Session) => viewOwnSession(session, public_url),
    ({ caller: { merchant_id, environment }, query }, wanted) => {
      const sought = {
        ...{ merchant_id, environment, search: query['search'], ...readTimes(query) },
        status: enumFilter(query, 'status', sessionStatuses),
        payment_link: uuidFilter(query, 'payment_link'),
      }
      return listSessions(db, sought, wanted)
    },
  ),
})

const ofOne = {} as const

const readRoute = ({ db, public_url }: CheckoutDeps): Listed => ({
  ...ofOne,
  path: '/checkout-sessions/:id/',
  summary: 'Retrieve a checkout session',
  ...reads(SessionSchema, sessionExample),
  handler: async (input) => {
    const session = await getOwnSession(db, input.caller, uuidParam(input, 'id'))
    return ok(viewOwnSession(session, public_url))
  },
})

const statusRoute = (deps: CheckoutDeps): Listed => ({
  ...ofOne,
  path: '/checkout-sessions/:id/status/',
  summary: 'Verify a checkout session with the gateway',
  description: 'Queries the gateway while the outcome is open; answers within 5 seconds.',
  ...reads(StatusSchema, {
    id: sessionExample.id,
    slug: sessionExample.slug,
    status: 'PAID',
    transaction_id: '01981f3a-5b60-7c11-9a52-0242ac120002',
    transaction_status: 'SUCCESS',
    transaction_reference: 'TXN-20261121-7K2MPQ9RST',
  }),
  handler: async (input) => {
    const session = await getOwnSession(deps.db, input.caller, uuidParam(input, 'id'))
    return ok(await querySession(deps, input.caller, session))
  },
})

const cancelRoute = (deps: CheckoutDeps): Listed => ({
  ...ofOne,
  method: 'POST',
  path: '/checkout-sessions/:id/cancel/',
  access: 'PAYIN',
  permission: 'checkout',
  summary: 'Cancel a checkout session',
  description:
    'Refused while a payment is under way; a payment that succeeds late still pays the session.',
  responses: { 200: SessionSchema },
  errors: [paymentErrors.transaction_terminal, paymentErrors.payment_already_pending],
  example: { reply: { ...sessionExample, status: 'CANCELLED' } },
  handler: async (input) => {
    const session = await getOwnSession(deps.db, input.caller, uuidParam(input, 'id'))
    const cancelled = await cancelSession(deps, input.caller, session)
    return ok(viewOwnSession(cancelled, deps.public_url))
  },
})

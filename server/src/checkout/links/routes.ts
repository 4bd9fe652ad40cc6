// Payment links (contract 6.2): path, access, schema, one call, view.

import { type Static, Type } from 'typebox'
import type { Link } from '../../orders/link.ts'
import { linkSortFields, listLinks } from '../../orders/order-statements.ts'
import { paymentErrors } from '../../planning/errors.ts'
import { flagFilter, flagSchema, uuidParam } from '../../platform/http/filters.ts'
import { listByEither, listByNumber } from '../../platform/http/lists.ts'
import type { Signing } from '../../platform/http/pages.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import {
  eitherList,
  type Listed,
  numberList,
  orderingBy,
  reads,
  removes,
  routesWith,
} from '../../platform/http/route-list.ts'
import type { LinkMeans } from '../../reports/series/read-links.ts'
import { transactionExample } from '../../transactions/example.ts'
import { TransactionSchema } from '../../transactions/schema.ts'
import { listTransactionsOf } from '../../transactions/store.ts'
import { viewTransaction } from '../../transactions/view.ts'
import { getOwnLink } from '../own-order.ts'
import { changeLink, createLink, endLink, type LinkDeps } from './change-link.ts'
import { linkQuery, readLinkFilters } from './filters.ts'
import { checkLink, LinkBody, LinkChange, LinkReplacement } from './link-body.ts'
import { ListedLinkSchema, readTaken } from './taken.ts'
import { LinkSchema, linkExample, viewLink } from './view.ts'

type LinkHours = Pick<LinkMeans, 'hoursOfLinks'>

export const linkRoutes = (deps: LinkDeps & LinkHours & Signing): Route[] =>
  routesWith({ tag: 'Payment links', access: 'PAYIN' }, [
    createRoute(deps),
    listRoute(deps),
    readRoute(deps),
    changeRoute(deps),
    replaceRoute(deps),
    deleteRoute(deps),
    transactionsRoute(deps),
  ])

const writing = { permission: 'links' } as const
const ofOne = { path: '/payment-links/:id/' } as const

const exampleBody = { name: linkExample.name, currency: 'XOF', amount: '5000', usage_limit: 100 }

const createRoute = (deps: LinkDeps): Listed => ({
  ...writing,
  method: 'POST',
  path: '/payment-links/',
  body: LinkBody,
  check: checkLink,
  summary: 'Create a payment link',
  description: 'Idempotency-Key is ignored: a repeated call creates a second link.',
  responses: { 201: LinkSchema },
  errors: [paymentErrors.no_exchange_rate],
  example: { body: exampleBody, reply: linkExample },
  handler: async ({ caller, body }: Input<LinkBody>) =>
    created(viewLink(await createLink(deps, caller, body), deps.public_url)),
})

type Listing = Readonly<{
  link: Link
  taken: ReturnType<Awaited<ReturnType<typeof readTaken>>> | undefined
}>

const listRoute = ({
  db,
  public_url,
  hoursOfLinks,
  cursor_secret,
}: LinkDeps & LinkHours & Signing): Listed => ({
  path: '/payment-links/',
  access: 'any',
  ...eitherList(ListedLinkSchema, linkExample, {
    ...linkQuery,
    taken: Type.Optional({
      ...flagSchema,
      description: '`true`: with each link what it took in the last thirty days.',
    }),
    ordering: orderingBy(linkSortFields),
  }),
  summary: 'List your payment links',
  description: 'Newest first. With `taken=true`, what each took in the last thirty days.',
  handler: listByEither(
    cursor_secret,
    linkSortFields,
    ({ link, taken }: Listing) => ({
      ...viewLink(link, public_url),
      ...(taken === undefined ? {} : { taken }),
    }),
    async ({ caller: { merchant_id, environment }, query }, wanted) => {
      const sought = { merchant_id, environment, ...readLinkFilters(query) }
      const { rows, ...had } = await listLinks(db, sought, wanted)
      const ids = rows.map(({ id }) => id)
      const takenBy =
        flagFilter(query, 'taken') === true
          ? await readTaken({ db, hoursOfLinks, owner: { merchant_id, environment } }, ids)
          : undefined
      const listed = rows.map((link) => {
        const { id, place } = link
        return { id, place, link, taken: takenBy?.(id) }
      })
      return { ...had, rows: listed }
    },
  ),
})

const readRoute = ({ db, public_url }: LinkDeps): Listed => ({
  ...ofOne,
  access: 'any',
  summary: 'Retrieve a payment link',
  ...reads(LinkSchema, linkExample),
  handler: async (input) =>
    ok(viewLink(await getOwnLink(db, input.caller, uuidParam(input, 'id')), public_url)),
})

const changeRoute = (deps: LinkDeps): Listed => ({
  ...ofOne,
  ...writing,
  method: 'PATCH',
  body: LinkChange,
  check: checkLink,
  summary: 'Update a payment link',
  description: 'Omitted fields keep their value. The merchant of a link never changes.',
  responses: { 200: LinkSchema },
  errors: [paymentErrors.no_exchange_rate],
  example: { body: { is_active: false }, reply: { ...linkExample, is_active: false } },
  handler: async (input: Input<LinkChange>) => {
    const change = { id: uuidParam(input, 'id'), body: input.body }
    return ok(viewLink(await changeLink(deps, input.caller, change), deps.public_url))
  },
})

const replaceRoute = (deps: LinkDeps): Listed => ({
  ...ofOne,
  ...writing,
  method: 'PUT',
  body: LinkReplacement,
  check: checkLink,
  summary: 'Replace a payment link',
  description: 'Every writable field is required; nullable fields may be null.',
  responses: { 200: LinkSchema },
  errors: [paymentErrors.no_exchange_rate],
  example: {
    body: {
      name: linkExample.name,
      description: '',
      amount_type: 'FREE',
      amount: null,
      min_amount: '500',
      currency: 'XOF',
      is_active: true,
      expires_at: null,
      usage_limit: null,
    },
    reply: linkExample,
  },
  handler: async (input: Input<Static<typeof LinkReplacement>>) => {
    const change = { id: uuidParam(input, 'id'), body: input.body }
    return ok(viewLink(await changeLink(deps, input.caller, change), deps.public_url))
  },
})

const deleteRoute = (deps: LinkDeps): Listed => ({
  ...ofOne,
  ...writing,
  summary: 'Delete a payment link',
  description: 'The link and its slug are hidden for good; its transactions are kept.',
  ...removes((input) => endLink(deps, input.caller, uuidParam(input, 'id'))),
})

const transactionsRoute = ({ db }: LinkDeps): Listed => ({
  ...ofOne,
  path: '/payment-links/:id/transactions/',
  access: 'any',
  ...numberList(TransactionSchema, transactionExample),
  summary: 'List the transactions of a payment link',
  description: 'Newest first.',
  handler: listByNumber(viewTransaction, async (input, cut) => {
    const link = await getOwnLink(db, input.caller, uuidParam(input, 'id'))
    const { merchant_id, environment } = link
    const payment_link = link.id
    return listTransactionsOf(db, { merchant_id, environment, payment_link, ...cut })
  }),
})

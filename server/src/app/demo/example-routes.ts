// `/sandbox/examples/`: an empty sandbox of the embedded demo is filled with a made-up past, as
// `demo generate` does. Law: all of it or nothing, in one transaction under the lock of each
// balance, and never before a movement that is there, nor for a merchant approved for LIVE.

import { type Static, Type } from 'typebox'
import { MovedSince, requireUnmoved } from '../../ledger/book-history.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import type { Db } from '../../platform/db.ts'
import { defineErrors, refuse } from '../../platform/errors.ts'
import {
  type Caller,
  created,
  type Input,
  ok,
  type ServedRoute,
} from '../../platform/http/route.ts'
import { type Listed, reads, routesWith } from '../../platform/http/route-list.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { sandboxOnly } from '../../sandbox/resolve.ts'
import { generateHistory } from './generate-history.ts'
import { openMarkets } from './market.ts'

export type ExampleDeps = Readonly<{
  db: Db
  /** The service runs on a database of its own, for whoever tries it out. */
  embedded: boolean
}>

/** One portion: written in one transaction. */
const transactions_max = 2000
const days_max = 365
const usual = { transactions: 400, days: 60 } as const
const day_ms = 86_400_000

export const exampleErrors = defineErrors({
  examples_not_possible: {
    status: 409,
    message: {
      en: 'Examples fill an empty sandbox only: this one has movements, or its merchant is live.',
      fr:
        'Les exemples ne remplissent qu’un bac à sable vide : celui-ci a des mouvements, ou son ' +
        'marchand est en réel.',
    },
  },
})

const ExamplesBody = Type.Object(
  {
    transactions: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: transactions_max,
        description: `How many. Default: ${usual.transactions}.`,
      }),
    ),
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: days_max,
        description: `Over how many days until now they are spread. Default: ${usual.days}.`,
      }),
    ),
  },
  { title: 'SandboxExamples' },
)

const MadeView = Type.Object(
  {
    transactions: Type.Integer({
      description: 'How many were made: a payout that no balance covered is left out.',
    }),
    days: Type.Integer({ description: 'Over how many days.' }),
  },
  { title: 'SandboxExamplesMade' },
)

const OfferView = Type.Object(
  {
    possible: Type.Boolean({
      description:
        'Whether `POST` would fill this sandbox: the service runs as a demo, the merchant is not ' +
        'approved for LIVE, and no balance has moved in the last 60 days.',
    }),
    transactions_max: Type.Integer({ description: 'How many can be made at most.' }),
  },
  { title: 'SandboxExamplesOffer' },
)

export const exampleRoutes = (deps: ExampleDeps): ServedRoute[] =>
  routesWith({ tag: 'Sandbox', access: 'any' }, [offerRoute(deps), fillRoute(deps)])

const offerRoute = (deps: ExampleDeps): Listed<ServedRoute> => ({
  guard: sandboxOnly,
  path: '/sandbox/examples/',
  summary: 'Say whether the sandbox can be filled with examples',
  ...reads(OfferView, { possible: true, transactions_max }),
  errors: [transportErrors.not_found],
  handler: async ({ caller }) => ok({ possible: await isPossible(deps, caller), transactions_max }),
})

const fillRoute = (deps: ExampleDeps): Listed<ServedRoute> => ({
  guard: sandboxOnly,
  method: 'POST',
  path: '/sandbox/examples/',
  permission: 'payins',
  body: ExamplesBody,
  summary: 'Fill an empty sandbox with examples',
  description:
    'Payments, top-ups and payouts of made-up customers, which have ended and are booked as real ' +
    'ones are. Nobody is notified of them: they have no events. Only where the service runs on ' +
    'its own database, as a demo: elsewhere 404. All or nothing, in a few seconds.',
  responses: { 201: MadeView },
  errors: [exampleErrors.examples_not_possible, transportErrors.not_found],
  example: { body: usual, reply: { transactions: 391, days: usual.days } },
  handler: async ({ caller, body }: Input<Static<typeof ExamplesBody>>) => {
    if (!deps.embedded) throw refuse(transportErrors.not_found)
    return created(await fill(deps, caller, { ...usual, ...body }))
  },
})

async function fill(
  { db }: ExampleDeps,
  { merchant_id }: Caller,
  { transactions, days }: Readonly<{ transactions: number; days: number }>,
) {
  const { live_enabled } = await getMerchant(db, merchant_id)
  if (live_enabled) throw refuse(exampleErrors.examples_not_possible)
  try {
    const past = { merchant_id, transactions, days, streams: 1, passed: () => undefined }
    return { transactions: await generateHistory(db, past), days }
  } catch (error) {
    if (error instanceof MovedSince) throw refuse(exampleErrors.examples_not_possible)
    throw error
  }
}

/** As far as can be seen now; what begins meanwhile refuses the call. */
async function isPossible({ db, embedded }: ExampleDeps, { merchant_id }: Caller) {
  if (!embedded || (await getMerchant(db, merchant_id)).live_enabled) return false
  const [market] = await openMarkets(db, merchant_id, 1)
  const since = new Date(Date.now() - usual.days * day_ms)
  try {
    await requireUnmoved(db, market?.places ?? [], since)
    return true
  } catch (error) {
    if (error instanceof MovedSince) return false
    throw error
  }
}

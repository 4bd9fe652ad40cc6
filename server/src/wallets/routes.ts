// Transfers between a merchant's countries (contract 5.10): path, access, schema, one call, view.

import type { Catalogue } from '../catalogue/catalogue.ts'
import { withCreators } from '../merchants/caller-name-store.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { paymentErrors } from '../planning/errors.ts'
import { checkTimes, uuidParam } from '../platform/http/filters.ts'
import { listByEither } from '../platform/http/lists.ts'
import type { Signing } from '../platform/http/pages.ts'
import { type Input, ok, type ServedRoute } from '../platform/http/route.ts'
import {
  eitherList,
  type Listed,
  orderingBy,
  reads,
  routesWith,
} from '../platform/http/route-list.ts'
import { idempotencyErrors } from '../platform/idempotency/run-once.ts'
import { rateErrors } from '../rates/errors.ts'
import { readTransferFilters, transferQuery } from './filters.ts'
import { checkTransfer, TransferBody } from './plan-transfer.ts'
import { currentTransfer, requestTransfer, type TransferDeps } from './request-transfer.ts'
import { getOwnTransfer, listTransfers, transferSortFields } from './store.ts'
import type { Transfer } from './transfer.ts'
import {
  NamedTransferView,
  namedExample,
  TransferView,
  transferExample,
  viewTransfer,
} from './view.ts'

export const walletRoutes = (deps: TransferDeps & Signing): ServedRoute[] =>
  routesWith({ tag: 'Wallet transfers', access: 'any' }, [
    requestRoute(deps),
    listRoute(deps),
    readRoute(deps),
  ])

function requestRoute(deps: TransferDeps): Listed<ServedRoute> {
  // Which amounts a currency has is in the catalogue, which is read before the body is judged.
  let known: Catalogue | undefined
  return {
    method: 'POST',
    path: '/wallet-transfers/',
    access: 'PAYOUT',
    permission: 'transfers',
    second_factor: 'environment',
    guard: {
      check: async (caller) => {
        known = await deps.catalogue(caller.catalogue_version)
      },
    },
    idempotent: true,
    claims: 'verb',
    resume: ({ caller }, { transaction_id }) => currentTransfer(deps, caller, transaction_id),
    body: TransferBody,
    check: (body) =>
      checkTransfer(body, (country) => known?.countryByCode(country)?.default_currency),
    summary: 'Transfer value between two of your countries',
    description:
      'Rate and fee are fixed now and the amount is held; staff approve the transfer within 24 ' +
      'hours, or it is rejected. The amount that arrives is rounded down. Send an ' +
      'Idempotency-Key: without it, a repeated call is a second transfer.',
    responses: { 201: TransferView },
    errors: [
      paymentErrors.invalid_country,
      rateErrors.no_exchange_rate,
      payoutErrors.balance_frozen,
      payoutErrors.insufficient_balance,
      idempotencyErrors.idempotency_conflict,
      idempotencyErrors.idempotency_in_progress,
    ],
    example: {
      body: { from_country: 'CI', to_country: 'CM', from_amount: '10000' },
      reply: transferExample,
    },
    handler: (input: Input<TransferBody>) => requestTransfer(deps, input),
  }
}

const listRoute = ({ db, cursor_secret }: TransferDeps & Signing): Listed => ({
  path: '/wallet-transfers/',
  ...eitherList(NamedTransferView, namedExample, {
    ...transferQuery,
    ordering: orderingBy(transferSortFields),
  }),
  check_query: checkTimes,
  summary: 'List your transfers',
  description: 'Newest first.',
  handler: listByEither(
    cursor_secret,
    transferSortFields,
    viewNamed,
    async ({ caller, query }, wanted) => {
      const { merchant_id, environment } = caller
      const sought = { merchant_id, environment, ...readTransferFilters(query) }
      const found = await listTransfers(db, sought, wanted)
      return { ...found, rows: await withCreators(db, caller, found.rows) }
    },
  ),
})

const readRoute = ({ db }: TransferDeps): Listed => ({
  path: '/wallet-transfers/:id/',
  summary: 'Retrieve a transfer',
  ...reads(NamedTransferView, namedExample),
  handler: async (input) => {
    const transfer = await getOwnTransfer(db, input.caller, uuidParam(input, 'id'))
    const [named = transfer] = await withCreators(db, input.caller, [transfer])
    return ok(viewNamed(named))
  },
})

type Named = Transfer & Readonly<{ created_by_name?: string }>

const viewNamed = ({ created_by_name, ...transfer }: Named) => ({
  ...viewTransfer(transfer),
  ...(created_by_name === undefined ? {} : { created_by_name }),
})

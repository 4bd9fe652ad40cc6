// Paying a merchant out (contract 5.9): path, access, schema, one call, view.

import { findOpenAttemptOf } from '../attempts/attempt-statements.ts'
import { triggerOf } from '../attempts/evidence.ts'
import { queryAttempt } from '../attempts/query-attempt.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { withCreators } from '../merchants/caller-name-store.ts'
import { payoutMethodErrors } from '../merchants/payout-methods/errors.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { nobodySends, paymentErrors } from '../planning/errors.ts'
import type { Locale } from '../platform/errors.ts'
import { checkTimes, uuidParam } from '../platform/http/filters.ts'
import { listByEither } from '../platform/http/lists.ts'
import type { Signing } from '../platform/http/pages.ts'
import { type Input, ok, type Reply, type ServedRoute } from '../platform/http/route.ts'
import {
  eitherList,
  type Listed,
  orderingBy,
  reads,
  routesWith,
} from '../platform/http/route-list.ts'
import { idempotencyErrors } from '../platform/idempotency/run-once.ts'
import { cancelSettlement } from './decide-settlement.ts'
import { settlementErrors } from './errors.ts'
import { readSettlementFilters, settlementQuery } from './filters.ts'
import { getOwnSettlement } from './get-settlement.ts'
import {
  checkSettlement,
  currentSettlement,
  requestSettlement,
  SettlementBody,
  type SettlementDeps,
} from './request-settlement.ts'
import type { Settlement } from './settlement.ts'
import { listSettlements, settlementSortFields } from './store.ts'
import {
  cancelledExample,
  NamedSettlementView,
  namedExample,
  SettlementView,
  settlementExample,
  viewSettlement,
} from './view.ts'

export const settlementRoutes = (deps: SettlementDeps & Signing): ServedRoute[] =>
  routesWith({ tag: 'Settlements', access: 'PAYOUT' }, [
    requestRoute(deps),
    listRoute(deps),
    readRoute(deps),
    cancelRoute(deps),
  ])

function requestRoute(deps: SettlementDeps): Listed<ServedRoute> {
  // Which amounts a currency allows is in the catalogue, which is read before the body is checked.
  let known: Catalogue | undefined
  return {
    method: 'POST',
    path: '/settlements/',
    permission: 'settlements',
    second_factor: 'environment',
    guard: {
      check: async (caller) => {
        known = await deps.catalogue(caller.catalogue_version)
      },
    },
    idempotent: true,
    claims: 'verb',
    resume: (input: Input<SettlementBody>, { transaction_id }) =>
      resumeSettlement(deps, input, transaction_id),
    body: SettlementBody,
    check: (body) =>
      checkSettlement(body, (country) => known?.countryByCode(country)?.default_currency),
    summary: 'Request a settlement of part of your balance',
    description:
      'The amount is held at once; staff approve the settlement, unless it is small. Send an ' +
      'Idempotency-Key: without it, a repeated call is a second settlement.',
    responses: { 201: SettlementView },
    errors: [
      paymentErrors.invalid_country,
      payoutMethodErrors.payout_method_cooling_off,
      paymentErrors.fee_charge_mode_locked,
      paymentErrors.invalid_method,
      payoutErrors.payout_not_enabled,
      payoutErrors.currency_country_mismatch,
      nobodySends,
      payoutErrors.balance_frozen,
      payoutErrors.insufficient_balance,
      idempotencyErrors.idempotency_conflict,
      idempotencyErrors.idempotency_in_progress,
    ],
    example: {
      body: {
        country: 'BJ',
        requested_amount: '10000',
        payout_method: settlementExample.payout_method,
      },
      reply: settlementExample,
    },
    handler: (input: Input<SettlementBody>) => requestSettlement(deps, input),
  }
}

/** After a crash: an attempt that may never have been sent is queried first (contract 4.3). */
async function resumeSettlement(
  deps: SettlementDeps,
  input: Input<SettlementBody>,
  id: string,
): Promise<Reply | undefined> {
  const { merchant_id, request_id } = input.caller
  const attempt = await findOpenAttemptOf(deps.db, { merchant_id, id })
  if (attempt !== undefined && attempt.accepted_at === null) {
    await queryAttempt(deps, attempt, { triggered_by: triggerOf(input.caller), request_id })
  }
  return currentSettlement(deps, input, id)
}

const listRoute = ({ db, cursor_secret }: SettlementDeps & Signing): Listed => ({
  path: '/settlements/',
  access: 'any',
  ...eitherList(NamedSettlementView, namedExample, {
    ...settlementQuery,
    ordering: orderingBy(settlementSortFields),
  }),
  check_query: checkTimes,
  summary: 'List your settlements',
  description: 'Newest first.',
  handler: listByEither(
    cursor_secret,
    settlementSortFields,
    viewNamed,
    async ({ caller, query }, wanted) => {
      const { merchant_id, environment } = caller
      const sought = { merchant_id, environment, ...readSettlementFilters(query) }
      const found = await listSettlements(db, sought, wanted)
      return { ...found, rows: await withCreators(db, caller, found.rows) }
    },
  ),
})

const readRoute = ({ db }: SettlementDeps): Listed => ({
  path: '/settlements/:id/',
  access: 'any',
  summary: 'Retrieve a settlement',
  ...reads(NamedSettlementView, namedExample),
  handler: async (input) => {
    const settlement = await getOwnSettlement(db, input.caller, uuidParam(input, 'id'))
    const [named = settlement] = await withCreators(db, input.caller, [settlement])
    return ok(viewNamed(named, input.locale))
  },
})

type Named = Settlement & Readonly<{ created_by_name?: string }>

const viewNamed = ({ created_by_name, ...settlement }: Named, locale: Locale) => ({
  ...viewSettlement(settlement, locale),
  ...(created_by_name === undefined ? {} : { created_by_name }),
})

const cancelRoute = (deps: SettlementDeps): Listed => ({
  method: 'POST',
  path: '/settlements/:id/cancel/',
  permission: 'settlements',
  second_factor: 'environment',
  summary: 'Cancel a settlement',
  description: 'Only while it is PENDING; the whole amount becomes available again.',
  responses: { 200: SettlementView },
  errors: [settlementErrors.transaction_terminal],
  example: { reply: cancelledExample },
  handler: async (input) => {
    const settlement = await cancelSettlement(deps, input.caller, uuidParam(input, 'id'))
    return ok(viewSettlement(settlement, input.locale))
  },
})

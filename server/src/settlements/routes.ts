// Paying a merchant out (contract 5.9): path, access, schema, one call, view.

import { Type } from 'typebox'
import { findOpenAttemptOf } from '../attempts/attempt-record.ts'
import { triggerOf } from '../attempts/evidence.ts'
import { queryAttempt } from '../attempts/query-attempt.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { payoutMethodErrors } from '../merchants/payout-methods/errors.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { paymentErrors } from '../planning/errors.ts'
import {
  enumFilter,
  newestFirst,
  orderings,
  singleSort,
  uuidParam,
} from '../platform/http/filters.ts'
import { listByNumber } from '../platform/http/list-by-number.ts'
import { numberPageSchema, numberQuery } from '../platform/http/pages.ts'
import { type Input, ok, type Reply, type Route } from '../platform/http/route.ts'
import type { ServedRoute } from '../platform/http/served-route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { idempotencyErrors } from '../platform/idempotency/run-once.ts'
import { cancelSettlement } from './cancel-settlement.ts'
import { settlementErrors } from './errors.ts'
import { getOwnSettlement } from './get-settlement.ts'
import { currentSettlement, requestSettlement, type SettlementDeps } from './request-settlement.ts'
import { checkSettlement, SettlementBody } from './settlement-body.ts'
import { settlementStatuses } from './states.ts'
import { listSettlements, settlementSortFields } from './store.ts'
import { cancelledExample, SettlementView, settlementExample, viewSettlement } from './view.ts'

const tag = 'Settlements'

export const settlementRoutes = (deps: SettlementDeps): ServedRoute[] => [
  requestRoute(deps),
  listRoute(deps),
  readRoute(deps),
  cancelRoute(deps),
]

function requestRoute(deps: SettlementDeps): ServedRoute {
  // Which amounts a currency allows is in the catalogue, which is read before the body is checked.
  let known: Catalogue | undefined
  return {
    method: 'POST',
    path: '/settlements/',
    access: 'PAYOUT',
    permission: 'settlements',
    second_factor: 'environment',
    guard: async (caller) => {
      known = await deps.catalogue(caller.catalogue_version)
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
    tag,
    responses: { 201: SettlementView },
    errors: [
      paymentErrors.invalid_country,
      payoutMethodErrors.payout_method_cooling_off,
      paymentErrors.fee_charge_mode_locked,
      paymentErrors.invalid_method,
      payoutErrors.payout_not_enabled,
      payoutErrors.currency_country_mismatch,
      paymentErrors.no_route_available,
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

const listRoute = ({ db }: SettlementDeps): Route => ({
  method: 'GET',
  path: '/settlements/',
  access: 'any',
  query: Type.Object({
    ...numberQuery,
    status: Type.Optional(Type.Enum([...settlementStatuses])),
    country: Type.Optional(Type.String({ description: 'ISO 3166 alpha-2.' })),
    search: Type.Optional(Type.String({ maxLength: 100, description: 'Searches the reference.' })),
    ordering: Type.Optional(Type.Enum(orderings(settlementSortFields))),
  }),
  summary: 'List your settlements',
  description: 'Newest first.',
  tag,
  responses: { 200: numberPageSchema(SettlementView) },
  example: { reply: { count: 1, next: null, previous: null, results: [settlementExample] } },
  handler: listByNumber(viewSettlement, ({ caller, query }, cut) =>
    listSettlements(db, {
      merchant_id: caller.merchant_id,
      environment: caller.environment,
      status: enumFilter(query, 'status', settlementStatuses),
      country: query['country']?.toUpperCase(),
      search: query['search'],
      order: singleSort(query, settlementSortFields, newestFirst),
      ...cut,
    }),
  ),
})

const readRoute = ({ db }: SettlementDeps): Route => ({
  method: 'GET',
  path: '/settlements/:id/',
  access: 'any',
  summary: 'Retrieve a settlement',
  tag,
  responses: { 200: SettlementView },
  errors: [accessErrors.permission_denied],
  example: { reply: settlementExample },
  handler: async (input) => {
    const settlement = await getOwnSettlement(db, input.caller, uuidParam(input, 'id'))
    return ok(viewSettlement(settlement, input.locale))
  },
})

const cancelRoute = (deps: SettlementDeps): Route => ({
  method: 'POST',
  path: '/settlements/:id/cancel/',
  access: 'PAYOUT',
  permission: 'settlements',
  second_factor: 'environment',
  summary: 'Cancel a settlement',
  description: 'Only while it is PENDING; the whole amount becomes available again.',
  tag,
  responses: { 200: SettlementView },
  errors: [accessErrors.permission_denied, settlementErrors.transaction_terminal],
  example: { reply: cancelledExample },
  handler: async (input) => {
    const settlement = await cancelSettlement(deps, input.caller, uuidParam(input, 'id'))
    return ok(viewSettlement(settlement, input.locale))
  },
})

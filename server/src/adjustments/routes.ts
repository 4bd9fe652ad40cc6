// `/admin/adjustments/`: two members of staff correct a merchant's books (docs/decisions/0017). The
// header X-Environment chooses the environment; an adjustment of the other one is not found.

import { type Static, Type } from 'typebox'
import { checkDecimal } from '../money/parse-amount.ts'
import { proposalErrors } from '../people/proposals/errors.ts'
import type { Db } from '../platform/db.ts'
import type { Text } from '../platform/errors.ts'
import {
  enumFilter,
  newestFirst,
  singleSort,
  uuidFilter,
  uuidParam,
} from '../platform/http/filters.ts'
import { readKey } from '../platform/http/headers.ts'
import { listByNumber } from '../platform/http/lists.ts'
import { created, type Input, ok, type Route, replayed } from '../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  reads,
  routesWith,
} from '../platform/http/route-list.ts'
import { idempotencyErrors } from '../platform/idempotency/run-once.ts'
import { adjustmentKinds } from './adjustment.ts'
import { confirmAdjustment, refuseAdjustment } from './decide-adjustment.ts'
import { adjustmentErrors } from './errors.ts'
import { getAdjustment, requestAdjustment } from './request-adjustment.ts'
import { adjustmentStatuses } from './states.ts'
import { adjustmentSortFields, listAdjustments } from './store.ts'
import {
  AdjustmentView,
  adjustmentExample,
  bookedExample,
  refusedExample,
  viewAdjustment,
} from './view.ts'

export type Deps = Readonly<{ db: Db }>

const blank: Text = { en: 'Must not be empty.', fr: 'Ne doit pas être vide.' }
const reason = Type.String({ minLength: 1, maxLength: 500 })

const checkReason = (body: Readonly<Record<string, unknown>>) =>
  typeof body['reason'] === 'string' && body['reason'].trim() === '' ? { reason: [blank] } : {}

const checkRequest = (body: Readonly<Record<string, unknown>>) => ({
  ...checkDecimal(body),
  ...checkReason(body),
})

const RequestBody = Type.Object(
  {
    balance: Type.String({
      format: 'uuid',
      description: 'The id of a balance in `/admin/balances/`.',
    }),
    kind: Type.Enum([...adjustmentKinds], {
      description:
        '`CREDIT_MERCHANT`, `CHARGE_MERCHANT`: booked against our losses. `COLLECT_DEBT`: what ' +
        'the merchant owes is collected from the balance. `WRITE_OFF_DEBT`: we give up what the ' +
        'merchant owes.',
    }),
    // Many clients send a number; it is read as its decimal text (contract 2.1).
    amount: Type.Union([Type.String({ maxLength: 32 }), Type.Unsafe<number>({ type: 'number' })], {
      description: 'Decimal, in the balance’s currency.',
      'x-message': {
        en: 'Must be an amount such as "5000" or "12.50".',
        fr: 'Doit être un montant comme "5000" ou "12.50".',
      },
    }),
    reason,
  },
  { title: 'AdjustmentAsk' },
)

const RefuseBody = Type.Object({ reason })

export const adjustmentRoutes = (deps: Deps): Route[] =>
  routesWith({ tag: 'Staff: adjustments', access: 'staff' }, [
    requestRoute(deps),
    listRoute(deps),
    readRoute(deps),
    confirmRoute(deps),
    refuseRoute(deps),
  ])

const requestRoute = ({ db }: Deps): Listed => ({
  method: 'POST',
  path: '/admin/adjustments/',
  staff: 'balances',
  idempotent: true,
  body: RequestBody,
  check: checkRequest,
  summary: 'Request an adjustment of a merchant’s balance or debt',
  description:
    'Nothing is booked until another person confirms. A repeated request with the same ' +
    'Idempotency-Key by the same person returns the same adjustment in its current state.',
  responses: { 201: AdjustmentView },
  errors: [idempotencyErrors.idempotency_conflict],
  example: {
    body: {
      balance: '01981f3a-0000-8000-8000-00000000b001',
      kind: adjustmentExample.kind,
      amount: '2500',
      reason: adjustmentExample.reason,
    },
    reply: adjustmentExample,
  },
  handler: async ({ body, headers, person }: Input<Static<typeof RequestBody>>) => {
    const request = { ...body, reason: body.reason.trim(), key: readKey(headers) }
    const { adjustment, is_replayed } = await requestAdjustment(db, person, request)
    const view = viewAdjustment(adjustment)
    return is_replayed ? replayed(201, view) : created(view)
  },
})

const listRoute = ({ db }: Deps): Listed => ({
  path: '/admin/adjustments/',
  staff: 'read',
  ...numberList(AdjustmentView, adjustmentExample, {
    status: Type.Optional(Type.Enum([...adjustmentStatuses])),
    kind: Type.Optional(Type.Enum([...adjustmentKinds])),
    merchant: Type.Optional(Type.String({ format: 'uuid' })),
    country: Type.Optional(Type.String({ description: 'ISO 3166 alpha-2.' })),
    ordering: orderingBy(adjustmentSortFields),
  }),
  summary: 'List the adjustments of all merchants',
  description: 'In the environment given by `X-Environment`, newest first.',
  handler: listByNumber(viewAdjustment, ({ query, person: { environment } }, cut) =>
    listAdjustments(db, {
      environment,
      merchant_id: uuidFilter(query, 'merchant'),
      status: enumFilter(query, 'status', adjustmentStatuses),
      kind: enumFilter(query, 'kind', adjustmentKinds),
      country: query['country']?.toUpperCase(),
      order: singleSort(query, adjustmentSortFields, newestFirst),
      ...cut,
    }),
  ),
})

const readRoute = ({ db }: Deps): Listed => ({
  path: '/admin/adjustments/:id/',
  staff: 'read',
  summary: 'Retrieve an adjustment',
  ...reads(AdjustmentView, adjustmentExample),
  handler: async (input) =>
    ok(viewAdjustment(await getAdjustment(db, input.person, uuidParam(input, 'id')))),
})

const confirmRoute = ({ db }: Deps): Listed => ({
  method: 'POST',
  path: '/admin/adjustments/:id/confirm/',
  staff: 'balances',
  summary: 'Confirm an adjustment that another person requested',
  description: 'It is booked at once; its ledger entry carries its reference.',
  responses: { 200: AdjustmentView },
  errors: [
    adjustmentErrors.adjustment_decided,
    adjustmentErrors.second_person_required,
    proposalErrors.proposer_gone,
    adjustmentErrors.debt_exceeded,
    adjustmentErrors.insufficient_balance,
  ],
  example: { reply: bookedExample },
  handler: async (input) =>
    ok(viewAdjustment(await confirmAdjustment(db, input.person, uuidParam(input, 'id')))),
})

const refuseRoute = ({ db }: Deps): Listed => ({
  method: 'POST',
  path: '/admin/adjustments/:id/refuse/',
  staff: 'balances',
  body: RefuseBody,
  check: checkReason,
  summary: 'Reject an adjustment, or withdraw your own',
  responses: { 200: AdjustmentView },
  errors: [adjustmentErrors.adjustment_decided],
  example: { body: { reason: refusedExample.refusal_reason }, reply: refusedExample },
  handler: async (input: Input<Static<typeof RefuseBody>>) => {
    const request = { id: uuidParam(input, 'id'), reason: input.body.reason.trim() }
    return ok(viewAdjustment(await refuseAdjustment(db, input.person, request)))
  },
})

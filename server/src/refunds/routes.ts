// The refund routes (contract 8.22): path, access, schema, one call, view.

import { type Static, Type } from 'typebox'
import { merchantErrors } from '../merchants/errors.ts'
import { isWhitelisted } from '../merchants/whitelist/is-whitelisted.ts'
import { payoutErrors } from '../payouts/errors.ts'
import { nobodySends } from '../planning/errors.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import { refuse } from '../platform/errors.ts'
import { checkTimes, uuidParam } from '../platform/http/filters.ts'
import { listByEither } from '../platform/http/lists.ts'
import type { Signing } from '../platform/http/pages.ts'
import {
  type Caller,
  type Guard,
  type Input,
  ok,
  type ServedRoute,
} from '../platform/http/route.ts'
import {
  eitherList,
  type Listed,
  orderingBy,
  reads,
  routesWith,
} from '../platform/http/route-list.ts'
import { idempotencyErrors } from '../platform/idempotency/run-once.ts'
import { getOwnTransaction } from '../transactions/transaction-now.ts'
import { approveRefund, cancelRefund, rejectRefund, seenBy } from './decide-refund.ts'
import { refundErrors } from './errors.ts'
import { readRefundFilters, refundQuery } from './filters.ts'
import { checkRefund, RefundBody } from './plan-refund.ts'
import {
  getOwnRefund,
  previewRefund,
  type RefundRouteDeps,
  requestRefund,
  resumeRefund,
  verifyRefund,
} from './request-refund.ts'
import { listRefunds, type RefundNow, refundSortFields } from './store.ts'
import {
  cancelledRefundExample,
  previewExample,
  RefundPreviewSchema,
  RefundSchema,
  refundExample,
  viewRefund,
} from './view.ts'

export function refundRoutes(deps: RefundRouteDeps & Signing): ServedRoute[] {
  return routesWith({ tag: 'Refunds', access: 'any' }, [
    create(deps),
    preview(deps),
    listOfPayment(deps),
    listRoute(deps),
    readRoute(deps),
    verify(deps),
    approve(deps),
    reject(deps),
    cancel(deps),
  ])
}

/** A key refunds from its merchant's own servers only; sessions are exempt. */
const fromListedAddress = ({ db }: PaymentDeps): Guard => ({
  rule: 'ip_list',
  check: async ({ via, merchant_id, ip }) => {
    if (via === 'SESSION' || (await isWhitelisted(db, merchant_id, ip))) return
    throw refuse(payoutErrors.ip_not_whitelisted)
  },
})

/** Money leaves: a key that may both collect and pay, or a member who may pay out. */
const movesMoney = (deps: PaymentDeps) =>
  ({
    method: 'POST',
    access: 'BOTH',
    permission: 'payouts',
    second_factor: 'environment',
    guard: fromListedAddress(deps),
  }) as const

const refusals = [
  payoutErrors.ip_not_whitelisted,
  refundErrors.not_refundable,
  refundErrors.refund_too_large,
  refundErrors.refund_in_progress,
  nobodySends,
  payoutErrors.balance_frozen,
  payoutErrors.payout_limit_exceeded,
  payoutErrors.insufficient_balance,
]

const body = { amount: '4000', reason: 'Out of stock', reference: 'RETURN-17' }

const create = (deps: RefundRouteDeps): Listed<ServedRoute> => ({
  ...movesMoney(deps),
  path: '/payments/:payment_id/refunds/',
  idempotent: true,
  claims: 'verb',
  resume: (input: Input<RefundBody>, { transaction_id }) =>
    resumeRefund(deps, input, transaction_id),
  body: RefundBody,
  check: checkRefund,
  summary: 'Refund a payment, whole or in part',
  description:
    'Without `amount`, all that is left. The sum leaves your balance at once; the payer has it ' +
    'when the refund is SUCCESS. The payment stays SUCCESS. Send an Idempotency-Key: without it, ' +
    'a repeated call is a second refund.',
  responses: { 201: RefundSchema },
  errors: [
    ...refusals,
    idempotencyErrors.idempotency_conflict,
    idempotencyErrors.idempotency_in_progress,
  ],
  example: { body, reply: refundExample },
  handler: (input: Input<RefundBody>) => requestRefund(deps, input),
})

const preview = (deps: RefundRouteDeps): Listed<ServedRoute> => ({
  ...movesMoney(deps),
  path: '/payments/:payment_id/refunds/preview/',
  body: RefundBody,
  check: checkRefund,
  summary: 'Preview a refund',
  description: 'Its method, its fee, what the payer gets and what leaves your balance.',
  responses: { 200: RefundPreviewSchema },
  errors: refusals.slice(0, 5),
  example: { body, reply: previewExample },
  handler: async (input: Input<RefundBody>) => ok(await previewRefund(deps, input)),
})

const answerList = (deps: RefundRouteDeps & Signing, ofPayment: boolean) =>
  listByEither(
    deps.cursor_secret,
    refundSortFields,
    viewRefund,
    async ({ caller, query, params }, wanted) => {
      const { db } = deps
      const { merchant_id, environment } = caller
      const payment_id = ofPayment
        ? (await getOwnTransaction(db, caller, params['payment_id'] ?? '')).id
        : undefined
      const sought = { merchant_id, environment, payment_id, ...readRefundFilters(query) }
      const { rows, ...had } = await listRefunds(db, sought, wanted)
      return { ...had, rows: await seenBy(deps, caller, rows) }
    },
  )

const lists = {
  ...eitherList(RefundSchema, refundExample, {
    ...refundQuery,
    ordering: orderingBy(refundSortFields),
  }),
  check_query: checkTimes,
  description: 'Newest first.',
}

/** One as its caller sees it. */
async function answer(deps: RefundRouteDeps, { caller, locale }: Input, refund: RefundNow) {
  const [seen] = await seenBy(deps, caller, [refund])
  return ok(viewRefund(seen ?? refund, locale))
}

const listOfPayment = (deps: RefundRouteDeps & Signing): Listed<ServedRoute> => ({
  ...lists,
  path: '/payments/:payment_id/refunds/',
  summary: 'List the refunds of a payment',
  handler: answerList(deps, true),
})

const listRoute = (deps: RefundRouteDeps & Signing): Listed<ServedRoute> => ({
  ...lists,
  path: '/refunds/',
  summary: 'List your refunds',
  handler: answerList(deps, false),
})

const readRoute = (deps: RefundRouteDeps): Listed<ServedRoute> => ({
  path: '/refunds/:id/',
  summary: 'Retrieve a refund',
  ...reads(RefundSchema, refundExample),
  handler: async (input) => {
    const refund = await getOwnRefund(deps.db, input.caller, uuidParam(input, 'id'))
    return answer(deps, input, refund)
  },
})

const verify = (deps: RefundRouteDeps): Listed<ServedRoute> => ({
  method: 'POST',
  path: '/refunds/:id/verify/',
  permission: 'read',
  suspended: 'allowed',
  summary: 'Verify a refund with the gateway',
  description: 'Queries the gateway while the outcome is open; answers within 5 seconds.',
  responses: { 200: RefundSchema },
  example: { reply: refundExample },
  handler: async (input) => {
    const refund = await getOwnRefund(deps.db, input.caller, uuidParam(input, 'id'))
    return answer(deps, input, await verifyRefund(deps, input.caller, refund))
  },
})

const decision = {
  method: 'POST',
  access: 'dashboard',
  permission: 'payouts',
  second_factor: 'environment',
  responses: { 200: RefundSchema },
} as const

type Decide = (caller: Caller, refund: Awaited<ReturnType<typeof getOwnRefund>>) => Promise<void>

/** Decides on the caller's own refund, and answers it as it then is. */
async function decided({ db }: RefundRouteDeps, input: Input<unknown>, decide: Decide) {
  const { caller, locale } = input
  const id = uuidParam(input, 'id')
  await decide(caller, await getOwnRefund(db, caller, id))
  return ok(viewRefund(await getOwnRefund(db, caller, id), locale))
}

const approve = (deps: RefundRouteDeps): Listed<ServedRoute> => ({
  ...decision,
  path: '/refunds/:id/approve/',
  summary: 'Approve a refund that another member requested',
  description:
    'It is sent at once, or waits for a route. The person who requested it cannot approve it; ' +
    'in LIVE the rules of payouts apply to both.',
  errors: [
    payoutErrors.approval_not_required,
    refundErrors.not_refundable,
    payoutErrors.same_person,
    merchantErrors.second_member_required,
    nobodySends,
    payoutErrors.balance_frozen,
  ],
  example: { reply: refundExample },
  handler: (input) => decided(deps, input, (caller, refund) => approveRefund(deps, caller, refund)),
})

const RejectBody = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 255 }) })

const reject = (deps: RefundRouteDeps): Listed<ServedRoute> => ({
  ...decision,
  path: '/refunds/:id/reject/',
  body: RejectBody,
  summary: 'Reject a refund that is awaiting a decision',
  description: 'It fails with REJECTED_BY_MERCHANT and its money is released.',
  errors: [payoutErrors.approval_not_required],
  example: {
    body: { reason: 'Not this customer.' },
    reply: { ...cancelledRefundExample, status: 'FAILED', failure_code: 'REJECTED_BY_MERCHANT' },
  },
  handler: (input: Input<Static<typeof RejectBody>>) =>
    decided(deps, input, (caller, refund) => rejectRefund(deps, caller, refund, input.body.reason)),
})

const cancel = (deps: RefundRouteDeps): Listed<ServedRoute> => ({
  ...movesMoney(deps),
  path: '/refunds/:id/cancel/',
  summary: 'Cancel a refund that was not sent yet',
  description: 'Possible while it waits for a person or for a route; its money is released.',
  responses: { 200: RefundSchema },
  errors: [payoutErrors.ip_not_whitelisted, payoutErrors.not_cancellable],
  example: { reply: cancelledRefundExample },
  handler: (input) => decided(deps, input, (caller, refund) => cancelRefund(deps, caller, refund)),
})

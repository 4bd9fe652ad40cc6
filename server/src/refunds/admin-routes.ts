// Staff decide on a refund that no second member of its merchant could (contract 8.22). The header
// X-Environment chooses the environment: a refund of the other one is not found.

import { type Static, Type } from 'typebox'
import { payoutErrors } from '../payouts/errors.ts'
import { nobodySends } from '../planning/errors.ts'
import { refuse } from '../platform/errors.ts'
import { uuidParam } from '../platform/http/filters.ts'
import { type Input, ok, type ServedRoute } from '../platform/http/route.ts'
import { accessErrors, transportErrors } from '../platform/http/transport-errors.ts'
import { approveByStaff, rejectByStaff } from './decide-refund.ts'
import { refundErrors } from './errors.ts'
import { findRefundLook } from './look-statements.ts'
import type { Refund } from './refund.ts'
import { getOwnRefund, type RefundRouteDeps } from './request-refund.ts'
import { findOfAny } from './store.ts'
import {
  cancelledRefundExample,
  RefundSchema,
  refundExample,
  StaffRefundSchema,
  staffRefundExample,
  viewRefund,
  viewStaffRefund,
} from './view.ts'

type Deps = RefundRouteDeps

/** Any merchant's, in the environment that staff look at. */
async function seenRefund({ db }: Deps, input: Pick<Input, 'params' | 'person'>): Promise<Refund> {
  const { environment } = input.person
  const refund = await findOfAny(db, { id: uuidParam(input, 'id'), environment })
  if (refund === undefined) throw refuse(transportErrors.not_found)
  return refund
}

async function shown({ db }: Deps, { merchant_id, environment, id }: Refund, input: Input) {
  return ok(viewRefund(await getOwnRefund(db, { merchant_id, environment }, id), input.locale))
}

/** With what its last look for a route has found. */
async function answerRefund(deps: Deps, input: Input) {
  const { merchant_id, environment, id } = await seenRefund(deps, input)
  const [refund, waited_for] = await Promise.all([
    getOwnRefund(deps.db, { merchant_id, environment }, id),
    findRefundLook(deps.db, { merchant_id, id }),
  ])
  return ok(viewStaffRefund(refund, waited_for, input.locale))
}

const RejectBody = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 255 }) })

const act = {
  access: 'staff',
  tag: 'Staff',
  responses: { 200: RefundSchema },
} as const

export const refundAdminRoutes = (deps: Deps): ServedRoute[] => [
  {
    ...act,
    method: 'GET',
    staff: 'read',
    path: '/admin/refunds/:id/',
    summary: 'Retrieve a refund of any merchant',
    responses: { 200: StaffRefundSchema },
    example: { reply: staffRefundExample },
    handler: (input) => answerRefund(deps, input),
  },
  {
    ...act,
    method: 'POST',
    staff: 'approvals',
    path: '/admin/refunds/:id/approve/',
    summary: 'Approve a refund to a number that its merchant named',
    description: 'Only where it waits for STAFF: no second member of the merchant could decide.',
    errors: [
      payoutErrors.approval_not_required,
      refundErrors.not_refundable,
      accessErrors.merchant_suspended,
      accessErrors.live_mode_not_enabled,
      nobodySends,
      payoutErrors.balance_frozen,
    ],
    example: { reply: refundExample },
    handler: async (input) => {
      const refund = await seenRefund(deps, input)
      await approveByStaff(deps, input.person, refund)
      return shown(deps, refund, input)
    },
  },
  {
    ...act,
    method: 'POST',
    staff: 'approvals',
    path: '/admin/refunds/:id/reject/',
    body: RejectBody,
    summary: 'Reject a refund that is awaiting a decision or a route',
    description: 'It fails with CANCELLED_BY_STAFF and its money is released.',
    errors: [payoutErrors.approval_not_required],
    example: {
      body: { reason: 'The number is not the payer’s.' },
      reply: { ...cancelledRefundExample, status: 'FAILED', failure_code: 'CANCELLED_BY_STAFF' },
    },
    handler: async (input: Input<Static<typeof RejectBody>>) => {
      const refund = await seenRefund(deps, input)
      await rejectByStaff(deps, input.person, refund, input.body.reason)
      return shown(deps, refund, input)
    },
  },
]

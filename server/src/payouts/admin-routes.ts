// Staff cancel a payout that no operator has received (contract 8.24). The header X-Environment
// chooses the environment: a payout of the other one is not found.

import { type Static, Type } from 'typebox'
import type { PaymentDeps } from '../planning/facts.ts'
import type { Db } from '../platform/db.ts'
import { refuse, type Text } from '../platform/errors.ts'
import { uuidParam } from '../platform/http/filters.ts'
import { type Input, ok, type ServedRoute } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { findAcross, type StaffTransaction } from '../transactions/admin/store.ts'
import { StaffTransactionSchema, viewStaffTransaction } from '../transactions/admin/view.ts'
import { transactionExample } from '../transactions/example.ts'
import { cancelPayoutByStaff } from './cancel-payout.ts'
import { payoutErrors } from './errors.ts'

const CancelBody = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500 }) })
const blank: Text = { en: 'Must not be empty.', fr: 'Ne doit pas être vide.' }

export const payoutAdminRoutes = (deps: PaymentDeps): ServedRoute[] => [
  {
    method: 'POST',
    path: '/admin/payouts/:id/cancel/',
    access: 'staff',
    staff: 'approvals',
    body: CancelBody,
    check: ({ reason }) =>
      typeof reason === 'string' && reason.trim() === '' ? { reason: [blank] } : {},
    summary: 'Cancel a payout that was not sent yet',
    description:
      'Possible while it waits for a second person or for a float. It fails with ' +
      'CANCELLED_BY_STAFF and its money is released. One that waits in its operator’s own queue ' +
      'is asked back, and fails by the operator’s answer.',
    tag: 'Staff',
    responses: { 200: StaffTransactionSchema },
    errors: [payoutErrors.not_cancellable],
    example: {
      body: { reason: 'The merchant’s key was stolen.' },
      reply: {
        ...transactionExample,
        merchant_name: 'Boutique Awa',
        transaction_type: 'RETRAIT',
        flow_direction: 'OUTBOUND',
        status: 'FAILED',
        failure_code: 'CANCELLED_BY_STAFF',
      },
    },
    handler: async (input: Input<Static<typeof CancelBody>>) => {
      const payout = await getPayout(deps.db, input)
      await cancelPayoutByStaff(deps, input.person, payout, input.body.reason)
      return ok(viewStaffTransaction(await getPayout(deps.db, input), input.locale))
    },
  },
]

async function getPayout(
  db: Db,
  input: Pick<Input, 'params' | 'person'>,
): Promise<StaffTransaction> {
  const id = uuidParam(input, 'id')
  const found = await findAcross(db, { id, environment: input.person.environment })
  if (found?.transaction_type !== 'RETRAIT') throw refuse(transportErrors.not_found)
  return found
}

// Staff read the transfers that wait, approve and reject them (contract 5.10). The header
// X-Environment chooses the environment: a transfer of the other one is not found.

import { type Static, Type } from 'typebox'
import { getMerchant } from '../merchants/merchant.ts'
import { payoutErrors } from '../payouts/errors.ts'
import type { Text } from '../platform/errors.ts'
import {
  enumFilter,
  newestFirst,
  orderings,
  singleSort,
  uuidFilter,
  uuidParam,
} from '../platform/http/filters.ts'
import { listByNumber } from '../platform/http/lists.ts'
import { numberPageSchema, numberQuery } from '../platform/http/pages.ts'
import { type Input, ok, type Reply, type ServedRoute } from '../platform/http/route.ts'
import { type Listed, routesWith } from '../platform/http/route-list.ts'
import { approveTransfer, type DecideDeps, rejectTransfer } from './decide-transfer.ts'
import { transferStatuses } from './states.ts'
import { listAllTransfers, type MerchantsTransfer, transferSortFields } from './store.ts'
import { type Transfer, walletErrors } from './transfer.ts'
import {
  completedExample,
  rejectedExample,
  TransferView,
  transferExample,
  viewTransfer,
} from './view.ts'

const merchant_name = 'Boutique Awa'

const TransferOfMerchant = Type.Object(
  { ...TransferView.properties, merchant_name: Type.String() },
  { title: 'WalletTransferOfMerchant' },
)

const blank: Text = { en: 'Must not be empty.', fr: 'Ne doit pas être vide.' }

const RejectBody = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500 }) })

export const walletAdminRoutes = (deps: DecideDeps): ServedRoute[] =>
  routesWith({ tag: 'Staff: wallet transfers', access: 'staff' }, [
    listRoute(deps),
    approveRoute(deps),
    rejectRoute(deps),
  ])

const view = (transfer: MerchantsTransfer) => ({
  ...viewTransfer(transfer),
  merchant_name: transfer.merchant_name,
})

const listRoute = ({ db }: DecideDeps): Listed => ({
  method: 'GET',
  path: '/admin/wallet-transfers/',
  staff: 'read',
  query: Type.Object({
    ...numberQuery,
    status: Type.Optional(Type.Enum([...transferStatuses])),
    merchant: Type.Optional(Type.String({ format: 'uuid' })),
    ordering: Type.Optional(Type.Enum(orderings(transferSortFields))),
  }),
  summary: 'List the transfers of all merchants',
  description: 'In the environment given by `X-Environment`, newest first.',
  responses: { 200: numberPageSchema(TransferOfMerchant) },
  example: {
    reply: {
      count: 1,
      next: null,
      previous: null,
      results: [{ ...transferExample, merchant_name }],
    },
  },
  handler: listByNumber(view, ({ query, person: { environment } }, cut) =>
    listAllTransfers(db, {
      environment,
      merchant_id: uuidFilter(query, 'merchant'),
      status: enumFilter(query, 'status', transferStatuses),
      order: singleSort(query, transferSortFields, newestFirst),
      ...cut,
    }),
  ),
})

const ofOne = {
  method: 'POST',
  staff: 'approvals',
  responses: { 200: TransferOfMerchant },
} as const

async function answer({ db }: DecideDeps, transfer: Transfer): Promise<Reply> {
  const { name } = await getMerchant(db, transfer.merchant_id)
  return ok(view({ ...transfer, merchant_name: name }))
}

const approveRoute = (deps: DecideDeps): Listed => ({
  ...ofOne,
  path: '/admin/wallet-transfers/:id/approve/',
  summary: 'Approve a pending transfer',
  description: 'It is booked at once, at the rate and fee fixed when it was created.',
  errors: [
    walletErrors.transaction_terminal,
    walletErrors.merchant_suspended,
    payoutErrors.balance_frozen,
  ],
  example: { reply: { ...completedExample, merchant_name } },
  handler: async (input) =>
    answer(deps, await approveTransfer(deps, input.person, uuidParam(input, 'id'))),
})

const rejectRoute = (deps: DecideDeps): Listed => ({
  ...ofOne,
  path: '/admin/wallet-transfers/:id/reject/',
  body: RejectBody,
  check: ({ reason }) =>
    typeof reason === 'string' && reason.trim() === '' ? { reason: [blank] } : {},
  summary: 'Reject a pending transfer',
  description: 'The whole amount becomes available again; the merchant sees the reason.',
  errors: [walletErrors.transaction_terminal],
  example: {
    body: { reason: rejectedExample.rejection_reason },
    reply: { ...rejectedExample, merchant_name },
  },
  handler: async (input: Input<Static<typeof RejectBody>>) => {
    const request = { id: uuidParam(input, 'id'), reason: input.body.reason.trim() }
    return answer(deps, await rejectTransfer(deps, input.person, request))
  },
})

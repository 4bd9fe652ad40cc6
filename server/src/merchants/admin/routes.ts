// Staff read, change, approve, suspend and restore merchants (contract 3.5). Every act answers with
// the merchant in its new state.

import { type Static, Type } from 'typebox'
import { actorOfPerson } from '../../audit/audit.ts'
import { requireNotDemo } from '../../catalogue/admin/require-not-demo.ts'
import { inTransaction } from '../../platform/db.ts'
import {
  enumFilter,
  flagFilter,
  flagSchema,
  orderingFilter,
  uuidParam,
} from '../../platform/http/filters.ts'
import { listByNumber } from '../../platform/http/lists.ts'
import {
  type Input,
  ok,
  type Person,
  type Reply,
  type ServedRoute,
} from '../../platform/http/route.ts'
import {
  type Listed,
  numberList,
  orderingBy,
  routesWith,
  searchFilter,
} from '../../platform/http/route-list.ts'
import { merchantErrors } from '../errors.ts'
import type { FileDeps } from '../kyc/read-documents.ts'
import {
  type ApprovalDeps,
  approveMerchant,
  rejectMerchant,
  reviewName,
} from './approve-merchant.ts'
import { changeMerchant, readMerchant, seenBy } from './change-merchant.ts'
import { documentRoutes } from './document-routes.ts'
import { kycStatuses, listMerchants, merchantSortFields, merchantStatuses } from './store.ts'
import { restoreMerchant, suspendMerchant } from './suspend-merchant.ts'
import {
  detailExample,
  MerchantDetailSchema,
  MerchantRowSchema,
  merchantExample,
  viewMerchantDetail,
  viewMerchantRow,
} from './view.ts'

export type Deps = FileDeps & ApprovalDeps

const ChangeBody = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 150, format: 'one-line' })),
  rate_limit_per_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  kyc_note: Type.Optional(Type.String({ maxLength: 500 })),
  cooling_off_hours: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: 720 }), Type.Null()], {
      description: 'Null restores the platform’s default.',
    }),
  ),
})

const ApproveBody = Type.Object({
  updated_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'The merchant’s `updated_at` that you read: if it was changed since, nothing is ' +
        'approved. If omitted, whatever name, brand, logo and contact it has by then is approved.',
    }),
  ),
})

const ReasonBody = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500 }) })

export const merchantAdminRoutes = (deps: Deps): ServedRoute[] =>
  routesWith({ tag: 'Staff: merchants', access: 'staff' }, [
    listRoute(deps),
    readRoute(deps),
    changeRoute(deps),
    ...approvalRoutes(deps),
    ...nameRoutes(deps),
    ...suspensionRoutes(deps),
    ...documentRoutes(deps),
  ])

const listRoute = ({ db }: Deps): Listed => ({
  path: '/admin/merchants/',
  staff: 'read',
  ...numberList(MerchantRowSchema, merchantExample, {
    search: searchFilter('Searches the name, the members’ e-mails and the id.'),
    status: Type.Optional(Type.Enum([...merchantStatuses])),
    kyc_status: Type.Optional(Type.Enum([...kycStatuses])),
    country: Type.Optional(Type.String({ description: 'ISO 3166 alpha-2.' })),
    live_enabled: Type.Optional(flagSchema),
    ordering: orderingBy(merchantSortFields),
  }),
  summary: 'List merchants',
  handler: listByNumber(viewMerchantRow, ({ query }, cut) => {
    return listMerchants(db, {
      search: query['search'],
      status: enumFilter(query, 'status', merchantStatuses),
      kyc_status: enumFilter(query, 'kyc_status', kycStatuses),
      country: query['country']?.toUpperCase(),
      live_enabled: flagFilter(query, 'live_enabled'),
      order: orderingFilter(query, merchantSortFields, []),
      ...cut,
    })
  }),
})

const ofOne = {
  responses: { 200: MerchantDetailSchema },
} as const

const answer = async ({ db }: Deps, person: Person, id: string): Promise<Reply> =>
  ok(viewMerchantDetail(seenBy(person, await readMerchant(db, id))))

const readRoute = (deps: Deps): Listed => ({
  ...ofOne,
  method: 'GET',
  path: '/admin/merchants/:id/',
  staff: 'read',
  summary: 'Retrieve a merchant with its members and balances',
  example: { reply: detailExample },
  handler: (input) => answer(deps, input.person, uuidParam(input, 'id')),
})

const changeRoute = (deps: Deps): Listed => ({
  ...ofOne,
  method: 'PATCH',
  path: '/admin/merchants/:id/',
  staff: 'merchants',
  body: ChangeBody,
  summary: 'Update a merchant’s staff-managed settings',
  description: 'Takes effect on the next request.',
  example: { body: { rate_limit_per_minute: 1200 }, reply: detailExample },
  handler: async (input: Input<Static<typeof ChangeBody>>) => {
    const id = uuidParam(input, 'id')
    await changeMerchant(deps.db, input.person, { ...input.body, id })
    return answer(deps, input.person, id)
  },
})

const approvalRoutes = (deps: Deps): Listed[] => [
  {
    ...ofOne,
    method: 'POST',
    path: '/admin/merchants/:id/approve/',
    staff: 'kyc',
    body: ApproveBody,
    summary: 'Approve a merchant',
    description:
      'Live mode opens at once, or as soon as an owner’s e-mail is verified. LIVE pages show its ' +
      'name, brand, logo and contact as they are now.',
    errors: [merchantErrors.merchant_changed],
    example: { body: { updated_at: '2026-11-21T08:00:00.000Z' }, reply: detailExample },
    handler: async (input: Input<Static<typeof ApproveBody>>) => {
      const id = uuidParam(input, 'id')
      await approveMerchant(deps, input.person, { ...input.body, id })
      return answer(deps, input.person, id)
    },
  },
  {
    ...ofOne,
    method: 'POST',
    path: '/admin/merchants/:id/reject/',
    staff: 'kyc',
    body: ReasonBody,
    summary: 'Reject a merchant’s KYC',
    description: 'Revokes an approval and closes live mode; the sandbox stays open.',
    example: {
      body: { reason: 'The registration has expired.' },
      reply: {
        ...detailExample,
        live_enabled: false,
        approved_at: null,
        kyc_status: 'REJECTED',
        kyc_note: 'The registration has expired.',
      },
    },
    handler: async (input: Input<Static<typeof ReasonBody>>) => {
      const id = uuidParam(input, 'id')
      await rejectMerchant(deps, input.person, { id, reason: input.body.reason })
      return answer(deps, input.person, id)
    },
  },
]

const since = Type.String({
  format: 'date-time',
  description:
    'The `name_review_since` that you read, so that you decide on the change that you saw.',
})
const NameBody = Type.Object({ since })
const NameRefusalBody = Type.Object({ since, ...ReasonBody.properties })

const nameRoutes = (deps: Deps): Listed[] => [
  {
    ...ofOne,
    method: 'POST',
    path: '/admin/merchants/:id/approve-name/',
    staff: 'kyc',
    body: NameBody,
    summary: 'Approve a new name, brand, logo or contact',
    description: 'LIVE pages and receipts show it from then on.',
    errors: [merchantErrors.name_not_waiting],
    example: { body: { since: '2026-11-21T08:00:00.000Z' }, reply: detailExample },
    handler: async (input: Input<Static<typeof NameBody>>) => {
      const id = uuidParam(input, 'id')
      await reviewName(deps, input.person, { id, since: input.body.since })
      return answer(deps, input.person, id)
    },
  },
  {
    ...ofOne,
    method: 'POST',
    path: '/admin/merchants/:id/reject-name/',
    staff: 'kyc',
    body: NameRefusalBody,
    summary: 'Reject a new name, brand, logo or contact',
    description:
      'The last reviewed name, brand and contact are restored; a logo that was not reviewed is ' +
      'removed.',
    errors: [merchantErrors.name_not_waiting],
    example: {
      body: { since: '2026-11-21T08:00:00.000Z', reason: 'It is the name of a bank.' },
      reply: detailExample,
    },
    handler: async (input: Input<Static<typeof NameRefusalBody>>) => {
      const id = uuidParam(input, 'id')
      await reviewName(deps, input.person, { ...input.body, id })
      return answer(deps, input.person, id)
    },
  },
]

const suspensionRoutes = (deps: Deps): Listed[] => [
  {
    ...ofOne,
    method: 'POST',
    path: '/admin/merchants/:id/suspend/',
    staff: 'merchants',
    body: ReasonBody,
    summary: 'Suspend a merchant',
    description: 'The merchant becomes read-only; payments under way are completed and booked.',
    example: {
      body: { reason: 'Papers missing' },
      reply: { ...detailExample, status: 'SUSPENDED', suspended_reason: 'Papers missing' },
    },
    handler: async (input: Input<Static<typeof ReasonBody>>) => {
      const { person, body } = input
      const id = uuidParam(input, 'id')
      const by = { actor: actorOfPerson(person), keyring: deps.keyring }
      await inTransaction(deps.db, async (tx) => {
        await requireNotDemo(tx, person)
        await suspendMerchant(tx, id, body.reason, by)
      })
      return answer(deps, input.person, id)
    },
  },
  {
    ...ofOne,
    method: 'POST',
    path: '/admin/merchants/:id/restore/',
    staff: 'merchants',
    summary: 'Restore a merchant',
    example: { reply: detailExample },
    handler: async (input) => {
      const id = uuidParam(input, 'id')
      const { person } = input
      const by = { actor: actorOfPerson(person), keyring: deps.keyring }
      await inTransaction(deps.db, async (tx) => {
        await requireNotDemo(tx, person)
        await restoreMerchant(tx, id, by)
      })
      return answer(deps, input.person, id)
    },
  },
]

// Staff read the settlements of all merchants, approve them, and report whether a bank has paid
// those that go by bank (contract 5.9). The header X-Environment chooses the environment: a
// settlement of the other one is not found.

import { type Static, Type } from 'typebox'
import { payoutErrors } from '../payouts/errors.ts'
import { proposalErrors } from '../people/proposals/errors.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import type { Text } from '../platform/errors.ts'
import {
  enumFilter,
  newestFirst,
  singleSort,
  uuidFilter,
  uuidParam,
} from '../platform/http/filters.ts'
import { listByNumber } from '../platform/http/lists.ts'
import { type Input, ok, type Reply, type ServedRoute } from '../platform/http/route.ts'
import { type Listed, numberList, orderingBy, routesWith } from '../platform/http/route-list.ts'
import { approveSettlement } from './approve-settlement.ts'
import { executeSettlement, failSettlement } from './decide-settlement.ts'
import { settlementErrors } from './errors.ts'
import { getSeenSettlement } from './get-settlement.ts'
import { settlementStatuses } from './states.ts'
import { listAllSettlements, type Seen, settlementSortFields } from './store.ts'
import {
  approvedExample,
  failedExample,
  ofMerchantExample,
  paidExample,
  SettlementOfMerchant,
  SettlementToPay,
  settlementExample,
  toPay,
  viewOfMerchant,
  viewToPay,
} from './view.ts'

const blank: Text = { en: 'Must not be empty.', fr: 'Ne doit pas être vide.' }

const ExecuteBody = Type.Object({
  gateway_reference: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The bank’s reference for the payment.',
  }),
  proof_url: Type.Optional(Type.String({ format: 'uri', maxLength: 2048 })),
})

const FailBody = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500 }) })

export const settlementAdminRoutes = (deps: PaymentDeps): ServedRoute[] =>
  routesWith({ tag: 'Staff: settlements', access: 'staff' }, [
    listRoute(deps),
    readRoute(deps),
    approveRoute(deps),
    executeRoute(deps),
    failRoute(deps),
  ])

const listRoute = ({ db }: PaymentDeps): Listed => ({
  path: '/admin/settlements/',
  staff: 'read',
  ...numberList(SettlementOfMerchant, ofMerchantExample, {
    status: Type.Optional(Type.Enum([...settlementStatuses])),
    merchant: Type.Optional(Type.String({ format: 'uuid' })),
    country: Type.Optional(Type.String({ description: 'ISO 3166 alpha-2.' })),
    ordering: orderingBy(settlementSortFields),
  }),
  summary: 'List the settlements of all merchants',
  description: 'In the environment given by `X-Environment`, newest first.',
  handler: listByNumber(viewOfMerchant, ({ query, person: { environment } }, cut) =>
    listAllSettlements(db, {
      environment,
      merchant_id: uuidFilter(query, 'merchant'),
      status: enumFilter(query, 'status', settlementStatuses),
      country: query['country']?.toUpperCase(),
      order: singleSort(query, settlementSortFields, newestFirst),
      ...cut,
    }),
  ),
})

const ofOne = {
  staff: 'approvals',
  responses: { 200: SettlementToPay },
} as const

const answer = (seen: Seen, { locale }: Pick<Input, 'locale'>): Reply => ok(viewToPay(seen, locale))

const readRoute = ({ db }: PaymentDeps): Listed => ({
  ...ofOne,
  method: 'GET',
  path: '/admin/settlements/:id/',
  summary: 'Retrieve a settlement with its destination',
  example: { reply: toPay(settlementExample) },
  handler: async (input) =>
    answer(await getSeenSettlement(db, input.person, uuidParam(input, 'id')), input),
})

const approveRoute = (deps: PaymentDeps): Listed => ({
  ...ofOne,
  method: 'POST',
  path: '/admin/settlements/:id/approve/',
  summary: 'Approve a settlement',
  description:
    'A settlement to a mobile-money number is sent to its operator as soon as one can take it; ' +
    'a settlement to a bank account waits to be executed. In LIVE one that was approved by ' +
    'somebody who may not do so any more is approved again.',
  errors: [
    settlementErrors.transaction_terminal,
    settlementErrors.settlement_already_approved,
    settlementErrors.merchant_suspended,
    payoutErrors.balance_frozen,
  ],
  example: { reply: toPay(approvedExample) },
  handler: async (input) =>
    answer(await approveSettlement(deps, input.person, uuidParam(input, 'id')), input),
})

const executeRoute = (deps: PaymentDeps): Listed => ({
  ...ofOne,
  method: 'POST',
  path: '/admin/settlements/:id/execute/',
  body: ExecuteBody,
  check: ({ gateway_reference: text }) =>
    typeof text === 'string' && text.trim() === '' ? { gateway_reference: [blank] } : {},
  summary: 'Record that the bank has paid a settlement',
  description:
    'In LIVE by another person than the one who approved it, who must still have that right. Of ' +
    'a suspended merchant, or from a frozen balance, once the bank’s proof is on file.',
  errors: [
    settlementErrors.settlement_not_by_bank,
    settlementErrors.transaction_terminal,
    settlementErrors.settlement_not_approved,
    settlementErrors.same_person,
    proposalErrors.proposer_gone,
    settlementErrors.merchant_suspended,
    payoutErrors.balance_frozen,
  ],
  example: {
    body: { gateway_reference: paidExample.gateway_reference },
    reply: toPay(paidExample),
  },
  handler: async (input: Input<Static<typeof ExecuteBody>>) => {
    const { body, person } = input
    const execution = {
      id: uuidParam(input, 'id'),
      gateway_reference: body.gateway_reference.trim(),
      proof_url: body.proof_url,
    }
    return answer(await executeSettlement(deps, person, execution), input)
  },
})

const failRoute = (deps: PaymentDeps): Listed => ({
  ...ofOne,
  method: 'POST',
  path: '/admin/settlements/:id/fail/',
  body: FailBody,
  check: ({ reason }) =>
    typeof reason === 'string' && reason.trim() === '' ? { reason: [blank] } : {},
  summary: 'Fail a settlement',
  description:
    'The whole amount becomes available again and the merchant sees the reason. Refused while ' +
    'an operator has the settlement (not while it waits for a float), and once the bank’s proof ' +
    'is on file: execute it, then declare its return.',
  errors: [settlementErrors.transaction_terminal, settlementErrors.settlement_in_flight],
  example: {
    body: { reason: failedExample.failure_reason },
    reply: toPay(failedExample),
  },
  handler: async (input: Input<Static<typeof FailBody>>) => {
    const { person, body } = input
    const request = { id: uuidParam(input, 'id'), reason: body.reason.trim() }
    return answer(await failSettlement(deps, person, request), input)
  },
})

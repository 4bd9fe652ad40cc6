// The payout routes (contract: Payouts; contract 5.6, 5.9): path, access, schema, one call, view.

import { type Static, Type } from 'typebox'
import { merchantErrors } from '../merchants/errors.ts'
import { isWhitelisted } from '../merchants/whitelist/is-whitelisted.ts'
import { nobodySends, noRouteSent, paymentErrors } from '../planning/errors.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import { refuse } from '../platform/errors.ts'
import { type Guard, type Input, ok, type Reply, type ServedRoute } from '../platform/http/route.ts'
import { type Listed, reads, routesWith } from '../platform/http/route-list.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { idempotencyErrors } from '../platform/idempotency/run-once.ts'
import { transactionExample } from '../transactions/example.ts'
import { TransactionSchema, VerifiedSchema } from '../transactions/schema.ts'
import { countOpenPayouts } from '../transactions/store.ts'
import { ownTransactionNow } from '../transactions/transaction-now.ts'
import { resumeTransaction, verifyTransaction } from '../transactions/verify-transaction.ts'
import { viewTransaction } from '../transactions/view.ts'
import { cancelPayout } from './cancel-payout.ts'
import { type ApproveDeps, approvePayout, rejectPayout } from './decide-payout.ts'
import { payoutErrors } from './errors.ts'
import { currentPayout, initiatePayout } from './initiate-payout.ts'
import { limitRoutes } from './limits/limit-routes.ts'
import type { LimitDeps } from './limits/set-limit.ts'
import { PayoutReply, payoutReply, verifiedText } from './payout-reply.ts'
import { checkPayout, PayoutBody } from './plan-payout.ts'

const { idempotency_conflict, idempotency_in_progress } = idempotencyErrors

export function payoutRoutes(deps: PaymentDeps & LimitDeps): ServedRoute[] {
  return routesWith({ tag: 'Payouts', access: 'PAYOUT' }, [
    initialize(deps),
    verify(deps),
    counts(deps),
    approve(deps),
    reject(deps),
    cancel(deps),
    ...limitRoutes(deps),
  ])
}

/** A key pays out from its merchant's own servers only; sessions are exempt (contract: Payouts). */
const fromListedAddress = ({ db }: PaymentDeps): Guard => ({
  rule: 'ip_list',
  check: async ({ via, merchant_id, ip }) => {
    if (via === 'SESSION' || (await isWhitelisted(db, merchant_id, ip))) return
    throw refuse(payoutErrors.ip_not_whitelisted)
  },
})

const initialize = (deps: PaymentDeps): Listed<ServedRoute> => ({
  method: 'POST',
  path: '/payouts/initialize/',
  permission: 'payouts',
  second_factor: 'environment',
  guard: fromListedAddress(deps),
  idempotent: true,
  claims: 'verb',
  resume: (input: Input<PayoutBody>, { transaction_id }) =>
    resumePayout(deps, input, transaction_id),
  body: PayoutBody,
  check: checkPayout,
  summary: 'Pay out to a mobile-money number',
  description: 'Send an Idempotency-Key: without it, a repeated call is a second payout.',
  responses: { 201: PayoutReply },
  errors: [
    payoutErrors.ip_not_whitelisted,
    paymentErrors.invalid_country,
    payoutErrors.currency_country_mismatch,
    paymentErrors.invalid_method,
    payoutErrors.payout_not_enabled,
    paymentErrors.invalid_customer,
    paymentErrors.fee_charge_mode_locked,
    noRouteSent,
    payoutErrors.balance_frozen,
    payoutErrors.payout_limit_exceeded,
    payoutErrors.insufficient_balance,
    idempotency_conflict,
    idempotency_in_progress,
  ],
  example: {
    body: {
      amount: '5000',
      currency: 'XOF',
      country: 'BJ',
      method: 'mtn_bj',
      recipient: { msisdn: '+2290197000010' },
      customer: { first_name: 'Awa', last_name: 'Diop' },
      merchant_reference: 'PAYROLL-11-07',
    },
    reply: {
      message: 'Payout initiated.',
      id: '01981f3a-5b60-7c11-9a52-0242ac120002',
      reference: 'TXN-20261121-7K2MPQ9RST',
      status: 'PENDING',
      failure_code: '',
      approval: null,
      amounts: amountsExample,
      warning: null,
    },
  },
  handler: (input: Input<PayoutBody>) => initiatePayout(deps, input),
})

/** Of a payout of 5000 XOF by MTN Bénin, the fee inside. */
const amountsExample = {
  requested: '5000.00',
  fee: '175.00',
  charged: '5000.00',
  net: '4825.00',
  currency: 'XOF',
  fee_charge_mode: 'DEDUCTED',
  exchange_rate: null,
  original_amount: null,
  original_currency: null,
}

/** After a crash: undefined when nothing was made. */
async function resumePayout(
  deps: PaymentDeps,
  input: Input<PayoutBody>,
  id: string,
): Promise<Reply | undefined> {
  const now = await resumeTransaction(deps, input.caller, id, undefined)
  return now && currentPayout(deps, input, { id })
}

const verify = (deps: PaymentDeps): Listed<ServedRoute> => ({
  path: '/payouts/:payout_id/verify/',
  suspended: 'allowed',
  summary: 'Verify a payout with the gateway',
  description: 'Queries the gateway while the outcome is open; answers within 5 seconds.',
  ...reads(VerifiedSchema, {
    message: 'Payout status checked.',
    ...transactionExample,
    instructions: '',
  }),
  handler: async (input) => {
    const now = await ownTransactionNow(deps.db, input)
    // The id of the other direction is no payout (contract 5.6).
    if (now.transaction.transaction_type !== 'RETRAIT') throw refuse(transportErrors.not_found)
    const { transaction } = await verifyTransaction(deps, input.caller, now)
    const { locale } = input
    const shown = viewTransaction(transaction, locale)
    // A payout requires nothing of its recipient, so it has no instructions.
    return ok({ message: verifiedText(locale), ...shown, instructions: '' })
  },
})

const CountsSchema = Type.Object(
  {
    approval: Type.Integer({ description: 'Those that a second member has to approve.' }),
    waiting: Type.Integer({
      description: 'Those that wait for an operator’s float, hours or queue, or for a route.',
    }),
    unknown: Type.Integer({
      description: 'Those whose operator has not said what came of them: never pay them again.',
    }),
    is_more: Type.Boolean({
      description: 'Whether more than 1,000 payouts are open: then only the newest were counted.',
    }),
  },
  { title: 'PayoutCounts' },
)

const counted_most = 1_000

const counts = ({ db }: PaymentDeps): Listed<ServedRoute> => ({
  path: '/payouts/counts/',
  access: 'any',
  summary: 'Count open payouts by what they wait for',
  description:
    'Each is what the list of transactions finds by `approval=REQUIRED`, `waiting=true` and ' +
    '`outcome=UNKNOWN`. A payout may be in two of them.',
  ...reads(CountsSchema, { approval: 2, waiting: 1, unknown: 0, is_more: false }),
  handler: async ({ caller }) => {
    const { open, ...found } = await countOpenPayouts(db, caller, counted_most + 1)
    return ok({ ...found, is_more: open > counted_most })
  },
})

const RejectBody = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 255 }) })

const decision = {
  method: 'POST',
  access: 'dashboard',
  permission: 'payouts',
  second_factor: 'environment',
  responses: { 200: PayoutReply },
} as const

const decidedExample = {
  message: 'Payout initiated.',
  id: '01981f3a-5b60-7c11-9a52-0242ac120002',
  reference: 'TXN-20261121-7K2MPQ9RST',
  status: 'PENDING',
  failure_code: '',
  approval: 'APPROVED',
  amounts: amountsExample,
  warning: null,
}

/** The caller's own payout. */
async function ownPayout(deps: PaymentDeps, input: Pick<Input, 'caller' | 'params'>) {
  const { transaction } = await ownTransactionNow(deps.db, input)
  if (transaction.transaction_type !== 'RETRAIT') throw refuse(transportErrors.not_found)
  return transaction
}

async function decided(deps: PaymentDeps, input: Pick<Input, 'caller' | 'params' | 'locale'>) {
  return ok(payoutReply(await ownPayout(deps, input), {}, input.locale))
}

const approve = (deps: ApproveDeps): Listed<ServedRoute> => ({
  ...decision,
  path: '/payouts/:payout_id/approve/',
  summary: 'Approve a payout that another member requested',
  description:
    'The payout is sent at once. The person who requested it cannot approve it. In LIVE both ' +
    'have had their roles, and the one who approves their second factor, for longer than the ' +
    'cooling-off time, 24 hours at least.',
  errors: [
    payoutErrors.approval_not_required,
    payoutErrors.same_person,
    merchantErrors.second_member_required,
    nobodySends,
    payoutErrors.balance_frozen,
  ],
  example: { reply: decidedExample },
  handler: async (input) => {
    await approvePayout(deps, input.caller, await ownPayout(deps, input))
    return decided(deps, input)
  },
})

const reject = (deps: PaymentDeps): Listed<ServedRoute> => ({
  ...decision,
  path: '/payouts/:payout_id/reject/',
  body: RejectBody,
  summary: 'Reject a payout that is awaiting approval',
  description: 'It fails with REJECTED_BY_MERCHANT and its money is released.',
  errors: [payoutErrors.approval_not_required],
  example: {
    body: { reason: 'Wrong recipient.' },
    reply: {
      ...decidedExample,
      message: 'Payout failed.',
      status: 'FAILED',
      failure_code: 'REJECTED_BY_MERCHANT',
      approval: 'REJECTED',
    },
  },
  handler: async (input: Input<Static<typeof RejectBody>>) => {
    await rejectPayout(deps, input.caller, await ownPayout(deps, input), input.body.reason)
    return decided(deps, input)
  },
})

const cancel = (deps: PaymentDeps): Listed<ServedRoute> => ({
  method: 'POST',
  path: '/payouts/:payout_id/cancel/',
  permission: 'payouts',
  second_factor: 'environment',
  guard: fromListedAddress(deps),
  summary: 'Cancel a payout that was not sent yet',
  description:
    'Possible while it waits for a second person or for a float: it fails with ' +
    'CANCELLED_BY_MERCHANT and its money is released. One that waits in its operator’s own queue ' +
    '(GATEWAY_QUEUED) is asked back: it stays PENDING until the operator answers, and then fails ' +
    'with REJECTED_BY_MERCHANT. What an operator works on cannot be cancelled.',
  responses: { 200: TransactionSchema },
  errors: [payoutErrors.ip_not_whitelisted, payoutErrors.not_cancellable],
  example: {
    reply: {
      ...transactionExample,
      transaction_type: 'RETRAIT',
      flow_direction: 'OUTBOUND',
      status: 'FAILED',
      failure_code: 'CANCELLED_BY_MERCHANT',
    },
  },
  handler: async (input) => {
    await cancelPayout(deps, input.caller, await ownPayout(deps, input))
    return ok(viewTransaction(await ownPayout(deps, input), input.locale))
  },
})

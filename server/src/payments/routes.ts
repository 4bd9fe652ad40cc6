// The softpay routes (contract 5.1 to 5.6): path, access, schema, one call, view.

import type { Static } from 'typebox'
import { orderErrors } from '../orders/errors.ts'
import { noRouteTook, paymentErrors } from '../planning/errors.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import { checkSoftpay, SoftpayBody } from '../planning/softpay-body.ts'
import { refuse } from '../platform/errors.ts'
import { type Input, ok, type Reply, type Route } from '../platform/http/route.ts'
import { type Listed, reads, routesWith } from '../platform/http/route-list.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { idempotencyErrors } from '../platform/idempotency/run-once.ts'
import { transactionExample } from '../transactions/example.ts'
import { payerNow } from '../transactions/instructions.ts'
import { ownTransactionNow, type TransactionNow } from '../transactions/transaction-now.ts'
import { resumeTransaction, verifyTransaction } from '../transactions/verify-transaction.ts'
import { viewTransaction } from '../transactions/view.ts'
import { confirmOtp } from './confirm-otp.ts'
import { currentSoftpay, initializeSoftpay } from './initialize-softpay.ts'
import { messageOf, messageText } from './payment-reply.ts'
import { requireRetryable, retryPayment } from './retry-payment.ts'
import {
  amountsExample,
  OtpBody,
  OtpReply,
  RetryBody,
  RetryReply,
  SoftpayReply,
  VerifiedPayment,
} from './schema.ts'

const { idempotency_conflict, idempotency_in_progress } = idempotencyErrors
const keyErrors = [idempotency_conflict, idempotency_in_progress]
/** What a failed payment of a session or a link is refused with once that has ended. */
const endedOrders = [
  orderErrors.paid,
  orderErrors.expired,
  orderErrors.cancelled,
  orderErrors.payment_link_inactive,
  orderErrors.payment_link_expired,
  orderErrors.payment_link_exhausted,
]
const example_id = '01981f3a-5b60-7c11-9a52-0242ac120002'

export function paymentRoutes(deps: PaymentDeps): Route[] {
  return routesWith({ tag: 'Payments', access: 'PAYIN' }, [
    softpay(deps),
    verify(deps),
    otp(deps),
    retry(deps),
  ])
}

const softpay = (deps: PaymentDeps): Listed => ({
  method: 'POST',
  path: '/payments/softpay/initialize/',
  aliases: ['/payments/softpay/'],
  permission: 'payins',
  idempotent: true,
  claims: 'verb',
  resume: (input: Input<SoftpayBody>, { transaction_id }) =>
    resumeSoftpay(deps, input, transaction_id),
  body: SoftpayBody,
  check: checkSoftpay,
  summary: 'Collect a mobile-money payment',
  description:
    'The payer approves on the phone (push), goes to checkout_url (redirect), or confirms with ' +
    'a code. Send an Idempotency-Key: without it, a repeated call is a second payment.',
  responses: { 201: SoftpayReply },
  errors: [
    paymentErrors.invalid_country,
    paymentErrors.invalid_method,
    paymentErrors.invalid_customer,
    paymentErrors.no_exchange_rate,
    paymentErrors.fee_charge_mode_locked,
    paymentErrors.prepayment_otp_missing,
    noRouteTook,
    ...keyErrors,
  ],
  example: {
    body: {
      amount: '5000',
      currency: 'XOF',
      country: 'BJ',
      network: 'mtn_bj',
      customer: { phone: '+2290197000010', first_name: 'Awa', last_name: 'Diop' },
      merchant_reference: 'ORDER-1042',
    },
    reply: {
      message: 'Payment initiated.',
      id: example_id,
      reference: 'TXN-20261121-7K2MPQ9RST',
      status: 'PENDING',
      checkout_url: '',
      instructions: 'Approve the payment on the phone.',
      otp_required: false,
      next_action: 'APPROVE_ON_PHONE',
      failure_code: '',
      amounts: amountsExample,
      warning: null,
    },
  },
  handler: (input: Input<SoftpayBody>) => initializeSoftpay(deps, input),
})

/** After a crash; undefined when nothing was made. */
async function resumeSoftpay(
  deps: PaymentDeps,
  input: Input<SoftpayBody>,
  id: string,
): Promise<Reply | undefined> {
  const now = await resumeTransaction(deps, input.caller, id, input.body.otp)
  return now && currentSoftpay(deps, input, id)
}

const verify = (deps: PaymentDeps): Listed => ({
  path: '/payments/:payment_id/verify/',
  suspended: 'allowed',
  summary: 'Verify a payment with the gateway',
  description: 'Queries the gateway while the outcome is open; answers within 5 seconds.',
  ...reads(VerifiedPayment, {
    message: 'Payment status checked.',
    ...transactionExample,
    instructions: '',
    next_action: 'NONE',
    checkout_url: '',
  }),
  handler: async (input) => {
    const now = await ownTransactionNow(deps.db, input)
    // The id of the other direction is not a payment (contract 5.6).
    if (now.transaction.flow_direction !== 'INBOUND') throw refuse(transportErrors.not_found)
    const after = await verifyTransaction(deps, input.caller, now)
    return nowReply(deps, input, after, messageText('verified', input.locale))
  },
})

/** The payment as it is, and what its payer does now. */
async function nowReply(
  deps: PaymentDeps,
  { caller, locale }: Pick<Input, 'caller' | 'locale'>,
  now: TransactionNow,
  message: string,
): Promise<Reply> {
  const catalogue = await deps.catalogue(caller.catalogue_version)
  const { instructions, next_action, checkout_url } = payerNow(now, catalogue, locale)
  const shown = viewTransaction(now.transaction, locale)
  return ok({ message, ...shown, instructions, next_action, checkout_url })
}

const otp = (deps: PaymentDeps): Listed => ({
  method: 'POST',
  path: '/payments/:payment_id/confirm-otp/',
  permission: 'payins',
  idempotent: true,
  resume: (input) => currentOtpReply(deps, input),
  body: OtpBody,
  summary: 'Submit the code sent to the payer',
  responses: { 200: OtpReply },
  errors: [
    paymentErrors.invalid_flow,
    paymentErrors.otp_not_applicable,
    paymentErrors.transaction_terminal,
    paymentErrors.no_attempt,
    paymentErrors.otp_confirmation_failed,
    ...keyErrors,
  ],
  example: {
    body: { otp: '123456' },
    reply: { message: 'Code confirmed.', ...transactionExample },
  },
  handler: async (input: Input<Static<typeof OtpBody>>) => {
    const now = await ownTransactionNow(deps.db, input)
    return otpReply(await confirmOtp(deps, input, now), input)
  },
})

/** After a crash the code is not sent a second time: the gateway is asked what became of it. */
async function currentOtpReply(deps: PaymentDeps, input: Input): Promise<Reply> {
  const now = await ownTransactionNow(deps.db, input)
  return otpReply(await verifyTransaction(deps, input.caller, now), input)
}

function otpReply({ transaction }: TransactionNow, { locale }: Pick<Input, 'locale'>): Reply {
  const { status } = transaction
  const message =
    status === 'SUCCESS'
      ? messageText('confirmed', locale)
      : status === 'PENDING'
        ? messageText('code_taken', locale)
        : messageOf(transaction, locale)
  return ok({ message, ...viewTransaction(transaction, locale) })
}

const retry = (deps: PaymentDeps): Listed => ({
  method: 'POST',
  path: '/payments/:payment_id/retry/',
  permission: 'payins',
  idempotent: true,
  resume: (input: Input<Static<typeof RetryBody>>, { transaction_id }) =>
    resumeRetry(deps, input, transaction_id),
  body: RetryBody,
  summary: 'Retry a failed payment on the same transaction',
  responses: { 200: RetryReply },
  errors: [
    paymentErrors.invalid_flow,
    paymentErrors.invalid_country,
    paymentErrors.invalid_method,
    paymentErrors.topup_number_not_owned,
    paymentErrors.not_retryable,
    paymentErrors.payment_already_pending,
    paymentErrors.transaction_terminal,
    paymentErrors.prepayment_otp_missing,
    paymentErrors.no_route_available,
    ...endedOrders,
    ...keyErrors,
  ],
  example: {
    body: { methods: ['moov_bj', 'mtn_bj'] },
    reply: {
      message: 'Payment retried.',
      ...transactionExample,
      status: 'PENDING',
      instructions: 'Approve the payment on the phone.',
      next_action: 'APPROVE_ON_PHONE',
      checkout_url: '',
    },
  },
  handler: async (input: Input<Static<typeof RetryBody>>) => {
    const now = await ownTransactionNow(deps.db, input)
    requireRetryable(now.transaction)
    return retryReply(deps, await retryPayment(deps, input, now), input)
  },
})

async function resumeRetry(
  deps: PaymentDeps,
  input: Input<Static<typeof RetryBody>>,
  id: string,
): Promise<Reply | undefined> {
  const now = await resumeTransaction(deps, input.caller, id, input.body.otp)
  return now && retryReply(deps, now, input)
}

function retryReply(
  deps: PaymentDeps,
  now: TransactionNow,
  input: Pick<Input, 'caller' | 'locale'>,
): Promise<Reply> {
  const { locale } = input
  const { status, failure_code } = now.transaction
  const message =
    status === 'PENDING'
      ? messageText('retried', locale)
      : messageOf({ status, failure_code }, locale)
  return nowReply(deps, input, now, message)
}

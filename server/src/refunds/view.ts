// A refund as its merchant reads it, field by field (contract 8.22), and its events.

import { type Static, Type } from 'typebox'
import type { Attempt } from '../attempts/attempt.ts'
import { failureText } from '../attempts/failure-texts.ts'
import { attemptStatuses } from '../attempts/schema.ts'
import type { FeedKey, NewEvent } from '../events/event.ts'
import type { Hindrance } from '../merchants/members/member-rights.ts'
import { formatAmount } from '../money/format.ts'
import type { Locale } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { viewLook, WaitedForSchema } from '../transactions/admin/view.ts'
import { MayNotApprove } from '../transactions/schema.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { KeptLook } from '../transactions/wait-statements.ts'
import {
  decidingWaits,
  maskedNumber,
  type Refund,
  refundMethods,
  refundWaits,
  waitsToBeSent,
} from './refund.ts'
import { refundStatuses } from './states.ts'
import type { RefundNow } from './store.ts'

const id = Type.String({ format: 'uuid' })
const moment = Type.String({ format: 'date-time' })
const momentOrNull = (description: string) => Type.Union([moment, Type.Null()], { description })
const amount = Type.String({ description: 'Decimal with two decimal places.' })

const RefundAttemptSchema = Type.Object(
  {
    id,
    gateway: id,
    gateway_code: Type.String(),
    status: Type.Enum([...attemptStatuses]),
    external_reference: Type.String(),
    failure_code: Type.String(),
    failure_message: Type.String(),
    amount,
    created_at: moment,
    finished_at: Type.Union([moment, Type.Null()]),
  },
  { title: 'RefundAttempt' },
)

const fields = {
  id,
  payment_id: Type.String({ format: 'uuid', description: 'The payment that is given back.' }),
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  status: Type.Enum([...refundStatuses]),
  version: Type.Integer({ minimum: 1, description: 'Increases by one with each change.' }),
  amount: Type.String({ description: 'What the payer gets.' }),
  currency: Type.String({ description: 'ISO 4217.' }),
  fee: Type.String({ description: 'What the refund itself costs.' }),
  fees_returned: Type.String({ description: 'What you get back of the payment’s own fee.' }),
  leaves_balance: Type.String({ description: '`amount` + `fee` − `fees_returned`.' }),
  method: Type.Enum([...refundMethods], {
    description: '`OPERATOR`: the operator gives its payment back; `PAYOUT`: the payer is paid.',
  }),
  msisdn_masked: Type.String({ description: 'Whose phone is paid; empty if it is not known.' }),
  failure_code: Type.String({ description: 'Empty if there is none.' }),
  failure_message: Type.String({ description: 'Human-readable, in French or English.' }),
  reason: Type.String(),
  reference: Type.String({ description: 'Yours; empty if you sent none.' }),
  waiting_for: Type.Union([Type.Enum([...refundWaits]), Type.Null()], {
    description:
      'Whose decision it waits for. Or what it waits for to be sent, by itself: ' +
      '`GATEWAY_FLOAT`: what we hold with its operators is too little; `GATEWAY_CLOSED`: they ' +
      'are closed at this hour; `NO_ROUTE`: none of them can take it now. Null when nothing ' +
      'holds it back.',
  }),
  approval_after: Type.Union([id, Type.Null()], {
    description:
      'While it waits for a second member: the payout to this number, of this amount, whose ' +
      'outcome was not known when the refund was made; or the payment whose refund of this ' +
      'amount that was, to this number or of this payment. ' +
      'Null where a limit, or a number that you named, asks for the approval.',
  }),
  external_reference: Type.String({ description: 'The operator’s; empty while unknown.' }),
  operator_reference: Type.String({
    description:
      'What the payer finds it by in the operator’s message; empty until it is paid, and where ' +
      'the operator gives none.',
  }),
  returned_at: momentOrNull('When its money came back after it had succeeded.'),
  created_at: moment,
  updated_at: moment,
  ended_at: momentOrNull('When it ended.'),
}

export const RefundSchema = Type.Object(
  {
    ...fields,
    may_approve: Type.Boolean({
      description:
        'Whether the member who asks may approve this refund now. False for a key, for staff, ' +
        'for whoever requested it, and where it waits for no second member.',
    }),
    may_not_approve: MayNotApprove,
    created_by_member: Type.Union([id, Type.Null()], {
      description: 'Who requested it in the dashboard; null for a key.',
    }),
    attempts: Type.Array(RefundAttemptSchema, { maxItems: 100 }),
  },
  { title: 'Refund' },
)

/** As its reader has it; without a word on it they may not approve it. */
export type RefundSeen = RefundNow &
  Readonly<{ may_approve?: boolean; may_not_approve?: Hindrance | null }>

/** As staff read it. */
export const StaffRefundSchema = Type.Object(
  {
    ...RefundSchema.properties,
    waited_for: Type.Union([WaitedForSchema, Type.Null()], {
      description:
        'Of a refund by payout for which no route could be taken: what the last look for one ' +
        'found. It is kept when the wait is over. Null: it never waited so.',
    }),
  },
  { title: 'StaffRefund' },
)

/** With the link of its payment: a webhook of that link receives its refunds too. */
export const RefundEventSchema = Type.Object(
  {
    ...fields,
    payment_link: Type.Union([id, Type.Null()], {
      description: 'The payment link that the payment was made by; null for none.',
    }),
  },
  { title: 'RefundEventData' },
)

const viewAttemptOf = (attempt: Attempt, locale: Locale): Static<typeof RefundAttemptSchema> => ({
  id: attempt.id,
  gateway: attempt.gateway_id,
  gateway_code: attempt.gateway_code,
  status: attempt.status,
  external_reference: attempt.external_reference,
  failure_code: attempt.failure_code,
  failure_message: failureText(attempt.failure_code, locale),
  amount: formatAmount(attempt.net_amount),
  created_at: attempt.created_at.toISOString(),
  finished_at: attempt.finished_at?.toISOString() ?? null,
})

/** Nobody is asked any more. */
const isDecided = ({ waiting_for }: Refund): boolean =>
  waiting_for === null || waitsToBeSent(waiting_for)

type Fields = Omit<Static<typeof RefundEventSchema>, 'payment_link'>

const viewFields = (refund: Refund, locale: Locale): Fields => ({
  id: refund.id,
  payment_id: refund.payment_id,
  environment: refund.environment,
  status: refund.status,
  version: refund.version,
  amount: formatAmount(refund.amount),
  currency: refund.currency,
  fee: formatAmount(refund.fee),
  fees_returned: formatAmount(refund.returned_gateway_fee + refund.returned_platform_fee),
  leaves_balance: formatAmount(refund.held_amount),
  method: refund.method,
  msisdn_masked: maskedNumber(refund.operation_msisdn),
  failure_code: refund.failure_code,
  failure_message: failureText(refund.failure_code, locale),
  reason: refund.reason,
  reference: refund.reference,
  waiting_for: refund.waiting_for,
  approval_after: isDecided(refund) ? null : refund.after_unknown,
  external_reference: refund.external_reference,
  operator_reference: refund.operator_reference,
  returned_at: refund.returned_at?.toISOString() ?? null,
  created_at: refund.created_at.toISOString(),
  updated_at: refund.updated_at.toISOString(),
  ended_at: refund.ended_at?.toISOString() ?? null,
})

export const viewRefund = (refund: RefundSeen, locale: Locale): Static<typeof RefundSchema> => ({
  ...viewFields(refund, locale),
  may_approve: refund.may_approve ?? false,
  may_not_approve: refund.may_not_approve ?? null,
  created_by_member: refund.member_id,
  attempts: refund.attempts.map((attempt) => viewAttemptOf(attempt, locale)),
})

export const viewStaffRefund = (
  refund: RefundNow,
  waited_for: KeptLook | undefined,
  locale: Locale,
): Static<typeof StaffRefundSchema> => ({
  ...viewRefund(refund, locale),
  waited_for: waited_for === undefined ? null : viewLook(waited_for),
})

/** For OpenAPI. */
export const refundExample: Static<typeof RefundSchema> = {
  id: '01981f3a-0000-7000-8000-00000000ef01',
  payment_id: '01981f3a-0000-7000-8000-000000007001',
  environment: 'SANDBOX',
  status: 'PENDING',
  version: 1,
  amount: '4000.00',
  currency: 'XOF',
  fee: '0.00',
  fees_returned: '0.00',
  leaves_balance: '4000.00',
  method: 'OPERATOR',
  msisdn_masked: '***********00',
  failure_code: '',
  failure_message: '',
  reason: 'Out of stock',
  reference: 'RETURN-17',
  waiting_for: null,
  approval_after: null,
  external_reference: 'OP-9931',
  operator_reference: '',
  returned_at: null,
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.000Z',
  ended_at: null,
  may_approve: false,
  may_not_approve: null,
  created_by_member: '01981f3a-0000-7000-8000-000000000101',
  attempts: [
    {
      id: '01981f3a-0000-7000-8000-00000000ea01',
      gateway: '01981f3a-0000-7000-8000-000000009001',
      gateway_code: 'sandbox_one',
      status: 'PENDING',
      external_reference: 'OP-9931',
      failure_code: '',
      failure_message: '',
      amount: '4000.00',
      created_at: '2026-11-21T10:00:00.000Z',
      finished_at: null,
    },
  ],
}

export const staffRefundExample: Static<typeof StaffRefundSchema> = {
  ...refundExample,
  method: 'PAYOUT',
  waiting_for: 'GATEWAY_CLOSED',
  external_reference: '',
  attempts: [],
  waited_for: {
    reason: 'GATEWAY_CLOSED',
    since: '2026-11-21T10:00:00.000Z',
    passed_over: [{ gateway_code: 'sandbox_two', reason: 'closed' }],
  },
}

export const cancelledRefundExample: Static<typeof RefundSchema> = {
  ...refundExample,
  status: 'CANCELLED',
  version: 2,
  ended_at: '2026-11-21T10:05:00.000Z',
  attempts: [],
}

export type RefundEventType =
  | 'refund.created'
  | 'refund.success'
  | 'refund.failed'
  | 'refund.cancelled'
  | 'refund.returned'

/** Gated by the refund's own id. */
export const refundEvent = (
  type: RefundEventType,
  refund: Refund,
  payment: OfLink,
): NewEvent & FeedKey => ({
  merchant_id: refund.merchant_id,
  environment: refund.environment,
  gate_id: refund.id,
  id: newId(),
  type,
  transaction_id: refund.payment_id,
  subject_id: refund.id,
  data: refundData(refund, payment),
})

type OfLink = Pick<Transaction, 'payment_link'>

const refundData = (
  refund: Refund,
  { payment_link }: OfLink,
): Static<typeof RefundEventSchema> => ({ ...viewFields(refund, 'en'), payment_link })

/** What a refund would be if it were made now. */
export const RefundPreviewSchema = Type.Object(
  {
    method: fields.method,
    amount: fields.amount,
    currency: fields.currency,
    fee: fields.fee,
    fees_returned: fields.fees_returned,
    payer_gets: Type.String({ description: 'The same as `amount`.' }),
    leaves_balance: fields.leaves_balance,
    msisdn_masked: fields.msisdn_masked,
    waiting_for: Type.Union([Type.Enum([...decidingWaits]), Type.Null()], {
      description: 'Whose decision it will wait for; null when it needs nobody’s.',
    }),
  },
  { title: 'RefundPreview' },
)

export function viewPreview(refund: Refund): Static<typeof RefundPreviewSchema> {
  const { method, amount, currency, fee, fees_returned, ...rest } = viewFields(refund, 'en')
  const { leaves_balance, msisdn_masked } = rest
  const waiting_for = waitsToBeSent(refund.waiting_for) ? null : refund.waiting_for
  const sums = { amount, currency, fee, fees_returned, payer_gets: amount, leaves_balance }
  return { method, ...sums, msisdn_masked, waiting_for }
}

export const previewExample: Static<typeof RefundPreviewSchema> = {
  method: 'OPERATOR',
  amount: '4000.00',
  currency: 'XOF',
  fee: '0.00',
  fees_returned: '0.00',
  payer_gets: '4000.00',
  leaves_balance: '4000.00',
  msisdn_masked: '***********00',
  waiting_for: null,
}

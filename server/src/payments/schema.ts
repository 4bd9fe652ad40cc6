// The answers of the payment routes, as published in OpenAPI.

import { Type } from 'typebox'
import { failureCodeSchema } from '../attempts/failure-texts.ts'
import { WarningSchema } from '../planning/initial-warning.ts'
import { OtpInput } from '../planning/softpay-body.ts'
import {
  CheckoutUrlSchema,
  InitialAmountsSchema,
  NextActionSchema,
  TransactionSchema,
  VerifiedSchema,
} from '../transactions/schema.ts'

const Status = Type.Enum(['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED'])

export const SoftpayReply = Type.Object(
  {
    message: Type.String(),
    id: Type.String({ format: 'uuid' }),
    reference: Type.String(),
    status: Status,
    checkout_url: CheckoutUrlSchema,
    instructions: Type.String({ description: 'What to tell the payer; may be empty.' }),
    otp_required: Type.Boolean(),
    next_action: NextActionSchema,
    failure_code: failureCodeSchema('Empty unless status is FAILED.'),
    amounts: InitialAmountsSchema,
    warning: Type.Union([WarningSchema, Type.Null()], {
      description: 'The number does not look like one of this network. Nothing is blocked.',
    }),
  },
  { title: 'SoftpayReply' },
)

/** Of a payment of 5000 XOF by MTN Bénin, the fee on top. */
export const amountsExample = {
  requested: '5000.00',
  fee: '163.00',
  charged: '5163.00',
  net: '5000.00',
  currency: 'XOF',
  fee_charge_mode: 'ADD_ON',
  exchange_rate: null,
  original_amount: null,
  original_currency: null,
}

export const RetryBody = Type.Object(
  {
    methods: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
        maxItems: 10,
        description: 'Network codes of the same country, tried in order; empty: the same network.',
      }),
    ),
    otp: OtpInput,
  },
  { title: 'PaymentRetry' },
)

export const VerifiedPayment = Type.Object(
  {
    ...VerifiedSchema.properties,
    next_action: NextActionSchema,
    checkout_url: CheckoutUrlSchema,
  },
  { title: 'VerifiedPayment' },
)

export const RetryReply = Type.Object(
  {
    ...VerifiedSchema.properties,
    next_action: NextActionSchema,
    checkout_url: CheckoutUrlSchema,
  },
  { title: 'PaymentRetryReply' },
)

export const OtpBody = Type.Object(
  { otp: Type.String({ minLength: 1, maxLength: 12, pattern: '\\S' }) },
  { title: 'ConfirmOtp' },
)

export const OtpReply = Type.Object(
  { message: Type.String(), ...TransactionSchema.properties },
  { title: 'ConfirmOtpReply' },
)

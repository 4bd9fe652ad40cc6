// The answers of the payment routes, as published in OpenAPI.

import { Type } from 'typebox'
import { TransactionSchema } from '../transactions/schema.ts'

const Status = Type.Enum(['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED'])

export const SoftpayReply = Type.Object(
  {
    message: Type.String(),
    id: Type.String({ format: 'uuid' }),
    reference: Type.String(),
    status: Status,
    checkout_url: Type.String({ description: 'Empty unless the payer must be redirected.' }),
    instructions: Type.String({ description: 'What to tell the payer; may be empty.' }),
    otp_required: Type.Boolean(),
    next_action: Type.Enum(['APPROVE_ON_PHONE', 'ENTER_OTP', 'REDIRECT', 'NONE']),
    failure_code: Type.String({ description: 'Empty unless status is FAILED.' }),
  },
  { title: 'SoftpayReply' },
)

export const RetryBody = Type.Object(
  {
    methods: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
        maxItems: 10,
        description: 'Network codes of the same country, tried in order; empty: the same network.',
      }),
    ),
    otp: Type.Optional(Type.String({ minLength: 1, maxLength: 12, pattern: '\\S' })),
  },
  { title: 'PaymentRetry' },
)

export const RetryReply = Type.Object(
  {
    message: Type.String(),
    ...TransactionSchema.properties,
    checkout_url: Type.String({ description: 'Empty unless the payer must be redirected.' }),
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

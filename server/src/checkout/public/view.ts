// What a payer sees of a session (decisions 6.1): these fields and no others; nobody's e-mail or
// number is shown whole to whoever holds the address.

import { Type } from 'typebox'
import type { Face } from '../../merchants/face/face.ts'
import { viewFace } from '../../merchants/face/read-face.ts'
import { formatAmount } from '../../money/format.ts'
import type { Session } from '../../orders/session.ts'
import { sessionStatuses } from '../../orders/states.ts'
import { messageOf, type PaymentState } from '../../payments/payment-reply.ts'
import type { Locale } from '../../platform/errors.ts'
import { instructionsOf } from '../../transactions/instructions.ts'

const nextActions = ['APPROVE_ON_PHONE', 'ENTER_OTP', 'REDIRECT', 'NONE'] as const
const transactionStatuses = ['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const
const statusOrNull = Type.Union([Type.Enum([...transactionStatuses]), Type.Null()])

export const FaceSchema = Type.Object({
  name: Type.String(),
  colour: Type.String(),
  logo_url: Type.Union([Type.String(), Type.Null()]),
})

const state = {
  slug: Type.String(),
  status: Type.Enum([...sessionStatuses]),
  transaction_status: statusOrNull,
  next_action: Type.Enum([...nextActions]),
  return_url: Type.Optional(Type.String({ description: 'Only when the session is PAID.' })),
}

export const PublicSchema = Type.Object(
  {
    ...state,
    merchant: FaceSchema,
    amount: Type.String(),
    currency: Type.String(),
    description: Type.String(),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    fee_charge_mode: Type.Union([Type.Enum(['ADD_ON', 'DEDUCTED']), Type.Null()]),
    customer: Type.Object({ name: Type.String(), email: Type.String(), phone: Type.String() }),
  },
  { title: 'PublicCheckout' },
)

export const PublicStatusSchema = Type.Object(state, { title: 'PublicCheckoutStatus' })

export const PayReply = Type.Object(
  {
    message: Type.String(),
    transaction_id: Type.String({ format: 'uuid' }),
    status: Type.Enum([...transactionStatuses]),
    payment_url: Type.String({ description: 'Empty unless the payer must be redirected.' }),
    otp_required: Type.Boolean(),
    instructions: Type.String(),
    next_action: Type.Enum([...nextActions]),
  },
  { title: 'CheckoutPayment' },
)

const actionOf = (payment: PaymentState | undefined) =>
  payment?.status === 'PENDING' && !payment.unknown ? payment.next_action : 'NONE'

export const viewState = (session: Session, payment: PaymentState | undefined) => ({
  slug: session.slug,
  status: session.status,
  transaction_status: payment?.status ?? null,
  next_action: actionOf(payment),
  ...(session.status === 'PAID' ? { return_url: session.return_url } : {}),
})

export function viewPublic(
  session: Session,
  payment: PaymentState | undefined,
  { face, public_url }: Readonly<{ face: Face; public_url: string }>,
) {
  return {
    ...viewState(session, payment),
    merchant: viewFace(face, public_url),
    amount: formatAmount(session.amount),
    currency: session.currency,
    description: session.description,
    expires_at: session.expires_at?.toISOString() ?? null,
    fee_charge_mode: session.fee_charge_mode ?? face.fee_charge_mode_locked,
    customer: {
      name: session.customer_name.split(/\s+/).map(hiddenWord).join(' '),
      email: hiddenEmail(session.customer_email),
      phone: session.customer_phone === '' ? '' : `***${session.customer_phone.slice(-2)}`,
    },
  }
}

const hiddenWord = (word: string): string => (word === '' ? '' : `${[...word][0]}***`)

function hiddenEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1 ? '' : `${email.slice(0, 1)}***${email.slice(at)}`
}

/** The answer of pay. */
export function viewPayment(payment: PaymentState, locale: Locale) {
  const next_action = actionOf(payment)
  return {
    message: messageOf(payment, locale),
    transaction_id: payment.id,
    status: payment.status,
    payment_url: payment.status === 'PENDING' ? payment.checkout_url : '',
    otp_required: next_action === 'ENTER_OTP',
    instructions: instructionsOf(payment, locale),
    next_action,
  }
}

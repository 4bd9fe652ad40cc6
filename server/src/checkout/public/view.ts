// What a payer sees of a session (contract 6.1): these fields and no others; no e-mail or number is
// shown whole to those who have the address.

import { type Static, Type } from 'typebox'
import { confirmations } from '../../gateways/route-confirmation.ts'
import type { MerchantProfile } from '../../merchants/settings/profile.ts'
import { viewProfile } from '../../merchants/settings/read-settings.ts'
import type { FeeChargeMode } from '../../money/fee-charge-mode.ts'
import { formatAmount } from '../../money/format.ts'
import type { Session } from '../../orders/session.ts'
import { sessionStatuses } from '../../orders/states.ts'
import { messageOf } from '../../payments/payment-reply.ts'
import type { Locale } from '../../platform/errors.ts'
import { instructionsOf, nextActions } from '../../transactions/instructions.ts'
import type { TransactionState } from '../../transactions/transaction-now.ts'

const transactionStatuses = ['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const
const statusOrNull = Type.Union([Type.Enum([...transactionStatuses]), Type.Null()])

export const ProfileSchema = Type.Object({
  name: Type.String(),
  colour: Type.String(),
  logo_url: Type.Union([Type.String(), Type.Null()]),
})

const payment_url = Type.String({
  description:
    'The operator’s page to send the payer to, where `next_action` is `REDIRECT`; else empty. ' +
    'With `REDIRECT` and none yet, the operator is making it: ask the status in two seconds.',
})

/**
 * `OPEN`; `INTERRUPTED`: its payments fail at the operator just now, and one may be tried;
 * `CLOSED`: by its hours or by our staff; `OTHER_AMOUNT`: it takes no such sum.
 */
export const networkConditions = ['OPEN', 'INTERRUPTED', 'CLOSED', 'OTHER_AMOUNT'] as const

export const NetworkRow = Type.Object({
  code: Type.String({ description: 'The network’s code, such as mtn_bj.' }),
  name: Type.String(),
  confirmation: Type.Enum([...confirmations], {
    description:
      'How the payer would confirm now: on the phone, on the operator’s page, with a code made ' +
      'before paying (`otp`) or one that is sent (`confirm-otp`). Another operator may be taken ' +
      'when the payment is made: `next_action` says what it asks for.',
  }),
  otp_required: Type.Boolean(),
  otp_instructions: Type.String(),
  fee: Type.Union([Type.String(), Type.Null()]),
  total: Type.Union([Type.String(), Type.Null()]),
  currency: Type.String(),
  unavailable: Type.Boolean({ description: 'It cannot be paid by now.' }),
  condition: Type.Enum([...networkConditions], {
    description:
      '`INTERRUPTED`: its payments fail at the operator at the moment; it is offered, and may ' +
      'fail. `CLOSED`: by its hours or by our staff. `OTHER_AMOUNT`: it takes no such sum.',
  }),
  opens_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When a closed one takes payments again, where that is known.',
  }),
  time_zone: Type.Union([Type.String(), Type.Null()], {
    description: 'Of its country, where `opens_at` is known, such as Africa/Porto-Novo.',
  }),
  notice: Type.String({ description: 'The same for people; empty while it is open.' }),
})

const state = {
  slug: Type.String(),
  status: Type.Enum([...sessionStatuses]),
  transaction_status: statusOrNull,
  next_action: Type.Enum([...nextActions]),
  return_url: Type.Optional(Type.String({ description: 'Shown only when the session is PAID.' })),
}

export const PublicSchema = Type.Object(
  {
    ...state,
    merchant: ProfileSchema,
    merchant_name: Type.String(),
    is_usable: Type.Boolean({ description: 'Whether a payment can be started now.' }),
    networks: Type.Array(NetworkRow, {
      description: 'The networks of the session’s own country, while it is usable.',
    }),
    payment_url,
    amount: Type.String(),
    currency: Type.String(),
    description: Type.String(),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    fee_charge_mode: Type.Union([Type.Enum(['ADD_ON', 'DEDUCTED']), Type.Null()]),
    customer: Type.Object({ name: Type.String(), email: Type.String(), phone: Type.String() }),
  },
  { title: 'PublicCheckout' },
)

/** What the payer is to do for the last payment, in one place. */
const paymentFields = {
  transaction_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
  transaction_reference: Type.Union([Type.String(), Type.Null()]),
  otp_required: Type.Boolean(),
  instructions: Type.String({ description: 'Empty unless a payment is under way.' }),
  payment_url,
}

export const PublicStatusSchema = Type.Object(
  { ...state, amount: Type.String(), currency: Type.String(), ...paymentFields },
  { title: 'PublicCheckoutStatus' },
)

export const PayReply = Type.Object(
  {
    message: Type.String(),
    transaction_id: Type.String({ format: 'uuid' }),
    status: Type.Enum([...transactionStatuses]),
    payment_url,
    otp_required: Type.Boolean(),
    instructions: Type.String(),
    next_action: Type.Enum([...nextActions]),
  },
  { title: 'CheckoutPayment' },
)

const actionOf = (payment: TransactionState | undefined) =>
  payment?.status === 'PENDING' && !payment.unknown ? payment.next_action : 'NONE'

export const viewState = (session: Session, payment: TransactionState | undefined) => ({
  slug: session.slug,
  status: session.status,
  transaction_status: payment?.status ?? null,
  next_action: actionOf(payment),
  ...(session.status === 'PAID' ? { return_url: session.return_url } : {}),
})

/** The state, and all that the payer needs to go on with the payment that is under way. */
export function viewStatus(
  session: Session,
  payment: TransactionState | undefined,
  locale: Locale,
) {
  return {
    ...viewState(session, payment),
    amount: formatAmount(session.amount),
    currency: session.currency,
    transaction_id: payment?.id ?? null,
    transaction_reference: payment?.reference ?? null,
    otp_required: actionOf(payment) === 'ENTER_OTP',
    instructions: payment === undefined ? '' : instructionsOf(payment, locale),
    payment_url: urlOf(payment),
  }
}

const urlOf = (payment: TransactionState | undefined): string =>
  payment?.status === 'PENDING' ? payment.checkout_url : ''

export type PublicView = Readonly<{
  profile: MerchantProfile
  public_url: string
  is_usable: boolean
  networks: readonly Static<typeof NetworkRow>[]
  /** Of the payment that would be tried again. */
  kept: Readonly<{ fee_charge_mode: FeeChargeMode }> | undefined
}>

export function viewPublic(
  session: Session,
  payment: TransactionState | undefined,
  { profile, public_url, is_usable, networks, kept }: PublicView,
) {
  const merchant = viewProfile(profile, public_url)
  return {
    ...viewState(session, payment),
    merchant,
    merchant_name: merchant.name,
    is_usable,
    networks,
    payment_url: urlOf(payment),
    amount: formatAmount(session.amount),
    currency: session.currency,
    description: session.description,
    expires_at: session.expires_at?.toISOString() ?? null,
    fee_charge_mode:
      kept?.fee_charge_mode ?? session.fee_charge_mode ?? profile.fee_charge_mode_locked,
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
export function viewPayment(payment: TransactionState, locale: Locale) {
  const next_action = actionOf(payment)
  return {
    message: messageOf(payment, locale),
    transaction_id: payment.id,
    status: payment.status,
    payment_url: urlOf(payment),
    otp_required: next_action === 'ENTER_OTP',
    instructions: instructionsOf(payment, locale),
    next_action,
  }
}

// Sessions as their merchant reads them, field by field (contract: CheckoutSession).

import { Type } from 'typebox'
import type { Session } from '../orders/session.ts'
import { viewSession } from '../orders/session-event.ts'
import { sessionStatuses } from '../orders/states.ts'

const uuid = Type.String({ format: 'uuid' })
const uuidOrNull = Type.Union([uuid, Type.Null()])
const moment = Type.String({ format: 'date-time' })
const momentOrNull = Type.Union([moment, Type.Null()])

/** Of a session or a link (contract: created_by_member). */
export const AnsweringMember = Type.Union([uuid, Type.Null()], {
  description:
    'The member who answers for it: whoever was signed in, or made the key that was used (the ' +
    'first owner where nobody did); of a session that a link opened, the link’s.',
})

export const SessionSchema = Type.Object(
  {
    id: uuid,
    merchant: uuid,
    created_by_member: AnsweringMember,
    slug: Type.String(),
    checkout_url: Type.String({ format: 'uri' }),
    amount: Type.String(),
    currency: Type.String(),
    description: Type.String(),
    country: Type.String({ description: 'Preselected on the hosted page; may be empty.' }),
    customer_email: Type.String(),
    customer_name: Type.String(),
    customer_phone: Type.String(),
    return_url: Type.String(),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    fee_charge_mode: Type.Union([Type.Enum(['ADD_ON', 'DEDUCTED']), Type.Null()]),
    merchant_reference: Type.String(),
    status: Type.Enum([...sessionStatuses]),
    expires_at: momentOrNull,
    transaction: Type.Union([uuid, Type.Null()], {
      description:
        'The payment that paid it, else the last that was begun; null before there is one.',
    }),
    payment_link: uuidOrNull,
    paid_at: momentOrNull,
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'CheckoutSession' },
)

export const checkoutUrl = (public_url: string, { slug }: Pick<Session, 'slug'>): string =>
  `${public_url}/checkout/${slug}`

export const viewOwnSession = (session: Session, public_url: string) => ({
  ...viewSession(session),
  checkout_url: checkoutUrl(public_url, session),
})

export const StatusSchema = Type.Object(
  {
    id: uuid,
    slug: Type.String(),
    status: Type.Enum([...sessionStatuses]),
    transaction_id: uuidOrNull,
    transaction_status: Type.Union([
      Type.Enum(['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED']),
      Type.Null(),
    ]),
    transaction_reference: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'CheckoutSessionStatus' },
)

export const sessionExample = {
  id: '01981f3a-5b60-7c11-9a52-0242ac120101',
  merchant: '01981f3a-5b60-7c11-9a52-0242ac120001',
  created_by_member: null,
  slug: 'q3Vd0mY7x1Zs5kN8bT2wR6cL9aH4gJfP',
  checkout_url: 'https://pay.example.com/checkout/q3Vd0mY7x1Zs5kN8bT2wR6cL9aH4gJfP',
  amount: '5000.00',
  currency: 'XOF',
  description: 'Order 1042',
  country: 'BJ',
  customer_email: 'awa@example.com',
  customer_name: 'Awa Diop',
  customer_phone: '',
  return_url: 'https://shop.example.com/thanks',
  metadata: {},
  fee_charge_mode: null,
  merchant_reference: 'ORDER-1042',
  status: 'PENDING',
  expires_at: '2026-11-22T08:00:00.000Z',
  transaction: null,
  payment_link: null,
  paid_at: null,
  environment: 'SANDBOX',
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
}

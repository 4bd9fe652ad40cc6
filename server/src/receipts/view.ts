// What anybody with the token is shown, field by field: no name, no e-mail and no number of the
// payer but its last two digits, no fee of a gateway or the platform.

import { type Static, Type } from 'typebox'
import { formatAmount } from '../money/format.ts'
import { type Receipt, receiptStatuses } from './receipt.ts'

const shown = {
  merchant: Type.String(),
  reference: Type.String(),
  merchant_reference: Type.String({
    description: 'The merchant’s own, such as an order number; empty where there is none.',
  }),
  operator_reference: Type.String({
    description:
      'What the payer finds the payment by in the operator’s message; empty where there is none.',
  }),
  network: Type.String({ description: 'The network that it was paid by, as people call it.' }),
  amount: Type.String({ description: 'The amount requested.' }),
  charged: Type.String({ description: 'What left the payer’s account, fees included.' }),
  refunded: Type.String({ description: 'What the payer has been given back.' }),
  currency: Type.String(),
  paid_at: Type.String({ format: 'date-time' }),
  status: Type.Enum([...receiptStatuses], {
    description:
      'UNDER_REVIEW: the operator took money of it back, and it is not decided yet who bears ' +
      'that. REVERSED: it took back all of it, and the merchant bears that.',
  }),
  payer_last_digits: Type.String({ description: 'Of the number that paid.' }),
  environment: Type.Enum(['SANDBOX', 'LIVE']),
}

const ReceiptFields = Type.Object(shown)

export const ReceiptSchema = Type.Object(
  {
    ...shown,
    statement: Type.String({
      description:
        'The same content, signed (compact JWS, EdDSA): verify it with a key from ' +
        '/receipts/keys/. It states what was true at `iat`.',
    }),
  },
  { title: 'Receipt' },
)

export const PlaceSchema = Type.Object(
  {
    transaction: Type.String({ format: 'uuid' }),
    url: Type.String({ format: 'uri', description: 'The receipt’s page, for anybody who has it.' }),
    status: Type.Enum(['ISSUED', 'REVOKED'], {
      description: 'REVOKED: its page says only that it was withdrawn.',
    }),
    revoked_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'ReceiptPlace' },
)

export const RevokedSchema = Type.Object(
  {
    transaction: Type.String({ format: 'uuid' }),
    revoked_at: Type.String({ format: 'date-time' }),
  },
  { title: 'RevokedReceipt' },
)

export const KeysSchema = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.String(),
        crv: Type.String(),
        alg: Type.String(),
        use: Type.String(),
        kid: Type.String(),
        x: Type.String(),
      }),
    ),
  },
  { title: 'ReceiptKeys' },
)

export const viewReceipt = (receipt: Receipt): Static<typeof ReceiptFields> => ({
  merchant: receipt.merchant,
  reference: receipt.reference,
  merchant_reference: receipt.merchant_reference,
  operator_reference: receipt.operator_reference,
  network: receipt.network,
  amount: formatAmount(receipt.amount),
  charged: formatAmount(receipt.charged),
  refunded: formatAmount(receipt.refunded),
  currency: receipt.currency,
  paid_at: receipt.paid_at.toISOString(),
  status: receipt.status,
  payer_last_digits: receipt.payer_last_digits,
  environment: receipt.environment,
})

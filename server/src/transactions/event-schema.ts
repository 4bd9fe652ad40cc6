// What a `transaction.*` event carries, as OpenAPI publishes it (contract 6.7, 8.21).

import { Type } from 'typebox'
import { failureCodeSchema } from '../attempts/failure-texts.ts'
import { feeChargeModes } from '../money/fee-charge-mode.ts'
import {
  flowDirections,
  refundedProperties,
  returnedProperties,
  transactionStatuses,
  transactionTypes,
} from './schema.ts'

const id = Type.String({ format: 'uuid' })
const idOrNull = Type.Union([id, Type.Null()])
const amount = Type.String({ description: 'Decimal with two decimal places.' })

const fields = {
  id,
  reference: Type.String(),
  type: Type.Enum([...transactionTypes]),
  flow_direction: Type.Enum([...flowDirections]),
  status: Type.Enum([...transactionStatuses]),
  amount,
  fee: amount,
  charged: amount,
  net_amount: amount,
  fee_charge_mode: Type.Enum([...feeChargeModes]),
  currency: Type.String({ description: 'ISO 4217.' }),
  country: Type.String({ description: 'ISO 3166 alpha-2.' }),
  network: Type.Union([Type.String(), Type.Null()], { description: 'Network code.' }),
  msisdn: Type.String({ description: 'E.164; the phone that pays or is paid.' }),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  merchant_reference: Type.String(),
  checkout_session: idOrNull,
  payment_link: idOrNull,
  failure_code: failureCodeSchema('Empty if there is none.'),
  failure_message: Type.String(),
  external_reference: Type.String({ description: 'The gateway’s own; empty while unknown.' }),
  version: Type.Integer({
    minimum: 1,
    description: 'Ignore an event whose version is smaller than one you have seen.',
  }),
  original_amount: Type.Optional(
    Type.String({
      description:
        'What you asked for, where `amount` was converted from another currency; else absent.',
    }),
  ),
  original_currency: Type.Optional(
    Type.String({ description: 'ISO 4217. Absent where nothing was converted.' }),
  ),
  exchange_rate: Type.Optional(
    Type.String({
      description:
        'How much of `currency` one `original_currency` was; eight decimals. Absent likewise.',
    }),
  ),
}

export const TransactionEventSchema = Type.Object(fields, { title: 'TransactionEventData' })

export const RefundedEventSchema = Type.Object(
  {
    ...fields,
    ...refundedProperties,
    refund: Type.Union([id, Type.Null()], { description: 'Null where no refund caused it.' }),
  },
  { title: 'TransactionRefundedEventData' },
)

export const ReturnedEventSchema = Type.Object(
  { ...fields, ...returnedProperties },
  { title: 'TransactionReturnedEventData' },
)

export const IncidentEventSchema = Type.Object(
  {
    ...fields,
    incident: Type.Object({ id, type: Type.String(), status: Type.Enum(['OPEN']) }),
  },
  { title: 'TransactionIncidentEventData' },
)

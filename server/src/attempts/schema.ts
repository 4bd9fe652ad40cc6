// The schema of an attempt in the API: published in OpenAPI, and a test holds the view to it. The
// gateway's own text (`gateway_detail`) is not here and never leaves the log.

import { Type } from 'typebox'
import { feeChargeModes } from '../money/fee-charge-mode.ts'
import type { AttemptStatus } from './states.ts'

export const attemptStatuses = [
  'PENDING',
  'SUCCESS',
  'FAILED',
  'UNKNOWN',
] as const satisfies readonly AttemptStatus[]

const id = Type.String({ format: 'uuid' })
const moment = Type.String({ format: 'date-time' })
const amount = Type.String({ description: 'Decimal with two decimal places.' })

export const AttemptSchema = Type.Object(
  {
    id,
    transaction: id,
    gateway: id,
    gateway_code: Type.String(),
    network: id,
    network_code: Type.String(),
    priority: Type.Integer({ minimum: 1, description: '1 is the route tried first.' }),
    status: Type.Enum([...attemptStatuses], {
      description: '`UNKNOWN`: no answer yet; the gateway is queried until there is evidence.',
    }),
    external_reference: Type.String({
      description: 'The gateway’s own reference; empty while unknown.',
    }),
    failure_code: Type.String({
      description: 'The same codes for every gateway; empty if there is none.',
    }),
    failure_message: Type.String({ description: 'Human-readable, in French or English.' }),
    requested_amount: amount,
    client_fee: amount,
    debited_amount: amount,
    net_amount: amount,
    fee_charge_mode: Type.Enum([...feeChargeModes]),
    currency: Type.String({ description: 'ISO 4217.' }),
    operation_msisdn: Type.String({ description: 'E.164; the phone that pays or is paid.' }),
    started_at: moment,
    finished_at: Type.Union([moment, Type.Null()]),
    created_at: moment,
  },
  {
    title: 'TransactionAttempt',
    description: 'One request to one gateway. Amounts, network and phone are as sent to it.',
  },
)

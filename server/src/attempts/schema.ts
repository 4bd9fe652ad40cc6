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
const amount = Type.String({ description: 'Two fractional digits.' })

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
      description: '`UNKNOWN`: no answer yet; it is asked about until there is evidence.',
    }),
    external_reference: Type.String({ description: 'The gateway’s own; empty while unknown.' }),
    failure_code: Type.String({ description: 'Normalised over all gateways; empty if none.' }),
    failure_message: Type.String({ description: 'For a person, in French or English.' }),
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
    description: 'One question to one gateway. Amounts, network and phone are as it was asked.',
  },
)

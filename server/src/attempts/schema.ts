// The schema of an attempt in the API: published in OpenAPI, and a test holds the view to it. The
// gateway's own text (`gateway_detail`) is not here and never leaves the log.

import { type Static, Type } from 'typebox'
import { feeChargeModes } from '../money/fee-charge-mode.ts'
import { failureCodeSchema } from './failure-texts.ts'
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
    operator_reference: Type.String({
      description:
        'What whoever paid, or was paid, finds it by in the operator’s message; empty until it ' +
        'is paid, and where the operator gives none.',
    }),
    failure_code: failureCodeSchema('The same codes for every gateway; empty if there is none.'),
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

// The attempt that the docs show.

export const attemptExample: Static<typeof AttemptSchema> = {
  id: '01981f3a-0000-7000-8000-00000000a701',
  transaction: '01981f3a-0000-7000-8000-000000007001',
  gateway: '01981f3a-0000-7000-8000-000000009001',
  gateway_code: 'sandbox_one',
  network: '01981f3a-0000-7000-8000-00000000e001',
  network_code: 'wave_sn',
  priority: 1,
  status: 'SUCCESS',
  external_reference: 'OP-4417',
  operator_reference: 'OP-4417',
  failure_code: '',
  failure_message: '',
  requested_amount: '10000.00',
  client_fee: '325.00',
  debited_amount: '10325.00',
  net_amount: '10000.00',
  fee_charge_mode: 'ADD_ON',
  currency: 'XOF',
  operation_msisdn: '+221770000000',
  started_at: '2026-11-21T08:00:00.000Z',
  finished_at: '2026-11-21T08:00:04.000Z',
  created_at: '2026-11-21T08:00:00.000Z',
}

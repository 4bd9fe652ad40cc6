// The attempt that the docs show.

import type { Static } from 'typebox'
import type { AttemptSchema } from './schema.ts'

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

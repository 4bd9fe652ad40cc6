// A story for OpenAPI: a payment that was asked about three times and then paid.

import type { Static } from 'typebox'
import type { TimelineSchema } from './view.ts'

const transaction = '01981f3a-0000-7000-8000-000000007001'
const attempt = '01981f3a-0000-7000-8000-00000000a101'
const of_attempt = { network_code: 'mtn_bj', gateway_code: 'simulator_a' }
const system = { kind: 'SYSTEM' as const, id: null, name: '' }
const operator = { kind: 'OPERATOR' as const, id: null, name: '' }

export const timelineExample: Static<typeof TimelineSchema> = {
  next: null,
  previous: null,
  results: [
    {
      at: '2026-11-21T09:29:40.000Z',
      kind: 'MOVE',
      ref: transaction,
      actor: { kind: 'KEY', id: '01981f3a-0000-7000-8000-00000000c001', name: 'Online shop' },
      facts: {
        ...{ subject: 'TRANSACTION', to_status: 'PENDING' },
        ...{ amount: '10000.00', currency: 'XOF' },
      },
    },
    {
      ...{ at: '2026-11-21T09:29:40.000Z', kind: 'ATTEMPT', ref: attempt, actor: system },
      facts: { step: 'STARTED', ...of_attempt },
    },
    {
      ...{ at: '2026-11-21T09:29:45.000Z', kind: 'ASKED', ref: attempt, actor: system },
      facts: {
        ...{ status: 'SUCCESS', ...of_attempt, count: 3 },
        ...{ first_at: '2026-11-21T09:29:45.000Z', last_at: '2026-11-21T09:29:59.900Z' },
      },
    },
    {
      ...{ at: '2026-11-21T09:30:00.000Z', kind: 'ATTEMPT', ref: attempt, actor: operator },
      facts: { step: 'ENDED', status: 'SUCCESS', ...of_attempt, external_reference: 'MP-4471' },
    },
    {
      at: '2026-11-21T09:30:00.000Z',
      kind: 'MOVE',
      ref: '01981f3a-0000-7000-8000-00000000f001',
      actor: operator,
      facts: {
        ...{ subject: 'TRANSACTION', from_status: 'PENDING', to_status: 'SUCCESS', attempt },
        ...{ triggered_by: 'POLLER', evidence_kind: 'STATUS_ANSWER', said: 'confirmed' },
      },
    },
    {
      ...{ at: '2026-11-21T09:30:00.000Z', kind: 'ENTRY', actor: system },
      ref: '01981f3a-0000-7000-8000-00000000d001',
      facts: {
        ...{ amount: '10000.00', currency: 'XOF' },
        ...{ direction: 'CREDIT', balance_after: '150000.00' },
      },
    },
    {
      ...{ at: '2026-11-21T09:30:00.120Z', kind: 'WEBHOOK', actor: system },
      ref: '01981f3a-0000-7000-8000-00000000e101',
      facts: {
        webhook: '01981f3a-0000-7000-8000-000000000001',
        ...{ event_type: 'transaction.success', try: 1 },
        ...{ succeeded: true, http_status: 200, took_ms: 64 },
      },
    },
  ],
  last_question_at: null,
  next_question_at: null,
  ends_at: null,
}

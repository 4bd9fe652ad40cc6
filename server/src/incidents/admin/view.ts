// An incident as staff read it, field by field: what was reported, by whom, and how much it is
// about.

import { type Static, Type } from 'typebox'
import type { Attempt } from '../../attempts/attempt.ts'
import type { CallbackFacts } from '../../attempts/callback-statements.ts'
import { formatAmount } from '../../money/format.ts'
import { incidentTypes } from '../incident.ts'
import type { StaffIncident, TransactionFacts } from './store.ts'

const uuid = Type.String({ format: 'uuid' })
const uuidOrNull = Type.Union([uuid, Type.Null()])
const moment = Type.String({ format: 'date-time' })
const momentOrNull = Type.Union([moment, Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])
const amount = Type.String({ description: 'Decimal with two decimal places, in `currency`.' })
const currency = Type.String({ description: 'ISO 4217; empty if no amount is known.' })

export const incidentStatuses = ['OPEN', 'RESOLVED'] as const

const fields = {
  id: uuid,
  merchant: Type.Union([uuid, Type.Null()], {
    description: 'Null: not known to concern any merchant’s payment.',
  }),
  merchant_name: textOrNull,
  environment: Type.Enum(['SANDBOX', 'LIVE']),
  type: Type.Enum([...incidentTypes]),
  status: Type.Enum([...incidentStatuses]),
  transaction: uuidOrNull,
  transaction_reference: textOrNull,
  settlement: uuidOrNull,
  attempt: uuidOrNull,
  callback: uuidOrNull,
  gateway: uuid,
  gateway_code: textOrNull,
  country: Type.String({ description: 'ISO 3166 alpha-2; empty if unknown.' }),
  currency,
  amount: Type.String({
    description:
      'Amount in suspense, on the side given by `suspense_side`; `0.00` if nothing moved.',
  }),
  suspense_side: Type.Union([Type.Enum(['DEBIT', 'CREDIT']), Type.Null()], {
    description: '`CREDIT`: we hold money that is not ours. `DEBIT`: we are short of it.',
  }),
  detail: Type.Record(Type.String(), Type.Unknown()),
  resolution: textOrNull,
  resolution_amount: Type.Union([amount, Type.Null()]),
  resolution_note: Type.String(),
  proposed_by: uuidOrNull,
  proposed_at: momentOrNull,
  confirmed_by: uuidOrNull,
  resolved_at: momentOrNull,
  created_at: moment,
  updated_at: moment,
}

export const IncidentView = Type.Object(fields, { title: 'Incident' })

const figures = { client_fee: amount, debited_amount: amount, net_amount: amount, currency }

const TransactionFactsView = Type.Object(
  {
    id: uuid,
    reference: Type.String(),
    transaction_type: Type.String(),
    status: Type.String(),
    requested_amount: amount,
    ...figures,
    external_reference: Type.String(),
    created_at: moment,
  },
  { title: 'IncidentTransaction' },
)

const AttemptFactsView = Type.Object(
  {
    id: uuid,
    gateway_code: Type.String(),
    network_code: Type.String(),
    direction: Type.Enum(['COLLECT', 'DISBURSE']),
    status: Type.String(),
    our_key: Type.String({ description: 'Our reference at the gateway.' }),
    external_reference: Type.String({ description: 'The gateway’s own reference.' }),
    requested_amount: amount,
    ...figures,
    gateway_fee: amount,
    platform_fee: amount,
    failure_code: Type.String(),
    created_at: moment,
    finished_at: momentOrNull,
  },
  {
    title: 'IncidentAttempt',
    description: 'The amount requested; what arrived is compared with it.',
  },
)

const CallbackFactsView = Type.Object(
  {
    id: uuid,
    gateway: uuid,
    proof: Type.Enum(['SIGNED', 'UNSIGNED']),
    outcome: Type.String(),
    created_at: moment,
  },
  { title: 'IncidentCallback' },
)

export const IncidentDetailView = Type.Object(
  {
    ...fields,
    transaction_facts: Type.Union([TransactionFactsView, Type.Null()]),
    attempt_facts: Type.Union([AttemptFactsView, Type.Null()]),
    callbacks: Type.Array(CallbackFactsView, { description: 'In order of arrival.' }),
  },
  { title: 'IncidentDetail' },
)

export const viewIncident = (incident: StaffIncident): Static<typeof IncidentView> => ({
  id: incident.id,
  merchant: incident.is_house ? null : incident.merchant_id,
  merchant_name: incident.is_house ? null : incident.merchant_name,
  environment: incident.environment,
  type: incident.type,
  status: incident.status,
  transaction: incident.transaction_id,
  transaction_reference: incident.transaction_reference,
  settlement: incident.settlement_id,
  attempt: incident.attempt_id,
  callback: incident.callback_id,
  gateway: incident.gateway_id,
  gateway_code: incident.gateway_code,
  country: incident.country,
  currency: incident.currency,
  amount: formatAmount(incident.amount),
  suspense_side: incident.suspense_side,
  detail: { ...incident.detail },
  resolution: incident.resolution,
  resolution_amount:
    incident.resolution_amount === null ? null : formatAmount(incident.resolution_amount),
  resolution_note: incident.resolution_note,
  proposed_by: incident.proposed_by,
  proposed_at: incident.proposed_at?.toISOString() ?? null,
  confirmed_by: incident.confirmed_by,
  resolved_at: incident.resolved_at?.toISOString() ?? null,
  created_at: incident.created_at.toISOString(),
  updated_at: incident.updated_at.toISOString(),
})

export type IncidentParts = Readonly<{
  incident: StaffIncident
  transaction: TransactionFacts | undefined
  attempt: Attempt | undefined
  callbacks: readonly CallbackFacts[]
}>

export const viewIncidentDetail = (parts: IncidentParts): Static<typeof IncidentDetailView> => ({
  ...viewIncident(parts.incident),
  transaction_facts: parts.transaction === undefined ? null : viewTransaction(parts.transaction),
  attempt_facts: parts.attempt === undefined ? null : viewAttempt(parts.attempt),
  callbacks: parts.callbacks.map((callback) => ({
    id: callback.id,
    gateway: callback.gateway_id,
    proof: callback.proof,
    outcome: callback.outcome,
    created_at: callback.created_at.toISOString(),
  })),
})

const viewTransaction = (facts: TransactionFacts): Static<typeof TransactionFactsView> => ({
  id: facts.id,
  reference: facts.reference,
  transaction_type: facts.transaction_type,
  status: facts.status,
  requested_amount: formatAmount(facts.requested_amount),
  client_fee: formatAmount(facts.client_fee),
  debited_amount: formatAmount(facts.debited_amount),
  net_amount: formatAmount(facts.net_amount),
  currency: facts.currency,
  external_reference: facts.external_reference,
  created_at: facts.created_at.toISOString(),
})

const viewAttempt = (attempt: Attempt): Static<typeof AttemptFactsView> => ({
  id: attempt.id,
  gateway_code: attempt.gateway_code,
  network_code: attempt.network_code,
  direction: attempt.direction,
  status: attempt.status,
  our_key: attempt.our_key,
  external_reference: attempt.external_reference,
  requested_amount: formatAmount(attempt.requested_amount),
  client_fee: formatAmount(attempt.client_fee),
  debited_amount: formatAmount(attempt.debited_amount),
  net_amount: formatAmount(attempt.net_amount),
  currency: attempt.currency,
  gateway_fee: formatAmount(attempt.gateway_fee),
  platform_fee: formatAmount(attempt.platform_fee),
  failure_code: attempt.failure_code,
  created_at: attempt.created_at.toISOString(),
  finished_at: attempt.finished_at?.toISOString() ?? null,
})

// The incident that the docs show: an operator collected a payment twice.

export const incidentExample = {
  id: '01981f3a-0000-7000-8000-00000000bd01',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  merchant_name: 'Boutique Awa',
  environment: 'SANDBOX',
  type: 'DUPLICATE_CAPTURE',
  status: 'OPEN',
  transaction: '01981f3a-0000-7000-8000-000000007001',
  transaction_reference: 'TXN-20261121-7K2MPQ4RWX',
  settlement: null,
  attempt: '01981f3a-0000-7000-8000-00000000a701',
  callback: null,
  gateway: '01981f3a-0000-7000-8000-00000000ab01',
  gateway_code: 'orange_ci_live',
  country: 'CI',
  currency: 'XOF',
  amount: '10325.00',
  suspense_side: 'CREDIT',
  detail: { external_reference: 'OM-558213' },
  resolution: null,
  resolution_amount: null,
  resolution_note: '',
  proposed_by: null,
  proposed_at: null,
  confirmed_by: null,
  resolved_at: null,
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
}

const exampleFigures = {
  requested_amount: '10000.00',
  client_fee: '325.00',
  debited_amount: '10325.00',
  net_amount: '10000.00',
  currency: 'XOF',
}

export const incidentDetailExample = {
  ...incidentExample,
  transaction_facts: {
    id: incidentExample.transaction,
    reference: incidentExample.transaction_reference,
    transaction_type: 'PAIEMENT',
    status: 'SUCCESS',
    ...exampleFigures,
    external_reference: 'OM-558201',
    created_at: '2026-11-21T07:58:00.000Z',
  },
  attempt_facts: {
    id: incidentExample.attempt,
    gateway_code: incidentExample.gateway_code,
    network_code: 'orange_ci',
    direction: 'COLLECT',
    status: 'SUCCESS',
    our_key: '5a3c1d0e-52f7-4c1b-9a55-1f6f0f3c9d10',
    external_reference: 'OM-558213',
    ...exampleFigures,
    gateway_fee: '150.00',
    platform_fee: '175.00',
    failure_code: '',
    created_at: '2026-11-21T07:58:00.000Z',
    finished_at: '2026-11-21T08:00:00.000Z',
  },
  callbacks: [
    {
      id: '01981f3a-0000-7000-8000-00000000e701',
      gateway: incidentExample.gateway,
      proof: 'SIGNED',
      outcome: 'APPLIED',
      created_at: '2026-11-21T08:00:00.000Z',
    },
  ],
}

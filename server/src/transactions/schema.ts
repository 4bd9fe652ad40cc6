// The schemas of a transaction and its history in the API: published in OpenAPI, and a test holds
// the views to them.

import { Type } from 'typebox'
import type { Evidence, TriggeredBy } from '../attempts/evidence.ts'
import { failureCodeSchema } from '../attempts/failure-texts.ts'
import { AttemptSchema } from '../attempts/schema.ts'
import { CreatedByName } from '../merchants/caller-name-store.ts'
import { hindrances } from '../merchants/members/member-rights.ts'
import { feeChargeModes } from '../money/fee-charge-mode.ts'
import { nextActions } from './instructions.ts'
import type { TransactionStatus, TransactionType } from './states.ts'
import { payoutApprovals, transactionVias, waitingReasons } from './transaction.ts'

export const transactionStatuses = [
  'PENDING',
  'SUCCESS',
  'FAILED',
  'CANCELLED',
] as const satisfies readonly TransactionStatus[]

export const transactionTypes = [
  'RECHARGE',
  'PAIEMENT',
  'RETRAIT',
  'TRANSFERT',
] as const satisfies readonly TransactionType[]

export const flowDirections = ['INBOUND', 'OUTBOUND'] as const

export const triggers = [
  'SYSTEM',
  'CALLBACK',
  'POLLER',
  'API',
  'DASHBOARD',
  'PAYER',
  'ADMIN',
] as const satisfies readonly TriggeredBy[]

export const evidenceKinds = [
  'CALLBACK',
  'CREATE_ANSWER',
  'STATUS_ANSWER',
  'ANSWER_ASKED',
  'STAFF',
  'RULE',
] as const satisfies readonly Evidence['kind'][]

const id = Type.String({ format: 'uuid' })
const idOrNull = Type.Union([id, Type.Null()])
const moment = Type.String({ format: 'date-time' })
const amount = Type.String({ description: 'Decimal with two decimal places.' })
const currency = Type.String({ description: 'ISO 4217.' })
const mode = Type.Enum([...feeChargeModes])
const status = Type.Enum([...transactionStatuses])

const AmountsSchema = Type.Object(
  { requested: amount, fee: amount, charged: amount, net: amount, currency, fee_charge_mode: mode },
  { title: 'TransactionAmounts', description: 'The key figures for both sides, together.' },
)

/** The same in the answer of initialize, with what it was converted from (contract 8.16). */
export const InitialAmountsSchema = Type.Object(
  {
    requested: amount,
    fee: amount,
    charged: Type.String({ description: 'What leaves the payer, or the balance of a payout.' }),
    net: Type.String({ description: 'What the merchant gets, or the recipient of a payout.' }),
    currency,
    fee_charge_mode: mode,
    exchange_rate: Type.Union([
      Type.String({ description: 'Decimal with eight decimal places.' }),
      Type.Null(),
    ]),
    original_amount: Type.Union([amount, Type.Null()], {
      description: 'The amount as requested, if it was converted; otherwise null.',
    }),
    original_currency: Type.Union([currency, Type.Null()]),
  },
  { title: 'InitialAmounts', description: 'What the call costs, in the network’s currency.' },
)

/** What of a payment was given back to its payer (contract 8.22); of others all is zero. */
export const refundedProperties = {
  refunded_amount: Type.String({ description: 'What the payer has been given back.' }),
  refundable_amount: Type.String({ description: 'What can still be refunded.' }),
  refund_status: Type.Enum(['NONE', 'PARTIAL', 'FULL']),
}

/** What of a payout came back after it had succeeded; of others zero and null. */
export const returnedProperties = {
  returned_amount: Type.String({
    description: 'What of a payout came back and is available again, with what of its fee.',
  }),
  returned_at: Type.Union([moment, Type.Null()], { description: 'When it came back.' }),
}

export const IncidentMarkSchema = Type.Object(
  {
    id,
    type: Type.String(),
    status: Type.Enum(['OPEN', 'RESOLVED']),
    is_contradiction: Type.Boolean({
      description:
        'It is open, and what an operator says does not match the status: until it is resolved ' +
        'do nothing that would move this money once more. False where an operator said nothing ' +
        'in time and the status says all that is known.',
    }),
    prevents_refund: Type.Boolean({
      description:
        'Because of this incident, or another of the payment, a refund of it is refused ' +
        '(`not_refundable`): its payer may have the money already. It may go on once people ' +
        'have decided.',
    }),
    prevents_retry: Type.Boolean({
      description:
        'Because of this incident, or another of the payment, asking for it again is refused ' +
        '(`payment_already_pending`): another amount came for it. It may go on once people have ' +
        'decided.',
    }),
  },
  {
    title: 'TransactionIncident',
    description: 'The latest that contradicts it, else the latest that is open, else the latest.',
  },
)

export const TransactionSchema = Type.Object(
  {
    id,
    reference: Type.String(),
    merchant: id,
    customer: idOrNull,
    country: id,
    country_code: Type.String({ description: 'ISO 3166 alpha-2.' }),
    network: idOrNull,
    network_code: Type.Union([Type.String(), Type.Null()]),
    transaction_type: Type.Enum([...transactionTypes]),
    flow_direction: Type.Enum([...flowDirections]),
    description: Type.String(),
    requested_amount: amount,
    fee_charge_mode: mode,
    client_fee: amount,
    gateway_fee: amount,
    platform_fee: amount,
    pricing_rule: idOrNull,
    merchant_pricing_rule: idOrNull,
    debited_amount: amount,
    net_amount: amount,
    currency,
    amounts: AmountsSchema,
    original_amount: Type.Union([amount, Type.Null()], {
      description: 'The amount as requested, if it was converted; otherwise null.',
    }),
    original_currency: Type.Union([currency, Type.Null()]),
    exchange_rate: Type.Union([
      Type.String({ description: 'Decimal with eight decimal places.' }),
      Type.Null(),
    ]),
    status,
    version: Type.Integer({
      minimum: 1,
      description:
        'Increases by one with each change of the status, each refund that arrives, and when the ' +
        'money of a payout comes back.',
    }),
    failure_code: failureCodeSchema('The same codes for every gateway; empty if there is none.'),
    failure_message: Type.String({ description: 'Human-readable, in French or English.' }),
    current_gateway: idOrNull,
    external_reference: Type.String({
      description: 'The gateway’s own reference; empty while unknown.',
    }),
    operation_msisdn: Type.String({ description: 'E.164; the phone that pays or is paid.' }),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    merchant_reference: Type.String(),
    checkout_session: idOrNull,
    payment_link: idOrNull,
    ...refundedProperties,
    ...returnedProperties,
    incident: Type.Union([IncidentMarkSchema, Type.Null()]),
    approval: Type.Union([Type.Enum([...payoutApprovals]), Type.Null()], {
      description: 'The second person’s decision on a payout; null when none is needed.',
    }),
    waiting_reason: Type.Union([Type.Enum([...waitingReasons]), Type.Null()], {
      description:
        'Why a payout has not left yet: the operator’s float, hours or own queue, or no route; ' +
        'null when nothing holds it back.',
    }),
    outcome_unknown: Type.Boolean({
      description:
        'It is under way and its operator has not said what came of it: never do it anew. What ' +
        '`outcome=UNKNOWN` finds.',
    }),
    via: Type.Union([Type.Enum([...transactionVias]), Type.Null()], {
      description:
        'How it was made: by an API key, by a member in the dashboard, or by a payer on the page ' +
        'of a checkout session or of a payment link; null where that is not known.',
    }),
    api_key: Type.Union([id, Type.Null()], {
      description: 'The API key that made it; null where none did.',
    }),
    created_by_member: Type.Union([id, Type.Null()], {
      description: 'The member who made it in the dashboard; null where none did.',
    }),
    environment: Type.Enum(['SANDBOX', 'LIVE']),
    ip_address: Type.String(),
    created_at: moment,
    updated_at: moment,
  },
  { title: 'Transaction' },
)

export const NextActionSchema = Type.Enum([...nextActions], {
  description: 'What the payer does next; NONE once ended, and while the outcome is unknown.',
})

/** `REDIRECT` without an address: the page comes (docs/decisions/0059). */
export const CheckoutUrlSchema = Type.String({
  description:
    'The operator’s page to send the payer to, where `next_action` is `REDIRECT`; else empty. ' +
    'With `REDIRECT` and none yet, the operator is making it: verify again in two seconds.',
})

/** A transaction as verify answers it. */
export const VerifiedSchema = Type.Object(
  {
    message: Type.String(),
    ...TransactionSchema.properties,
    instructions: Type.String({ description: 'What to tell the payer; empty once ended.' }),
  },
  { title: 'VerifiedTransaction' },
)

export const StatusLogSchema = Type.Object(
  {
    id,
    transaction: id,
    from_status: status,
    to_status: status,
    reason: Type.String(),
    triggered_by: Type.Enum([...triggers]),
    created_at: moment,
  },
  { title: 'TransactionStatusLog' },
)

const CustomerName = Type.String({
  description:
    'The payer’s or recipient’s name as it was given then; empty where none was, and once the ' +
    'customer is erased.',
})

/** A transaction in the merchant's list. */
export const ListedTransactionSchema = Type.Object(
  {
    ...TransactionSchema.properties,
    customer_name: CustomerName,
    created_by_name: CreatedByName,
  },
  { title: 'ListedTransaction' },
)

/** Of payouts and of refunds. */
export const MayNotApprove = Type.Union([Type.Enum([...hindrances]), Type.Null()], {
  description:
    'Why the member who asks may not approve it, though their role approves such: `OWN`, they ' +
    'requested it, or a key of theirs did; in LIVE `NO_SECOND_FACTOR`, they have none, and ' +
    '`TOO_NEW`, their role, their second factor or the role of whoever requested it is younger ' +
    'than the wait for what is loosened. Null where none of these holds.',
})

export const TransactionDetailSchema = Type.Object(
  {
    ...TransactionSchema.properties,
    instructions: Type.String({ description: 'What to tell the payer; empty once ended.' }),
    next_action: NextActionSchema,
    checkout_url: CheckoutUrlSchema,
    may_approve: Type.Boolean({
      description:
        'Whether the member who asks may approve this payout now. False for a key, for whoever ' +
        'requested it, and where nothing waits for an approval.',
    }),
    may_not_approve: MayNotApprove,
    may_retry: Type.Boolean({
      description:
        'Whether the payer of this payment, which failed, can be asked again now. One of a ' +
        'checkout session only while that can be paid, and while it is the session’s last; a ' +
        'top-up in LIVE only while its number is one of the merchant’s own; nobody whose data ' +
        'was erased.',
    }),
    approval_ends_at: Type.Union([moment, Type.Null()], {
      description: 'Until when it can be approved, after which it fails; null where it needs none.',
    }),
    approval_after: Type.Union([id, Type.Null()], {
      description:
        'While it waits for an approval: the payout to this number, of this amount, whose ' +
        'outcome was not known when this one was made, or the payment whose refund it was. ' +
        'Null where a limit asks for the approval.',
    }),
    customer_name: CustomerName,
    created_by_name: CreatedByName,
    attempts: Type.Array(AttemptSchema, { description: 'Oldest first.' }),
    status_logs: Type.Array(StatusLogSchema, { description: 'Oldest change first.' }),
  },
  { title: 'TransactionDetail' },
)

const EvidenceRowSchema = Type.Object(
  {
    status_log: id,
    from_status: status,
    to_status: status,
    triggered_by: Type.Enum([...triggers]),
    attempt: idOrNull,
    evidence_kind: Type.Enum([...evidenceKinds]),
    said: Type.String({ description: 'What was reported, in our own words.' }),
    hash: Type.Union([
      Type.String({ description: 'SHA-256 of what was received, in lower-case hex.' }),
      Type.Null(),
    ]),
    callback: Type.Union([id, Type.Null()], { description: 'The callback that reported it.' }),
    at: moment,
  },
  { title: 'TransactionEvidenceRow' },
)

export const EvidenceSchema = Type.Object(
  { transaction: id, evidence: Type.Array(EvidenceRowSchema) },
  { title: 'TransactionEvidence' },
)

// A transaction as staff read it: as its merchant does, with the merchant it belongs to, the
// expected cost of each attempt, and the evidence of every move.

import { type Static, Type } from 'typebox'
import type { Attempt } from '../../attempts/attempt.ts'
import { failureText } from '../../attempts/failure-texts.ts'
import { AttemptSchema } from '../../attempts/schema.ts'
import { viewAttempt } from '../../attempts/view.ts'
import type { SkippedRoute } from '../../gateways/routing.ts'
import { formatAmount } from '../../money/format.ts'
import type { Locale } from '../../platform/errors.ts'
import { evidenceExample, transactionDetailExample, transactionExample } from '../example.ts'
import { EvidenceSchema, StatusLogSchema, TransactionSchema } from '../schema.ts'
import type { StoredStatusLog } from '../store.ts'
import { waitingReasons } from '../transaction.ts'
import { viewEvidence, viewStatusLog, viewTransaction } from '../view.ts'
import type { KeptLook } from '../wait-statements.ts'
import type { StaffTransaction } from './store.ts'

const amount = Type.String({ description: 'Decimal with two decimal places.' })

const fields = { ...TransactionSchema.properties, merchant_name: Type.String() }

export const StaffTransactionSchema = Type.Object(fields, { title: 'StaffTransaction' })

const PassedOver = (description: string) =>
  Type.Array(
    Type.Object({ gateway_code: Type.String(), reason: Type.String() }, { title: 'PassedOver' }),
    { description },
  )

export const WaitedForSchema = Type.Object(
  {
    reason: Type.Enum([...waitingReasons], { description: 'As `waiting_reason`, by that look.' }),
    since: Type.String({
      format: 'date-time',
      description: 'Each look for a way has found the same since then.',
    }),
    passed_over: PassedOver(
      'Every route of the network that is on, and why it was not taken; as with an attempt. ' +
        'Empty where the network is off, or none of its routes is on.',
    ),
  },
  { title: 'WaitedFor' },
)

const StaffAttemptSchema = Type.Object(
  {
    ...AttemptSchema.properties,
    route: Type.String({ format: 'uuid' }),
    our_key: Type.String({ description: 'Our reference at the gateway.' }),
    gateway_fee: amount,
    platform_fee: amount,
    gateway_cost_excess: Type.String({ description: 'What the route costs beyond the fee.' }),
    gateway_ended: Type.Boolean({ description: 'Whether the gateway has given its final answer.' }),
    asks: Type.Integer({ description: 'How often the gateway was queried.' }),
    asking_until: Type.String({ format: 'date-time' }),
    passed_over: PassedOver(
      'Routes that were left out or put last when this one was chosen, and why: `closed`, ' +
        '`float_empty`, `demoted`, `operator_closed` (its operator says so), `exposure_limit`, ' +
        '`payment_limit`, `operator_limit` (not what it takes), `other_amounts` (it ' +
        'would cost or pay another sum), `needs_code` (and the payer had made none), what does ' +
        'not fit the amount, or what its calls came to. Itself, where it was tried all the same.',
    ),
  },
  { title: 'StaffTransactionAttempt' },
)

export const StaffTransactionDetailSchema = Type.Object(
  {
    ...fields,
    attempts: Type.Array(StaffAttemptSchema, { description: 'Oldest first.' }),
    waited_for: Type.Union([WaitedForSchema, Type.Null()], {
      description:
        'Of a payout for which no route could be taken: what the last look for one found. It is ' +
        'kept when the wait is over. Null: it never waited so.',
    }),
    status_logs: Type.Array(StatusLogSchema, { description: 'Oldest change first.' }),
    evidence: EvidenceSchema.properties.evidence,
  },
  { title: 'StaffTransactionDetail' },
)

export const viewStaffTransaction = (
  row: StaffTransaction,
  locale: Locale,
): Static<typeof StaffTransactionSchema> => ({
  ...viewTransaction(row, locale),
  merchant_name: row.merchant_name,
})

const viewStaffAttempt = (
  attempt: Attempt,
  locale: Locale,
  passed_over: readonly SkippedRoute[],
): Static<typeof StaffAttemptSchema> => ({
  ...viewAttempt(attempt, locale, failureText),
  route: attempt.route_id,
  our_key: attempt.our_key,
  gateway_fee: formatAmount(attempt.gateway_fee),
  platform_fee: formatAmount(attempt.platform_fee),
  gateway_cost_excess: formatAmount(attempt.gateway_cost_excess),
  gateway_ended: attempt.gateway_ended,
  asks: attempt.asks,
  asking_until: attempt.asking_until.toISOString(),
  passed_over: passed_over.map(viewSkipped),
})

const viewSkipped = ({ gateway_code, reason }: SkippedRoute) => ({ gateway_code, reason })

export const viewLook = ({
  reason,
  since,
  passed_over,
}: KeptLook): Static<typeof WaitedForSchema> => ({
  reason,
  since: since.toISOString(),
  passed_over: passed_over.map(viewSkipped),
})

export type StaffTransactionParts = Readonly<{
  transaction: StaffTransaction
  attempts: readonly Attempt[]
  /** By the attempt that was chosen. */
  passed_over: ReadonlyMap<string, readonly SkippedRoute[]>
  waited_for: KeptLook | undefined
  status_logs: readonly StoredStatusLog[]
}>

export const viewStaffTransactionDetail = (
  { transaction, attempts, passed_over, waited_for, status_logs }: StaffTransactionParts,
  locale: Locale,
): Static<typeof StaffTransactionDetailSchema> => ({
  ...viewStaffTransaction(transaction, locale),
  attempts: attempts.map((attempt) =>
    viewStaffAttempt(attempt, locale, passed_over.get(attempt.id) ?? []),
  ),
  waited_for: waited_for === undefined ? null : viewLook(waited_for),
  status_logs: status_logs.map(viewStatusLog),
  evidence: viewEvidence(transaction.id, status_logs).evidence,
})

export const ofMerchantExample = { ...transactionExample, merchant_name: 'Boutique Awa' }

export const detailExample = {
  ...ofMerchantExample,
  attempts: transactionDetailExample.attempts.map((attempt) => ({
    ...attempt,
    route: '01981f3a-0000-7000-8000-00000000ac01',
    our_key: '5a3c1d0e-52f7-4c1b-9a55-1f6f0f3c9d10',
    gateway_fee: '150.00',
    platform_fee: '175.00',
    gateway_cost_excess: '0.00',
    gateway_ended: true,
    asks: 0,
    asking_until: '2026-11-22T08:00:00.000Z',
    passed_over: [{ gateway_code: 'sandbox_two', reason: 'closed' }],
  })),
  waited_for: null,
  status_logs: transactionDetailExample.status_logs,
  evidence: evidenceExample.evidence,
}

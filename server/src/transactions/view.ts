// Transactions and their history as merchants read them, field by field (contract: Transaction;
// contract 5.7). A column that is not named here never leaves.

import type { Static } from 'typebox'
import type { Attempt } from '../attempts/attempt.ts'
import { failureText } from '../attempts/failure-texts.ts'
import { viewAttempt } from '../attempts/view.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Hindrance } from '../merchants/members/member-rights.ts'
import { formatAmount, formatRate } from '../money/format.ts'
import type { Locale } from '../platform/errors.ts'
import { payerNow } from './instructions.ts'
import type {
  EvidenceSchema,
  InitialAmountsSchema,
  ListedTransactionSchema,
  StatusLogSchema,
  TransactionDetailSchema,
  TransactionSchema,
} from './schema.ts'
import type { MarkedTransaction, StoredStatusLog } from './store.ts'
import { type Transaction, viaOf } from './transaction.ts'

export type Refundable = Pick<
  Transaction,
  'transaction_type' | 'status' | 'debited_amount' | 'refund_reserved' | 'refunded_amount'
>

/** Hundredths: what can still be given back of a payment; nothing of anything else. */
export const refundableOf = (row: Refundable): bigint =>
  row.transaction_type === 'PAIEMENT' && row.status === 'SUCCESS'
    ? row.debited_amount - row.refund_reserved
    : 0n

export function viewRefunded(row: Refundable) {
  const { refunded_amount, debited_amount } = row
  const partly = refunded_amount < debited_amount ? ('PARTIAL' as const) : ('FULL' as const)
  return {
    refunded_amount: formatAmount(refunded_amount),
    refundable_amount: formatAmount(refundableOf(row)),
    refund_status: refunded_amount === 0n ? ('NONE' as const) : partly,
  }
}

/** What of a payout came back and is available again. */
export const viewReturned = ({
  returned_at,
  returned_amount,
}: Pick<Transaction, 'returned_at' | 'returned_amount'>) => ({
  returned_amount: formatAmount(returned_amount ?? 0n),
  returned_at: returned_at?.toISOString() ?? null,
})

/** Amounts as strings of two fractional digits, the rate of eight; moments in UTC with `Z`. */
export function viewTransaction(
  row: MarkedTransaction,
  locale: Locale,
): Static<typeof TransactionSchema> {
  return {
    id: row.id,
    reference: row.reference,
    merchant: row.merchant_id,
    customer: row.customer_id,
    country: row.country_id,
    country_code: row.country_code,
    network: row.network_id,
    network_code: row.network_code,
    transaction_type: row.transaction_type,
    flow_direction: row.flow_direction,
    description: row.description,
    requested_amount: formatAmount(row.requested_amount),
    fee_charge_mode: row.fee_charge_mode,
    client_fee: formatAmount(row.client_fee),
    gateway_fee: formatAmount(row.gateway_fee),
    platform_fee: formatAmount(row.platform_fee),
    pricing_rule: row.pricing_rule,
    merchant_pricing_rule: row.merchant_pricing_rule,
    debited_amount: formatAmount(row.debited_amount),
    net_amount: formatAmount(row.net_amount),
    currency: row.currency,
    amounts: viewAmounts(row),
    original_amount: row.original_amount === null ? null : formatAmount(row.original_amount),
    original_currency: row.original_currency,
    exchange_rate: row.exchange_rate === null ? null : formatRate(row.exchange_rate),
    status: row.status,
    version: row.version,
    failure_code: row.failure_code,
    failure_message: failureText(row.failure_code, locale) || row.failure_message,
    current_gateway: row.current_gateway,
    external_reference: row.external_reference,
    operation_msisdn: row.operation_msisdn,
    metadata: { ...row.metadata },
    merchant_reference: row.merchant_reference,
    checkout_session: row.checkout_session,
    payment_link: row.payment_link,
    ...viewRefunded(row),
    ...viewReturned(row),
    incident: viewIncident(row),
    approval: row.approval,
    waiting_reason: row.waiting_reason,
    outcome_unknown: row.outcome_unknown,
    via: viaOf(row),
    api_key: row.api_key_id,
    created_by_member: row.member_id,
    environment: row.environment,
    ip_address: row.ip_address,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/**
 * As a list shows it: with whose money it is, and the name of whoever made it, which the page has
 * asked for at once.
 */
export const viewListed = (
  row: MarkedTransaction & Readonly<{ created_by_name: string }>,
  locale: Locale,
): Static<typeof ListedTransactionSchema> => ({
  ...viewTransaction(row, locale),
  customer_name: nameOfPayer(row),
  created_by_name: row.created_by_name,
})

/** Their whole name. */
export const nameOfPayer = (
  row: Pick<MarkedTransaction, 'customer_first_name' | 'customer_last_name'>,
): string => `${row.customer_first_name} ${row.customer_last_name}`.trim()

type Figures = Pick<
  Transaction,
  | 'requested_amount'
  | 'client_fee'
  | 'debited_amount'
  | 'net_amount'
  | 'currency'
  | 'fee_charge_mode'
>

function viewAmounts(row: Figures): Static<typeof TransactionSchema>['amounts'] {
  return {
    requested: formatAmount(row.requested_amount),
    fee: formatAmount(row.client_fee),
    charged: formatAmount(row.debited_amount),
    net: formatAmount(row.net_amount),
    currency: row.currency,
    fee_charge_mode: row.fee_charge_mode,
  }
}

/** A transaction with the figures of the attempt under way; all in hundredths, rates × 10⁸. */
export type InitialFigures = Figures &
  Pick<Transaction, 'exchange_rate' | 'original_amount' | 'original_currency'>

/** What the route that took it costs; what was converted stands in the payment's own row. */
export const initialFigures = (
  row: Pick<InitialFigures, 'exchange_rate' | 'original_amount' | 'original_currency'>,
  attempt: Figures,
): InitialFigures => ({
  requested_amount: attempt.requested_amount,
  client_fee: attempt.client_fee,
  debited_amount: attempt.debited_amount,
  net_amount: attempt.net_amount,
  currency: attempt.currency,
  fee_charge_mode: attempt.fee_charge_mode,
  exchange_rate: row.exchange_rate,
  original_amount: row.original_amount,
  original_currency: row.original_currency,
})

/** `amounts` in the answer of initialize (contract 8.16). */
export function viewInitialAmounts(row: InitialFigures): Static<typeof InitialAmountsSchema> {
  const { exchange_rate, original_amount, original_currency } = row
  const { requested, ...amounts } = viewAmounts(row)
  return {
    // Its first name stands before the spread (docs/decisions/0154).
    requested,
    ...amounts,
    exchange_rate: exchange_rate === null ? null : formatRate(exchange_rate),
    original_amount: original_amount === null ? null : formatAmount(original_amount),
    original_currency,
  }
}

/** Its mark, field by field; null: people never had to look into it. */
export function viewIncident({
  incident,
}: Pick<MarkedTransaction, 'incident'>): Static<typeof TransactionSchema>['incident'] {
  if (incident === null) return null
  const { id, type, status, is_contradiction, prevents_refund, prevents_retry } = incident
  return { id, type, status, is_contradiction, prevents_refund, prevents_retry }
}

export function viewStatusLog(log: StoredStatusLog): Static<typeof StatusLogSchema> {
  return {
    id: log.id,
    transaction: log.transaction_id,
    from_status: log.from_status,
    to_status: log.to_status,
    reason: log.reason,
    triggered_by: log.triggered_by,
    created_at: log.created_at.toISOString(),
  }
}

/** What a payout's approval is to the one who asks; the payouts know. */
export type ApprovalNow = Readonly<{
  may_approve: boolean
  /** Of a member with the right; null as well where they may, or it is too late. */
  may_not: Hindrance | null
  ends_at: Date | null
  /** The payout whose outcome is not known, for which it waits; null: for a limit. */
  after: string | null
}>

export type TransactionParts = Readonly<{
  transaction: MarkedTransaction
  approval: ApprovalNow
  may_retry: boolean
  created_by_name: string
  attempts: readonly Attempt[]
  status_logs: readonly StoredStatusLog[]
}>

/** The detail: the transaction with every attempt and every move, oldest first. */
export function viewTransactionDetail(
  parts: TransactionParts,
  catalogue: Catalogue,
  locale: Locale,
): Static<typeof TransactionDetailSchema> {
  const { transaction, approval, may_retry, created_by_name, attempts, status_logs } = parts
  return {
    ...viewTransaction(transaction, locale),
    ...payerNow(parts, catalogue, locale),
    may_approve: approval.may_approve,
    may_not_approve: approval.may_not,
    may_retry,
    approval_ends_at: approval.ends_at?.toISOString() ?? null,
    approval_after: approval.after,
    customer_name: nameOfPayer(transaction),
    created_by_name,
    attempts: attempts.map((attempt) => viewAttempt(attempt, locale, failureText)),
    status_logs: status_logs.map(viewStatusLog),
  }
}

/** What each move of the status rested on (contract 5.7). */
export function viewEvidence(
  transaction_id: string,
  logs: readonly StoredStatusLog[],
): Static<typeof EvidenceSchema> {
  return {
    transaction: transaction_id,
    evidence: logs.map((log) => ({
      status_log: log.id,
      from_status: log.from_status,
      to_status: log.to_status,
      triggered_by: log.triggered_by,
      attempt: log.attempt_id,
      evidence_kind: log.evidence_kind,
      said: log.evidence_said,
      hash: log.evidence_hash?.toString('hex') ?? null,
      callback: log.evidence_id,
      at: log.created_at.toISOString(),
    })),
  }
}

// The columns of each list's file, as the API offers them (a test compares both).

/** By the address of the export, in the order of the file. */
export const fileColumns = {
  '/audit-logs/export/': [
    ...['id', 'created_at', 'environment', 'actor_kind', 'actor_role', 'actor_name', 'actor_id'],
    ...['action', 'target_kind', 'target_id', 'ip', 'request_id', 'before', 'after'],
  ],
  '/merchant-ledger-entries/export/': [
    ...['id', 'created_at', 'country', 'currency', 'kind', 'direction', 'amount', 'balance_after'],
    ...['reference', 'transaction', 'settlement', 'wallet_transfer', 'environment'],
  ],
  '/payment-links/export/': [
    ...['id', 'name', 'description', 'slug', 'amount_type', 'amount', 'min_amount', 'currency'],
    ...['is_active', 'usage_count', 'usage_limit', 'expires_at', 'created_at', 'environment'],
  ],
  '/refunds/export/': [
    ...['id', 'payment_id', 'merchant_reference', 'reference', 'status', 'amount', 'currency'],
    ...['fee', 'fees_returned', 'method', 'msisdn_masked', 'failure_code', 'reason', 'created_at'],
    ...['ended_at', 'external_reference', 'environment', 'returned_at'],
  ],
  '/settlements/export/': [
    ...['id', 'reference', 'status', 'country', 'payout_method', 'method', 'requested_amount'],
    ...['client_fee', 'debited_amount', 'net_amount', 'currency', 'failure_code'],
    ...['gateway_reference', 'created_at', 'approved_at', 'executed_at', 'completed_at'],
    ...['returned_at', 'environment'],
  ],
  '/transactions/export/': [
    ...['reference', 'external_reference', 'merchant', 'customer_name', 'customer_email'],
    ...['customer_phone', 'country', 'network', 'transaction_type', 'flow_direction'],
    ...['requested_amount', 'client_fee', 'gateway_fee', 'platform_fee', 'debited_amount'],
    ...['net_amount', 'currency', 'status', 'gateway', 'ip_address', 'created_at'],
  ],
  '/wallet-transfers/export/': [
    ...['id', 'reference', 'status', 'from_country', 'from_amount', 'from_currency', 'to_country'],
    ...['to_amount', 'to_currency', 'exchange_rate', 'fee_amount', 'fee_percent_applied'],
    ...['rejection_reason', 'created_at', 'approved_at', 'completed_at', 'environment'],
  ],
  '/webhook-logs/export/': [
    ...['id', 'created_at', 'webhook', 'url', 'event_id', 'event_type', 'transaction', 'status'],
    ...['attempt', 'http_status', 'took_ms', 'sent_at', 'next_retry_at', 'exhausted_at'],
    ...['environment'],
  ],
} as const

export type ExportPath = keyof typeof fileColumns

/** Of transactions, behind the others: only in a file that is to have them. */
export const moreOfTransactions = [
  ...['merchant_reference', 'paid_at', 'failure_code', 'environment'],
] as const

export type ColumnName =
  | (typeof fileColumns)[ExportPath][number]
  | (typeof moreOfTransactions)[number]

// Which tables a distributed database places by merchant. Every other table stands with control:
// what no merchant owns, the directories by which a call finds its merchant, and what belongs to a
// merchant and is read with what nobody owns (members, keys, prices, limits).

export const merchantTables = [
  ...['accounts', 'adjustments', 'attempt_memos', 'attempt_troubles', 'attempts', 'audit_logs'],
  'availability_marks',
  ...['balances', 'checkout_sessions', 'counted_days', 'counted_later'],
  ...['counted_links', 'counting_marks'],
  ...['customer_search', 'customer_search_marks', 'customers'],
  ...['deliveries', 'delivery_marks', 'delivery_tries', 'event_feeds', 'events'],
  ...['gateway_callbacks', 'hold_ends', 'holds', 'idempotency_keys', 'incidents'],
  ...['invoice_numbers', 'invoices', 'ledger_checkpoints', 'ledger_entries', 'link_visits'],
  ...['outflow_counts'],
  ...['outflow_days', 'payment_link_forms', 'payment_links', 'payout_approvals', 'payout_methods'],
  ...['payout_looks', 'payout_reversals', 'payout_waits', 'receipts', 'refund_looks', 'refunds'],
  ...['settlements'],
  ...['transaction_search', 'transaction_search_marks', 'transaction_status_logs', 'transactions'],
  ...['wallet_transfers', 'webhook_lanes', 'webhook_replays', 'webhook_subscriptions', 'webhooks'],
] as const

/**
 * Tables of control of which every node has a copy, for merchants' statements to read: few rows,
 * rarely changed. With the columns that are copied; none named: all. Law: what changes often, or
 * while a node is away, is not copied: a change of what is waits for every node.
 */
export const copiedTables: Readonly<Record<string, readonly string[]>> = {
  catalogue_version: [],
  countries: [],
  gateways: ['id', 'code'],
  merchant_time_zones: [],
  merchants: [
    ...['id', 'name', 'status', 'is_house', 'country', 'live_enabled'],
    ...['cooling_off_hours', 'cooling_off_next', 'cooling_off_next_at'],
  ],
  networks: ['id', 'code', 'name'],
}

/** Of a merchant, and with control all the same: each has its reason. */
export const merchantsAtControl: Readonly<Record<string, string>> = {
  api_keys: 'a directory: a call finds its merchant by it',
  callback_directory: 'a directory: a callback finds its merchant by it',
  receipt_tokens: 'a directory: whoever holds a receipt finds its merchant by it',
  slugs: 'a directory: a payer finds the merchant of a page by it',
  invitations: 'of people, who have no merchant',
  memberships: 'of people, who have no merchant',
  ip_whitelist: 'read with the key of each call',
  merchant_time_zones: 'read with the merchant',
  journal_accounts: 'settings, read with the merchant',
  journal_third_parties: 'settings, read with the merchant',
  kyc_documents: 'reviewed by staff, over all merchants',
  merchant_pricing_rules: 'read with the prices of all',
  merchant_pricing_tiers: 'read with the prices of all',
  past_merchant_pricing_rules: 'kept with the prices of all',
  payout_limits: 'set by members, read with the merchant',
  rate_windows: 'counted with the key of each call',
}

// Which folder owns each table: the only one whose statements may write it. A table that is not
// here is a finding, so a migration and its line in this map arrive together.

import type { Folder } from './folder-order.ts'

export const tableOwners: Readonly<Record<string, Folder>> = {
  service_addresses: 'platform',
  idempotency_keys: 'platform',
  leases: 'platform',
  worker_beats: 'platform',
  schema_migrations: 'platform',
  shard_groups: 'platform',
  throttle_windows: 'platform',
  mail_outbox: 'platform',
  retention_runs: 'platform',
  mac_keys: 'platform',
  loose_files: 'platform',

  audit_logs: 'audit',

  people: 'people',
  recovery_codes: 'people',
  sessions: 'people',
  person_tokens: 'people',
  download_tickets: 'people',
  staff_proposals: 'people',
  factor_resets: 'people',

  events: 'events',
  event_feeds: 'events',

  countries: 'catalogue',
  networks: 'catalogue',
  catalogue_version: 'catalogue',

  merchants: 'merchants',
  api_keys: 'merchants',
  rate_windows: 'merchants',
  prompt_windows: 'merchants',
  ip_whitelist: 'merchants',
  payout_methods: 'merchants',
  memberships: 'merchants',
  invitations: 'merchants',
  kyc_documents: 'merchants',
  merchant_time_zones: 'merchants',

  customers: 'customers',
  customer_search: 'customers',
  customer_search_marks: 'customers',

  exchange_rates: 'rates',

  pricing_rules: 'pricing',
  pricing_tiers: 'pricing',
  merchant_pricing_rules: 'pricing',
  merchant_pricing_tiers: 'pricing',
  past_pricing_rules: 'pricing',
  past_merchant_pricing_rules: 'pricing',

  accounts: 'ledger',
  balances: 'ledger',
  ledger_entries: 'ledger',
  ledger_checkpoints: 'ledger',
  holds: 'ledger',
  hold_ends: 'ledger',
  outflow_days: 'ledger',
  counted_days: 'reports',
  counted_later: 'reports',
  counted_links: 'reports',
  counting_marks: 'reports',
  outflow_counts: 'ledger',

  gateways: 'gateways',
  routes: 'gateways',
  route_health: 'gateways',
  route_stats: 'gateways',
  gateway_alarms: 'gateways',
  gateway_balances: 'gateways',
  gateway_callback_times: 'gateways',
  gateway_checks: 'gateways',
  gateway_closings: 'gateways',
  operator_rules: 'gateways',
  operator_states: 'gateways',
  gateway_floats: 'gateways',
  gateway_pace: 'gateways',
  gateway_secrets: 'gateways',
  gateway_tokens: 'gateways',
  gateway_wallets: 'gateways',
  gateway_windows: 'gateways',
  gateway_keys: 'gateways',
  holder_lookups: 'gateways',

  attempts: 'attempts',
  attempt_troubles: 'attempts',
  attempt_memos: 'attempts',
  gateway_callbacks: 'attempts',
  callback_directory: 'attempts',
  evidence: 'attempts',

  incidents: 'incidents',

  adjustments: 'adjustments',

  transactions: 'transactions',
  transaction_status_logs: 'transactions',
  transaction_search: 'transactions',
  transaction_search_marks: 'transactions',

  receipts: 'receipts',
  invoices: 'receipts',
  invoice_numbers: 'receipts',
  receipt_tokens: 'receipts',
  receipt_keys: 'receipts',

  payout_limits: 'payouts',
  payout_approvals: 'payouts',
  payout_looks: 'transactions',
  payout_waits: 'transactions',
  payout_reversals: 'transactions',

  refunds: 'refunds',
  refund_looks: 'refunds',

  wallet_transfers: 'wallets',

  settlements: 'settlements',

  journal_accounts: 'reports',
  journal_third_parties: 'reports',

  checkout_sessions: 'orders',
  payment_links: 'orders',
  link_visits: 'orders',
  payment_link_forms: 'orders',
  slugs: 'orders',

  webhooks: 'webhooks',
  webhook_subscriptions: 'webhooks',
  webhook_lanes: 'webhooks',
  deliveries: 'webhooks',
  delivery_marks: 'webhooks',
  delivery_tries: 'webhooks',
  webhook_replays: 'webhooks',
  availability_states: 'webhooks',
  availability_changes: 'webhooks',
  availability_marks: 'webhooks',
}

-- A transaction, the history of its status, and the questions put to gateways for it.
-- Locks: none.

create table transactions (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  reference text not null,
  transaction_type text not null
    check (transaction_type in ('PAIEMENT', 'RECHARGE', 'RETRAIT', 'TRANSFERT')),
  flow_direction text not null generated always as (
    case when transaction_type in ('PAIEMENT', 'RECHARGE') then 'INBOUND' else 'OUTBOUND' end
  ) stored,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'SUCCESS', 'FAILED', 'CANCELLED')),
  version int not null default 1,
  settled_attempt uuid,
  customer_id uuid,
  customer_email text not null default '',
  customer_first_name text not null default '',
  customer_last_name text not null default '',
  customer_phone text not null default '',
  operation_msisdn text not null default '',
  country_id uuid not null,
  country_code text not null,
  network_id uuid,
  network_code text,
  description text not null default '',
  metadata jsonb not null default '{}',
  merchant_reference text not null default '',
  return_url text not null default '',
  requested_amount bigint not null check (requested_amount > 0),
  fee_charge_mode text not null check (fee_charge_mode in ('ADD_ON', 'DEDUCTED')),
  client_fee bigint not null check (client_fee >= 0),
  gateway_fee bigint not null check (gateway_fee >= 0),
  platform_fee bigint not null check (platform_fee >= 0),
  debited_amount bigint not null check (debited_amount > 0),
  net_amount bigint not null check (net_amount > 0),
  currency text not null,
  original_amount bigint,
  original_currency text,
  exchange_rate bigint,
  pricing_rule uuid,
  merchant_pricing_rule uuid,
  current_gateway uuid,
  preferred_gateway text not null default '',
  external_reference text not null default '',
  failure_code text not null default '',
  failure_message text not null default '',
  checkout_session uuid,
  payment_link uuid,
  ip_address text not null default '',
  request_id text not null,
  api_key_id uuid,
  member_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, environment, reference),
  foreign key (merchant_id, customer_id) references customers (merchant_id, id),
  check (debited_amount = net_amount + client_fee),
  check (gateway_fee + platform_fee = client_fee),
  check (fee_charge_mode <> 'ADD_ON' or net_amount = requested_amount),
  check (fee_charge_mode <> 'DEDUCTED' or debited_amount = requested_amount),
  check (transaction_type = 'TRANSFERT' or (status = 'SUCCESS') = (settled_attempt is not null)),
  check (num_nulls(original_amount, original_currency, exchange_rate) in (0, 3))
) with (fillfactor = 85);
create index transactions_listed
  on transactions (merchant_id, environment, created_at desc, id desc);
create index transactions_unended
  on transactions (merchant_id, environment, created_at desc, id desc) where status <> 'SUCCESS';
create index transactions_by_customer
  on transactions (merchant_id, customer_id, created_at desc, id desc);
create index transactions_by_merchant_reference
  on transactions (merchant_id, environment, merchant_reference, created_at desc, id desc)
  where merchant_reference <> '';
-- Only for telling 403 from 404 by an id alone. Ids are time, so a range index stays a few pages.
create index transactions_by_time_of_id on transactions using brin (id) with (autosummarize = on);

-- Append-only: one row a move, with what the move rested on (its evidence).
create table transaction_status_logs (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  transaction_id uuid not null,
  from_status text not null,
  to_status text not null,
  reason text not null default '',
  triggered_by text not null check (triggered_by in
    ('SYSTEM', 'CALLBACK', 'POLLER', 'API', 'DASHBOARD', 'PAYER', 'ADMIN')),
  attempt_id uuid,
  evidence_kind text not null
    check (evidence_kind in ('CALLBACK', 'CREATE_ANSWER', 'STATUS_ANSWER', 'STAFF', 'RULE')),
  evidence_id uuid,
  evidence_hash bytea,
  evidence_said text not null default '',
  request_id text not null default '',
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  foreign key (merchant_id, transaction_id) references transactions (merchant_id, id)
);
create index transaction_status_logs_listed
  on transaction_status_logs (merchant_id, environment, created_at desc, id desc);
create index transaction_status_logs_of_transaction
  on transaction_status_logs (merchant_id, transaction_id, created_at, id);
create index transaction_status_logs_by_time_of_id
  on transaction_status_logs using brin (id) with (autosummarize = on);

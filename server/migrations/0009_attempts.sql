-- One question to one gateway: its own frozen snapshot, its lease, its key at the gateway.
-- Locks: none.
-- "No other route while an outcome is unknown" is the two partial unique indexes, not code.

create table attempts (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  transaction_id uuid,
  settlement_id uuid,
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  priority int not null check (priority > 0),
  gateway_id uuid not null,
  gateway_code text not null,
  route_id uuid not null,
  network_id uuid not null,
  network_code text not null,
  country_code text not null,
  customer_id uuid,
  operation_msisdn text not null default '',
  pricing_rule uuid,
  merchant_pricing_rule uuid,
  requested_amount bigint not null check (requested_amount > 0),
  fee_charge_mode text not null check (fee_charge_mode in ('ADD_ON', 'DEDUCTED')),
  client_fee bigint not null check (client_fee >= 0),
  gateway_fee bigint not null check (gateway_fee >= 0),
  platform_fee bigint not null check (platform_fee >= 0),
  gateway_cost_excess bigint not null default 0 check (gateway_cost_excess >= 0),
  debited_amount bigint not null check (debited_amount > 0),
  net_amount bigint not null check (net_amount > 0),
  currency text not null,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'SUCCESS', 'FAILED', 'UNKNOWN')),
  gateway_ended boolean not null default false,
  our_key text not null,
  external_reference text not null default '',
  failure_code text not null default '',
  failure_message text not null default '',
  gateway_detail text not null default '',
  next_action text not null default 'NONE'
    check (next_action in ('APPROVE_ON_PHONE', 'ENTER_OTP', 'REDIRECT', 'NONE')),
  checkout_url text not null default '',
  otp_kind text not null default 'NONE' check (otp_kind in ('NONE', 'PRE', 'POST')),
  wrong_otps int not null default 0,
  skipped_routes jsonb not null default '[]',
  send_deadline timestamptz(3) not null,
  send_started_at timestamptz(3),
  sends int not null default 0,
  accepted_at timestamptz(3),
  lease_no bigint not null default 1,
  leased_until timestamptz(3),
  due_at timestamptz(3),
  asks int not null default 0,
  asked_at timestamptz(3),
  asking_until timestamptz(3) not null,
  started_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  foreign key (merchant_id, transaction_id) references transactions (merchant_id, id),
  foreign key (merchant_id, settlement_id) references settlements (merchant_id, id),
  check (num_nonnulls(transaction_id, settlement_id) = 1),
  check (debited_amount = net_amount + client_fee),
  check (gateway_fee + platform_fee = client_fee),
  check (status not in ('SUCCESS', 'FAILED') or finished_at is not null),
  check (status <> 'SUCCESS' or gateway_ended)
) with (fillfactor = 80);
create unique index attempts_one_open_of_transaction on attempts (merchant_id, transaction_id)
  where status in ('PENDING', 'UNKNOWN') and transaction_id is not null;
create unique index attempts_one_open_of_settlement on attempts (merchant_id, settlement_id)
  where status in ('PENDING', 'UNKNOWN') and settlement_id is not null;
create index attempts_of_transaction on attempts (merchant_id, transaction_id, created_at, id);
create index attempts_listed on attempts (merchant_id, environment, created_at desc, id desc);
create index attempts_by_time_of_id on attempts using brin (id) with (autosummarize = on);
create index attempts_due on attempts (gateway_id, due_at) where due_at is not null;

-- For gateways whose callbacks come to one fixed address: what they call us, to whose attempt.
create table callback_directory (
  gateway_id uuid not null,
  key text not null,
  merchant_id uuid not null,
  attempt_id uuid not null,
  created_at timestamptz(3) not null default now(),
  primary key (gateway_id, key)
);

-- Every callback as it came. The id is made of the attempt's time and of the body's hash, so the
-- primary key itself refuses the same callback twice, and retention drops whole partitions.
create table gateway_callbacks (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  gateway_id uuid not null,
  attempt_id uuid,
  proof text not null check (proof in ('SIGNED', 'UNSIGNED')),
  body text not null,
  body_hash bytea not null,
  outcome text not null check (outcome in ('APPLIED', 'WOKE', 'WAITING', 'UNMATCHED')),
  due_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id)
) partition by range (id);
create index gateway_callbacks_waiting on gateway_callbacks (due_at) where due_at is not null;

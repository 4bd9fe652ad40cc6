-- Settlements and wallet transfers: paying a merchant out, moving value between its countries.
-- Locks: none. Their verbs come later; their laws are here from the first day.

create table settlements (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  reference text not null,
  payout_method uuid not null,
  country text not null check (length(country) = 2),
  requested_amount bigint not null check (requested_amount > 0),
  fee_charge_mode text not null check (fee_charge_mode in ('ADD_ON', 'DEDUCTED')),
  client_fee bigint not null check (client_fee >= 0),
  gateway_fee bigint not null check (gateway_fee >= 0),
  platform_fee bigint not null check (platform_fee >= 0),
  debited_amount bigint not null check (debited_amount > 0),
  net_amount bigint not null check (net_amount > 0),
  currency text not null,
  status text not null default 'PENDING' check (status in
    ('PENDING', 'APPROVED', 'PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED')),
  version int not null default 1,
  settled_attempt uuid,
  gateway_reference text not null default '',
  proof_url text not null default '',
  failure_reason text not null default '',
  ip_address text not null default '',
  request_id text not null,
  api_key_id uuid,
  member_id uuid,
  approved_at timestamptz(3),
  executed_at timestamptz(3),
  completed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, environment, reference),
  foreign key (merchant_id, payout_method) references payout_methods (merchant_id, id),
  check (debited_amount = net_amount + client_fee),
  check (gateway_fee + platform_fee = client_fee),
  check (status not in ('APPROVED', 'PROCESSING', 'SUCCESS') or approved_at is not null),
  check ((status in ('SUCCESS', 'FAILED', 'CANCELLED')) = (completed_at is not null))
);
create index settlements_listed
  on settlements (merchant_id, environment, created_at desc, id desc);

create table wallet_transfers (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  reference text not null,
  requested_by_member uuid,
  from_country text not null check (length(from_country) = 2),
  to_country text not null check (length(to_country) = 2),
  from_amount bigint not null check (from_amount > 0),
  to_amount bigint not null check (to_amount > 0),
  from_currency text not null,
  to_currency text not null,
  exchange_rate bigint not null check (exchange_rate > 0),
  rate_id uuid,
  fee_amount bigint not null check (fee_amount >= 0 and fee_amount < from_amount),
  fee_percent_ppm bigint not null check (fee_percent_ppm >= 0),
  status text not null default 'PENDING' check (status in
    ('PENDING', 'APPROVED', 'PROCESSING', 'SUCCESS', 'FAILED', 'REJECTED')),
  version int not null default 1,
  approved_by_admin uuid,
  approved_at timestamptz(3),
  completed_at timestamptz(3),
  rejection_reason text not null default '',
  lapses_at timestamptz(3) not null,
  request_id text not null,
  api_key_id uuid,
  member_id uuid,
  ip_address text not null default '',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, environment, reference),
  check (from_country <> to_country),
  check (status <> 'SUCCESS' or (approved_at is not null and completed_at is not null))
);
create index wallet_transfers_listed
  on wallet_transfers (merchant_id, environment, created_at desc, id desc);
create index wallet_transfers_lapsing on wallet_transfers (lapses_at) where status = 'PENDING';

-- Merchants, the keys that speak for them, and the counters of their minute.
-- Locks: none, the tables are new.
-- api_keys is keyed by its own hash (a key arrives without a merchant); everything else that a
-- merchant owns begins with merchant_id, so that the schema distributes by merchant.

create table merchants (
  id uuid primary key,
  name text not null check (name <> ''),
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
  is_house boolean not null default false,
  live_enabled boolean not null default false,
  rate_limit_per_minute int not null default 300 check (rate_limit_per_minute > 0),
  fee_charge_mode_locked text check (fee_charge_mode_locked in ('ADD_ON', 'DEDUCTED')),
  suspended_reason text not null default '',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create table api_keys (
  hash bytea primary key check (length(hash) = 32),
  id uuid not null unique,
  merchant_id uuid not null references merchants (id),
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  scope text not null check (scope in ('PAYIN', 'PAYOUT', 'BOTH')),
  name text not null default '',
  key_prefix text not null,
  last4 text not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index api_keys_by_merchant on api_keys (merchant_id, environment, created_at);

-- One counter a merchant and minute. UNLOGGED: after a crash of the database a minute starts anew.
create unlogged table rate_windows (
  merchant_id uuid not null,
  minute timestamptz(0) not null,
  used int not null check (used >= 0),
  primary key (merchant_id, minute)
) with (fillfactor = 50);

-- Prompts sent to one phone of one network, over all merchants (decisions 3.6). The phone is a MAC.
create unlogged table prompt_windows (
  target bytea primary key,
  window_started_at timestamptz(0) not null,
  window_count int not null,
  day_started_at timestamptz(0) not null,
  day_count int not null
) with (fillfactor = 50);
create index prompt_windows_by_day on prompt_windows (day_started_at);

create table ip_whitelist (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  ip_address text not null,
  label text not null default '',
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, ip_address)
);

create table payout_methods (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  country text not null check (length(country) = 2),
  type text not null check (type in ('MOBILE_MONEY', 'BANK_ACCOUNT')),
  label text not null default '',
  network_id uuid,
  msisdn text,
  bank_name text,
  account_number text,
  account_name text,
  usable_from timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  check (type <> 'MOBILE_MONEY' or (network_id is not null and msisdn is not null)),
  check (type <> 'BANK_ACCOUNT' or (bank_name is not null and account_number is not null))
);

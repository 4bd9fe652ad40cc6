-- Double entry. An entry is a transfer from one account to another, so it balances by construction.
-- Locks: none.
-- Only `available`, `pending` and `frozen` are kept as balances; all else is a sum of entries.
-- Entries, holds and their ends are append-only: nothing references them, the app cannot change
-- them. Entries name accounts without a foreign key (its check would lock the same few account rows
-- for every payment of a merchant); account ids are their content, and `ledger verify` looks.

create table accounts (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  country text not null,
  currency text not null,
  kind text not null check (kind in (
    'available', 'pending', 'frozen', 'merchant_debt', 'gateway', 'bank', 'gateway_fees',
    'gateway_costs', 'platform_fees', 'fx', 'suspense', 'losses', 'sandbox_funding')),
  gateway_id uuid not null default '00000000-0000-0000-0000-000000000000',
  purpose text not null default '',
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, environment, country, currency, kind, gateway_id, purpose)
);

create table balances (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  country text not null check (length(country) = 2),
  currency text not null,
  available bigint not null default 0 check (available >= 0),
  pending bigint not null default 0 check (pending >= 0),
  frozen bigint not null default 0 check (frozen >= 0),
  entry_no bigint not null default 0,
  is_frozen boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- The one unique key: two first payments at once meet on it and on nothing else. The id is made of
  -- the same words, so a second unique key could only fail one of them.
  primary key (merchant_id, environment, country)
) with (fillfactor = 50);
create index balances_by_id on balances (merchant_id, id);

create table ledger_entries (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  country text not null,
  debit_account uuid not null,
  credit_account uuid not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  cause_kind text not null check (cause_kind in (
    'TRANSACTION', 'HOLD', 'HOLD_END', 'INCIDENT', 'RESOLUTION', 'TRANSFER', 'SETTLEMENT',
    'FREEZE', 'SANDBOX', 'ADJUSTMENT')),
  cause_id uuid not null,
  attempt_id uuid,
  line int not null check (line > 0),
  available_change bigint not null default 0,
  entry_no bigint,
  balance_after bigint check (balance_after >= 0),
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, cause_kind, cause_id, line),
  check (debit_account <> credit_account),
  check ((entry_no is null) = (balance_after is null)),
  check ((entry_no is null) = (available_change = 0))
);
create index ledger_entries_of_available
  on ledger_entries (merchant_id, environment, created_at desc, id desc)
  where entry_no is not null;

create table ledger_checkpoints (
  merchant_id uuid not null,
  account_id uuid not null,
  debits numeric(30, 0) not null,
  credits numeric(30, 0) not null,
  counted_to timestamptz(3) not null,
  primary key (merchant_id, account_id)
);

-- Money promised to something under way: available becomes pending until the hold ends, once.
create table holds (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  country text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  cause_kind text not null check (cause_kind in ('PAYOUT', 'SETTLEMENT', 'TRANSFER')),
  cause_id uuid not null,
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, cause_kind, cause_id)
);

-- One key for both ends, so that RELEASE and SPEND exclude each other by constraint.
create table hold_ends (
  merchant_id uuid not null,
  hold_id uuid not null,
  how text not null check (how in ('RELEASE', 'SPEND')),
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, hold_id)
);

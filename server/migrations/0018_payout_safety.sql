-- Limits a merchant sets on its own payouts, and the second person's approval of large ones.
-- Locks: `transactions` against writes while its index is made (payouts only: none there yet).

-- In one country (and its currency), for one key or (nil id) for the whole merchant.
create table payout_limits (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  country text not null check (country ~ '^[A-Z]{2}$'),
  api_key_id uuid not null default '00000000-0000-0000-0000-000000000000',
  currency text not null,
  per_payout bigint check (per_payout > 0),
  per_day bigint check (per_day > 0),
  -- A payout that costs more waits for a second person; only of the whole merchant.
  approval_above bigint check (approval_above >= 0),
  created_by_member uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, environment, country, api_key_id),
  check (num_nonnulls(per_payout, per_day, approval_above) > 0),
  check (approval_above is null or api_key_id = '00000000-0000-0000-0000-000000000000')
);

-- What left under a limit on one day (UTC). The check is the limit: whoever would pass it fails,
-- with everything that his statement did.
create table outflow_days (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  country text not null,
  api_key_id uuid not null,
  day date not null,
  used bigint not null check (used >= 0),
  cap bigint not null,
  primary key (merchant_id, environment, country, api_key_id, day),
  constraint outflow_days_within_cap check (used <= cap)
) with (fillfactor = 50);

create table payout_approvals (
  merchant_id uuid not null,
  transaction_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  status text not null default 'REQUIRED'
    check (status in ('REQUIRED', 'APPROVED', 'REJECTED', 'LAPSED')),
  requested_by_member uuid,
  requested_by_key uuid,
  decided_by uuid,
  decided_at timestamptz(3),
  reason text not null default '',
  lapses_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, transaction_id),
  foreign key (merchant_id, transaction_id) references transactions (merchant_id, id),
  check ((status = 'REQUIRED') = (decided_at is null))
);
create index payout_approvals_lapsing on payout_approvals (lapses_at) where status = 'REQUIRED';

grant select, insert, update on payout_limits, outflow_days, payout_approvals to pirogue_app;
grant delete on payout_limits, outflow_days to pirogue_app;

-- Was the same sum paid to the same phone a moment ago? Payouts only, so payments do not carry it.
create index transactions_paid_out on transactions
  (merchant_id, environment, operation_msisdn, created_at desc) where transaction_type = 'RETRAIT';

-- What ended on each day of a merchant that is over, for series of months: a history of ten million
-- is then read as some thousands of lines (docs/decisions/0076). A worker counts each day once,
-- after it; no payment writes here.
-- Locks: none, the tables are new. The older version writes and reads none.

create table counted_days (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  day date not null,
  transaction_type text not null check (transaction_type in ('PAIEMENT', 'RETRAIT')),
  country text not null,
  network text not null,
  currency text not null,
  status text not null check (status in ('SUCCESS', 'FAILED')),
  failure_code text not null,
  count integer not null check (count > 0),
  -- Hundredths of what succeeded.
  requested bigint not null check (requested >= 0),
  fees bigint not null check (fees >= 0),
  net bigint not null check (net >= 0),
  primary key (merchant_id, environment, day, transaction_type, country, network, currency, status,
               failure_code)
);
-- Update: a day that is counted again is written as it was counted last.
grant select, insert, update on counted_days to pirogue_app;

-- How far each feed is counted: all days before `until_day` are.
create table counting_marks (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  until_day date not null,
  -- When that day may be over and settled.
  due_at timestamptz(3) not null default now(),
  primary key (merchant_id, environment)
);
create index counting_marks_due on counting_marks (due_at);
grant select, insert, update on counting_marks to pirogue_app;

-- What is counted of a day beside what ended on it: the payments, payouts and top-ups that began on
-- it, and how top-ups ended. A worker counts it after the day itself is counted, from indexes that
-- there are; no payment writes here.
-- Locks: the marks, one row a feed, for as long as their small index is made. The older version
-- counts days on, and its marks of what is counted later stay where they are.

create table counted_later (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  day date not null,
  transaction_type text not null check (transaction_type in ('PAIEMENT', 'RETRAIT', 'RECHARGE')),
  country text not null,
  -- Of what began: the network that was asked first.
  network text not null,
  currency text not null,
  status text not null check (status in ('STARTED', 'SUCCESS', 'FAILED')),
  failure_code text not null,
  count integer not null check (count > 0),
  -- Hundredths of what succeeded.
  requested bigint not null check (requested >= 0),
  fees bigint not null check (fees >= 0),
  net bigint not null check (net >= 0),
  primary key (merchant_id, environment, day, transaction_type, country, network, currency, status,
               failure_code)
);
-- Update and delete: a day that is counted again is written as it was counted last.
grant select, insert, update, delete on counted_later to pirogue_app;

-- How far it is counted: all days before it are, and none beyond `until_day`.
alter table counting_marks add column later_until_day date not null default '1970-01-01';
create index counting_marks_later on counting_marks (merchant_id) where later_until_day < until_day;

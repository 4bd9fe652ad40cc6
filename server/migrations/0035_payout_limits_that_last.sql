-- A payout limit is loosened only after a time in which its owners can object; the limits of a key
-- pass to the key that follows it, and both fill one day; and a day gives back only what it counted.
-- Locks: `payout_limits` for a moment (columns without a rewrite); its index is made under a lock
-- against writes (a table of a few rows a merchant, written by hand). `outflow_counts` is new.
-- While the older version runs: it counts days without noting the payout, and takes back without
-- asking for the note, as before; what it counted is not given back by the newer one, so a limit
-- holds a little sooner on that day. It reads no pending change: the figures beside it are the
-- stricter ones.

alter table payout_limits
  -- Whose day it fills: of a key that follows another, the first one's. Null: its own.
  add column counts_as uuid,
  -- A change that is asked for and not in force yet. All three null: the limit is to be dropped.
  add column next_per_payout bigint check (next_per_payout > 0),
  add column next_per_day bigint check (next_per_day > 0),
  add column next_approval_above bigint check (next_approval_above >= 0),
  add column next_at timestamptz(3),
  add column next_by uuid,
  add column next_wait_h int check (next_wait_h > 0),
  add constraint payout_limits_next_whole
    check (next_at is not null or num_nonnulls(next_per_payout, next_per_day,
      next_approval_above, next_by, next_wait_h) = 0);
-- For the worker that puts what is due in force: it must not read the limits of all merchants.
create index payout_limits_changing on payout_limits (next_at) where next_at is not null;

-- On which days a payout was counted, so that exactly that is given back when it fails. Only of
-- payouts that met a limit of a day.
create table outflow_counts (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  cause_id uuid not null,
  country text not null,
  -- Of `outflow_days`.
  api_key_id uuid not null,
  day date not null,
  amount bigint not null check (amount > 0),
  primary key (merchant_id, cause_id, api_key_id)
);
-- For dropping those of days long gone; written in the order of time, so a range index is enough.
create index outflow_counts_by_day on outflow_counts using brin (day) with (autosummarize = on);

grant select, insert, delete on outflow_counts to pirogue_app;

-- When an operator's account is open, by country and direction: hours of the week in the country's
-- own time, and closings with their dates. What has no hours is always open. A payout waits while
-- every account that could pay it is closed.
-- Locks: the new tables' own; `payout_waits` for a moment (a check that is looked through afterwards
-- under a lock that lets everybody write).
-- While the older version runs: it sends where an account is closed, as before; it reads the new
-- reasons as texts and writes none of them.

create table gateway_windows (
  gateway_id uuid not null references gateways (id),
  country text not null check (country ~ '^[A-Z]{2}$'),
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  -- 1: Monday … 7: Sunday.
  weekday smallint not null check (weekday between 1 and 7),
  -- Minutes since the day's midnight.
  opens_min smallint not null check (opens_min >= 0),
  closes_min smallint not null check (closes_min > opens_min and closes_min <= 1440),
  primary key (gateway_id, country, direction, weekday, opens_min)
);

create table gateway_closings (
  id uuid primary key,
  gateway_id uuid not null references gateways (id),
  country text not null check (country ~ '^[A-Z]{2}$'),
  -- Null: both.
  direction text check (direction in ('COLLECT', 'DISBURSE')),
  from_at timestamptz(3) not null,
  -- Null: until it is lifted.
  ends_at timestamptz(3) check (ends_at >= from_at),
  note text not null default '',
  -- Null: the command line.
  set_by uuid,
  created_at timestamptz(3) not null default now()
);
create index gateway_closings_of on gateway_closings (gateway_id, country);

grant select, insert, delete on gateway_windows to pirogue_app;
grant select, insert, update on gateway_closings to pirogue_app;

alter table payout_waits
  drop constraint payout_waits_reason_check,
  add constraint payout_waits_reason_check
    check (reason in ('GATEWAY_FLOAT', 'GATEWAY_CLOSED', 'GATEWAY_QUEUED', 'NO_ROUTE')) not valid;
alter table payout_waits validate constraint payout_waits_reason_check;

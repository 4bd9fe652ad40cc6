-- What merchants were last announced of each network and direction, and the changes that are being
-- announced: one statement moves the state and records its change, so that two processes that see
-- it make one, and one that dies leaves it to be announced by another. A merchant's mark is written
-- with its event.
-- Locks: the new tables' own.
-- While the older version runs: it reads and writes none of these; it delivers such an event to
-- endpoints without a subscription too, of merchants that have asked for it.

create table availability_states (
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  network_code text not null,
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  status text not null check (status in ('OPERATIONAL', 'DELAYED', 'CLOSED')),
  previous_status text check (previous_status in ('OPERATIONAL', 'DELAYED', 'CLOSED')),
  -- 0: as it was first seen, which is no change.
  change_no bigint not null default 0 check (change_no >= 0),
  changed_at timestamptz(3),
  primary key (environment, network_code, direction),
  check ((change_no = 0) = (changed_at is null))
);

create table availability_changes (
  id uuid primary key,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  country_code text not null check (country_code ~ '^[A-Z]{2}$'),
  network_code text not null,
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  change_no bigint not null check (change_no > 0),
  status text not null check (status in ('OPERATIONAL', 'DELAYED', 'CLOSED')),
  previous_status text not null check (previous_status in ('OPERATIONAL', 'DELAYED', 'CLOSED')),
  since timestamptz(3) not null,
  source text not null check (source in ('OPERATOR', 'OBSERVED', 'STAFF', 'SCHEDULE')),
  message_en text not null,
  message_fr text not null,
  created_at timestamptz(3) not null default now(),
  -- Null while some merchant may wait for its event.
  finished_at timestamptz(3),
  unique (environment, network_code, direction, change_no)
);
create index availability_changes_open
  on availability_changes (created_at, id) where finished_at is null;

create table availability_marks (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  network_code text not null,
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  change_no bigint not null check (change_no > 0),
  primary key (merchant_id, environment, network_code, direction)
) with (fillfactor = 50);

grant select, insert, update on availability_states to pirogue_app;
grant select, insert, update, delete on availability_changes to pirogue_app;
grant select, insert, update on availability_marks to pirogue_app;

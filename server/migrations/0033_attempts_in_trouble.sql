-- Attempts whose answers cannot be written down (a bug, or rows that an older bug left): each moves
-- away from its poller by growing steps, and a metric counts them. A row is written when applying
-- fails, and at no other time.
-- Locks: none.

create table attempt_troubles (
  merchant_id uuid not null,
  attempt_id uuid not null,
  -- In a row, with no more than two hours between two of them.
  failures int not null default 1 check (failures > 0),
  failed_at timestamptz(3) not null default now(),
  primary key (merchant_id, attempt_id)
);
create index attempt_troubles_by_time on attempt_troubles (failed_at);
grant select, insert, update, delete on attempt_troubles to pirogue_app;

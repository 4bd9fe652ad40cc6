-- What an operator gave us to ask it by, or to know its callbacks by: sealed, one for an attempt, and
-- erased thirty days after the attempt's end. Only operators that need one have a row here.
-- Locks: none; the table is new.
create table attempt_memos (
  merchant_id uuid not null,
  attempt_id uuid not null,
  sealed bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, attempt_id),
  foreign key (merchant_id, attempt_id) references attempts (merchant_id, id)
);
-- The oldest first, when they are erased.
create index attempt_memos_by_time on attempt_memos (created_at);
grant select, insert, update, delete on attempt_memos to pirogue_app;

-- A refund by payout waits for an operator that is closed, or that none may be sent to now, as a payout
-- does, where it was refused; and it is kept what routing passed over at the last look. A merchant's
-- list of those that wait for this or that has an index, however many have ended.
-- Locks: `refunds` for a moment (a check that is looked through afterwards under a lock that lets
-- everybody write), and against writing while two indexes of the few that wait are built; the new
-- table's.
-- The older version writes neither. One that waits for an operator it looks at no more, and ends it
-- at its time as what waited for a person; what waits for a float it finds without an index.

alter table refunds
  drop constraint refunds_waiting_for_check,
  add constraint refunds_waiting_for_check
    check (waiting_for in ('SECOND_MEMBER', 'STAFF', 'GATEWAY_FLOAT', 'GATEWAY_CLOSED', 'NO_ROUTE'))
    not valid;
alter table refunds validate constraint refunds_waiting_for_check;

drop index refunds_sent_again;
create index refunds_wait_for_a_route on refunds (send_again_at)
  where waiting_for in ('GATEWAY_FLOAT', 'GATEWAY_CLOSED', 'NO_ROUTE');
create index refunds_waiting_of_merchant on refunds (merchant_id, environment, created_at, id)
  where waiting_for is not null;

create table refund_looks (
  merchant_id uuid not null,
  refund_id uuid not null,
  -- What the refund waited for by that look.
  reason text not null check (reason in ('GATEWAY_FLOAT', 'GATEWAY_CLOSED', 'NO_ROUTE')),
  -- [{"gateway_code", "reason"}] in the order of the routes.
  passed_over jsonb not null,
  -- Each look since then has found the same.
  since timestamptz(3) not null default now(),
  primary key (merchant_id, refund_id),
  foreign key (merchant_id, refund_id) references refunds (merchant_id, id)
);

grant select, insert, update on refund_looks to pirogue_app;

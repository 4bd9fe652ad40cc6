-- What routing passed over, and why, when it looked for a way for a payout that waited: the last
-- look, kept when the wait is over. Staff read it beside what each attempt passed over.
-- Locks: the new table's own.
-- While the older version runs: it neither reads nor writes it, and says nothing of its own looks.

create table payout_looks (
  merchant_id uuid not null,
  transaction_id uuid not null,
  -- What the payout waited for by that look.
  reason text not null
    check (reason in ('GATEWAY_FLOAT', 'GATEWAY_CLOSED', 'GATEWAY_QUEUED', 'NO_ROUTE')),
  -- [{"gateway_code", "reason"}] in the order of the routes.
  passed_over jsonb not null,
  -- Each look since then has found the same.
  since timestamptz(3) not null default now(),
  primary key (merchant_id, transaction_id),
  foreign key (merchant_id, transaction_id) references transactions (merchant_id, id)
);

grant select, insert, update on payout_looks to pirogue_app;

-- When an account's callbacks last came, over all processes: an attempt is first asked about later
-- where they do (docs/decisions/0206). One row an account, written at most once a minute by each
-- process that receives some, never by a payment.
-- Locks: the new table's. The older version writes nothing here, and asks as before.
create table gateway_callback_times (
  gateway_id uuid primary key references gateways (id),
  last_at timestamptz(3) not null
);

grant select, insert, update on gateway_callback_times to pirogue_app;

-- How often an operator may be asked, over all processes: each that asks holds a share of it for a
-- while, so that no question costs a statement.
-- Locks: none, the table is new. The older version keeps its own pace, as before.

create unlogged table gateway_pace (
  gateway_id uuid not null,
  process uuid not null,
  -- Questions a second that this process may ask.
  share int not null check (share >= 0),
  -- What it had a moment ago counts until then: those questions may still be on their way.
  former_share int not null default 0,
  former_until timestamptz(3) not null default '-infinity',
  lease_until timestamptz(3) not null,
  primary key (gateway_id, process)
);
grant select, insert, update, delete on gateway_pace to pirogue_app;

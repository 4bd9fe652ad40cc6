-- The keys of MACs get rows of their own, sealed under SECRET_KEY (review S-09): what is found again
-- by its MAC (idempotency fingerprints, counters, callback addresses, recovery codes, cursors) must
-- not change when SECRET_KEY is rotated. The first start writes the keys that SECRET_KEY gave until
-- now, so nothing changes for what is kept, and an older version beside us makes the same MACs.
-- Locks nothing: a new table.
create table mac_keys (
  purpose text not null check (length(purpose) between 1 and 64),
  -- Of one purpose, the highest that has begun signs; all of them are believed.
  number int not null check (number > 0),
  sealed_key bytea not null,
  -- A new key is known to every process before the first one signs with it.
  signs_from timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  primary key (purpose, number)
);

grant select, insert on mac_keys to pirogue_app;

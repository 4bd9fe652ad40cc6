-- The public keys by which an operator's callbacks are judged, as it publishes them: read every few
-- hours, and soon after a callback names a key that is not known. `keys_asked_at` lets one process
-- at a time ask, at most once a minute.
-- Locks: `gateways` (a handful of rows) for the moment of the change; nothing is rewritten.
alter table gateways
  add column keys_asked_at timestamptz(3) not null default '-infinity',
  add column keys_wanted boolean not null default false;

create table gateway_keys (
  gateway_id uuid not null references gateways (id),
  key_id text not null check (length(key_id) between 1 and 128),
  pem text not null check (length(pem) between 1 and 4000),
  first_seen timestamptz(3) not null default now(),
  -- Of all keys of an operator those with the latest time are good: what it no longer shows is not.
  last_seen timestamptz(3) not null default now(),
  primary key (gateway_id, key_id)
);
grant select, insert, update on gateway_keys to pirogue_app;

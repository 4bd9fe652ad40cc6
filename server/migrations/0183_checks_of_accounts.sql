-- What `gateway check` last found of an account, with the secrets that it was made with: LIVE is
-- switched on only after one that passed, of a day at most.
-- Locks: none, the table is new. The older version writes none, and switches on without.

create table gateway_checks (
  gateway_id uuid not null references gateways (id),
  -- Of the secrets; empty where the account needs none.
  fingerprint text not null,
  passed boolean not null,
  checked_at timestamptz(3) not null default now(),
  primary key (gateway_id, fingerprint)
);
grant select, insert, update, delete on gateway_checks to pirogue_app;

-- A gateway is an account with an operator: its country, its open settings, its secrets (sealed, in
-- versions, so that they can be rotated) and the access tokens that all processes share.
-- Locks: `gateways` (a handful of rows) for the moment of each change; nothing is rewritten.
alter table gateways
  add column country text not null default '' check (country ~ '^([A-Z]{2})?$'),
  add column settings jsonb not null default '{}',
  -- Money in a merchant's own account with an operator is not ours to book.
  add column owner text not null default 'PLATFORM' check (owner = 'PLATFORM');

create table gateway_secrets (
  gateway_id uuid not null references gateways (id),
  version int not null check (version >= 1),
  state text not null check (state in ('NEXT', 'CURRENT', 'PREVIOUS', 'RETIRED')),
  -- Bound to the row: moved to another it does not open. A retired one is gone.
  sealed bytea,
  fingerprint text not null,
  created_by uuid references people (id),
  created_at timestamptz(3) not null default now(),
  state_at timestamptz(3) not null default now(),
  primary key (gateway_id, version),
  check ((state = 'RETIRED') = (sealed is null))
);
create unique index gateway_secrets_of_state on gateway_secrets (gateway_id, state)
  where state <> 'RETIRED';
grant select, insert, update on gateway_secrets to pirogue_app;

create table gateway_tokens (
  gateway_id uuid not null references gateways (id),
  product text not null check (length(product) between 1 and 40),
  generation bigint not null default 0,
  sealed bytea,
  renew_at timestamptz(3),
  expires_at timestamptz(3),
  -- Who renews it, until then; the number is the fence.
  lease_until timestamptz(3) not null default '-infinity',
  fence bigint not null default 0,
  primary key (gateway_id, product)
);
grant select, insert, update on gateway_tokens to pirogue_app;

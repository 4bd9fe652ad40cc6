-- Idempotency, leases and addresses: what the mechanisms of platform/ keep.
-- Locks: none.
-- An idempotency row with a transaction_id means that something was committed under the key; one
-- without means that nothing was (decisions 4.3).

create table idempotency_keys (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null check (length(fingerprint) = 32),
  transaction_id uuid,
  attempt_id uuid,
  status int,
  answer text,
  lease_no bigint not null default 1,
  leased_until timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '30 days',
  primary key (merchant_id, environment, key),
  check ((status is null) = (answer is null))
);
create index idempotency_keys_by_age on idempotency_keys using brin (created_at);

-- A named piece of work that one process does at a time; `lease_no` fences a paused one.
create table leases (
  name text primary key,
  owner text not null,
  lease_no bigint not null default 1,
  leased_until timestamptz(3) not null
) with (fillfactor = 50);

-- Where a server of ours can be reached by the other processes on this database.
create table service_addresses (
  name text primary key,
  url text not null,
  updated_at timestamptz(3) not null default now()
);

create table worker_beats (
  name text primary key,
  beat_at timestamptz(3) not null
);

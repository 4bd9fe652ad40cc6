-- The catalogue: countries, networks, gateways, routes. Reference data, read from memory by version.
-- Locks: none. Payments name these rows without a foreign key, so that no row here is locked by
-- every payment (docs/decisions/0003); they are never deleted (the app role may not).

create table catalogue_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);
insert into catalogue_version (version) values (1);

create table countries (
  id uuid primary key,
  iso_code text not null unique check (iso_code ~ '^[A-Z]{2}$'),
  name text not null,
  default_currency text not null check (default_currency ~ '^[A-Z]{3}$'),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create table networks (
  id uuid primary key,
  country_id uuid not null references countries (id),
  code text not null unique check (code ~ '^[a-z0-9_]{2,40}$'),
  name text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  flow text not null check (flow in ('push', 'redirect')),
  otp_kind text not null default 'NONE' check (otp_kind in ('NONE', 'PRE', 'POST')),
  otp_instructions text not null default '',
  takes_payins boolean not null default true,
  takes_payouts boolean not null,
  is_active boolean not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index networks_by_country on networks (country_id, code);

create table gateways (
  id uuid primary key,
  code text not null unique,
  adapter text not null,
  name text not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  is_active boolean not null default true,
  sealed_settings bytea,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create table routes (
  id uuid primary key,
  network_id uuid not null references networks (id),
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  gateway_id uuid not null references gateways (id),
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  priority int not null check (priority > 0),
  is_active boolean not null default true,
  breaker boolean not null default true,
  amount_step bigint not null default 1 check (amount_step > 0),
  cost_percent_ppm bigint not null default 0 check (cost_percent_ppm between 0 and 1000000),
  cost_fixed bigint not null default 0 check (cost_fixed >= 0),
  cost_floor bigint check (cost_floor >= 0),
  cost_cap bigint check (cost_cap >= 0),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (network_id, direction, environment, gateway_id)
);

-- How a route fares, measured: written by each process in small batches, never by a payment itself.
create table route_health (
  route_id uuid primary key references routes (id),
  window_started_at timestamptz(0) not null default now(),
  calls bigint not null default 0,
  failures bigint not null default 0,
  took_ms_total bigint not null default 0,
  skip_until timestamptz(3),
  skip_reason text not null default '',
  updated_at timestamptz(3) not null default now()
);

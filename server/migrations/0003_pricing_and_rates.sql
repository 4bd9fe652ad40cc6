-- What a payment costs its merchant, and what one currency is worth in another.
-- Locks: none. Overlapping tiers are refused by the tables themselves (decisions 2.4).

create table pricing_rules (
  id uuid primary key,
  network_id uuid not null references networks (id),
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (network_id, direction)
);

create table pricing_tiers (
  id uuid primary key,
  pricing_rule_id uuid not null references pricing_rules (id),
  min_amount bigint not null check (min_amount > 0),
  max_amount bigint not null check (max_amount >= min_amount),
  percent_ppm bigint not null check (percent_ppm between 0 and 1000000),
  fixed bigint not null default 0 check (fixed >= 0),
  floor_amount bigint check (floor_amount >= 0),
  cap_amount bigint check (cap_amount >= 0),
  fee_charge_mode text not null check (fee_charge_mode in ('ADD_ON', 'DEDUCTED')),
  check (cap_amount is null or floor_amount is null or cap_amount >= floor_amount),
  exclude using gist (pricing_rule_id with =, int8range(min_amount, max_amount, '[]') with &&)
);

create table merchant_pricing_rules (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  network_id uuid not null references networks (id),
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, network_id, direction)
);

create table merchant_pricing_tiers (
  merchant_id uuid not null,
  id uuid not null,
  merchant_pricing_rule_id uuid not null,
  min_amount bigint not null check (min_amount > 0),
  max_amount bigint not null check (max_amount >= min_amount),
  percent_ppm bigint not null check (percent_ppm between 0 and 1000000),
  fixed bigint not null default 0 check (fixed >= 0),
  floor_amount bigint check (floor_amount >= 0),
  cap_amount bigint check (cap_amount >= 0),
  fee_charge_mode text not null check (fee_charge_mode in ('ADD_ON', 'DEDUCTED')),
  primary key (merchant_id, id),
  foreign key (merchant_id, merchant_pricing_rule_id)
    references merchant_pricing_rules (merchant_id, id),
  check (cap_amount is null or floor_amount is null or cap_amount >= floor_amount),
  exclude using gist (
    merchant_id with =, merchant_pricing_rule_id with =,
    int8range(min_amount, max_amount, '[]') with &&
  )
);

-- Append-only: a rate is replaced by a later one, never changed. One row a pair, quoted direction.
create table exchange_rates (
  id uuid primary key,
  from_currency text not null check (from_currency ~ '^[A-Z]{3}$'),
  to_currency text not null check (to_currency ~ '^[A-Z]{3}$'),
  rate numeric(30, 12) not null check (rate > 0),
  source text not null default '',
  effective_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  check (from_currency <> to_currency),
  unique (from_currency, to_currency, effective_at)
);

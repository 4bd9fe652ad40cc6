-- Staff change prices. A rule in force is replaced as a whole by one with a new id; what it was is
-- kept here under the id that transactions name, so that no change rewrites what was charged.
-- Staff also read incidents over all merchants.
-- Locks: `incidents` against writing while its index is built: it holds contradictions only.

create table past_pricing_rules (
  id uuid primary key,
  network_id uuid not null references networks (id),
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  -- The tiers as they stood, by their columns' names; amounts in hundredths.
  tiers jsonb not null check (jsonb_typeof(tiers) = 'array'),
  -- From when to when it was in force.
  created_at timestamptz(3) not null,
  replaced_at timestamptz(3) not null default now()
);

create table past_merchant_pricing_rules (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  network_id uuid not null references networks (id),
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  tiers jsonb not null check (jsonb_typeof(tiers) = 'array'),
  created_at timestamptz(3) not null,
  replaced_at timestamptz(3) not null default now(),
  primary key (merchant_id, id)
);

-- Newest first over all merchants, and one by its id alone: ids are time.
create index incidents_by_id on incidents (id);

-- Append-only.
grant select, insert on past_pricing_rules, past_merchant_pricing_rules to pirogue_app;

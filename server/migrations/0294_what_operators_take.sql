-- What an operator says that it takes of one payment, by account, network and direction, beside what
-- staff set: read about once a day. What is narrower than before counts after a day only, or when
-- staff accept it.
-- Locks: `gateways` for a moment (columns with constant defaults). The older version reads none.

create table operator_rules (
  gateway_id uuid not null references gateways (id),
  network_id uuid not null references networks (id),
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  -- Hundredths of the network's currency, of one payment as it is sent; null: no such limit.
  least bigint check (least > 0),
  most bigint check (most > 0),
  -- Hundredths that amounts are a multiple of there; null: it does not say. Compared, never applied.
  step bigint check (step > 0),
  -- When the operator was asked and said so.
  as_of timestamptz(3) not null,
  -- What it says now, where that refuses sums that are taken still: it counts from `next_at` on.
  next_least bigint check (next_least > 0),
  next_most bigint check (next_most > 0),
  next_at timestamptz(3),
  primary key (gateway_id, network_id, direction),
  check (least <= most),
  check (next_least <= next_most),
  check (next_at is not null or (next_least is null and next_most is null))
);
create index on operator_rules (next_at) where next_at is not null;
grant select, insert, update, delete on operator_rules to pirogue_app;

alter table gateways
  add column rules_asked_at timestamptz(3) not null default '-infinity',
  -- When its answer was last one that could be used.
  add column rules_read_at timestamptz(3) not null default '-infinity',
  -- What was wrong with the last one, in a few words; empty: nothing.
  add column rules_fault text not null default '' check (length(rules_fault) <= 500);

-- The wallets that accounts have with their operators, and what each is used for: one for payments
-- and payouts alike at some, one for each product at others. A balance is what one of them holds
-- (`gateway_balances.wallet` and `currency` are `operator_key` and `currency` here).
-- Locks: nothing. The older version reads none, and makes none: the next reading does.

create table gateway_wallets (
  id uuid primary key,
  gateway_id uuid not null references gateways (id),
  -- Null: the operator does not report one. It is not guessed.
  country text check (country ~ '^[A-Z]{2}$'),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- The operator's own name for it: a product, a country, a mode.
  operator_key text not null check (char_length(operator_key) between 1 and 100),
  purposes text[] not null check (
    purposes in (array['COLLECT'], array['DISBURSE'], array['COLLECT', 'DISBURSE'])
  ),
  created_at timestamptz(3) not null default now(),
  unique (gateway_id, operator_key, currency)
);
grant select, insert, update on gateway_wallets to pirogue_app;

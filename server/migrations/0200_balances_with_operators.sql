-- What each account with an operator holds, as it was last told, and below what staff want to know:
-- payouts of a country may then wait, as they do while its float is marked as empty.
-- Locks: `gateways` for a moment (a column with a constant default). The older version reads none.

create table gateway_balances (
  gateway_id uuid not null references gateways (id),
  -- The operator's own name for it: a product, a country, a mode.
  wallet text not null check (char_length(wallet) between 1 and 100),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Hundredths. An operator may show an overdraft.
  amount bigint not null,
  read_at timestamptz(3) not null,
  -- Hundredths; null: nobody is warned.
  low_below bigint check (low_below > 0),
  -- Whose payouts wait while it is low; null: nobody's.
  payouts_wait_in text check (payouts_wait_in ~ '^[A-Z]{2}$'),
  low_since timestamptz(3),
  primary key (gateway_id, wallet, currency),
  check (low_below is not null or payouts_wait_in is null),
  check ((low_since is not null) = (low_below is not null and amount < low_below))
);
grant select, insert, update, delete on gateway_balances to pirogue_app;

alter table gateways add column balances_asked_at timestamptz(3) not null default '-infinity';

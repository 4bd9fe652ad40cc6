-- Whose a number is, as its operator said before a payout: kept for a day, so that each number is
-- asked about once in that time by all processes together, and gone then.
-- Locks: nothing. The older version reads none and asks nobody.

create table holder_lookups (
  id uuid primary key,
  gateway_id uuid not null references gateways (id),
  -- Of the number; nobody reads it from here.
  number_mac bytea not null check (octet_length(number_mac) = 32),
  asked_at timestamptz(3) not null,
  -- Null: there is no answer, or not yet.
  sealed bytea check (octet_length(sealed) between 38 and 2000),
  unique (gateway_id, number_mac)
);
create index holder_lookups_asked on holder_lookups (asked_at);
create index holder_lookups_number on holder_lookups (number_mac);
grant select, insert, update, delete on holder_lookups to pirogue_app;

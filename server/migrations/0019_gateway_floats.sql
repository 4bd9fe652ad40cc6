-- An operator can only pay out what lies with it. Staff say where that float is used up; payouts
-- wait there and do not fail, and go out when it is filled.
-- Locks: none, the tables are new.

create table gateway_floats (
  gateway_id uuid not null references gateways (id),
  country text not null check (country ~ '^[A-Z]{2}$'),
  is_empty boolean not null,
  note text not null default '',
  set_by uuid,
  updated_at timestamptz(3) not null default now(),
  primary key (gateway_id, country)
);

-- A payout that no operator has heard of yet, and why.
create table payout_waits (
  merchant_id uuid not null,
  transaction_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  reason text not null check (reason in ('GATEWAY_FLOAT')),
  due_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, transaction_id),
  foreign key (merchant_id, transaction_id) references transactions (merchant_id, id)
);
create index payout_waits_due on payout_waits (due_at);

grant select, insert, update on gateway_floats, payout_waits to pirogue_app;
grant delete on payout_waits to pirogue_app;

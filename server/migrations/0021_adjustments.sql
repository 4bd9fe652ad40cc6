-- Manual adjustments: one member of staff asks, another confirms, and only then is anything booked.
-- Locks: none; the table is new.

create table adjustments (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  reference text not null,
  country text not null,
  currency text not null,
  kind text not null check (kind in
    ('CREDIT_MERCHANT', 'CHARGE_MERCHANT', 'COLLECT_DEBT', 'WRITE_OFF_DEBT')),
  amount bigint not null check (amount > 0),
  reason text not null check (reason <> ''),
  status text not null default 'PENDING' check (status in ('PENDING', 'BOOKED', 'REFUSED')),
  asked_by uuid not null,
  -- The Idempotency-Key that it was asked with, if any.
  ask_key text check (length(ask_key) between 1 and 255),
  decided_by uuid,
  decided_at timestamptz(3),
  refusal_reason text not null default '',
  request_id text not null,
  ip_address text not null default '',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, environment, reference),
  -- One key, one adjustment, for each who asks.
  unique (merchant_id, environment, asked_by, ask_key),
  check ((status = 'PENDING') = (decided_at is null)),
  check ((status = 'PENDING') = (decided_by is null)),
  -- Two people: whoever asked cannot confirm.
  constraint adjustments_two_people check (status <> 'BOOKED' or decided_by <> asked_by)
);
create index adjustments_by_id on adjustments (id);
create index adjustments_of_all on adjustments (environment, created_at desc, id desc);

grant select, insert, update on adjustments to pirogue_app;

-- The payer or beneficiary as the merchant named him: found by phone, without one by e-mail.
-- Locks: none.

create table customers (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  phone text check (phone ~ '^\+[0-9]{6,15}$'),
  email text,
  first_name text not null default '',
  last_name text not null default '',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  check (email is null or email = lower(email))
);
create unique index customers_by_phone on customers (merchant_id, environment, phone)
  where phone is not null;
create unique index customers_by_email on customers (merchant_id, environment, email)
  where phone is null and email is not null;
create index customers_listed on customers (merchant_id, environment, created_at desc, id desc);

-- Hosted checkout: sessions, links, and the directory that finds them by slug.
-- Locks: none. Their verbs and pages come later; their laws are here from the first day.

create table slugs (
  slug text primary key,
  merchant_id uuid not null,
  kind text not null check (kind in ('SESSION', 'LINK')),
  id uuid not null,
  created_at timestamptz(3) not null default now()
);

create table payment_links (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  created_by_member uuid,
  name text not null check (length(name) between 1 and 150),
  description text not null default '' check (length(description) <= 255),
  amount_type text not null default 'FIXED' check (amount_type in ('FIXED', 'FREE')),
  amount bigint check (amount > 0),
  min_amount bigint check (min_amount > 0),
  currency text not null check (length(currency) = 3),
  slug text not null,
  is_active boolean not null default true,
  expires_at timestamptz(3),
  usage_limit int check (usage_limit >= 1),
  usage_count int not null default 0 check (usage_count >= 0),
  reserved int not null default 0 check (reserved >= 0),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id)
);
create index payment_links_listed
  on payment_links (merchant_id, environment, created_at desc, id desc) where deleted_at is null;

create table checkout_sessions (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  created_by_member uuid,
  slug text not null,
  amount bigint not null check (amount > 0),
  currency text not null check (length(currency) = 3),
  description text not null default '',
  country text,
  customer_email text not null default '',
  customer_name text not null default '',
  customer_phone text not null default '',
  return_url text not null default '',
  metadata jsonb not null default '{}',
  fee_charge_mode text check (fee_charge_mode in ('ADD_ON', 'DEDUCTED')),
  merchant_reference text not null default '',
  status text not null default 'PENDING'
    check (status in ('PENDING', 'PAID', 'EXPIRED', 'CANCELLED')),
  version int not null default 1,
  expires_at timestamptz(3),
  transaction_id uuid,
  paid_by uuid,
  payment_link uuid,
  paid_at timestamptz(3),
  due_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  foreign key (merchant_id, payment_link) references payment_links (merchant_id, id),
  foreign key (merchant_id, transaction_id) references transactions (merchant_id, id),
  check ((status = 'PAID') = (paid_by is not null and paid_at is not null))
);
create index checkout_sessions_listed
  on checkout_sessions (merchant_id, environment, created_at desc, id desc);
create index checkout_sessions_due on checkout_sessions (due_at) where due_at is not null;

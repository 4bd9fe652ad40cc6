-- The outbox, the endpoints that hear of it, and each delivery to each of them.
-- Locks: none.
-- Events commit with the change they announce; the sequencer numbers them afterwards. Events,
-- deliveries and callbacks are partitioned by their id, which is time, so that retention drops
-- a partition; a default one catches what no monthly one takes.

create table events (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  type text not null,
  transaction_id uuid,
  subject_id uuid,
  data jsonb not null,
  seq bigint,
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id)
) partition by range (id);
create index events_unnumbered on events (merchant_id, environment, id) where seq is null;
create index events_feed on events (merchant_id, environment, seq) where seq is not null;

create table event_feeds (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  last_seq bigint not null default 0,
  primary key (merchant_id, environment)
) with (fillfactor = 50);

create table webhooks (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  url text not null check (length(url) <= 2048),
  description text not null default '',
  is_active boolean not null default true,
  sealed_secret bytea not null,
  sealed_next_secret bytea,
  overlap_until timestamptz(3),
  payment_link uuid,
  created_by_member uuid,
  failing_since timestamptz(3),
  switched_off_reason text not null default '',
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id)
);
create index webhooks_listed
  on webhooks (merchant_id, environment, created_at desc, id desc) where deleted_at is null;

create table webhook_subscriptions (
  merchant_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event_type text not null,
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, webhook_id, event_type),
  foreign key (merchant_id, webhook_id) references webhooks (merchant_id, id)
);

-- One lane an endpoint: one process drains it at a time, so a slow endpoint delays only itself.
-- `marks` grows with each new delivery: a lane is put to rest only if nothing came meanwhile.
create table webhook_lanes (
  merchant_id uuid not null,
  webhook_id uuid not null,
  due_at timestamptz(3),
  marks bigint not null default 0,
  lease_no bigint not null default 0,
  leased_until timestamptz(3),
  primary key (merchant_id, webhook_id),
  foreign key (merchant_id, webhook_id) references webhooks (merchant_id, id)
) with (fillfactor = 50);
create index webhook_lanes_due on webhook_lanes (due_at) where due_at is not null;

create table deliveries (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  transaction_id uuid,
  subject_id uuid,
  url text not null,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'SUCCESS', 'FAILED', 'EXHAUSTED')),
  attempt int not null default 0,
  due_at timestamptz(3),
  http_status int,
  response_body text not null default '',
  sent_at timestamptz(3),
  exhausted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  check ((status in ('PENDING', 'FAILED')) = (due_at is not null)),
  check ((status = 'EXHAUSTED') = (exhausted_at is not null))
) partition by range (id);
create index deliveries_due on deliveries (merchant_id, webhook_id, due_at)
  where due_at is not null;
create index deliveries_listed on deliveries (merchant_id, environment, created_at desc, id desc);
create index deliveries_of_transaction on deliveries (merchant_id, transaction_id)
  where transaction_id is not null;

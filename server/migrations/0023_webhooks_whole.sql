-- Webhooks, whole: what was sent and answered, asking again without delaying what is new, replays,
-- and the letter about an endpoint that was switched off.
-- Locks: `deliveries` and `webhooks` gain columns without rewriting them (a moment each); the indexes
-- of `deliveries` are made anew under a lock that keeps deliveries waiting, never payments: the
-- sequencer and the lanes wait, what announces events does not.

alter table deliveries
  -- Of the last try, as they went over the wire.
  add column request_headers jsonb,
  add column response_headers jsonb,
  add column took_ms int check (took_ms >= 0),
  -- The number of tries after which the schedule of retries began (anew, when it was asked for).
  add column schedule_from int not null default 0 check (schedule_from >= 0),
  -- Somebody asked for it once more: what is new goes first.
  add column asked_again boolean not null default false,
  add check (schedule_from <= attempt);

drop index deliveries_due;
create index deliveries_due on deliveries (merchant_id, webhook_id, asked_again, due_at)
  where due_at is not null;
create index deliveries_of_webhook
  on deliveries (merchant_id, webhook_id, created_at desc, id desc);
create index deliveries_in_trouble
  on deliveries (merchant_id, environment, created_at desc, id desc)
  where status in ('FAILED', 'EXHAUSTED');

-- Null while nobody was told that we switched it off.
alter table webhooks add column owners_told_at timestamptz(3);
create index webhooks_untold on webhooks (merchant_id, id)
  where switched_off_reason <> '' and owners_told_at is null;

-- Every event of a feed since a moment, once more for one endpoint. `done_seq` and `last_seq` are
-- places in the feed: what lies between them is still to be queued.
create table webhook_replays (
  merchant_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  since timestamptz(3) not null,
  done_seq bigint not null,
  last_seq bigint not null check (done_seq <= last_seq),
  events_total int not null check (events_total >= 0),
  events_queued int not null default 0 check (events_queued >= 0),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  foreign key (merchant_id, webhook_id) references webhooks (merchant_id, id)
);
-- One at a time.
create unique index webhook_replays_open on webhook_replays (merchant_id, webhook_id)
  where finished_at is null;
create index webhook_replays_of on webhook_replays (merchant_id, webhook_id, created_at desc);
create index webhook_replays_waiting on webhook_replays (created_at) where finished_at is null;

grant select, insert, update on webhook_replays to pirogue_app;

-- Deliveries that are in trouble are found by how their endpoint answered last: each class of
-- statuses, or nobody answered (0), or nothing was ever sent (-1). A delivery whose first try
-- succeeds has no entry here (docs/decisions/0083). And a replay may have an end beside its beginning.
-- Locks: writing to deliveries waits while the two indexes are built, which reads the table once for
-- each; webhook_replays for a moment.
create index deliveries_by_answer on deliveries
  (merchant_id, environment, status,
   (case when sent_at is null then -1 else coalesce(http_status / 100, 0) end),
   event_type, created_at, id)
  where status in ('FAILED', 'EXHAUSTED');

create index deliveries_of_webhook_by_answer on deliveries
  (merchant_id, webhook_id, status,
   (case when sent_at is null then -1 else coalesce(http_status / 100, 0) end),
   event_type, created_at, id)
  where status in ('FAILED', 'EXHAUSTED');

alter table webhook_replays
  add column until timestamptz(3),
  add constraint webhook_replays_until check (until >= since);

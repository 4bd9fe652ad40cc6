-- What closes an operator is read every few seconds by each process (availability, routes); closings
-- that are over stay, and are many in the end: they are no longer read for it.
-- Locks: writing to gateway_closings waits while the index is built; what an older version reads is
-- found by the same first two columns.
create index gateway_closings_to_come
  on gateway_closings (gateway_id, country, coalesce(ends_at, 'infinity'::timestamptz));
drop index gateway_closings_of;

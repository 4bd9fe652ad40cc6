-- A merchant, or staff, want a payout back that is in its operator's own queue. The wish is written
-- before the operator is told, so that whoever dies in between leaves it to the poller. It counts for
-- 24 hours; it can be made again.
-- Locks: `attempts` for a moment: a column that is null, and costs a payment nothing. The older version
-- does not read it: a wish that it heard of is told to the operator once, as before.

alter table attempts add column asked_back_at timestamptz(3);

-- What ended unpaid is found by the index of 0305; the older version finds by it what it found by
-- this one.
-- Locks: `checkout_sessions` for a moment.
drop index checkout_sessions_unpaid;

-- A settlement's money comes back after it had succeeded: its status stays, an incident RETURNED is
-- resolved by two people, and the row says when. Of one that a bank paid there is no attempt.
-- Locks: `settlements` a moment for the column; `incidents` against writing while its checks and its
-- index are made: few rows.

alter table settlements
  add column returned_at timestamptz(3),
  add constraint settlements_returned check (returned_at is null or status = 'SUCCESS');

alter table incidents
  drop constraint incidents_check,
  drop constraint incidents_check1,
  add constraint incidents_about
    check (num_nonnulls(attempt_id, callback_id, settlement_id) >= 1),
  -- What staff say has come back is booked nowhere before a second person says so too.
  add constraint incidents_in_suspense
    check ((amount = 0) = (suspense_side is null)
           or (type = 'RETURNED' and suspense_side is null));

-- Whoever says it first, staff or the gateway: it comes back once.
create unique index incidents_once_a_return on incidents (merchant_id, settlement_id)
  where type = 'RETURNED';

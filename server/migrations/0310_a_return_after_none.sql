-- A return of a settlement that staff declared and that was none, as two people said, is no end of
-- the matter: a true one that comes later follows it.
-- Locks: incidents, while the index is built, for writing; there are few of them. The older version
-- writes returns that follow nothing, which are once a settlement as before.
create unique index incidents_once_a_return_now
  on incidents (merchant_id, settlement_id, follows) nulls not distinct
  where type = 'RETURNED' and settlement_id is not null;
drop index incidents_once_a_return;
alter index incidents_once_a_return_now rename to incidents_once_a_return;

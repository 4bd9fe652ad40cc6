-- A refund or a settlement that its operator refused for want of our float waits and is sent again, as
-- payouts do, instead of failing: its money stays held, and it ends by itself after 72 hours.
-- Locks: `refunds` and `settlements` for a moment each (columns that are null; a check that is
-- looked through afterwards under a lock that lets everybody write), and against writing while three
-- indexes are built. Two hold nothing yet, of small tables; the third reads `attempts` once and holds
-- only what carries out settlements, so that payments write nothing more.
-- The older version writes none of it; one that waits, it cancels or ends as what waits for a person.

alter table refunds
  -- When it is sent again; `lapses_at` says when it ends.
  add column send_again_at timestamptz(3),
  drop constraint refunds_waiting_for_check,
  add constraint refunds_waiting_for_check
    check (waiting_for in ('SECOND_MEMBER', 'STAFF', 'GATEWAY_FLOAT')) not valid;
alter table refunds validate constraint refunds_waiting_for_check;
create index refunds_sent_again on refunds (send_again_at) where waiting_for = 'GATEWAY_FLOAT';

alter table settlements
  add column send_again_at timestamptz(3),
  -- Not null while it waits so: when it ends by itself.
  add column waits_until timestamptz(3);
create index settlements_sent_again on settlements (send_again_at) where waits_until is not null;
create index attempts_of_settlement on attempts (merchant_id, settlement_id)
  where settlement_id is not null;

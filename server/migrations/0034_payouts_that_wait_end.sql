-- A payout that nobody outside has heard of can be cancelled, one that waits ends by itself, and
-- one row that fails is looked at less and less often instead of standing before the others.
-- Locks: `payout_approvals` and `payout_waits` for a moment each (columns without a rewrite, checks
-- that are looked through afterwards under a lock that lets everybody write).
-- While the older version runs: it reads the new states as texts and writes none of them.

alter table payout_approvals
  -- Null: at `lapses_at`. After a failure: when it is tried again.
  add column lapse_again_at timestamptz(3),
  drop constraint payout_approvals_status_check,
  add constraint payout_approvals_status_check
    check (status in ('REQUIRED', 'APPROVED', 'REJECTED', 'LAPSED', 'CANCELLED')) not valid;
alter table payout_approvals validate constraint payout_approvals_status_check;

alter table payout_waits
  -- How often in a row it was looked at and no operator could ever have taken it.
  add column tries int not null default 0 check (tries >= 0),
  drop constraint payout_waits_reason_check,
  add constraint payout_waits_reason_check
    check (reason in ('GATEWAY_FLOAT', 'NO_ROUTE')) not valid;
alter table payout_waits validate constraint payout_waits_reason_check;

-- The money of a payout may come back after its operator had refused to give it back, or nothing came
-- of the question: it is looked for once a day, for 30 days, and not only heard of by a callback.
-- Locks: `payout_reversals` for a moment, and against writing while an index of it is built that is
-- empty: a column that is null. What was given up before is not looked for.
-- The older version gives up without it: such a payout is not looked for.

alter table payout_reversals
  -- Of one that was given up: when its operator is asked next how the payout stands.
  add column look_again_at timestamptz(3),
  add constraint payout_reversals_look check (look_again_at is null or status = 'FAILED') not valid;
create index payout_reversals_looked_for on payout_reversals (look_again_at)
  where look_again_at is not null;

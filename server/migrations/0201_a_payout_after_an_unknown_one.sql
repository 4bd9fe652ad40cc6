-- Why a payout waits for a second person where no limit says so: the outcome of the same payout (this
-- number, this amount) was not known when it was made.
-- Locks: `payout_approvals` for a moment. The older version writes none.

alter table payout_approvals add column after_unknown uuid;

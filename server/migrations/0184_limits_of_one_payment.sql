-- What one payment and one payout through an account may be at most, beside what may be with it at
-- once. Accounts that are there keep none; a LIVE one that is added begins with 50 000.
-- Locks: `gateways` for a moment (columns without a rewrite). The older version leaves them as they
-- are, and knows no such limit.

alter table gateways
  -- Hundredths in the account's currency; null: no limit.
  add column payment_limit_collect bigint check (payment_limit_collect > 0),
  add column payment_limit_disburse bigint check (payment_limit_disburse > 0);

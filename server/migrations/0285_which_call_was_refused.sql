-- An operator may refuse our credentials at a question or at a refund as well as at a create. All
-- raise an alarm; only those of creates throw the account's switch, so each says what it was of.
-- Locks: `gateway_alarms` for a moment: a column with a constant default rewrites nothing.
-- While the older version runs: it writes alarms of creates only, which is the default.

alter table gateway_alarms
  add column call text not null default 'CREATE' check (call in ('CREATE', 'ASK', 'REFUND'));

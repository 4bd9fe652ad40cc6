-- What happened to a transaction is read as one order (docs/decisions/0088). An attempt knows when it
-- was first asked about, beside how often and when last; and an act on a transaction or a refund is
-- found in the audit log by what it was done to, however long the log.
-- Locks: `attempts` for a moment (a column without a value), and writing to `audit_logs` waits while
-- its index is built, which reads the table once. Acts on other things have no entry there.
-- The older version writes no first moment: an attempt that only it asked about has none.
alter table attempts add column first_asked_at timestamptz(3);

create index audit_logs_of_transaction on audit_logs (merchant_id, target_id)
  where target_kind in ('transaction', 'refund');

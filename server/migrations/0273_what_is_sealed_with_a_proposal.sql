-- What goes with a proposal and is shown to nobody, sealed: the first secrets of a LIVE account with
-- an operator, which two of the staff add. It is taken away when the proposal is confirmed,
-- withdrawn or has lapsed.
-- Locks: `staff_proposals` (a few rows) for the moment of the change: a column without a default.
-- While the older version runs: it cannot confirm such a proposal (404), and leaves the column as it
-- is where one is withdrawn; the job that ends proposals takes it away within a minute.
alter table staff_proposals add column sealed bytea;

-- Since when a customer's row is gone while a payment still names them: it was left out because
-- something of it was under way, or the process ended between two portions. It is looked for until
-- nothing is left, however long that takes; without a mark it was for 31 days. Whoever was erased
-- before counts as unfinished until the job has looked once. Those that are marked are found among
-- the erased (`customers_forgotten`), who are few.
-- Locks: `customers` for the moment of the change, a column without a default; then the rows of
-- those who are erased, which nobody else changes.
-- The older version writes no mark: what it leaves is found for 31 days, as before.
alter table customers add column unfinished_since timestamptz(3);
update customers set unfinished_since = deleted_at where deleted_at is not null;

-- Whether an operator keeps a payout in a queue of its own: its merchant is told so, and may ask to have
-- it back. Written with each answer that says that it waits.
-- Locks: attempts for a moment, to add a column with a constant default. The older version leaves it
-- false.

alter table attempts add column is_queued boolean not null default false;

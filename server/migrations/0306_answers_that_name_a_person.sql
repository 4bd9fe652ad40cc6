-- What is kept under a key for thirty days names the payer where the answer is the whole transaction
-- (a retry, a confirmed code) or a refund with the merchant's own texts. Such rows are marked, and
-- found by their transaction when their payer is erased. What initialize answers names nobody: it has
-- no mark.
-- Locks: `idempotency_keys` for a moment. The older version marks none: what it keeps goes after its
-- thirty days.
alter table idempotency_keys add column names_person boolean;

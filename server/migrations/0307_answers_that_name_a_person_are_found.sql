-- The index of marked answers. What initialize answers stands in no new index and grows by nothing.
-- Locks: writing to `idempotency_keys` waits while the table is read once; reading goes on.
create index idempotency_keys_naming on idempotency_keys (merchant_id, transaction_id)
  where names_person;

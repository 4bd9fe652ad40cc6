-- What is kept whole, packed: an event's data and a key's answer are JSON of ours, which packs to a
-- fifth (docs/decisions/0080). `packed` has it, or `plain` what was written before and what an erasure
-- has rewritten. The old names are gone on purpose: a process of the version before fails at its first
-- statement, in which nothing has moved yet, instead of taking a packed event for one that is no longer
-- kept, or a packed answer for none. The events of a payment link are found by a column of their own.
-- Keys' rows double now, where they grew sevenfold: pages are filled to two fifths, new ones only.
-- Locks: both tables for a moment; nothing is read or rewritten.
alter table events rename column data to plain;
alter table events alter column plain drop not null;
alter table events add column packed bytea;
alter table events add column payment_link uuid;
alter table events add constraint events_kept check (num_nonnulls(plain, packed) = 1) not valid;

alter table idempotency_keys rename column answer to plain;
alter table idempotency_keys add column packed bytea;
alter table idempotency_keys drop constraint idempotency_keys_check;
alter table idempotency_keys add constraint idempotency_keys_answered
  check (num_nonnulls(plain, packed) = num_nonnulls(status)) not valid;
alter table idempotency_keys set (fillfactor = 40);

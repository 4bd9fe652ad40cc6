-- Settings of an account with an operator are changed. Since when payments are found where they are
-- now: what was seen of it before that was seen elsewhere, at an imitation perhaps, and proves nothing
-- of the operator. And the public keys that were read at the former address are deleted.
-- Locks: `gateways` (a few rows) for the moment of the change: a column without a default.
-- While the older version runs: it changes no settings.
alter table gateways add column moved_at timestamptz(3);
grant delete on gateway_keys to pirogue_app;

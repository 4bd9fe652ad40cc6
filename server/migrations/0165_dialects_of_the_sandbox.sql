-- A merchant of the sandbox chooses what a network's operator speaks there: the plain sandbox
-- operator, or the imitated wire of a real one.
-- Locks: `gateways` and `merchants` for a moment each (columns with a constant or nothing), and
-- `gateways` against writing while its index is made: a few rows.
-- The older version reads neither: to it such an account is one more of the sandbox, behind the
-- others, until its process is replaced.

alter table gateways
  -- Of an account with one of our imitations: only merchants who chose it use its routes.
  add column dialect text,
  add constraint gateways_dialect_in_sandbox
    check (dialect is null or environment = 'SANDBOX') not valid;
alter table gateways validate constraint gateways_dialect_in_sandbox;
create unique index gateways_of_dialect on gateways (dialect) where dialect is not null;

-- By network and direction (`<network id> COLLECT`): the dialect. Nothing in LIVE reads it.
alter table merchants add column sandbox_dialects jsonb not null default '{}';

-- A stolen thing is worth little: a code of the second factor gives a session a new token, and a key
-- may be bound to addresses, or to reading, and knows what it made.
-- Locks: `sessions`, `api_keys` and the three tables of what keys make, for a moment each: columns
-- with a constant default rewrite nothing. Older processes leave them out and lose nothing by it.

-- Set when a code was given: the token that may have been stolen lives ten seconds more, without
-- the freshness of that code.
alter table sessions add column replaced_at timestamptz(3);

-- Addresses and networks in the form of `ip_whitelist.ip_address`; none: from everywhere.
alter table api_keys
  add column ip_whitelist text[] not null default '{}'
    check (cardinality(ip_whitelist) <= 20 and array_position(ip_whitelist, null) is null),
  add column read_only boolean not null default false,
  add column updated_at timestamptz(3);

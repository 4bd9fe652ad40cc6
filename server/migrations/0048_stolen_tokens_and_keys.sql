-- A stolen thing is worth little: a code of the second factor gives a session a new token, and a key
-- may be bound to addresses, or to reading.
-- Locks: `sessions` and `api_keys`, for a moment each: columns with a constant default rewrite
-- nothing, and the check of an empty list reads the few keys there are. While older processes run
-- they do not look at a key's list: bind keys when all of them are new.

-- Set when a code was given: the token that may have been stolen lives ten seconds more, without
-- the freshness of that code.
alter table sessions add column replaced_at timestamptz(3);

-- Addresses and networks in the form of `ip_whitelist.ip_address`; none: from everywhere.
alter table api_keys
  add column ip_whitelist text[] not null default '{}'
    check (cardinality(ip_whitelist) <= 20 and array_position(ip_whitelist, null) is null),
  add column read_only boolean not null default false,
  -- When a member last changed its name, its list or what it may.
  add column changed_at timestamptz(3);

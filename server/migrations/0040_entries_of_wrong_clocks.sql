-- The journal of a period holds every entry that was booked in it. It walks a merchant's entries by
-- their ids, which are time by the clock of the process that made them; what counts is the time of
-- booking, which is the database's. Entries where the two are more than an hour apart stand in an
-- index of their own, so that the journal finds them too: there are none but of wrong clocks, and
-- booking an ordinary entry writes nothing to it.
-- Locks: `ledger_entries` against writes while its entries are read once. No release stands with a
-- history yet; a later change of this kind is made concurrently.

-- Milliseconds of the epoch are the first 48 bits of a UUIDv7. Built of immutable functions only, so
-- that it is computed in the place where it is named.
create function is_of_wrong_clock(id uuid, at timestamptz) returns boolean
language sql immutable
as $$
  select abs(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint
             - extract(epoch from at - timestamptz '1970-01-01 00:00:00+00') * 1000) > 3600000
$$;

create index ledger_entries_of_wrong_clocks on ledger_entries (merchant_id, created_at)
  where is_of_wrong_clock(id, created_at);

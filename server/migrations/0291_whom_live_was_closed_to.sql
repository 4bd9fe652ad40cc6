-- Whom LIVE was closed to stays guarded as if it were open, and whoever is approved and never had
-- LIVE is not: by the rest of the row the two are the same while no owner's e-mail is proven.
-- Locks: `merchants` for a moment: the default is a constant, and few rows are changed.
-- While the older version runs: it neither reads nor writes it; a merchant to which staff close LIVE
-- in that very time is not guarded until LIVE is open again.

alter table merchants add column live_closed boolean not null default false;

-- Of who has no LIVE now and was reviewed, which of the two it is was not kept: guarded, as before.
update merchants set live_closed = true where not live_enabled and reviewed_name is not null;

-- A payout above every limit ends after an hour of it. What else its looks pass over changes from
-- look to look (the failures of a broken route are counted there), so that hour has its own moment.
-- Locks: `payout_looks` for a moment: a column without a default rewrites nothing.
-- While the older version runs: it neither reads nor writes it; its looks begin and end no hour.

alter table payout_looks add column above_limits_since timestamptz(3);

-- Which session a step-up replaced: both open something for ten seconds, and whoever signs out by
-- one of them has signed out of the other. Locks the table for a moment only.
alter table sessions add column replaces uuid;

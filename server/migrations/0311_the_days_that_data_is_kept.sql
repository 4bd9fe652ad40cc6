-- For how many days the service keeps each kind of data, as its worker's last run had them: whoever
-- removes data by hand from a shell without these settings is held against them.
-- Locks: `retention_runs`, a few rows, for an instant. The older version writes no days: until a
-- worker of this one has run they are unknown, and nothing is held against them.
alter table retention_runs add column days int;

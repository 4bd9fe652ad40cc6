-- A day that is counted again (a history that was made up behind the mark) is written as it is now:
-- lines that it has no more go, as those of a failure that was paid late and lost its cause.
-- Locks: none that anybody waits for. The older version deletes nothing here.

grant delete on counted_days to pirogue_app;

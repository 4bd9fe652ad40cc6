-- Settings of an account with an operator are changed. The public keys that were read from another
-- address of its operator are believed no longer: they are deleted with the change, and read anew.
-- Locks: none that anybody waits for.
-- While the older version runs: it changes no settings.
grant delete on gateway_keys to pirogue_app;

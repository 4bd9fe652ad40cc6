-- A movement of a balance was written into an index by country and into one without. A list of all
-- countries is merged from the one by country: a merchant has a handful of balances. Dropping an
-- index locks the table for a moment. In the older version the list of all countries then sorts.
drop index ledger_entries_of_available;

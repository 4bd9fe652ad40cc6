-- The country that a merchant says of a customer (decisions 8.5): by its numbering plan a phone
-- without `+` is read. Null: it was not said. A column without a default is added at once, whatever
-- the table's size; the lock is held for a moment, and the old version goes on without the column.
alter table customers add column country text check (country ~ '^[A-Z]{2}$');

-- A search row is for up to eight transactions that are alike in all that is filtered by: payments
-- of a merchant share more than half of their trigrams, and each of a row's is kept once. `members`
-- has their ids and `moments` when they were made, in the order of the lines of `words`. Rows from
-- before have neither, are for the transaction whose id they have, and stay as they are until it
-- changes. A row is taken away when one of its transactions changes, and made anew for all of them.
-- A process of the version before does not find what is in such rows, and may write none: one for a
-- transaction that has a place in a row of several would be found beside it. What it was to index the
-- new version does.
-- Locks: the table for a moment; nothing is read or rewritten.
alter table transaction_search add column members uuid[];
alter table transaction_search add column moments timestamptz(3)[];
alter table transaction_search add constraint transaction_search_members
  check (members is not null and moments is not null
    and cardinality(members) = cardinality(moments) and cardinality(members) > 0) not valid;
grant delete on transaction_search to pirogue_app;

-- A replay of those deliveries alone that an endpoint did not acknowledge: who was down for a quarter
-- of an hour need not be sent the rest of the day once more.
-- Locks: the table of replays exclusively for a moment; a column with a constant default writes no row.
-- While the older version runs: it makes replays of all, and one of the newer version that an older
-- worker queues sends all events of its time.

alter table webhook_replays add column only_failed boolean not null default false;

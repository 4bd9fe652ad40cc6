-- Of a transaction's attempts and moves there is a handful: they are found by the transaction and
-- sorted afterwards, so moment and id need not stand in these two indexes as well. 24 bytes less in
-- three entries of each payment, and fewer pages that are split (docs/decisions/0080).
-- An index of ranges that is made on an empty table counts its first range as summed up, and each row
-- of a young table then moves that summary: it is taken back, and made again when the range is full.
-- Locks: writing to attempts and to status logs waits while an index of each is built, about ten
-- seconds for ten million rows.
create index attempts_of_its_transaction on attempts (merchant_id, transaction_id);
drop index attempts_of_transaction;
alter index attempts_of_its_transaction rename to attempts_of_transaction;

create index transaction_status_logs_of_its_transaction
  on transaction_status_logs (merchant_id, transaction_id);
drop index transaction_status_logs_of_transaction;
alter index transaction_status_logs_of_its_transaction
  rename to transaction_status_logs_of_transaction;

select brin_desummarize_range(summary::regclass, 0)
  from unnest(array['transactions_by_time_of_id', 'attempts_by_time_of_id',
                    'transaction_status_logs_by_time_of_id']) as summary;

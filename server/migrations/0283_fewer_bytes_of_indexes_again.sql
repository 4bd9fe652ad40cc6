-- Fewer bytes of indexes. Five find rows by an id that is one merchant's by itself: the merchant before
-- it told them nothing. Without it an entry has sixteen bytes less, and new ids, which grow with
-- time, come at the end of the whole index and no longer at the end of each merchant's part: a page
-- that is split at the end is left nearly full and a tenth of it is logged, of one within a half.
-- The first event of a transaction has the transaction's id now and is found by its key.
-- Three of transactions end with the moment now: those of one moment, which one statement made, are
-- few and sorted afterwards. Statements name the merchant as before, and every unique key begins with
-- it as before.
-- Locks: writing to each of these tables waits from when its index is built to the end of this
-- migration, up to a minute for ten million rows; reading waits for the last moment alone, because
-- all are built before the first is dropped.
create index attempts_of_transaction_only on attempts (transaction_id);
create index transaction_status_logs_of_transaction_only on transaction_status_logs (transaction_id);
create index transactions_by_customer_only on transactions (customer_id, created_at desc);
create index transactions_by_merchant_reference_only
  on transactions (merchant_id, environment, merchant_reference, created_at desc)
  where merchant_reference <> '';
create index transactions_by_status_only
  on transactions (merchant_id, environment, status, created_at desc) where status <> 'SUCCESS';
create index deliveries_of_transaction_only on deliveries (transaction_id)
  where transaction_id is not null;
create index events_of_subject_only on events ((coalesce(transaction_id, subject_id)))
  where id <> coalesce(transaction_id, subject_id);

drop index attempts_of_transaction;
drop index transaction_status_logs_of_transaction;
drop index transactions_by_customer;
drop index transactions_by_merchant_reference;
drop index transactions_by_status;
drop index deliveries_of_transaction;
drop index events_of_subject;

alter index attempts_of_transaction_only rename to attempts_of_transaction;
alter index transaction_status_logs_of_transaction_only
  rename to transaction_status_logs_of_transaction;
alter index transactions_by_customer_only rename to transactions_by_customer;
alter index transactions_by_merchant_reference_only rename to transactions_by_merchant_reference;
alter index transactions_by_status_only rename to transactions_by_status;
alter index deliveries_of_transaction_only rename to deliveries_of_transaction;
alter index events_of_subject_only rename to events_of_subject;

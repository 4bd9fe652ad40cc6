-- A list of one state that is narrowed by country or by type reads what it shows and no longer each
-- of that state: both are at the end of the index, where a scan looks at them before the row.
-- Locks: writing to transactions waits while the index is built, some seconds for a million that
-- are not SUCCESS; reading waits for the last moment alone.
create index transactions_by_status_wider
  on transactions (merchant_id, environment, status, created_at desc, transaction_type, country_code)
  where status <> 'SUCCESS';
drop index transactions_by_status;
alter index transactions_by_status_wider rename to transactions_by_status;

-- What of a merchant is contradicted now is found among its open incidents alone: Home asks for
-- it, and the list that it leads to. By `incidents_open` those of all merchants would be read, and
-- by `incidents_of_transaction` every one that this merchant ever had.
-- Locks: incidents, while the index is built, for writing; there are few of them.
create index incidents_open_of_merchant
  on incidents (merchant_id, environment, transaction_id) where status = 'OPEN';

-- A merchant finds a customer among millions by a part of his name, e-mail or phone. Until now each
-- search read all of the merchant's customers; a few at the same moment took the connections that
-- others needed. A customer's row is written when he is new and when the merchant changes him, not
-- by each payment, so the index costs a payment of a known customer nothing; of a new one, a line in
-- the index's pending list.
-- Locks: `customers` against writes while the index is made (a second for each 100 000 of them).
-- The version before this one reads and writes as it did.

create index customers_found on customers
  using gin (merchant_id, environment,
             fold_text(first_name || ' ' || last_name || ' ' || coalesce(email, '') || ' '
                       || coalesce(phone, '')) gin_trgm_ops)
  with (fastupdate = on, gin_pending_list_limit = 1024)
  where deleted_at is null;

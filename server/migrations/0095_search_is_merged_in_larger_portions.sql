-- The trigram indexes of search merge what is new in portions of four megabytes instead of one: a
-- portion holds some 2,000 rows, which share most of their trigrams, and a shared one is written
-- once. Measured for one search row: 4.2 kB of log with portions of one megabyte, 2.7 with four, 2.4
-- with eight; a search reads the portion that is not merged yet, 0.5 ms more when it is full, 1 ms
-- with eight (docs/decisions/0050). Searches stay exact. Locks each index for a moment.
alter index transaction_search_found set (gin_pending_list_limit = 4096);
alter index customer_search_found set (gin_pending_list_limit = 4096);

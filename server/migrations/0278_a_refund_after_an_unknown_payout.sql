-- Why a refund waits for a second person where no limit says so: the outcome of a payout, or of
-- another refund, to this number and of this amount was not known when it was made. The payout's
-- id, or that of the payment whose refund it is.
-- The index is what such a refund is found by: of a number, those that are under way.
-- Locks: `refunds` while the index is built: nothing is written there meanwhile.
-- While the older version runs: it writes no such reason and looks at no refund.

alter table refunds add column after_unknown uuid;

create index refunds_under_way on refunds (merchant_id, operation_msisdn)
 where status = 'PENDING' and method = 'PAYOUT';

-- A payout or a refund also waits for a second person where the operator's own refund to that number,
-- of that sum, has no known outcome: this finds whatever is under way by its number. The index of
-- those by payout alone stays for the older version; both hold only what is under way.
-- Locks: `refunds` against writing while the index is built.
-- The older version looks at no refund by an operator.

create index refunds_pending_of_number on refunds (merchant_id, operation_msisdn)
 where status = 'PENDING';

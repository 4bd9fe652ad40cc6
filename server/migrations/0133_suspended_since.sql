-- Since when a merchant is suspended, for its own members to read beside the reason.
-- Locks: merchants for a moment, as a column without a value is added; the rows of the suspended. The
-- older version suspends without it: then nothing is said of the time.

alter table merchants add column suspended_at timestamptz(3);

update merchants m
   set suspended_at = (select max(a.created_at) from audit_logs a
                        where a.merchant_id = m.id and a.action = 'merchant.suspended')
 where m.status = 'SUSPENDED';

-- A payment link asks its payer for a phone alone where its merchant wants that: such a session has
-- no e-mail, and neither its end date nor an erasure found it. The first index finds those of a
-- person by the last eight digits of their number; the second is that of sessions that ended unpaid
-- and still name somebody, by whatever.
-- Locks: `checkout_sessions` against writing while both are built; reading goes on.
create index checkout_sessions_of_phone on checkout_sessions
  (merchant_id, environment, (right(regexp_replace(customer_phone, '[^0-9]', '', 'g'), 8)))
  where customer_email = '' and customer_phone <> '';
create index checkout_sessions_ended_unpaid on checkout_sessions (updated_at)
  where status in ('EXPIRED', 'CANCELLED')
    and (customer_email <> '' or customer_phone <> '' or customer_name <> '');

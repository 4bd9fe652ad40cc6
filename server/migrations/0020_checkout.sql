-- Hosted checkout at work: which payment of a session is under way, and how many there were; whom a
-- customer's row still names.
-- Locks: `checkout_sessions` and `customers` gain columns with constant defaults (a moment each); the
-- index reads `transactions` once, of which few rows have a link yet.

alter table checkout_sessions
  -- The transaction that is PENDING for it: "one unended payment" is decided on this row.
  add column pending_payment uuid,
  add column payments int not null default 0 check (payments >= 0);

-- A session whose payment is under way is not due, whatever its time.
alter table checkout_sessions
  add check (pending_payment is null or due_at is null);

create index transactions_by_link on transactions (merchant_id, payment_link, created_at desc, id desc)
  where payment_link is not null;

-- A deleted customer keeps its row, since transactions point at it, and nothing of the person.
alter table customers
  add column deleted_at timestamptz(3),
  add check (deleted_at is null or (phone is null and email is null));

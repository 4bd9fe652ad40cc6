-- What a payer finds a payment by in the operator's message may be another than the reference that we
-- ask the operator by (Wave, FedaPay, Stripe). It is kept beside that, where it is another: null says
-- that the external reference is it, and costs a payment no byte. A refund keeps it in any case.
-- Locks: `attempts` and `refunds` for a moment for the columns; `attempts` is read once for the index,
-- which keeps writers waiting: no release stands with a history yet.
-- While the older version runs: it writes none, and reads none.

alter table attempts add column operator_reference text;
create index attempts_of_operator_reference on attempts (merchant_id, lower(operator_reference))
  where operator_reference is not null;
alter table refunds add column operator_reference text not null default '';

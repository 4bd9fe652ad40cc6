-- The money of a payout that had succeeded comes back: two of the staff asked its operator for it, or
-- the operator says so first. Its status stays; the row says how far it is, under whose lock it is
-- booked once.
-- Locks: `transactions`, `ledger_entries` and `staff_proposals` for a moment each: columns that are
-- null, and checks that no row of before can break. The older version writes none of it.

alter table transactions
  -- ASKED: its operator was asked for it. FOUND: the operator said so first, and people look at it.
  -- RETURNED: it is the merchant's again.
  add column return_state text,
  add column returned_at timestamptz(3),
  -- What is available again: what the receiver had been sent, and what of the fee is given back.
  add column returned_amount bigint,
  add constraint transactions_return check (
    return_state is null
    or (return_state in ('ASKED', 'FOUND', 'RETURNED')
        and transaction_type = 'RETRAIT' and status = 'SUCCESS')) not valid,
  add constraint transactions_returned check (
    (return_state is not distinct from 'RETURNED') = (returned_at is not null)
    and (returned_at is null) = (returned_amount is null)) not valid;

-- What operators have taken back of payouts before is with people already. Of one that had failed,
-- or that another attempt has paid, what came back is no return of it.
update transactions t set return_state = 'FOUND'
  from incidents i
 where i.merchant_id = t.merchant_id and i.transaction_id = t.id and i.refund_id is null
   and i.type = 'REVERSED_AFTER_SUCCESS' and t.transaction_type = 'RETRAIT'
   and t.status = 'SUCCESS' and t.settled_attempt = i.attempt_id;

-- The question to an operator: one that is open for a payout at a time.
create table payout_reversals (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  transaction_id uuid not null,
  attempt_id uuid not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'SUCCESS', 'FAILED')),
  note text not null check (length(note) between 1 and 500),
  proposed_by uuid not null,
  confirmed_by uuid not null check (confirmed_by <> proposed_by),
  sends int not null default 0,
  -- What its operator answered when it was last sent, in our words.
  answered text not null default '',
  due_at timestamptz(3) default now(),
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  primary key (merchant_id, id),
  check ((status = 'PENDING') = (ended_at is null)),
  check ((status = 'PENDING') = (due_at is not null))
);
create unique index payout_reversals_open on payout_reversals (merchant_id, transaction_id)
  where status = 'PENDING';
create index payout_reversals_due on payout_reversals (due_at) where due_at is not null;
create index payout_reversals_of on payout_reversals (merchant_id, transaction_id, created_at);
grant select, insert, update on payout_reversals to pirogue_app;

alter table staff_proposals
  drop constraint staff_proposals_kind_check,
  add constraint staff_proposals_kind_check
    check (kind in ('STAFF_ADDED', 'STAFF_CHANGED', 'STAFF_FACTOR_RESET', 'EXCHANGE_RATE',
                    'GATEWAY_ACCOUNT', 'PAYOUT_REVERSAL')) not valid;
alter table ledger_entries
  drop constraint ledger_entries_cause_kind_check,
  add constraint ledger_entries_cause_kind_check
    check (cause_kind in ('TRANSACTION', 'HOLD', 'HOLD_END', 'INCIDENT', 'RESOLUTION', 'TRANSFER',
      'SETTLEMENT', 'FREEZE', 'SANDBOX', 'ADJUSTMENT', 'REFUND', 'RETURN')) not valid;

-- Whether a price gives its fee back with a payment that is wholly refunded, or a payout that comes
-- back. What is charged stays as it was for every price of before.
alter table pricing_rules add column is_fee_returned boolean not null default false;
alter table past_pricing_rules add column is_fee_returned boolean not null default false;
alter table merchant_pricing_rules add column is_fee_returned boolean not null default false;
alter table past_merchant_pricing_rules add column is_fee_returned boolean not null default false;

-- Money back to a payer (decisions 8.22): a refund is a record of its own beside its payment, with a
-- hold, attempts and entries. What is refunded and what is on its way stands on the payment's row,
-- under whose lock it is counted, so that no two refunds together pass what was paid.
-- Locks: transactions, attempts, incidents, holds and ledger_entries for the moment of each change:
-- new columns are null or have a constant, and no check reads the rows that are there, because none
-- of them can break it. The two indexes of attempts are empty: no attempt is a refund's yet.
create table refunds (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  payment_id uuid not null,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'SUCCESS', 'FAILED', 'CANCELLED')),
  version int not null default 1,
  country_code text not null,
  -- What the payer gets; hundredths, as all sums here.
  amount bigint not null check (amount > 0),
  currency text not null,
  -- What the refund itself costs, and its two parts.
  fee bigint not null default 0 check (fee >= 0),
  gateway_fee bigint not null default 0 check (gateway_fee >= 0),
  platform_fee bigint not null default 0 check (platform_fee >= 0),
  -- The payment's own fee that the merchant gets back: only where this completes the whole.
  returned_gateway_fee bigint not null default 0 check (returned_gateway_fee >= 0),
  returned_platform_fee bigint not null default 0 check (returned_platform_fee >= 0),
  -- The operator gives its part back too; otherwise we bear it.
  is_returned_by_operator boolean not null default false,
  -- What leaves the balance.
  held_amount bigint not null check (held_amount > 0),
  method text not null check (method in ('OPERATOR', 'PAYOUT')),
  -- The attempt that collected the money.
  refund_of uuid not null,
  network_code text not null,
  -- Who gets it, for a payout; a number that the merchant named is confirmed by a second person.
  operation_msisdn text not null default '',
  is_named boolean not null default false,
  waiting_for text check (waiting_for in ('SECOND_MEMBER', 'STAFF')),
  lapses_at timestamptz(3),
  -- Put off after a failure of ours, so that one holds up no other.
  lapse_again_at timestamptz(3),
  decided_by uuid,
  reason text not null default '' check (char_length(reason) <= 255),
  reference text not null default '' check (char_length(reference) <= 100),
  failure_code text not null default '',
  external_reference text not null default '',
  settled_attempt uuid,
  returned_at timestamptz(3),
  ip_address text not null default '',
  request_id text not null,
  api_key_id uuid,
  member_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  primary key (merchant_id, id),
  foreign key (merchant_id, payment_id) references transactions (merchant_id, id),
  check (gateway_fee + platform_fee = fee),
  check (held_amount = amount + fee - returned_gateway_fee - returned_platform_fee),
  check ((status = 'PENDING') = (ended_at is null)),
  check ((status = 'SUCCESS') = (settled_attempt is not null)),
  check (returned_at is null or status = 'SUCCESS'),
  check (waiting_for is null or (status = 'PENDING' and lapses_at is not null)),
  check (not is_named or method = 'PAYOUT')
);
create index refunds_listed on refunds (merchant_id, environment, created_at desc, id desc);
create index refunds_of_payment on refunds (merchant_id, payment_id, created_at desc, id desc);
-- What waits for a person, for the job that ends it and for the list of staff.
create index refunds_waiting on refunds (lapses_at) where waiting_for is not null;
create index refunds_for_staff on refunds (environment, created_at) where waiting_for = 'STAFF';
create index refunds_by_id on refunds (id);
grant select, insert, update on refunds to pirogue_app;

alter table transactions
  add column refund_reserved bigint not null default 0,
  add column refunded_amount bigint not null default 0,
  -- How often a refund changed what is refunded: each is one version more, as each move is.
  add column refund_changes int not null default 0,
  add constraint transactions_refunded check (
    refunded_amount >= 0 and refunded_amount <= refund_reserved
    and refund_reserved <= debited_amount) not valid,
  add constraint transactions_refunds_of_paid check (
    refund_reserved = 0 or (status = 'SUCCESS' and transaction_type = 'PAIEMENT')) not valid;

alter table attempts
  add column refund_id uuid,
  -- The attempt whose payment the operator itself gives back; null: it is paid out.
  add column refund_of uuid,
  drop constraint attempts_check,
  add constraint attempts_purpose
    check (num_nonnulls(transaction_id, settlement_id, refund_id) = 1) not valid,
  add constraint attempts_refund_of
    check (refund_of is null or (refund_id is not null and direction = 'DISBURSE')) not valid;
create index attempts_of_refund on attempts (merchant_id, refund_id)
  where refund_id is not null;
create unique index attempts_one_open_of_refund on attempts (merchant_id, refund_id)
  where status in ('PENDING', 'UNKNOWN') and refund_id is not null;

alter table incidents add column refund_id uuid;

alter table holds
  drop constraint holds_cause_kind_check,
  add constraint holds_cause_kind_check
    check (cause_kind in ('PAYOUT', 'SETTLEMENT', 'TRANSFER', 'REFUND')) not valid;
alter table ledger_entries
  drop constraint ledger_entries_cause_kind_check,
  add constraint ledger_entries_cause_kind_check
    check (cause_kind in ('TRANSACTION', 'HOLD', 'HOLD_END', 'INCIDENT', 'RESOLUTION', 'TRANSFER',
      'SETTLEMENT', 'FREEZE', 'SANDBOX', 'ADJUSTMENT', 'REFUND')) not valid;

-- Contradictions: what a gateway said that no status can follow. One of a type for an attempt.
-- Locks: none. Resolved by two people (decisions 5.14); until then the difference is in suspense.

create table incidents (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  type text not null check (type in (
    'OUTCOME_UNKNOWN', 'AMOUNT_MISMATCH', 'DUPLICATE_CAPTURE', 'REVERSED_AFTER_SUCCESS',
    'PAID_AFTER_RELEASE', 'RETURNED', 'UNMATCHED_CALLBACK')),
  status text not null default 'OPEN' check (status in ('OPEN', 'RESOLVED')),
  attempt_id uuid,
  transaction_id uuid,
  settlement_id uuid,
  callback_id uuid,
  gateway_id uuid not null,
  country text not null default '',
  currency text not null default '',
  amount bigint not null default 0 check (amount >= 0),
  suspense_side text check (suspense_side in ('DEBIT', 'CREDIT')),
  detail jsonb not null default '{}',
  resolution text check (resolution in
    ('CREDIT_MERCHANT', 'CHARGE_MERCHANT', 'REFUND_PAYER', 'RECOVERED', 'WRITE_OFF')),
  resolution_amount bigint,
  resolution_note text not null default '',
  proposed_by uuid,
  proposed_at timestamptz(3),
  confirmed_by uuid,
  resolved_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  foreign key (merchant_id, attempt_id) references attempts (merchant_id, id),
  check (num_nonnulls(attempt_id, callback_id) >= 1),
  check ((amount = 0) = (suspense_side is null)),
  check ((status = 'RESOLVED') = (resolved_at is not null)),
  check (status <> 'RESOLVED' or (proposed_by is not null and confirmed_by is not null
    and proposed_by <> confirmed_by and resolution is not null))
);
create unique index incidents_once_an_attempt on incidents (merchant_id, type, attempt_id)
  where attempt_id is not null;
create unique index incidents_once_a_callback on incidents (merchant_id, type, callback_id)
  where callback_id is not null;
create index incidents_of_transaction on incidents (merchant_id, transaction_id)
  where transaction_id is not null;
create index incidents_open on incidents (created_at desc, id desc) where status = 'OPEN';

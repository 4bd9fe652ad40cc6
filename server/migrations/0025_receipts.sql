-- Receipts of payments: whose a token is, whether it was revoked, and the key that signs them.
-- A copy of these tables opens no receipt: tokens stand hashed and sealed, the signing key sealed.
-- Locks: none, the tables are new.

create table receipts (
  merchant_id uuid not null,
  transaction_id uuid not null,
  token_hash bytea not null check (octet_length(token_hash) = 32),
  sealed_token bytea not null,
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, transaction_id),
  foreign key (merchant_id, transaction_id) references transactions (merchant_id, id)
);

-- Who opens a receipt knows no merchant: the token's hash finds him, once.
create table receipt_tokens (
  token_hash bytea primary key,
  merchant_id uuid not null,
  transaction_id uuid not null
);

-- The highest number signs; the others stay, so that what they signed can be proven for ever.
create table receipt_keys (
  number int primary key,
  public_key bytea not null check (octet_length(public_key) = 32),
  sealed_private_key bytea not null,
  created_at timestamptz(3) not null default now()
);

grant select, insert on receipts, receipt_tokens, receipt_keys to pirogue_app;
grant update on receipts to pirogue_app;

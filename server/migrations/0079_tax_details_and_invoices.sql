-- What a merchant's invoices must say of it, and the invoices that were issued. Until the details
-- are complete the paper of a payment is a receipt; then it is an invoice with a number of the
-- merchant's own, without gap, and with the details of the moment of issue for ever.
-- Locks: `merchants` for a moment, constant defaults are not written to its rows; new tables.
alter table merchants
  add column tax_legal_name text not null default '' check (length(tax_legal_name) <= 150),
  add column tax_address text not null default '' check (length(tax_address) <= 300),
  add column tax_id_kind text not null default ''
    check (tax_id_kind in ('', 'IFU', 'NIF', 'NINEA', 'NCC', 'NIU', 'TIN')),
  add column tax_id text not null default '' check (length(tax_id) <= 40),
  add column tax_rccm text not null default '' check (length(tax_rccm) <= 60),
  -- Parts of a million within the price; 0: no tax is charged; null: not stated.
  add column tax_vat_ppm int check (tax_vat_ppm between 0 and 500000);

-- The last number given, a row for each series. Held until the invoice stands, so none is skipped.
create table invoice_numbers (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  last_number bigint not null check (last_number >= 0),
  primary key (merchant_id, environment)
);
grant select, insert, update on invoice_numbers to pirogue_app;

create table invoices (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  number bigint not null check (number > 0),
  transaction_id uuid not null,
  -- Who sold, as it was when the invoice was issued.
  seller jsonb not null,
  issued_at timestamptz(3) not null default now(),
  primary key (merchant_id, environment, number),
  unique (merchant_id, transaction_id)
);
grant select, insert on invoices to pirogue_app;

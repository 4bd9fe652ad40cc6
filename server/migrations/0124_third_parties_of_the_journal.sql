-- Whose each line of a merchant's journal is in its own books: the third party (compte tiers) that
-- programs for books want beside a collective account. None by default.
-- Locks: none, the table is new. The older version writes and reads none.

create table journal_third_parties (
  merchant_id uuid not null references merchants (id),
  line text not null check (line in (
    'balance', 'reserved', 'frozen', 'debt', 'sales', 'fees', 'payouts', 'settlements',
    'own_funds', 'transfers', 'incidents')),
  third_party text not null check (third_party ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,16}$'),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, line)
);
grant select, insert, delete on journal_third_parties to pirogue_app;

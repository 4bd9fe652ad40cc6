-- What a merchant tells its payers of itself beside name and logo: its site, and whom to ask. LIVE
-- shows what staff have looked at, as it does of the name (0050).
-- Locks: `merchants` for a moment; a constant default and a column without one rewrite nothing.
-- The older version shows none, and its approvals leave `reviewed_contact` as it was.

alter table merchants
  -- Only what is there: site_url, phone, whatsapp, email.
  add column contact jsonb not null default '{}' check (jsonb_typeof(contact) = 'object'),
  -- Null: staff have seen none.
  add column reviewed_contact jsonb check (jsonb_typeof(reviewed_contact) = 'object');

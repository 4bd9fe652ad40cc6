-- Tickets for files that a browser fetches without headers (contract 8.23): one stands for a session
-- once, for a minute, at one address. A row goes when it is used, or within a minute of its end.
-- New table: nothing is locked.
create table download_tickets (
  -- SHA-256 of the ticket, which is only in its address.
  hash bytea primary key check (length(hash) = 32),
  -- SHA-256 of the path and query it is for: a query can hold a telephone number.
  target bytea not null check (length(target) = 32),
  -- No key to `sessions`: an old one is removed without waiting for these.
  session_id uuid not null,
  -- The merchant that the session acts for; null: staff.
  acts_for uuid,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  locale text not null check (locale in ('en', 'fr')),
  expires_at timestamptz(3) not null
);
grant select, insert, delete on download_tickets to pirogue_app;

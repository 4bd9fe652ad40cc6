-- Files that no row names yet, or any more: written down before a file is stored, and taken away in
-- the transaction of the row that names it, so that a crash leaves a file that is found and swept.
-- And when a KYC document was looked through for malware.
-- Safe while the old version runs: it writes neither, and its own strays stay as they were.
-- Locks: `kyc_documents` a moment for the column.

create table loose_files (
  storage_key text primary key,
  begun_at timestamptz(3) not null default now(),
  -- Once set, nobody may name the file any more: it is being removed.
  swept_at timestamptz(3)
);
create index loose_files_by_age on loose_files (begun_at);
grant select, insert, update, delete on loose_files to pirogue_app;

alter table kyc_documents add column scanned_at timestamptz(3);

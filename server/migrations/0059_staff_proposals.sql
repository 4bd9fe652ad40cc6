-- What one of the staff proposes and another must confirm before it is so: another member of staff,
-- more rights, a second factor taken away, an exchange rate that moves far. A row ends by itself
-- (`expires_at`). New table; the column of settlements is null and takes its lock for a moment only.
create table staff_proposals (
  id uuid primary key,
  kind text not null
    check (kind in ('STAFF_ADDED', 'STAFF_CHANGED', 'STAFF_FACTOR_RESET', 'EXCHANGE_RATE')),
  -- Whom or what it is about, one pending at a time: an e-mail, a person's id, a pair.
  subject text not null check (length(subject) between 1 and 254),
  -- What will be done, as it is shown to whoever confirms.
  content jsonb not null,
  status text not null default 'PENDING'
    check (status in ('PENDING', 'CONFIRMED', 'WITHDRAWN', 'LAPSED')),
  proposed_by uuid not null references people (id),
  decided_by uuid references people (id),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  decided_at timestamptz(3),
  check ((status = 'PENDING') = (decided_at is null)),
  check (status <> 'CONFIRMED' or (decided_by is not null and decided_by <> proposed_by))
);
create unique index staff_proposals_pending on staff_proposals (kind, subject)
  where status = 'PENDING';
grant select, insert, update on staff_proposals to pirogue_app;

-- Who approved a settlement; null: it needed nobody, or was approved before.
alter table settlements add column approved_by uuid;

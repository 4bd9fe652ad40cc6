-- A member who lost phone and codes has a way back: one of the staff asks, another confirms, a day
-- goes by in which the member can say no, and then the second factor goes.
-- Locks: none; the table is new. Older processes do not know it.

create table factor_resets (
  id uuid primary key,
  -- No key to `people`, as in all that looks at people from outside: the row is history.
  person_id uuid not null,
  reason text not null check (length(reason) between 1 and 500),
  asked_by uuid not null,
  asked_at timestamptz(3) not null default now(),
  confirmed_by uuid,
  -- Asked: when it lapses unconfirmed. Confirmed: when it is done.
  due_at timestamptz(3) not null,
  ended_at timestamptz(3),
  status text not null default 'ASKED'
    check (status in ('ASKED', 'CONFIRMED', 'DONE', 'CANCELLED', 'LAPSED')),
  -- Of the letter that lets the member stop it.
  cancel_hash bytea unique check (length(cancel_hash) = 32),
  check ((status in ('ASKED', 'CONFIRMED')) = (ended_at is null)),
  check (confirmed_by is null or confirmed_by <> asked_by),
  check (status not in ('CONFIRMED', 'DONE') or confirmed_by is not null)
);
create unique index factor_resets_open on factor_resets (person_id) where ended_at is null;
create index factor_resets_due on factor_resets (due_at) where ended_at is null;
grant select, insert, update on factor_resets to pirogue_app;

-- Reports read days of a ledger that grows for ever, and what has an end date comes to it.
-- Locks: `ledger_entries` and `events` against writes while their indexes are made.

-- The movements of one balance by time: where a day begins and ends, however old the ledger is, and
-- the list of one country's movements.
create index ledger_entries_of_balance
  on ledger_entries (merchant_id, environment, country, created_at desc, id desc)
  where entry_no is not null;

-- What was told of one payment (or session, settlement, transfer), so that it can be found again
-- when its payer is to be forgotten.
create index events_of_subject on events (merchant_id, (coalesce(transaction_id, subject_id)));

create index deliveries_of_subject on deliveries (merchant_id, subject_id)
  where transaction_id is null and subject_id is not null;

create index checkout_sessions_of_email
  on checkout_sessions (merchant_id, environment, lower(customer_email))
  where customer_email <> '';

-- Sessions that ended unpaid and still name somebody.
create index checkout_sessions_unpaid on checkout_sessions (updated_at)
  where status in ('EXPIRED', 'CANCELLED') and customer_email <> '';

create index customers_forgotten on customers (deleted_at) where deleted_at is not null;

-- In whose chart of accounts a merchant's journal is written. A line that is not here has its
-- default account.
create table journal_accounts (
  merchant_id uuid not null references merchants (id),
  line text not null check (line in (
    'balance', 'reserved', 'frozen', 'debt', 'sales', 'fees', 'payouts', 'settlements',
    'own_funds', 'transfers', 'incidents')),
  account text not null check (account ~ '^[1-9][0-9]{1,9}$'),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, line)
);

-- When each kind of data was last brought to its end date, and how much of it was removed in all.
create table retention_runs (
  kind text not null primary key,
  finished_at timestamptz(3),
  removed bigint not null default 0
);

grant select, insert, update, delete on journal_accounts to pirogue_app;
grant select, insert, update on retention_runs to pirogue_app;

-- Drops the oldest monthly partition of a table, if the whole of it is before `older_than` and
-- nothing in it waits for somebody. Its name, or null. Only an owner may drop, so he lends this act.
-- Who writes to the table waits at most as long as `lock_timeout` says; then it is tried later.
create function drop_oldest_partition(parent text, older_than timestamptz) returns text
language plpgsql security definer
set search_path = public, pg_temp set lock_timeout = '100ms'
as $$
declare
  month text;
  child text;
  waits boolean;
begin
  if parent not in ('events', 'deliveries', 'gateway_callbacks') then
    raise exception 'no partitions of % are dropped', parent;
  end if;
  select c.relname, right(c.relname, 6) into child, month
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = to_regclass(parent) and c.relname ~ ('^' || parent || '_[0-9]{6}$')
   order by c.relname limit 1;
  if child is null
     or (to_date(month, 'YYYYMM') + interval '1 month') at time zone 'UTC' > older_than then
    return null;
  end if;
  execute format('select exists (select 1 from %I where %s)', child,
                 case parent when 'events' then 'seq is null' else 'due_at is not null' end)
     into waits;
  if waits then
    return null;
  end if;
  execute format('drop table %I', child);
  return child;
exception when lock_not_available then
  return null;
end
$$;
revoke execute on function drop_oldest_partition(text, timestamptz) from public;
grant execute on function drop_oldest_partition(text, timestamptz) to pirogue_app;

-- A new month, too, must not make payments wait behind whoever reads for long.
alter function ensure_partitions() set lock_timeout = '1s';

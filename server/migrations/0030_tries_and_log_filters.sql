-- What each try of a delivery got, and lists whose every filter reads a page and no more.
-- Locks: nothing for the new table; the indexes of `deliveries` and `transaction_status_logs` are
-- made anew under a lock that keeps writers waiting. No release stands with a history yet; a later
-- change of this kind is made concurrently.

-- The tries before a delivery's last one, which its own row keeps: a first try that succeeds writes
-- nothing here. Partitioned as the deliveries are, by the delivery's id.
create table delivery_tries (
  merchant_id uuid not null,
  delivery_id uuid not null,
  attempt int not null check (attempt > 0),
  url text not null,
  http_status int,
  response_headers jsonb,
  response_body text not null,
  sent_at timestamptz(3) not null,
  took_ms int check (took_ms >= 0),
  -- No key to `deliveries`: both go with their month.
  primary key (merchant_id, delivery_id, attempt)
) partition by range (delivery_id);
grant select, insert, update on delivery_tries to pirogue_app;

-- As in 0013 and 0024, with the new table.
create or replace function ensure_partitions() returns void
language plpgsql security definer
set search_path = public, pg_temp set lock_timeout = '1s'
as $$
declare
  parent text;
  month timestamptz;
  child text;
begin
  perform pg_advisory_xact_lock(hashtext('pirogue ensure_partitions'));
  foreach parent in array array['events', 'deliveries', 'delivery_tries', 'gateway_callbacks'] loop
    for month in
      select generate_series(date_trunc('month', now(), 'UTC'),
                             date_trunc('month', now(), 'UTC') + interval '3 months',
                             interval '1 month')
    loop
      child := parent || '_' || to_char(month at time zone 'UTC', 'YYYYMM');
      if to_regclass(child) is null then
        execute format(
          'create table %I partition of %I for values from (%L) to (%L)', child, parent,
          uuid_floor(month), uuid_floor(month + interval '1 month'));
        execute format('grant select, insert, update, delete on %I to pirogue_app', child);
      end if;
    end loop;
    if to_regclass(parent || '_default') is null then
      execute format('create table %I partition of %I default', parent || '_default', parent);
    end if;
  end loop;
end
$$;
select ensure_partitions();

-- Deliveries of months gone by can be tried again too: their tries end with them.
do $$
declare
  month timestamptz;
  child text;
begin
  for month in
    select to_date(right(c.relname, 6), 'YYYYMM')::timestamp at time zone 'UTC'
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'deliveries'::regclass and c.relname ~ '^deliveries_[0-9]{6}$'
  loop
    child := 'delivery_tries_' || to_char(month at time zone 'UTC', 'YYYYMM');
    if to_regclass(child) is null then
      execute format(
        'create table %I partition of delivery_tries for values from (%L) to (%L)', child,
        uuid_floor(month), uuid_floor(month + interval '1 month'));
    end if;
  end loop;
end
$$;

-- As in 0024, and a month of deliveries takes its tries with it.
create or replace function drop_oldest_partition(parent text, older_than timestamptz) returns text
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
  if parent = 'deliveries' then
    execute format('drop table if exists %I', 'delivery_tries_' || month);
  end if;
  return child;
exception when lock_not_available then
  return null;
end
$$;

-- The lists of logs are merged from one walk a type of event (logs/store.ts), so that each filter
-- is a range of an index: a page reads what it shows, however long the history. An insert writes as
-- many index entries as before; what is in trouble has indexes of its own, which it does not touch.
drop index deliveries_listed;
create index deliveries_listed
  on deliveries (merchant_id, environment, event_type, created_at, id);
drop index deliveries_of_webhook;
create index deliveries_of_webhook
  on deliveries (merchant_id, webhook_id, event_type, created_at, id);
drop index deliveries_in_trouble;
create index deliveries_in_trouble
  on deliveries (merchant_id, environment, status, event_type, created_at, id)
  where status in ('FAILED', 'EXHAUSTED');
create index deliveries_of_webhook_in_trouble
  on deliveries (merchant_id, webhook_id, status, event_type, created_at, id)
  where status in ('FAILED', 'EXHAUSTED');

-- The feed of one type of event, but for those that every payment makes: they are never far apart,
-- and a payment pays nothing for this.
create index events_of_rare_type on events (merchant_id, environment, type, seq)
  where seq is not null and type not in ('transaction.created', 'transaction.success');

-- The list of moves of status, in the same way.
drop index transaction_status_logs_listed;
create index transaction_status_logs_listed on transaction_status_logs
  (merchant_id, environment, to_status, triggered_by, created_at, id);

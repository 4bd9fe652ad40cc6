-- Months of webhook logs, events and callbacks come to their end, and new ones are made, whatever
-- one row, one table or one wrong clock does. What `ensure_partitions` and `drop_oldest_partition`
-- did in 0030 stays; the old version calls them under the same names.
-- Locks: `retention_runs` and the lanes of webhooks that are off, for an instant. Making room for a
-- month locks its table while the rows that stand in the default partition move, which happens
-- after a process's clock was months ahead, and never otherwise.

-- The partitions of this month and the next three, of every table that is partitioned by an id.
-- Each by itself: one that cannot be made is warned of and made by a later call, and the others are
-- there. Rows that the default partition took because their month was not made yet move into it.
create or replace function ensure_partitions() returns void
language plpgsql security definer
set search_path = public, pg_temp set lock_timeout = '1s'
as $$
declare
  parent text;
  key text;
  rest text;
  child text;
  month timestamptz;
  low uuid;
  high uuid;
  strays boolean;
begin
  perform pg_advisory_xact_lock(hashtext('pirogue ensure_partitions'));
  for parent, key in
    select c.relname, a.attname
      from pg_partitioned_table p
      join pg_class c on c.oid = p.partrelid
      join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
     where p.partstrat = 'r' and a.atttypid = 'uuid'::regtype
       and c.relnamespace = 'public'::regnamespace
     order by c.relname
  loop
    rest := parent || '_default';
    if to_regclass(rest) is null then
      execute format('create table %I partition of %I default', rest, parent);
    end if;
    for month in
      select generate_series(date_trunc('month', now(), 'UTC'),
                             date_trunc('month', now(), 'UTC') + interval '3 months',
                             interval '1 month')
    loop
      child := parent || '_' || to_char(month at time zone 'UTC', 'YYYYMM');
      continue when to_regclass(child) is not null;
      low := uuid_floor(month);
      high := uuid_floor(month + interval '1 month');
      begin
        execute format('select exists (select 1 from %I where %I >= %L and %I < %L)',
                       rest, key, low, key, high)
           into strays;
        if strays then
          -- Whoever writes waits for the move: a row on its way to the default partition would be
          -- refused there once the month is made, and a change of a stray would be lost.
          execute format('lock table %I in access exclusive mode', parent);
          execute format('create table %I (like %I including defaults including constraints)',
                         child, parent);
          execute format(
            'with moved as (delete from %I where %I >= %L and %I < %L returning *)
             insert into %I select * from moved', rest, key, low, key, high, child);
          execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                         parent, child, low, high);
        else
          execute format('create table %I partition of %I for values from (%L) to (%L)',
                         child, parent, low, high);
        end if;
        execute format('grant select, insert, update, delete on %I to pirogue_app', child);
      exception when others then
        raise warning 'The partition % is not made yet: %', child, sqlerrm;
      end;
    end loop;
  end loop;
end
$$;

-- Drops the oldest month of a table that can go, if the whole of it is before `older_than`: its
-- name, or null. A month that somebody reads, or in which something waits, keeps no other. Of
-- webhook logs nothing waits any longer than they are kept.
create or replace function drop_oldest_partition(parent text, older_than timestamptz) returns text
language plpgsql security definer
set search_path = public, pg_temp set lock_timeout = '100ms'
as $$
declare
  child text;
  waits boolean;
begin
  if parent not in ('events', 'deliveries', 'gateway_callbacks') then
    raise exception 'no partitions of % are dropped', parent;
  end if;
  for child in
    select c.relname
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass(parent) and c.relname ~ ('^' || parent || '_[0-9]{6}$')
       and (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC'
           <= older_than
     order by c.relname
  loop
    begin
      if parent <> 'deliveries' then
        execute format('select exists (select 1 from %I where %s)', child,
                       case parent when 'events' then 'seq is null' else 'due_at is not null' end)
           into waits;
        continue when waits;
      end if;
      execute format('drop table %I', child);
      if parent = 'deliveries' then
        execute format('drop table if exists %I', 'delivery_tries_' || right(child, 6));
      end if;
      return child;
    exception when lock_not_available then
      null;
    end;
  end loop;
  return null;
end
$$;

-- How many months and rows of a table should be gone and are not: what a metric tells of.
create function count_overdue(parent text, older_than timestamptz) returns bigint
language plpgsql stable security definer
set search_path = public, pg_temp
as $$
declare
  overdue bigint;
  months bigint;
begin
  if parent not in ('events', 'deliveries', 'gateway_callbacks') then
    raise exception 'no partitions of % are dropped', parent;
  end if;
  select count(*)
    into months
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = to_regclass(parent) and c.relname ~ ('^' || parent || '_[0-9]{6}$')
     and (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC'
         <= older_than;
  execute format('select count(*) from (select 1 from %I where created_at < %L limit 1000) as late',
                 parent || '_default', older_than)
     into overdue;
  return months + overdue;
end
$$;
revoke execute on function count_overdue(text, timestamptz) from public;
grant execute on function count_overdue(text, timestamptz) to pirogue_app;

-- Rows that no month took: a late callback of a month that is gone, a log that a replay made anew.
-- They end as long after they were written as the others do. How many, at most `portion` of them.
create function drop_default_rows(parent text, older_than timestamptz, portion int) returns int
language plpgsql security definer
set search_path = public, pg_temp set lock_timeout = '100ms'
as $$
declare
  ended int;
begin
  if parent not in ('events', 'deliveries', 'gateway_callbacks') then
    raise exception 'no rows of % are dropped', parent;
  end if;
  execute format(
    'delete from %I where ctid = any(array(
       select ctid from %I where created_at < %L and %s limit %s for update skip locked))',
    parent || '_default', parent || '_default', older_than,
    case parent when 'events' then 'seq is not null'
                when 'deliveries' then 'true' else 'due_at is null' end, portion);
  get diagnostics ended = row_count;
  if parent = 'deliveries' then
    delete from delivery_tries_default
     where ctid = any(array(
       select ctid from delivery_tries_default where sent_at < older_than limit portion));
  end if;
  return ended;
exception when lock_not_available then
  return 0;
end
$$;
revoke execute on function drop_default_rows(text, timestamptz, int) from public;
grant execute on function drop_default_rows(text, timestamptz, int) to pirogue_app;

-- The metrics count them.
grant select on events_default, deliveries_default, delivery_tries_default,
  gateway_callbacks_default to pirogue_app;

-- Since when a kind that has never come to its end is looked after.
alter table retention_runs add column began_at timestamptz(3) not null default now();

-- What waited for webhooks that were off stood there for ever: their lanes are visited once more.
update webhook_lanes l
   set due_at = now(), marks = l.marks + 1
  from webhooks w
 where w.merchant_id = l.merchant_id and w.id = l.webhook_id
   and (not w.is_active or w.deleted_at is not null)
   and exists (select 1 from deliveries d
                where d.merchant_id = l.merchant_id and d.webhook_id = l.webhook_id
                  and d.due_at is not null);

-- Room on the pages of deliveries: each is changed once, within seconds, and doubles in size when its
-- answer is written. A new version that leaves its page is logged whole; one that stays, as the
-- difference to the one before (docs/decisions/0067). Tables of months carry their own settings, so
-- each that stands is given room, and `ensure_partitions`, as in 0039 but for that, gives it to each
-- that it makes. For new pages only.
-- Locks: each of these tables for a moment, which waits for nobody but analyze and vacuum.
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
        if parent = 'deliveries' then
          execute format('alter table %I set (fillfactor = 45)', child);
        end if;
      exception when others then
        raise warning 'The partition % is not made yet: %', child, sqlerrm;
      end;
    end loop;
  end loop;
end
$$;

do $$
declare
  child text;
begin
  for child in
    select inhrelid::regclass::text from pg_inherits where inhparent = 'deliveries'::regclass
  loop
    execute format('alter table %s set (fillfactor = 45)', child);
  end loop;
end
$$;

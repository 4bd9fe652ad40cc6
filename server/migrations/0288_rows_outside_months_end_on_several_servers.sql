-- Rows that no month took did not end on a distributed database: Citus' planner finds no row by its
-- ctid, and locks none that it looks for on all servers. There they are found by their key, and one
-- that another holds is waited for. On one PostgreSQL the statements are as they were.
-- Locks: none of a table. It makes nothing that the older version would meet.
create or replace function drop_default_rows(parent text, older_than timestamptz, portion int)
returns int
language plpgsql security definer
set search_path = public, pg_temp set lock_timeout = '100ms'
as $$
declare
  ended int;
  is_spread boolean := exists (select 1 from shard_groups);
  late text;
begin
  if parent not in ('events', 'deliveries', 'gateway_callbacks') then
    raise exception 'no rows of % are dropped', parent;
  end if;
  late := format('from %I where created_at < %L and %s limit %s', parent || '_default', older_than,
    case parent when 'events' then 'seq is not null'
                when 'deliveries' then 'true' else 'due_at is null' end, portion);
  execute format(
    case when is_spread
         then 'delete from %I where (merchant_id, id) in (select merchant_id, id %s)'
         else 'delete from %I where ctid = any(array(select ctid %s for update skip locked))' end,
    parent || '_default', late);
  get diagnostics ended = row_count;
  if parent = 'deliveries' and is_spread then
    delete from delivery_tries_default
     where (merchant_id, delivery_id, attempt) in (
       select merchant_id, delivery_id, attempt from delivery_tries_default
        where sent_at < older_than limit portion);
  elsif parent = 'deliveries' then
    delete from delivery_tries_default
     where ctid = any(array(
       select ctid from delivery_tries_default where sent_at < older_than limit portion));
  end if;
  return ended;
exception when lock_not_available then
  return 0;
end
$$;

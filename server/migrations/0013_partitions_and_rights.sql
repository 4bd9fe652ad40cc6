-- Monthly partitions, and what the application's role may do.
-- Locks: none that anyone waits for.

-- The smallest UUIDv7 of a moment: ids are time, so a month is a range of them.
create function uuid_floor(moment timestamptz) returns uuid
language sql immutable
as $$
  select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0')
          || '70008000000000000000')::uuid
$$;

-- Makes the partitions of this month and the next three; safe to run at any time, by anyone.
create function ensure_partitions() returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  parent text;
  month timestamptz;
  child text;
begin
  perform pg_advisory_xact_lock(hashtext('pirogue ensure_partitions'));
  foreach parent in array array['events', 'deliveries', 'gateway_callbacks'] loop
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

-- Counts the young tables that have grown by half since they were counted. Only an owner may have a
-- table counted, and no process holds the owner's role, so the owner lends this one act.
create function count_outgrown_tables() returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  outgrown text;
begin
  for outgrown in
    select c.relname
      from pg_stat_user_tables s
      join pg_class c on c.oid = s.relid
     where s.schemaname = 'public' and c.reltuples < 500000
       and s.n_mod_since_analyze > 200 + greatest(c.reltuples, 0) / 2
     order by c.relname
  loop
    execute format('analyze %I', outgrown);
  end loop;
end
$$;
revoke execute on function count_outgrown_tables() from public;
grant execute on function count_outgrown_tables() to pirogue_app;

grant usage on schema public to pirogue_app;
revoke execute on function ensure_partitions() from public;
grant execute on function ensure_partitions() to pirogue_app;
grant select, insert, update on all tables in schema public to pirogue_app;

-- Rows with an end date may be deleted; everything about money stays.
grant delete on rate_windows, prompt_windows, idempotency_keys, leases, callback_directory,
  ip_whitelist, webhook_subscriptions, pricing_tiers, merchant_pricing_tiers,
  merchant_pricing_rules, events, deliveries, gateway_callbacks, service_addresses, worker_beats
  to pirogue_app;

-- Append-only: what was written stays as it was written.
revoke update on ledger_entries, transaction_status_logs, holds, hold_ends, exchange_rates
  from pirogue_app;
do $$
begin
  if to_regclass('schema_migrations') is not null then
    revoke insert, update on schema_migrations from pirogue_app;
  end if;
end
$$;

-- Young tables are counted more cheaply. What counting finds was 0.5 kB of log a payment in an
-- installation of minutes: of each column of each table, also of texts that no statement looks for. A
-- table counts as grown by its rows now, as was meant (a payment changes its row twice, and so a table
-- was counted anew when it had a sixth more), and of its columns only those of its B-trees are
-- counted, by which plans are chosen, and coarsely: autovacuum counts all of them in its own time. A
-- count of some columns does not end the changes since the last, so `n_mod_since_analyze` is for
-- autovacuum alone.
-- Locks: nothing that anyone waits for.
create or replace function count_outgrown_tables() returns void
language plpgsql security definer
set search_path = public, pg_temp set default_statistics_target = 25
as $$
declare
  outgrown text;
  looked_for text;
begin
  for outgrown, looked_for in
    select c.relname, (
             select string_agg(distinct format('%I', a.attname), ', ')
               from pg_index i
               join pg_class x on x.oid = i.indexrelid
               join pg_am m on m.oid = x.relam and m.amname = 'btree'
               join pg_attribute a on a.attrelid = i.indrelid
                -- Of its key, or of what it reckons or is limited by. Of what it reckons itself
                -- nothing is counted: that is autovacuum's.
                and (a.attnum = any(i.indkey::int2[])
                     or exists (select 1 from pg_depend d
                                 where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
                                   and d.refclassid = 'pg_class'::regclass
                                   and d.refobjid = i.indrelid and d.refobjsubid = a.attnum))
              where i.indrelid = c.oid and a.attnum > 0)
      from pg_stat_user_tables s
      join pg_class c on c.oid = s.relid
     where s.schemaname = 'public' and c.reltuples < 500000
       and s.n_live_tup > 200 + greatest(c.reltuples, 0) * 1.5
     order by c.relname
  loop
    execute format('analyze %I %s', outgrown, coalesce('(' || looked_for || ')', ''));
  end loop;
end
$$;

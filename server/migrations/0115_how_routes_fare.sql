-- How routes fare, minute by minute, so that an ill one is tried last and a dead one is left; and how
-- much may be with an account at once that is not known to have ended.
-- Locks: the new table's own; `route_health` and `gateways` for a moment each (columns without a
-- rewrite).
-- While the older version runs: it goes on by `skip_until` alone and leaves the new columns as they
-- are.

create table route_stats (
  route_id uuid not null references routes (id),
  minute timestamptz(0) not null,
  good int not null default 0,
  bad int not null default 0,
  -- What the payer caused, and prompts that nobody answered in time.
  payer int not null default 0,
  expired int not null default 0,
  -- Sent in this minute and not known yet.
  unknown int not null default 0,
  -- Three of the merchants at most, as numbers that name nobody: whether there were as many.
  merchants int[] not null default '{}',
  primary key (route_id, minute)
);
create index route_stats_by_minute on route_stats using brin (minute);
grant select, insert, update, delete on route_stats to pirogue_app;

alter table route_health
  -- When a process last found that it is broken, or well again; of two, the later one counts.
  add column turned_at timestamptz(3),
  -- Since when it is broken without a break; null: it is well.
  add column broken_since timestamptz(3),
  add column openings int not null default 0,
  -- Tried after the others since then; null: it is not.
  add column demoted_at timestamptz(3),
  add column changed_at timestamptz(3),
  -- How many looks in a row spoke for a change.
  add column streak int not null default 0,
  add column looked_at timestamptz(3),
  -- What 28 days of it were like, as of `usual_at`.
  add column usual_good bigint not null default 0,
  add column usual_bad bigint not null default 0,
  add column usual_expired bigint not null default 0,
  add column usual_at timestamptz(3);

alter table gateways
  -- Hundredths in the account's currency; null: no limit.
  add column exposure_limit_collect bigint check (exposure_limit_collect > 0),
  add column exposure_limit_disburse bigint check (exposure_limit_disburse > 0);

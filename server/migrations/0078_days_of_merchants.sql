-- A merchant's day is one of its own clocks (contract 8.20): by the zone of its country until it
-- names another, which counts from the next local midnight; days that were keep the zone they had.
-- Merchants that are there already had days of UTC, so theirs change at the next midnight as well.
-- Locks: none that anyone waits for.

-- Where most of a country's people live; UTC for what is no country of ours.
create function time_zone_of(country text) returns text
language sql immutable
as $$
  select case country
    when 'BF' then 'Africa/Ouagadougou' when 'BJ' then 'Africa/Porto-Novo'
    when 'CD' then 'Africa/Kinshasa' when 'CF' then 'Africa/Bangui'
    when 'CG' then 'Africa/Brazzaville' when 'CI' then 'Africa/Abidjan'
    when 'CM' then 'Africa/Douala' when 'GA' then 'Africa/Libreville'
    when 'GH' then 'Africa/Accra' when 'GM' then 'Africa/Banjul'
    when 'GN' then 'Africa/Conakry' when 'GQ' then 'Africa/Malabo'
    when 'GW' then 'Africa/Bissau' when 'LR' then 'Africa/Monrovia'
    when 'MA' then 'Africa/Casablanca' when 'ML' then 'Africa/Bamako'
    when 'NE' then 'Africa/Niamey' when 'NG' then 'Africa/Lagos'
    when 'SL' then 'Africa/Freetown' when 'SN' then 'Africa/Dakar'
    when 'TD' then 'Africa/Ndjamena' when 'TG' then 'Africa/Lome'
    else 'UTC' end
$$;

-- The first moment of a date in a zone. Where the clocks skip midnight, the moment they skip it;
-- where they show it twice (set back by an hour after it), the first of the two.
create function start_of_day(day date, zone text) returns timestamptz
language sql stable
as $$
  select case when ((midnight - interval '1 hour') at time zone zone)::date = day
              then midnight - interval '1 hour' else midnight end
    from (select day::timestamp at time zone zone as midnight) as m
$$;

-- A day begins where the day before ends, so each moment is of one day, whatever zones follow each
-- other: `from_at` is the midnight that ended the last day of the zone before.
create table merchant_time_zones (
  merchant_id uuid not null references merchants (id),
  from_day date not null,
  from_at timestamptz(3) not null,
  zone text not null check (length(zone) between 1 and 64),
  primary key (merchant_id, from_day)
);
grant select, insert, update, delete on merchant_time_zones to pirogue_app;

-- All zones of a merchant in their order, each until the next. Without a row: the country's, always.
create function time_zones_of(merchant uuid)
returns table (
  from_day date, from_at timestamptz, until_day date, until_at timestamptz, zone text
)
language sql stable rows 1
as $$
  select z.from_day, z.from_at,
         coalesce(lead(z.from_day) over later, 'infinity'),
         coalesce(lead(z.from_at) over later, 'infinity'), z.zone
    from merchant_time_zones z
   where z.merchant_id = merchant
  window later as (order by z.from_day)
  union all
  select '0001-01-01', '0001-01-01 00:00:00+00', 'infinity', 'infinity', time_zone_of(m.country)
    from merchants m
   where m.id = merchant
     and not exists (select from merchant_time_zones z where z.merchant_id = merchant)
$$;

-- The first moment of a merchant's day.
create function start_of_merchants_day(merchant uuid, day date) returns timestamptz
language sql stable
as $$
  select case when day = z.from_day then z.from_at
              else least(greatest(start_of_day(day, z.zone), z.from_at), z.until_at) end
    from time_zones_of(merchant) z
   where z.from_day <= day and day < z.until_day
$$;

-- The day of a merchant that a moment is in.
create function merchants_day_of(merchant uuid, at timestamptz) returns date
language sql stable
as $$
  select greatest(z.from_day, least((at at time zone z.zone)::date, z.until_day - 1))
    from time_zones_of(merchant) z
   where z.from_at <= at and at < z.until_at
$$;

insert into merchant_time_zones (merchant_id, from_day, from_at, zone)
select m.id, d.from_day, d.from_day::timestamp at time zone 'UTC', d.zone
  from merchants m
 cross join lateral (
   values (date '0001-01-01', 'UTC'),
          ((now() at time zone 'UTC')::date + 1, time_zone_of(m.country))) as d (from_day, zone)
 where time_zone_of(m.country) <> 'UTC';

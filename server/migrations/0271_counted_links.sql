-- What came of each payment link on each day that is over, so that months of links are read as some
-- lines and not in the log of what ended. A worker counts a day of links after the day itself is
-- counted; no payment writes here.
-- Locks: the marks, one row a feed, for as long as their small index is made. The older version
-- counts days on, and its marks of links stay where they are.

create table counted_links (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  day date not null,
  payment_link uuid not null,
  country text not null,
  currency text not null,
  status text not null check (status in ('SUCCESS', 'FAILED')),
  count integer not null check (count > 0),
  -- Hundredths of what succeeded.
  requested bigint not null check (requested >= 0),
  fees bigint not null check (fees >= 0),
  net bigint not null check (net >= 0),
  primary key (merchant_id, environment, day, payment_link, country, currency, status)
);
-- Update and delete: a day that is counted again is written as it was counted last.
grant select, insert, update, delete on counted_links to pirogue_app;

-- How far links are counted: all days before it are, and none beyond `until_day`.
alter table counting_marks add column links_until_day date not null default '1970-01-01';
create index counting_marks_links on counting_marks (merchant_id) where links_until_day < until_day;

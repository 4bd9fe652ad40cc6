-- How far into each feed deliveries have been made. The events of a payment get their number in the
-- statement that makes the change, and one job makes the deliveries of what is numbered. Everything
-- that has a number so far has its deliveries; a process of before that numbers events and makes
-- their deliveries meanwhile does no harm, because a delivery is made once. Locks nothing.
create table delivery_marks (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  seq bigint not null default 0,
  primary key (merchant_id, environment)
) with (fillfactor = 50);
grant select, insert, update on delivery_marks to pirogue_app;

insert into delivery_marks (merchant_id, environment, seq)
select merchant_id, environment, last_seq from event_feeds;

-- How often the page of a payment link was opened, by the merchant's day: written by each process
-- every ten seconds for all the links that it showed, so that no page waits for a row and no row is
-- written at each page. Nothing of who opened it is kept.
-- Locks: none that anybody waits for; the table is new.
create table link_visits (
  merchant_id uuid not null,
  payment_link uuid not null,
  day date not null,
  visits bigint not null check (visits > 0),
  primary key (merchant_id, payment_link, day),
  foreign key (merchant_id, payment_link) references payment_links (merchant_id, id)
);
grant select, insert, update on link_visits to pirogue_app;

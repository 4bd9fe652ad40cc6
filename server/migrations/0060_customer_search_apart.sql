-- The search of customers leaves the payment's way: the trigram index of 0042 cost each payment of a
-- new customer one insertion and a twentieth more of WAL. A row beside the customer holds what can
-- be searched of him; due work makes it minutes after he is new, and until then he is looked at
-- himself, by the index of the list.
-- Locks: none while what stands is copied (about a minute for each million customers); then
-- `customers` against everybody for a moment, while the index goes.
-- The version before this one searches without an index meanwhile: each of its searches reads all of
-- the merchant's customers, or is ended after 8 s. Payments do as before. Whom it changes is found by
-- what he was, and whom it erases is counted (not shown), until `changed-customers` of this version
-- makes the row anew, each ten minutes, from the audit log.

create table customer_search (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  -- Folded. Of whoever is erased nothing but the spaces between.
  words text not null,
  -- No key to `customers`: its check would lock, and so write, each row there once more.
  primary key (merchant_id, id)
);

-- Up to whom every customer has a row above, in the order of the list. By the database's clock: ids
-- are made by clocks of processes, which may be minutes apart.
create table customer_search_marks (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  made_at timestamptz(3) not null,
  customer_id uuid not null,
  primary key (merchant_id, environment)
);

-- Only those before whom nobody can still be committed (customers/search/index-customers.ts).
insert into customer_search (merchant_id, id, environment, words)
select merchant_id, id, environment,
       fold_text(first_name || ' ' || last_name || ' ' || coalesce(email, '') || ' '
                 || coalesce(phone, ''))
  from customers
 where created_at < now() - interval '3 minutes'
 order by merchant_id, id;

insert into customer_search_marks (merchant_id, environment, made_at, customer_id)
select distinct on (merchant_id, environment) merchant_id, environment, created_at, id
  from customers
 where created_at < now() - interval '3 minutes'
 order by merchant_id, environment, created_at desc, id desc;

create index customer_search_found on customer_search
  using gin (merchant_id, environment, words gin_trgm_ops)
  with (fastupdate = on, gin_pending_list_limit = 1024);

grant select, insert, update on customer_search, customer_search_marks to pirogue_app;

-- Last, because it waits for whoever writes and keeps all others out.
drop index customers_found;

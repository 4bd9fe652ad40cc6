-- Search and filters over a long history. A row says of a transaction that has ended what can be
-- searched and filtered; due work writes it after the payment (decision 0018), so a payment pays
-- nothing for it. Whatever changed since is known by its event and looked at itself.
-- Locks: `transactions` against writes while one index is made, and what stands already is copied.
-- No release stands with a history yet; a later change of this kind is backfilled by a job.

-- Letters without accents and case, œ and æ in two letters, one kind of apostrophe: the same for
-- what is stored and what is asked. (`lower` alone would differ by the database's locale.)
create function fold_text(said text) returns text
language plpgsql immutable parallel safe strict
as $$
begin
  -- Most is plain ASCII, for which the rest would change nothing.
  if octet_length(said) = char_length(said) then
    return lower(said);
  end if;
  return lower(translate(
    replace(replace(replace(replace(
      regexp_replace(normalize(said, nfkd), '[\u0300-\u036f]', '', 'g'),
      'œ', 'oe'), 'Œ', 'OE'), 'æ', 'ae'), 'Æ', 'AE'),
    '’‘ʼ', ''''''''));
end
$$;

create table transaction_search (
  merchant_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  created_at timestamptz(3) not null,
  status text not null check (status in ('SUCCESS', 'FAILED', 'CANCELLED')),
  transaction_type text not null,
  currency text not null,
  country_code text not null,
  network_code text,
  -- Folded; each field stands after a space.
  words text not null,
  -- No key to `transactions`: its check would lock, and so write, each row there once more.
  primary key (merchant_id, id)
);

-- How far in a feed of events the rows above are made.
create table transaction_search_marks (
  merchant_id uuid not null,
  environment text not null check (environment in ('SANDBOX', 'LIVE')),
  seq bigint not null default 0,
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, environment)
);

insert into transaction_search (merchant_id, id, environment, created_at, status,
  transaction_type, currency, country_code, network_code, words)
select t.merchant_id, t.id, t.environment, t.created_at, t.status, t.transaction_type,
       t.currency, t.country_code, t.network_code,
       fold_text(concat_ws(' ', '', t.reference, t.external_reference,
         t.customer_first_name, t.customer_last_name, t.customer_email, t.customer_phone,
         nullif(t.operation_msisdn, t.customer_phone), s.slug, l.slug))
  from transactions t
  left join checkout_sessions s on s.merchant_id = t.merchant_id and s.id = t.checkout_session
  left join payment_links l on l.merchant_id = t.merchant_id and l.id = t.payment_link
 where t.status <> 'PENDING'
 order by t.created_at;
insert into transaction_search_marks (merchant_id, environment, seq)
select merchant_id, environment, last_seq from event_feeds;

-- Each column can be asked for or not; what a pending list of a megabyte holds is read in a moment.
create index transaction_search_found on transaction_search
  using gin (merchant_id, environment, status, transaction_type, currency, country_code,
             network_code, words gin_trgm_ops)
  with (fastupdate = on, gin_pending_list_limit = 1024);

-- The unended of one status, in the order of the list: what the older index did, and more.
create index transactions_by_status
  on transactions (merchant_id, environment, status, created_at desc, id desc)
  where status <> 'SUCCESS';
drop index transactions_unended;

grant select, insert, update on transaction_search, transaction_search_marks
  to pirogue_app;

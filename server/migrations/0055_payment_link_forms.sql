-- What a payment link asks of its payer, and where it leads him (decisions 8.3). A table beside the
-- links: a link's row is written by each payment, and these may be large, so they stay out of it. A
-- link without a row here (the old version makes such) has what the columns' defaults say. A new
-- table: nothing is locked.
create table payment_link_forms (
  merchant_id uuid not null,
  id uuid not null,
  custom_fields jsonb not null default '[]',
  require_phone boolean not null default false,
  redirect_url text not null default '' check (length(redirect_url) <= 2048),
  show_confirmation_page boolean not null default true,
  facebook_pixel_id text not null default '' check (length(facebook_pixel_id) <= 100),
  google_ads_id text not null default '' check (length(google_ads_id) <= 100),
  -- Set by staff only.
  admin_locked boolean not null default false,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references payment_links (merchant_id, id)
);

grant select, insert, update on payment_link_forms to pirogue_app;

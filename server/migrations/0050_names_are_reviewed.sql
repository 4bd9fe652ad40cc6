-- LIVE pages and receipts show the name that staff have looked at; a change after the approval waits
-- for them, and comes to an end by itself.
-- Locks: `merchants` for a moment; three columns without a default rewrite nothing, and the update
-- touches the approved merchants once. Older processes go on showing what was written last.

alter table merchants
  -- Null: staff have approved nothing yet, so nothing of LIVE is shown either.
  add column reviewed_name text check (reviewed_name <> ''),
  add column reviewed_brand_name text,
  add column reviewed_logo_key text,
  add column name_review_since timestamptz(3);

update merchants
   set reviewed_name = name, reviewed_brand_name = brand_name, reviewed_logo_key = brand_logo_key
 where approved_at is not null;

create index merchants_renamed on merchants (name_review_since) where name_review_since is not null;

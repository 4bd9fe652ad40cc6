-- Staff look at transfers over all merchants, newest first, and take up one by its id alone. A
-- transfer between currencies that meet in a third rests on two rates: both are kept with it.
-- Locks: `wallet_transfers` for a moment for the column, and against writing while the indexes are
-- built: no verb has written to it yet.

alter table wallet_transfers
  add column cross_rate_id uuid,
  add constraint wallet_transfers_cross_rate check (cross_rate_id is null or rate_id is not null),
  add constraint wallet_transfers_rejected
    check ((status = 'REJECTED') = (rejection_reason <> ''));

create index wallet_transfers_by_id on wallet_transfers (id);
create index wallet_transfers_of_all
  on wallet_transfers (environment, created_at desc, id desc);

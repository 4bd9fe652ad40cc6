-- Staff look at settlements over all merchants, newest first, and take up one by its id alone; a
-- failure has a code that is the same for every gateway, and a bank's proof is a file of ours.
-- Locks: `settlements` for a moment for the columns, and against writing while the indexes are
-- built: no verb has written to it yet.

alter table settlements
  add column failure_code text not null default '',
  -- The file that staff handed in: where it lies in the storage, and its content type.
  add column proof_key text not null default '',
  add column proof_type text not null default '',
  add constraint settlements_proof check ((proof_key = '') = (proof_type = '')),
  -- A bank's has none; whoever has one was paid by it.
  add constraint settlements_settled check (settled_attempt is null or status = 'SUCCESS'),
  add constraint settlements_mode check (
    case fee_charge_mode when 'ADD_ON' then net_amount else debited_amount end
      = requested_amount);

create index settlements_by_id on settlements (id);
create index settlements_unsent on settlements (id) where status = 'APPROVED';
create index settlements_of_all on settlements (environment, created_at desc, id desc);

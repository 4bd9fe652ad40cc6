-- A LIVE account with an operator is switched on by two of the staff: one more kind of proposal.
-- Locks: `staff_proposals` (a few rows) for the moment of the change.
alter table staff_proposals drop constraint staff_proposals_kind_check;
alter table staff_proposals add constraint staff_proposals_kind_check
  check (kind in ('STAFF_ADDED', 'STAFF_CHANGED', 'STAFF_FACTOR_RESET', 'EXCHANGE_RATE',
                  'GATEWAY_ACCOUNT'));

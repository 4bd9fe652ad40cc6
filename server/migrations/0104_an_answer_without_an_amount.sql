-- `ANSWER_ASKED`: the operator names no amount; it took a question of ours that named it.
-- Locks: `transaction_status_logs` for a moment; no row is read (the check is for new rows).
alter table transaction_status_logs
  drop constraint transaction_status_logs_evidence_kind_check,
  add constraint transaction_status_logs_evidence_kind_check
    check (evidence_kind in ('CALLBACK', 'CREATE_ANSWER', 'STATUS_ANSWER', 'ANSWER_ASKED', 'STAFF',
                             'RULE')) not valid;

-- An operator's clock that is far from ours proves no callback any more, and is an alarm: of no
-- refusal, and of no call in particular.
-- Locks: `gateway_alarms` while its rows of a week are looked at.
-- While the older version runs: it writes none of these, and reads none but of credentials.

alter table gateway_alarms drop constraint gateway_alarms_kind_check;
alter table gateway_alarms add constraint gateway_alarms_kind_check
  check (kind in ('CREDENTIAL', 'CONFIGURATION', 'CLOCK'));
alter table gateway_alarms drop constraint gateway_alarms_call_check;
alter table gateway_alarms add constraint gateway_alarms_call_check
  check (call in ('CREATE', 'ASK', 'REFUND', 'ANY') and (call = 'ANY') = (kind = 'CLOCK'));

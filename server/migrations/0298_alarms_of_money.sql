-- An operator may contradict itself, or what it was asked; and a part of a payment may be given back
-- at its own desk, of which it does not say how much. Both are alarms that people must see, with the
-- reference that they find the money by; neither is a refusal of a call.
-- Locks: `gateway_alarms` while its rows of a week are looked at; a column with a constant default
-- rewrites nothing.
-- While the older version runs: it writes none of these; a check by it calls them far clocks.

alter table gateway_alarms add column about text not null default '' check (length(about) <= 200);
alter table gateway_alarms drop constraint gateway_alarms_kind_check;
alter table gateway_alarms add constraint gateway_alarms_kind_check
  check (kind in ('CREDENTIAL', 'CONFIGURATION', 'CLOCK', 'CONTRADICTION', 'GIVEN_BACK'));
alter table gateway_alarms drop constraint gateway_alarms_call_check;
alter table gateway_alarms add constraint gateway_alarms_call_check
  check (call in ('CREATE', 'ASK', 'REFUND', 'ANY')
         and (call = 'ANY') = (kind in ('CLOCK', 'CONTRADICTION', 'GIVEN_BACK')));

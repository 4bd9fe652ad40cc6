-- What waits for a decision of staff is listed without reading what was decided (approvals/).
create index settlements_waiting on settlements (environment, created_at) where status = 'PENDING';
create index merchants_waiting on merchants (id) where kyc_status = 'PENDING';
create index incidents_proposed on incidents (environment, proposed_at)
  where status = 'OPEN' and proposed_by is not null;
create index adjustments_waiting on adjustments (environment, created_at) where status = 'PENDING';

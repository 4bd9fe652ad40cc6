-- What operators answered that is nobody's payment's fault: our credentials, or how we are set up.
-- Three of credentials in a minute, over all processes, throw the account's switch.
-- Locks: none, the table is new. The older version writes none.

create table gateway_alarms (
  id uuid primary key,
  gateway_id uuid not null references gateways (id),
  kind text not null check (kind in ('CREDENTIAL', 'CONFIGURATION')),
  created_at timestamptz(3) not null default now()
);
create index gateway_alarms_of on gateway_alarms (gateway_id, created_at);
grant select, insert, delete on gateway_alarms to pirogue_app;

-- What an operator says of how each network works just now: read once a minute of each account whose
-- operator tells it. A reading counts for a few minutes only, by `states_read_at`.
-- Locks: `gateways` for a moment (columns with constant defaults). The older version reads none.

create table operator_states (
  gateway_id uuid not null references gateways (id),
  network_id uuid not null references networks (id),
  direction text not null check (direction in ('COLLECT', 'DISBURSE')),
  state text not null check (state in ('OPERATIONAL', 'DELAYED', 'CLOSED')),
  -- Since when our readings have said so without a break.
  since timestamptz(3) not null,
  primary key (gateway_id, network_id, direction)
);
grant select, insert, update, delete on operator_states to pirogue_app;

alter table gateways
  add column states_asked_at timestamptz(3) not null default '-infinity',
  add column states_read_at timestamptz(3) not null default '-infinity';

-- How a payer confirms, and for how long they are waited for, belongs to the route: one network is had
-- by a code through one operator and on a page through another (docs/decisions/0205). Null: as the
-- network's own, and as long as its operator usually waits. An attempt keeps what its route had when it
-- was chosen, because staff may change the route while its payer is still on the page.
-- Locks: `routes` for a moment (it is small), and `attempts` for a moment: two columns without a value,
-- and checks that no row of before is looked through for.
-- The older version reads neither and goes by the network alone: set no route apart from its network
-- before every process is of this version. What it writes has no flow here, and is taken as its
-- network's.
alter table routes
  add column flow text,
  add column otp_kind text,
  add column prompt_lifetime_s int,
  add constraint routes_flow_check check (flow in ('push', 'redirect')),
  add constraint routes_otp_kind_check check (otp_kind in ('NONE', 'PRE', 'POST')),
  add constraint routes_prompt_lifetime_s_check check (prompt_lifetime_s between 60 and 86400),
  -- Whoever is paid confirms nothing.
  add constraint routes_confirmed_by_payers check (
    direction = 'COLLECT' or (flow is null and otp_kind is null and prompt_lifetime_s is null));

alter table attempts
  add column flow text,
  add column prompt_lifetime_s int,
  add constraint attempts_flow_check check (flow in ('push', 'redirect')) not valid,
  add constraint attempts_prompt_lifetime_s_check check (prompt_lifetime_s > 0) not valid;

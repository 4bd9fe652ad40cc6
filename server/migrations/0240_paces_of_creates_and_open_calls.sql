-- How often an account may be sent anything, and how many calls may be under way there at once, as
-- it was agreed on with its operator; and each process's share of that, beside its share of
-- questions.
-- Locks: `gateways` and `gateway_pace` for a moment (columns without a rewrite). The older version
-- writes shares of questions only, and sends creates without a share, as before.

alter table gateways
  -- Null: as usual at its operator, which may be without a limit.
  add column asks_per_s int check (asks_per_s > 0),
  add column creates_per_s int check (creates_per_s > 0),
  add column open_calls int check (open_calls > 0);

alter table gateway_pace
  add column create_share int not null default 0 check (create_share >= 0),
  add column former_create_share int not null default 0,
  add column open_share int not null default 0 check (open_share >= 0),
  -- More than its share may still be under way there, until the process says that it is not.
  add column former_open_share int not null default 0;

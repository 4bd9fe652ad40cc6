-- What payers know an operator by, and what its numbers begin with (contract 8.17): shown, and used to
-- guess the network of a number. Empty means unknown; `mark_sources` says for each where it is from
-- and of which day. The seed fills what nobody has filled.
-- Locks: `networks` (a table of some dozen rows) for the moment of each change; nothing is rewritten.
alter table networks
  add column colour text not null default '' check (colour ~ '^(#[0-9a-f]{6})?$'),
  add column rank int check (rank >= 1),
  add column prefixes text[] not null default '{}',
  add column ussd text not null default '' check (ussd ~ '^([*#][0-9*#]{1,30}#)?$'),
  add column mark_sources jsonb not null default '{}';

-- The map of a distributed database: which hashes of merchants each shard group has, and where it
-- is now (docs/decisions/0068). `db distribute` writes it; on one PostgreSQL it stays empty.
-- Locks: none, the table is new. The older version does not read it.

create table shard_groups (
  no int primary key,
  hash_min int not null unique,
  hash_max int not null,
  host text not null,
  port int not null,
  -- Empty: named as the one that this table is in.
  database text not null default '',
  schema_name text not null,
  check (hash_min <= hash_max)
);
grant select on shard_groups to pirogue_app;

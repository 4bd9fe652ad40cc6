-- A shorter cooling-off of payout methods is in force only after a time in which owners can object.
-- Locks: `merchants` for a moment (columns without a rewrite).
-- While the older version runs it reads the longer time that stands beside the change.

alter table merchants
  -- Asked for and not in force yet; the hours null with a moment: the platform's own time.
  add column cooling_off_next int check (cooling_off_next >= 0),
  add column cooling_off_next_at timestamptz(3),
  add column cooling_off_next_by uuid,
  add column cooling_off_wait_h int check (cooling_off_wait_h > 0),
  add constraint merchants_cooling_off_next_whole
    check (cooling_off_next_at is not null
      or num_nonnulls(cooling_off_next, cooling_off_next_by, cooling_off_wait_h) = 0);
-- For the worker that puts what is due in force and tells the owners.
create index merchants_cooling_off_changing on merchants (cooling_off_next_at)
  where cooling_off_next_at is not null;

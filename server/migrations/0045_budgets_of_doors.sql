-- What strangers may leave here is bounded: a callback's text, and how long a count of tries stays.
-- Safe while the old version runs: it writes no longer texts than operators send, and a count that it
-- makes ends after a day, as all did.
-- Locks: `gateway_callbacks` and `throttle_windows` a moment each, nothing is read through (the check
-- holds for new rows); then `throttle_windows` against writing while its index is made, a small table.

alter table gateway_callbacks
  add constraint gateway_callbacks_body_bounded check (char_length(body) <= 65536) not valid;

-- Each kind of try has a window of its own length: a row goes when its window is over, not a day
-- later, so a flood of addresses does not pile up. The index takes the place of the one by age.
alter table throttle_windows
  add column ends_at timestamptz(0) not null default now() + interval '1 day';
create index throttle_windows_by_end on throttle_windows (ends_at);
drop index throttle_windows_by_age;

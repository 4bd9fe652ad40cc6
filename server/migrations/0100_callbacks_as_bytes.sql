-- A callback is kept as the bytes that came, with what its signature covered: a proof that is
-- judged again later is judged over the same thing. `body` holds what was kept as text before.
-- `BEARER`: a token of ours came back; it wakes, and it is no evidence.
-- Locks: `gateway_callbacks` for a moment; no row is read or rewritten (the checks are for new rows).
alter table gateway_callbacks
  alter column body set default '',
  add column raw bytea,
  -- Method, authority, path, query and the headers of a signature; null where nothing is signed.
  add column request jsonb,
  add constraint gateway_callbacks_raw_bounded check (octet_length(raw) <= 65536) not valid,
  drop constraint gateway_callbacks_proof_check,
  add constraint gateway_callbacks_proof_check
    check (proof in ('SIGNED', 'BEARER', 'UNSIGNED')) not valid;

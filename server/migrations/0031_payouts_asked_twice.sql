-- A payout that its operator has taken is released by "not found" only when he has said so twice, an
-- hour apart (decisions 8.13): what the two questions leave between them.
-- Locks: `attempts` a moment for the columns; no row is written, and the older version reads none.

alter table attempts
  -- Some word of the operator said that he has it, when no answer to a send did (`accepted_at`).
  add column acknowledged_at timestamptz(3),
  -- Since when he says that he does not know it, after its time of grace and without another word.
  add column not_found_at timestamptz(3);

-- Another amount than was asked, booked to the merchant by two people, is not booked a second time
-- by what the operator says later: that is an incident of its own, about the difference.
-- Locks: `attempts` and `transactions` a moment for columns that are null; `incidents` against
-- writing while its index is made: few rows. The older version writes none of them, and its
-- incidents are unique as before.

alter table attempts
  -- The incident by which people booked it last, and the operator's total that this has answered.
  add column booked_by uuid,
  add column booked_amount bigint check (booked_amount >= 0),
  add constraint attempts_booked check ((booked_by is null) = (booked_amount is null));

-- On the row that a success moves: whoever decided before the booking finds it there (money 4).
alter table transactions add column booked_attempt uuid;

-- The incident whose booking it corrects; the first of an attempt corrects none.
alter table incidents add column follows uuid;
drop index incidents_once_an_attempt;
create unique index incidents_once_an_attempt on incidents (merchant_id, type, attempt_id, follows)
  nulls not distinct where attempt_id is not null;

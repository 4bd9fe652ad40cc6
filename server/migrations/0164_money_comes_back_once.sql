-- What an operator takes back of one attempt is one incident, whichever name it is put down by: a
-- process of an older version may say REVERSED_AFTER_SUCCESS of what a newer one calls RETURNED, and
-- people could credit both.
-- Pairs of before stay readable: one of them follows the other, and of that one nothing is credited
-- (`resolution.ts`). What was credited stands first, then what is open.
-- Locks: `incidents` against writing until the end, so that no pair comes in between: few rows. The older version inserts
-- `on conflict do nothing`, so its second is not written.

lock table incidents in share row exclusive mode;

update incidents i
   set follows = p.head
  from (select merchant_id, id,
               row_number() over w as place, first_value(id) over w as head
          from incidents
         where type in ('RETURNED', 'REVERSED_AFTER_SUCCESS') and attempt_id is not null
        window w as (
          partition by merchant_id, attempt_id
              order by (status = 'RESOLVED' and resolution = 'CREDIT_MERCHANT') desc,
                       (status = 'OPEN') desc, (type = 'RETURNED') desc, created_at, id)) p
 where i.merchant_id = p.merchant_id and i.id = p.id and p.place > 1 and i.follows is null;

create unique index incidents_once_taken_back on incidents (merchant_id, attempt_id, follows)
  nulls not distinct
  where type in ('RETURNED', 'REVERSED_AFTER_SUCCESS') and attempt_id is not null;

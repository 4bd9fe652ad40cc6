-- Which member or API key moved a transaction: a payment that is asked for again is somebody's doing,
-- and its story names whoever asked first. Null: nobody of the merchant did, or it was before this.
-- Locks: the table for a moment, a column without a default is no rewrite. The older version leaves
-- it empty.

alter table transaction_status_logs add column actor_id uuid;

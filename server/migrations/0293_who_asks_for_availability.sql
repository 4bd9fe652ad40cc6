-- The endpoints that have asked for changes of availability are found among those of all merchants.
-- Locks: `webhook_subscriptions` against writes while the index is made, which reads it once; no
-- payment writes it, and a call that subscribes waits.
-- While the older version runs: it may subscribe to what it knows alone.

create index webhook_subscriptions_to_availability
  on webhook_subscriptions (merchant_id, webhook_id) where event_type = 'availability.changed';

// The routes around webhooks: endpoints, subscriptions, logs, replays, and the feed itself.

import { eventRoutes } from '../events/routes.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Route } from '../platform/http/route.ts'
import { eventCatalogueRoutes } from '../webhooks/catalogue/routes.ts'
import { logRoutes } from '../webhooks/logs/routes.ts'
import { replayRoutes } from '../webhooks/replays/routes.ts'
import { type WebhookRouteDeps, webhookRoutes } from '../webhooks/routes.ts'
import { subscriptionRoutes } from '../webhooks/subscriptions/routes.ts'

export type EventDeps = WebhookRouteDeps & Readonly<{ keyring: Pick<Keyring, 'mac'> }>

export const webhookAndEventRoutes = (deps: EventDeps): Route[] => [
  // A key of its own: its cursors are places in a feed, and fit no other list.
  ...eventRoutes({ db: deps.db, cursor_secret: deps.keyring.mac('cursor', 'events') }),
  ...webhookRoutes(deps),
  ...logRoutes({ ...deps, cursor_secret: deps.keyring.mac('cursor', 'v1') }),
  ...replayRoutes(deps),
  ...subscriptionRoutes(deps),
  ...eventCatalogueRoutes(),
]

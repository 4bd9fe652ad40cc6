// An endpoint of the caller (contract 3.5).

import type { Sql } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import type { Webhook } from '../webhook.ts'
import { findWebhook, requireOwnWebhook, type WebhookKey } from './store.ts'

export const webhookKeyOf = ({ merchant_id, environment }: Caller, id: string): WebhookKey => ({
  merchant_id,
  environment,
  id,
})

export const getWebhook = async (sql: Sql, key: WebhookKey): Promise<Webhook> =>
  requireOwnWebhook(sql, key, await findWebhook(sql, key))

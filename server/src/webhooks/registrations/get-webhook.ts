// The caller's endpoints, or the right refusal (contract 3.5): another merchant's is refused; an
// unknown one, and one of the caller's other environment, are not found.

import type { Db, Sql } from '../../platform/db.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import type { Webhook } from '../webhook.ts'
import { findWebhook, isWebhookOfAnother, listWebhooks, type WebhookKey } from './store.ts'

export const webhookKeyOf = ({ merchant_id, environment }: Caller, id: string): WebhookKey => ({
  merchant_id,
  environment,
  id,
})

export async function getWebhook(db: Sql, key: WebhookKey): Promise<Webhook> {
  const webhook = await findWebhook(db, key)
  if (webhook === undefined) throw await refusalOf(db, key)
  return webhook
}

/** Only for a webhook that was not found under `key`. */
export async function refusalOf(db: Sql, key: WebhookKey): Promise<Refusal> {
  const elsewhere = await isWebhookOfAnother(db, key)
  return refuse(elsewhere ? transportErrors.permission_denied : transportErrors.not_found)
}

/** Newest first; `search` looks in address and description, in any case. */
export async function searchWebhooks(
  db: Db,
  { merchant_id, environment }: Caller,
  search = '',
): Promise<Webhook[]> {
  const all = await listWebhooks(db, { merchant_id, environment })
  const wanted = search.toLowerCase()
  return all.filter((one) => `${one.url}\n${one.description}`.toLowerCase().includes(wanted))
}

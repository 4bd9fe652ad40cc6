// A merchant's endpoints beyond their registration: secrets, subscriptions, logs, replays, events.

import { randomUUID } from 'node:crypto'
import { newId } from '../../src/platform/ids.ts'
import type { MatrixRows, Scene } from './row.ts'

const url = 'https://hooks.example.com/matrix'

/** A merchant has few webhooks: those made for earlier calls make room. */
async function webhook({ app, owner }: Scene): Promise<{ id: string }> {
  await app.owner`update webhooks set deleted_at = now() where url = ${url}`
  const { data } = await owner.post('/merchant-webhooks/', { url })
  return { id: String(data.id) }
}

/** A delivery that was acknowledged. */
async function log(scene: Scene): Promise<{ id: string }> {
  const { id: webhook_id } = await webhook(scene)
  const id = newId()
  await scene.app.owner`
    insert into deliveries (merchant_id, id, environment, webhook_id, event_id, event_type, url,
      status, attempt, http_status, sent_at)
    values (${scene.owner.merchant_id}, ${id}, 'SANDBOX', ${webhook_id}, ${randomUUID()},
      'transaction.success', ${url}, 'SUCCESS', 1, 200, now())`
  return { id }
}

async function subscription(scene: Scene): Promise<{ id: string }> {
  const { id } = await webhook(scene)
  const body = { webhook: id, event_type: 'transaction.success' }
  const { data } = await scene.owner.post('/merchant-webhook-subscriptions/', body)
  return { id: String(data.id) }
}

const reads = { access: 'any', status: 200 } as const
const acts = { access: 'any', permission: 'webhooks', second_factor: 'environment' } as const

export const webhooksRows: MatrixRows = {
  'POST /merchant-webhooks/{id}/rotate-secret/': { ...acts, status: 200, params: webhook },
  'GET /merchant-webhooks/{id}/stats/': { ...reads, params: webhook },
  'GET /events/': reads,
  'GET /events/stream/': reads,
  'GET /merchant-webhook-events/': { ...reads, suspended: 'refused' },
  'GET /merchant-webhook-subscriptions/': reads,
  'POST /merchant-webhook-subscriptions/': {
    ...acts,
    status: 201,
    // Named in the body, a webhook of another environment or merchant is a wrong field.
    live_status: 400,
    unfunded_status: 400,
    body: async (scene) => ({
      webhook: (await webhook(scene)).id,
      event_type: 'transaction.success',
    }),
  },
  'GET /merchant-webhook-subscriptions/{id}/': { ...reads, params: subscription },
  'DELETE /merchant-webhook-subscriptions/{id}/': { ...acts, status: 204, params: subscription },
  'GET /webhook-logs/': reads,
  'GET /webhook-logs/{id}/': { ...reads, params: log },
  'POST /webhook-logs/{id}/resend/': { ...acts, status: 200, params: log },
  'GET /webhook-logs/export/': { access: 'any', status: 200, query: '?answer=5xx' },
  'POST /merchant-webhooks/{id}/replay/': {
    ...acts,
    status: 201,
    params: webhook,
    body: () => ({ since: new Date(Date.now() - 60_000).toISOString() }),
  },
  'GET /merchant-webhooks/{id}/replay/': {
    ...reads,
    params: async (scene) => {
      const { id } = await webhook(scene)
      await scene.owner.post(`/merchant-webhooks/${id}/replay/`, {
        since: new Date(Date.now() - 60_000).toISOString(),
      })
      return { id }
    },
  },
}

// An event as this operator sends it: the object as it is then, in an envelope, signed with the
// endpoint's secret over the time and the body.

import { createHash, createHmac } from 'node:crypto'
import type { Delivery, Event } from '../signed-events.ts'

export const api_version = '2026-10-28.endive'

export function writeEvent(event: Event, time_s: number, secret: string): Delivery {
  const { type, subject, object, how } = event
  const id = createHash('sha256').update(`${type} ${subject}`).digest('hex').slice(0, 24)
  const body = JSON.stringify({
    id: `evt_${id}`,
    object: 'event',
    api_version,
    created: time_s,
    data: { object: object() },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  })
  const mac = createHmac('sha256', secret).update(`${time_s}.${body}`).digest('hex')
  const signature = how === 'unsigned' ? {} : { 'stripe-signature': `t=${time_s},v1=${mac}` }
  const agent = { 'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)' }
  return { body, headers: { ...agent, ...signature } }
}

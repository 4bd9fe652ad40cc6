// What is kept of a try's headers is little, and the log shows all that was sent.

import { describe, expect, it } from 'vitest'
import { Components } from '../platform/http/openapi-schemas.ts'
import { newId } from '../platform/ids.ts'
import { publishEvents } from './catalogue/published-events.ts'
import type { DueDelivery, Receiver } from './delivery.ts'
import { headersOf, keptHeaders, sentHeaders } from './request-headers.ts'
import { newSigningSecret } from './sign.ts'

const event_id = newId()
const id = newId()
const delivery = {
  ...{ id, event_id, sent_id: event_id, event_type: 'transaction.success', sequence: 41n },
} as unknown as DueDelivery
const sendings = { delivery, body: '{"id":1}', timestamp_s: 1_795_944_148 }
const receiver = (secrets: object) => secrets as unknown as Receiver

function shown(sent: ReturnType<typeof headersOf>, of: { id: string } = delivery) {
  const request_headers = JSON.parse(JSON.stringify(keptHeaders(sent, of)))
  return sentHeaders({ event_id, event_type: delivery.event_type, request_headers })
}

describe('the headers of a try', () => {
  it('are shown as they were sent, from fewer bytes than the signatures have as text', () => {
    const sent = headersOf(receiver({ secret: newSigningSecret() }), sendings)
    expect(shown(sent)).toEqual(sent)
    const kept = keptHeaders(sent, delivery)
    expect(Object.keys(kept)).toEqual(['signed'])
    expect(JSON.stringify(kept).length).toBeLessThan(130)
  })

  it('are kept by name while a secret is being replaced', () => {
    const both = { secret: newSigningSecret(), next_secret: newSigningSecret() }
    const sent = headersOf(receiver(both), sendings)
    expect(sent['X-Webhook-Signature-Next']).toBeDefined()
    expect(shown(sent)).toEqual(sent)
  })

  it('are those that the interface publishes, and are there when it says so', () => {
    const published = JSON.parse(JSON.stringify(publishEvents(new Components())['webhook.test']))
    const parameters: { name: string; required: boolean }[] = published.post.parameters
    const general = ['content-type', 'user-agent']
    const namesOf = (secrets: object) =>
      Object.keys(headersOf(receiver(secrets), sendings)).filter((name) => !general.includes(name))
    const secret = newSigningSecret()
    const always = parameters.filter(({ required }) => required).map(({ name }) => name)
    expect(always.toSorted()).toEqual(namesOf({ secret }).toSorted())
    const all = parameters.map(({ name }) => name)
    expect(all.toSorted()).toEqual(namesOf({ secret, next_secret: secret }).toSorted())
  })

  it('are kept by name where one is not as it is made today', () => {
    const sent = headersOf(receiver({ secret: newSigningSecret() }), sendings)
    for (const changed of [{ 'X-Webhook-Signature': 'AB' }, { 'webhook-signature': 'v2,x' }]) {
      expect(shown({ ...sent, ...changed })).toEqual({ ...sent, ...changed })
    }
  })

  it('have the delivery’s own id, where an older version sent that', () => {
    const older = { ...delivery, sent_id: id }
    const sent = headersOf(receiver({ secret: newSigningSecret() }), {
      ...sendings,
      delivery: older,
    })
    expect(sent['X-Webhook-Id']).toBe(id)
    expect(Object.keys(keptHeaders(sent, delivery)).toSorted()).toEqual(['X-Webhook-Id', 'signed'])
    expect(shown(sent)).toEqual(sent)
  })
})

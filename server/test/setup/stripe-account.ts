// An account with the dialect of Stripe, made as a developer makes one in test mode: a secret key,
// and a webhook endpoint with its signing secret.

import { randomBytes, randomUUID } from 'node:crypto'
import type { Account } from '../../src/gateways/adapter.ts'
import { wantedEvents } from '../../src/gateways/stripe-checkout/check.ts'

/** A test account whose events go to this address. */
export async function stripeAccount(url: string, events_to: string): Promise<Account> {
  const secret_key = `sk_test_${randomBytes(16).toString('hex')}`
  const body = new URLSearchParams([
    ['url', events_to],
    ...wantedEvents.map((one, at): [string, string] => [`enabled_events[${at}]`, one]),
  ])
  const made = await fetch(`${url}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret_key}` },
    body,
  })
  if (made.status !== 200) throw new Error(`no endpoint: ${made.status} ${await made.text()}`)
  const { secret: webhook_secret }: { secret: string } = JSON.parse(await made.text())
  return {
    id: randomUUID(),
    code: 'stripe_test',
    environment: 'SANDBOX',
    country: 'XX',
    settings: { base_url: url },
    secrets: { secret_key, webhook_secret },
  }
}

/** Tools without a token, for an adapter that has none. */
export const toolsWithoutTokens = {
  tokens: () => {
    throw new Error('it has no tokens')
  },
  note: () => undefined,
} as const

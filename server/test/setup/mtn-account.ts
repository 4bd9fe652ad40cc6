// An account with the dialect of MTN MoMo, made as a developer makes one in the operator's sandbox:
// an API user for each product, and its key.

import { randomBytes, randomUUID } from 'node:crypto'
import type { Mtn } from '../../../simulator/src/dialects/mtn/start.ts'
import type { Account } from '../../src/gateways/adapter.ts'

type Given = Readonly<{ subscription_key: string; api_user: string; api_key: string }>

async function provision(url: string, callback_host: string): Promise<Given> {
  const subscription_key = randomBytes(16).toString('hex')
  const api_user = randomUUID()
  const headers = { 'ocp-apim-subscription-key': subscription_key }
  const made = await fetch(`${url}/v1_0/apiuser`, {
    method: 'POST',
    headers: { ...headers, 'x-reference-id': api_user, 'content-type': 'application/json' },
    body: JSON.stringify({ providerCallbackHost: callback_host }),
  })
  if (made.status !== 201) throw new Error(`no API user: ${made.status}`)
  const keyed = await fetch(`${url}/v1_0/apiuser/${api_user}/apikey`, { method: 'POST', headers })
  const { apiKey: api_key }: { apiKey: string } = JSON.parse(await keyed.text())
  return { subscription_key, api_user, api_key }
}

const prefixed = (product: string, given: Given) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [`${product}_${name}`, value]))

/** A sandbox account whose callbacks go to this host. */
export async function provisioned(url: string, callback_host: string): Promise<Account> {
  const [collection, disbursement] = [
    await provision(url, callback_host),
    await provision(url, callback_host),
  ]
  return accountOf(url, { collection, disbursement })
}

/** One that is the same in each run: nobody made it by a call. */
export function ownAccount({ url, keepUser }: Mtn): Account {
  const of = (digit: string): Given => ({
    subscription_key: digit.repeat(32),
    api_user: `${digit.repeat(8)}-0000-4000-8000-${digit.repeat(12)}`,
    api_key: digit.repeat(32),
  })
  const [collection, disbursement] = [of('1'), of('2')]
  for (const { api_user: id, api_key, subscription_key } of [collection, disbursement]) {
    keepUser({ id, api_key, subscription_key, callback_host: '127.0.0.1' })
  }
  return accountOf(url, { collection, disbursement })
}

type Both = Readonly<{ collection: Given; disbursement: Given }>

const accountOf = (url: string, { collection, disbursement }: Both): Account => ({
  id: randomUUID(),
  code: 'mtn_test',
  environment: 'SANDBOX',
  country: 'BJ',
  settings: { base_url: url, target_environment: 'sandbox', wire_currency: 'EUR' },
  secrets: {
    ...prefixed('collection', collection),
    ...prefixed('disbursement', disbursement),
  },
})

// An account with the dialect of pawaPay, and its public keys as a process has them that has read
// them.

import { createPublicKey, randomUUID } from 'node:crypto'
import type { Pawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import type { Account, KeyStore } from '../../src/gateways/adapter.ts'

/** A sandbox account with this dialect. */
export const pawapayAccount = ({ url, token }: Pick<Pawapay, 'url' | 'token'>): Account => ({
  id: randomUUID(),
  code: 'pawapay_test',
  environment: 'SANDBOX',
  country: 'BJ',
  settings: { base_url: url },
  secrets: { api_token: token },
})

/** The keys that it publishes now. */
export async function keysOf({ url, token }: Pick<Pawapay, 'url' | 'token'>): Promise<KeyStore> {
  const headers = { authorization: `Bearer ${token}` }
  const reply = await fetch(`${url}/v2/public-key/http`, { headers })
  const all: { id: string; key: string }[] = JSON.parse(await reply.text())
  const keys = new Map(all.map(({ id, key }) => [id, createPublicKey(key)]))
  return { get: (id) => keys.get(id) }
}

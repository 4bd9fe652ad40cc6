// The merchants of a run, made by the verbs that the CLI uses; their endpoints are registered over
// the API, as a merchant does it.

import { createMerchant } from '../../server/src/merchants/create-merchant.ts'
import { createKey } from '../../server/src/merchants/keys/create-key.ts'
import type { Db } from '../../server/src/platform/db.ts'
import type { BenchApp } from './start-app.ts'
import type { Target } from './talk.ts'

/** Above what any run can use in a minute: the limit is not what is measured. */
const rate_limit_per_minute = 10_000_000

const opened_at_once = 4

export type Shop = Target & Readonly<{ merchant_id: string }>

/** Opens `count` shops whose endpoint is `url`. */
export async function openShops(
  app: BenchApp,
  db: Db,
  count: number,
  endpoint: { url: string; hears: boolean },
): Promise<Shop[]> {
  const shops: Shop[] = []
  const numbers = Array.from({ length: count }, (_, at) => at + 1).values()
  const openSome = async () => {
    for (const no of numbers) shops.push(await openShop(no))
  }
  const openShop = async (no: number): Promise<Shop> => {
    const name = `Shop ${no}`
    const { id: merchant_id } = await createMerchant(db, { name, rate_limit_per_minute })
    const key = { merchant_id, environment: 'SANDBOX', scope: 'BOTH', name: 'bench' } as const
    const { secret } = await createKey(db, key)
    await registerEndpoint(app, secret, endpoint.url)
    return { merchant_id, key: secret, hears: endpoint.hears }
  }
  await Promise.all(Array.from({ length: opened_at_once }, openSome))
  return shops
}

async function registerEndpoint({ api }: BenchApp, key: string, url: string): Promise<void> {
  const reply = await fetch(`http://${api.host}:${api.port}/api/v1/merchant-webhooks/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: ['transaction.success', 'transaction.failed'] }),
  })
  if (reply.status !== 201) throw new Error(`webhook: ${reply.status} ${await reply.text()}`)
}

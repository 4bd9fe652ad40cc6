// The merchants of a run, made by the verbs that the CLI uses; their endpoints are registered over
// the API, as a merchant does it.

import type { Db } from '../../server/src/platform/db.ts'
import { openMerchant, registerEndpoint } from '../../server/test/setup/open-merchant.ts'
import type { BenchApp } from './start-app.ts'
import type { Target } from './talk.ts'

const opened_at_once = 4
const events = ['transaction.success', 'transaction.failed']

export type Shop = Target & Readonly<{ merchant_id: string }>

/** Opens `count` shops whose endpoint is `url`. */
export async function openShops(
  app: BenchApp,
  db: Db,
  count: number,
  { url, hears }: { url: string; hears: boolean },
): Promise<Shop[]> {
  const shops: Shop[] = []
  const numbers = Array.from({ length: count }, (_, at) => at + 1).values()
  const openSome = async () => {
    for (const no of numbers) shops.push(await openShop(no))
  }
  const openShop = async (no: number): Promise<Shop> => {
    const { merchant_id, secret } = await openMerchant(db, { name: `Shop ${no}` })
    await registerEndpoint(`http://${app.api.host}:${app.api.port}`, secret, { url, events })
    return { merchant_id, key: secret, hears }
  }
  await Promise.all(Array.from({ length: opened_at_once }, openSome))
  return shops
}

// The merchants of a phase, made by the verbs that the CLI uses; their endpoints are registered
// over the API, as a merchant does it.

import { createMerchant } from '../../server/src/merchants/create-merchant.ts'
import { createKey } from '../../server/src/merchants/keys/create-key.ts'
import type { Caller } from './caller.ts'
import { loopback } from './ports.ts'
import type { ChaosApp } from './start-app.ts'

export type Shop = Readonly<{ merchant_id: string; secret: string }>

const rate_limit_per_minute = 1_000_000

/** So many endpoints each has: one, one, two, and so on. */
const endpointsOf = (no: number) => (no % 3 === 2 ? 2 : 1)

export type Opening = Readonly<{ app: ChaosApp; caller: Caller; count: number; hook: string }>

/** `hook`: the receiver's address, to which each endpoint adds its own path. */
export async function openShops({ app, caller, count, hook }: Opening): Promise<Shop[]> {
  const shops: Shop[] = []
  for (let no = 0; no < count; no += 1) {
    const { id: merchant_id } = await createMerchant(app.db, {
      name: `Shop ${no}`,
      rate_limit_per_minute,
    })
    const key = { merchant_id, environment: 'SANDBOX', scope: 'BOTH', name: 'chaos' } as const
    const { secret } = await createKey(app.db, key)
    for (let at = 0; at < endpointsOf(no); at += 1) {
      await register(caller, secret, `${hook}/${merchant_id}/${at}`)
    }
    await makeReady(app, merchant_id)
    await fund(caller, secret)
    shops.push({ merchant_id, secret })
  }
  return shops
}

/** Its server's address may pay out. */
async function makeReady({ db }: ChaosApp, merchant_id: string): Promise<void> {
  await db`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${merchant_id}, gen_random_uuid(), ${loopback})`
}

/** For more payouts than a phase can hold. */
const funds = '10000000'

async function fund(caller: Caller, secret: string): Promise<void> {
  const path = '/sandbox/balances/'
  const call = { method: 'POST', path, secret, body: { country: 'BJ', amount: funds } } as const
  const answer = await caller.callUntilAnswered(call, () => false)
  if (answer?.status !== 201) throw new Error(`funds: ${answer?.status} ${answer?.text}`)
}

async function register(caller: Caller, secret: string, url: string): Promise<void> {
  const path = '/merchant-webhooks/'
  const call = { method: 'POST', path, secret, body: { url } } as const
  const answer = await caller.callUntilAnswered(call, () => false)
  if (answer?.status !== 201) throw new Error(`webhook: ${answer?.status} ${answer?.text}`)
}

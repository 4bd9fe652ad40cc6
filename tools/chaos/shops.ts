// The merchants of a phase, made by the verbs that the CLI uses; their endpoints are registered
// over the API, as a merchant does it.

import { loopback } from '../../server/test/setup/loopback.ts'
import { openMerchant } from '../../server/test/setup/open-merchant.ts'
import type { Caller } from './caller.ts'
import type { ChaosApp } from './start-app.ts'

export type Shop = Readonly<{ merchant_id: string; secret: string }>

/** So many endpoints each has: one, one, two, and so on. */
const endpointsOf = (no: number) => (no % 3 === 2 ? 2 : 1)

export type Opening = Readonly<{ app: ChaosApp; caller: Caller; count: number; hook: string }>

/** `hook`: the receiver's address, to which each endpoint adds its own path. */
export async function openShops({ app, caller, count, hook }: Opening): Promise<Shop[]> {
  const shops: Shop[] = []
  for (let no = 0; no < count; no += 1) {
    const { merchant_id, secret } = await openMerchant(app.db, { name: `Shop ${no}` })
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

const fund = (caller: Caller, secret: string) =>
  make(caller, '/sandbox/balances/', { secret, body: { country: 'BJ', amount: funds } })

const register = (caller: Caller, secret: string, url: string) =>
  make(caller, '/merchant-webhooks/', { secret, body: { url } })

async function make(caller: Caller, path: string, how: { secret: string; body: object }) {
  const answer = await caller.callUntilAnswered({ method: 'POST', path, ...how }, () => false)
  if (answer?.status !== 201) throw new Error(`${path}: ${answer?.status} ${answer?.text}`)
}

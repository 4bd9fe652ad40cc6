// A shop that staff have let into LIVE and that has one of everything there, by the operator of the
// sandbox; and its members, who sign in with a code.

import type { Shop, SignedInCaller, TestApp } from '../harness.ts'
import { fund } from '../ledger/books.ts'
import { type Authenticator, enrol } from '../setup/authenticator.ts'
import { pngOf } from '../setup/pictures.ts'
import { type FullShop, fillWith, ok } from './full-shop.ts'
import { stranger, waitForSecond } from './shop-for-acts.ts'

/** All acts of members can be done in it, each once. */
export async function fillLiveShop(app: TestApp): Promise<FullShop> {
  await openRoutes(app)
  const environment = 'LIVE'
  const shop = await app.shop({ live: true, environment })
  const { merchant_id } = shop
  const owner = await app.member({ merchant_id, environment, second_factor: 'FRESH' })
  await isOld(app, owner)
  await fund(app.owner, { merchant_id, environment, country: 'BJ', currency: 'XOF' }, 50_000_000n)
  const filled = await fillWith({ app, shop, owner, environment })
  const ids = { ...filled.ids, ...(await withMoreToDo(shop, owner)) }
  return { ...filled, ids }
}

/** What acts are done to that a shop which is only looked at has not. */
async function withMoreToDo(shop: Shop, owner: SignedInCaller) {
  const ids = { ...(await waitForSecond({ shop, owner })), stranger: await stranger(owner) }
  await askForLess(owner)
  const headers = { 'content-type': 'image/png' }
  await ok(owner.call('PUT', '/merchant/logo/', { headers, body: new Uint8Array(pngOf()) }))
  return ids
}

/** A looser limit and a shorter cooling-off: in LIVE both wait, and a second may confirm them. */
async function askForLess(owner: SignedInCaller): Promise<void> {
  for (const per_payout of ['500000', '1000000']) {
    await ok(owner.post('/merchant-payout-limits/', { country: 'CI', per_payout }))
  }
  for (const cooling_off_hours of [48, 24]) {
    await ok(
      owner.call('PATCH', '/merchant/', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ cooling_off_hours }),
      }),
    )
  }
}

async function openRoutes({ owner }: TestApp): Promise<void> {
  await owner`
    insert into routes (id, network_id, direction, gateway_id, environment, priority)
    select gen_random_uuid(), r.network_id, r.direction, r.gateway_id, 'LIVE', r.priority
      from routes r join gateways g on g.id = r.gateway_id
     where r.environment = 'SANDBOX' and g.code = 'simulator_a'`
  await owner`update catalogue_version set version = version + 1`
}

export type LiveMember = SignedInCaller & Pick<Authenticator, 'code'>

/** One whose code is not used yet, and who is in the shop for long enough to approve. */
export async function liveMember(app: TestApp, merchant_id: string): Promise<LiveMember> {
  const member = await app.member({ merchant_id, environment: 'LIVE' })
  const { code } = await enrol(app, member)
  await isOld(app, member)
  return { ...member, code }
}

/** With their factor in the shop for longer than both must be, who asks and who approves. */
async function isOld({ owner }: TestApp, { person_id }: SignedInCaller): Promise<void> {
  await owner`
    update people set totp_enrolled_at = now() - interval '100 hours' where id = ${person_id}`
  await owner`
    update memberships set created_at = now() - interval '100 hours',
           updated_at = now() - interval '100 hours'
     where person_id = ${person_id}`
}

// With a key or a session, `GET /availability/` has beside each network how the merchant's own
// payments did there, and nobody else's. Without one it is what everybody sees, kept by whoever
// likes; a credential that is wrong is refused, not passed over.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, newPayer, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'

let app: TestApp
let shop: Shop
let other: Shop
beforeAll(async () => {
  app = await startApp()
  shop = await heldToPublished(await app.shop({ live: true }))
  other = await heldToPublished(await app.shop())
})
afterAll(() => app?.stop())

const path = '/availability/'
const anybody = (query = '?environment=SANDBOX', headers: Record<string, string> = {}) =>
  fetch(`${app.url}/api/v1${path}${query}`, { headers })

const ownIn = (rows: readonly Json[], direction = 'COLLECT', network = 'mtn_bj'): Json =>
  rows.find((row) => row.network_code === network && row.direction === direction)?.own

/** What was read a moment ago is kept for a quarter of a minute: a process that has read nothing. */
async function fresh(who: Shop): Promise<Shop> {
  const { public_url } = await app.another({ ROLE: 'api' })
  return heldToPublished(shopWith(public_url, who.merchant_id, who.key))
}

const payMany = async (count: number, suffix?: string): Promise<Json[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const { data, status } = await shop.pay({ customer: newPayer(suffix) })
      expect(status).toBe(201)
      return data
    }),
  )

describe('a merchant’s own share', () => {
  it('is of its own payments, with the number of them, and null below twenty', async () => {
    const none = await shop.get(path)
    expect(ownIn(none.data)).toEqual({ success_rate: null, sample: 0 })
    const paid = await payMany(19)
    await Promise.all(paid.map(({ id }) => shop.becomes(id, 'SUCCESS')))
    // What a payer did is no network's fault, and what goes on has no end yet.
    const [refused] = await payMany(1, '02')
    await shop.becomes(refused.id, 'FAILED')
    await payMany(1, '04')
    const few = await (await fresh(shop)).get(path)
    expect(ownIn(few.data)).toEqual({ success_rate: null, sample: 19 })
    expect(ownIn(few.data, 'DISBURSE')).toEqual({ success_rate: null, sample: 0 })
    expect(ownIn(few.data, 'COLLECT', 'moov_bj')).toEqual({ success_rate: null, sample: 0 })

    // The first route is down, the second succeeds: one of either.
    const [twice] = await payMany(1, '06')
    await shop.becomes(twice.id, 'SUCCESS')
    const enough = await (await fresh(shop)).get(path)
    expect(ownIn(enough.data)).toEqual({ success_rate: '0.95', sample: 21 })
    // Nobody else is seen through it, in either direction of looking.
    expect(ownIn((await (await fresh(other)).get(path)).data)).toEqual({
      ...{ success_rate: null, sample: 0 },
    })
    const open = (await (await anybody()).json()) as Json
    expect(open.data.every((row: Json) => !('own' in row))).toBe(true)
    expect(open.data.find((row: Json) => row.network_code === 'mtn_bj').success_rate).toBe(null)
  }, 60_000)

  it('is of the last hour, as the window says', async () => {
    await app.owner`
      update attempts set created_at = now() - interval '61 minutes'
       where merchant_id = ${shop.merchant_id}`
    const { data } = await (await fresh(shop)).get(path)
    expect(ownIn(data)).toEqual({ success_rate: null, sample: 0 })
    expect(data[0].window_minutes).toBe(60)
  })

  it('is counted of the newest ten thousand, however many there were', async () => {
    const busy = await app.shop()
    await app.owner.begin(async (tx) => {
      // Their transactions are left out.
      await tx`set local session_replication_role = 'replica'`
      await tx`
        insert into attempts (merchant_id, id, environment, transaction_id, direction, priority,
          gateway_id, gateway_code, route_id, network_id, network_code, country_code,
          requested_amount, fee_charge_mode, client_fee, gateway_fee, platform_fee,
          debited_amount, net_amount, currency, status, gateway_ended, our_key, failure_code,
          send_deadline, asking_until, finished_at, created_at)
        select ${busy.merchant_id}, gen_random_uuid(), 'SANDBOX', gen_random_uuid(), 'DISBURSE', 1,
               gen_random_uuid(), 'simulator_a', gen_random_uuid(), gen_random_uuid(), 'mtn_bj',
               'BJ', 1000, 'ADD_ON', 0, 0, 0, 1000, 1000, 'XOF',
               case when n <= 9000 then 'SUCCESS' else 'FAILED' end, true, 'k' || n,
               case when n <= 9000 then '' else 'GATEWAY_REFUSED' end, now(), now(), now(),
               now() - n * interval '100 milliseconds'
          from generate_series(1, 12000) as n`
    })
    const { data } = await busy.get(path)
    expect(ownIn(data, 'DISBURSE')).toEqual({ success_rate: '0.90', sample: 10_000 })
  })
})

/** All that says whose answer it is. */
const callers = 'Authorization, Cookie, X-Environment, X-Merchant, X-Requested-With'

describe('what may be kept of it', () => {
  it('is kept by the caller alone, and has an ETag of its own', async () => {
    const open = await anybody()
    const mine = await shop.get(path)
    expect(mine.headers.get('cache-control')).toBe('private, max-age=15')
    expect(mine.headers.get('vary')).toBe(callers)
    const etag = mine.headers.get('etag') ?? ''
    expect(etag).not.toBe(open.headers.get('etag'))
    const again = await shop.get(path, { 'if-none-match': etag })
    expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'private, max-age=15'])
    expect((await shop.get(path, { 'if-none-match': open.headers.get('etag') ?? '' })).status).toBe(
      200,
    )
    expect(open.headers.get('cache-control')).toBe('public, max-age=15')
    expect(open.headers.get('vary')).toBe(callers)
    const known = open.headers.get('etag') ?? ''
    expect((await anybody('?environment=SANDBOX', { 'if-none-match': known })).status).toBe(304)
    const bare = await anybody('?environment=SANDBOX', { prefer: 'envelope=off' })
    expect(bare.headers.get('vary')).toBe(`${callers}, Prefer`)
  })
})

describe('the environment', () => {
  it('is the credential’s own where none is named; of the other there is nothing of one’s own', async () => {
    const mine = await shop.get(path)
    expect(mine.data.length).toBeGreaterThan(0)
    expect(mine.data.every((row: Json) => 'own' in row)).toBe(true)
    expect((await shop.get(`${path}?environment=LIVE`)).data).toEqual([])
    const live = await heldToPublished(
      await app.shop({ merchant_id: shop.merchant_id, environment: 'LIVE' }),
    )
    expect((await live.get(path)).data).toEqual([])
    const elsewhere = await live.get(`${path}?environment=SANDBOX`)
    expect(elsewhere.data.length).toBeGreaterThan(0)
    expect(elsewhere.data.every((row: Json) => !('own' in row))).toBe(true)
  })
})

describe('a credential', () => {
  it('that is wrong, revoked or of staff is refused, and not passed over', async () => {
    for (const authorization of ['Bearer sk_test_nobody', 'Bearer', 'sk_test_x', 'Basic eDp5']) {
      const reply = await anybody('', { authorization })
      expect([authorization, reply.status]).toEqual([authorization, 401])
    }
    const gone = await app.shop()
    await app.owner`update api_keys set revoked_at = now() where merchant_id = ${gone.merchant_id}`
    const revoked = await gone.get(path)
    expect([revoked.status, revoked.error.code]).toEqual([401, 'revoked_api_key'])
    expect((await (await app.staff()).get(path)).status).toBe(403)
  })

  it('is any key, any member’s session and a suspended merchant’s; its calls are counted', async () => {
    for (const scope of ['PAYIN', 'PAYOUT'] as const) {
      const { status, headers } = await (
        await app.shop({ merchant_id: shop.merchant_id, scope })
      ).get(path)
      expect(status).toBe(200)
      expect(headers.get('ratelimit-limit')).not.toBe(null)
    }
    const viewer = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
    expect(ownIn((await (await heldToPublished(viewer)).get(path)).data)).toBeDefined()
    await app.owner`update merchants set status = 'SUSPENDED' where id = ${other.merchant_id}`
    expect((await other.get(path)).status).toBe(200)
    expect((await anybody()).headers.get('ratelimit-limit')).toBe(null)
  })

  it('of a browser counts with its mark alone: a page that anybody opens is everybody’s', async () => {
    const member = await app.member({ merchant_id: shop.merchant_id })
    const cookie = `pirogue_member=${member.key}`
    const marked = { cookie, 'x-requested-with': 'pirogue' }
    const own = (await (await anybody('', marked)).json()) as Json
    expect(ownIn(own.data)).toBeDefined()
    const plain = await anybody('?environment=SANDBOX', { cookie })
    expect(plain.headers.get('cache-control')).toBe('public, max-age=15')
    const staff = await app.staff()
    const elsewhere = { cookie: `pirogue_staff=${staff.key}`, 'x-requested-with': 'pirogue' }
    expect((await anybody('?environment=SANDBOX', elsewhere)).status).toBe(200)
    const ended = { ...marked, cookie: 'pirogue_member=sess_nobody' }
    expect((await anybody('', ended)).status).toBe(401)
  })
})

it('is in the document: a credential may be shown, and may be refused', async () => {
  const document = (await (await fetch(`${app.url}/api/v1/openapi.json`)).json()) as Json
  const { security, responses } = document.paths['/availability/'].get
  expect(security).toEqual([{}, { bearer: [] }, { memberCookie: [], requestedWith: [] }])
  expect(Object.keys(responses)).toEqual(
    expect.arrayContaining(['200', '304', '400', '401', '429']),
  )
})

// A merchant that asks for it by name is sent that a network closed, and that it works again: once
// each, whichever processes see it. Who has asked for all events, or for none of these, is not; nor
// does the sandbox's news reach LIVE.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readAges } from '../../src/app/store.ts'
import {
  eventually,
  type Json,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { readMetric } from '../setup/read-metric.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

let app: TestApp
let staff: SignedInCaller
const ends = createEnds()

beforeAll(async () => {
  app = await startApp()
  // The same news is seen by two.
  await app.another()
  staff = await heldToPublished(await app.staff({ role: 'OPERATIONS' }))
})
afterAll(async () => {
  await ends.all()
  await app?.stop()
})
beforeEach(async () => {
  for (const { id } of (await staff.get('/admin/gateway-closings/')).data.results) {
    await staff.call('DELETE', `/admin/gateway-closings/${id}/`, {})
  }
  await app.owner`update routes set is_active = true`
  await settle()
})

const named = { events: ['availability.changed'] }
const receive = (): Promise<Receiver> => ends.keep(startReceiver())

async function listen(shop: Shop, more: object = named): Promise<Receiver> {
  const receiver = await receive()
  const reply = await shop.post('/merchant-webhooks/', { url: receiver.url, ...more })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return receiver
}

const newsOf = ({ received }: Receiver, network = 'mtn_bj', direction = 'COLLECT'): Json[] =>
  received
    .filter(({ body }) => body.event === 'availability.changed')
    .filter(({ body: { data } }) => data.network_code === network && data.direction === direction)
    .map(({ body }) => body)

/** Ten minutes pass, since every state last moved. */
const passTime = () => app.owner`
  update availability_states set changed_at = now() - interval '601 seconds'
   where changed_at is not null`

/** Everything is as it was announced, and everybody has been sent it. */
async function settle(): Promise<void> {
  await passTime()
  await eventually(async () => {
    const shown = (await staff.get('/admin/gateway-closings/')).data.results
    expect(shown).toEqual([])
    const [row] = await app.owner<Json[]>`
      select (select count(*)::int from availability_states
               where environment = 'SANDBOX' and status = 'OPERATIONAL') as well,
             (select count(*)::int from availability_states
               where environment = 'SANDBOX') as states,
             (select count(*)::int from availability_changes where finished_at is null) as open`
    expect(row?.states).toBeGreaterThan(10)
    expect(row).toEqual({ well: row?.states, states: row?.states, open: 0 })
  }, 30_000)
  await app.owner`update availability_states set changed_at = null, change_no = 0`
  await app.owner`delete from availability_marks`
  await app.owner`delete from availability_changes`
}

async function closeBenin(more: object = {}): Promise<string[]> {
  const made = await Promise.all(
    ['simulator_a', 'simulator_b'].map((gateway) =>
      staff.post('/admin/gateway-closings/', { gateway, country: 'bj', note: 'a test', ...more }),
    ),
  )
  return made.map(({ data }) => data.id)
}

async function lift(closings: readonly string[]): Promise<void> {
  for (const id of closings) {
    expect((await staff.call('DELETE', `/admin/gateway-closings/${id}/`, {})).status).toBe(204)
  }
}

const feedOf = async (shop: Shop): Promise<Json[]> =>
  (await shop.get('/events/?event_type=availability.changed&page_size=100')).data.results

/** Every process has looked since, and everybody was sent what there is. */
async function afterALook(): Promise<void> {
  const witness = await app.shop()
  const receiver = await listen(witness)
  await app.owner`update routes set is_active = false where environment = 'SANDBOX' and network_id =
    (select id from networks where code = 'moov_tg')`
  await app.owner`
    update availability_states set changed_at = null, change_no = 0
     where network_code = 'moov_tg'`
  await eventually(async () => expect(newsOf(receiver, 'moov_tg')).toHaveLength(1), 20_000)
}

describe('a merchant that asks for it by name', () => {
  it('is sent that staff closed a network and that it works again, once each', async () => {
    const shop = await heldToPublished(await app.shop())
    const other = await app.shop()
    const [receiver, all, stranger] = [
      await listen(shop),
      await listen(shop, {}),
      await listen(other, {}),
    ]
    const closings = await closeBenin()
    await eventually(async () => expect(newsOf(receiver)).toHaveLength(1), 20_000)
    const [closed] = newsOf(receiver)
    expect(closed).toMatchObject({
      environment: 'SANDBOX',
      data: {
        ...{ country_code: 'BJ', network_code: 'mtn_bj', direction: 'COLLECT' },
        ...{ status: 'CLOSED', previous_status: 'OPERATIONAL', source: 'STAFF' },
        since: expect.stringMatching(/^\d{4}-.*Z$/),
        message: {
          en: expect.stringContaining('is closed for now'),
          fr: expect.stringContaining('est fermé pour le moment'),
        },
      },
    })
    await lift(closings)
    // Within ten minutes nothing more is sent.
    await afterALook()
    expect(newsOf(receiver)).toHaveLength(1)
    await passTime()
    await eventually(async () => expect(newsOf(receiver)).toHaveLength(2), 20_000)
    expect(newsOf(receiver)[1].data).toMatchObject({
      ...{ status: 'OPERATIONAL', previous_status: 'CLOSED', source: 'OBSERVED' },
    })
    const feed = await feedOf(shop)
    const own = feed.filter(
      ({ data }) => data.network_code === 'mtn_bj' && data.direction === 'COLLECT',
    )
    expect(own.map(({ id }) => id)).toEqual(newsOf(receiver).map(({ id }) => id))
    expect(all.received).toEqual([])
    expect(stranger.received).toEqual([])
    expect(await feedOf(other)).toEqual([])
  }, 90_000)

  it('is sent nothing of a country that it does not work in, nor in the other environment', async () => {
    const shop = await app.shop({ live: true })
    const live = await app.shop({ merchant_id: shop.merchant_id, environment: 'LIVE' })
    await app.owner`
      update merchants set allowed_countries = '{TG}' where id = ${shop.merchant_id}`
    const receiver = await listen(shop)
    const elsewhere = await receive()
    await app.owner`
      insert into webhooks (merchant_id, id, environment, url, sealed_secret)
      select merchant_id, gen_random_uuid(), 'LIVE', ${elsewhere.url}, sealed_secret
        from webhooks where merchant_id = ${shop.merchant_id}`
    await app.owner`
      insert into webhook_subscriptions (merchant_id, id, webhook_id, event_type)
      select merchant_id, gen_random_uuid(), id, 'availability.changed'
        from webhooks where merchant_id = ${shop.merchant_id} and environment = 'LIVE'`
    await closeBenin()
    await afterALook()
    expect(newsOf(receiver)).toEqual([])
    await eventually(async () => expect(newsOf(receiver, 'moov_tg')).toHaveLength(1))
    expect(elsewhere.received).toEqual([])
    expect(await feedOf(live)).toEqual([])
  }, 60_000)

  it('is sent nothing where its endpoint is off, of a payment link, or asks for it no more', async () => {
    const shop = await app.shop()
    const { data: link } = await shop.post('/payment-links/', {
      ...{ name: 'Tontine', currency: 'XOF', amount_type: 'FIXED', amount: '1000' },
    })
    const ofLink = await listen(shop, { ...named, payment_link: link.id })
    const off = await listen(shop)
    const changed = await listen(shop)
    for (const { id, url } of (await shop.get('/merchant-webhooks/')).data.results) {
      const changes = { [off.url]: { is_active: false }, [changed.url]: { events: [] } }[url]
      if (changes === undefined) continue
      const reply = await shop.call('PATCH', `/merchant-webhooks/${id}/`, {
        body: JSON.stringify(changes),
        headers: { 'content-type': 'application/json' },
      })
      expect(reply.status).toBe(200)
    }
    await closeBenin()
    await afterALook()
    expect([ofLink.received, off.received, changed.received]).toEqual([[], [], []])
    expect(await feedOf(shop)).toEqual([])
  }, 60_000)

  it('may be a developer and no viewer, and finds it in the catalogue in both languages', async () => {
    const shop = await app.shop()
    const viewer = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
    const refused = await viewer.post('/merchant-webhooks/', {
      ...{ url: 'https://hooks.example.com/x', ...named },
    })
    expect([refused.status, refused.error.code]).toEqual([403, 'permission_denied'])
    const listed = await shop.get('/merchant-webhook-events/?search=availability.changed')
    const [{ descriptions, example }] = listed.data.results
    expect(descriptions.en).toContain('by name')
    expect(descriptions.fr).toContain('par son nom')
    expect(Object.keys(example)).toEqual([
      ...['country_code', 'network_code', 'direction', 'status', 'previous_status', 'since'],
      ...['source', 'message'],
    ])
  })
})

describe('what is sent again', () => {
  it('goes to nobody who did not ask for it by name', async () => {
    const shop = await app.shop()
    const [receiver, all] = [await listen(shop), await listen(shop, {})]
    await closeBenin()
    await eventually(async () => expect(newsOf(receiver)).toHaveLength(1), 20_000)
    const since = new Date(Date.now() - 60_000).toISOString()
    for (const { id, url } of (await shop.get('/merchant-webhooks/')).data.results) {
      const { status, data } = await shop.post(`/merchant-webhooks/${id}/replay/`, { since })
      expect([status, data.events_total > 0]).toEqual([201, url === receiver.url])
    }
    await eventually(async () => expect(newsOf(receiver)).toHaveLength(2), 20_000)
    expect(all.received).toEqual([])
  }, 60_000)
})

it('a change that is not announced yet is seen by its age', async () => {
  const metric = 'pirogue_oldest_unannounced_availability_change_seconds'
  expect(await readMetric(app.url, metric)).toBe(0)
  const undone = new Error('undone')
  const look = app.owner.begin(async (tx) => {
    await tx`
      insert into availability_changes (id, environment, country_code, network_code, direction,
        change_no, status, previous_status, since, source, message_en, message_fr, created_at)
      values (gen_random_uuid(), 'SANDBOX', 'BJ', 'mtn_bj', 'COLLECT', 9, 'CLOSED', 'DELAYED',
        now(), 'STAFF', '', '', now() - interval '1 hour')`
    expect((await readAges(tx)).oldest_unannounced_change_s).toBeCloseTo(3600, 2)
    throw undone
  })
  await expect(look).rejects.toBe(undone)
})

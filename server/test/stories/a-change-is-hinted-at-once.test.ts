// Whoever follows a merchant's stream hears within two seconds that something happened, and nothing
// else: not what, not another's, not after their session or key has ended. Without it a screen must
// ask again and again, or shows for half a minute what is no longer so.

import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type Shop, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { type Following, followEvents } from '../setup/follow-events.ts'
import '../setup/by-the-clock.ts'
import { sized } from '../setup/proof-size.ts'
import { readMetric } from '../setup/read-metric.ts'

let app: TestApp
let shop: Shop
const open: Following[] = []
const errors: string[] = []

beforeAll(async () => {
  const write = (line: string) => void errors.push(line)
  app = await startApp({ log: pino({ level: 'error' }, { write }) })
  shop = await app.shop()
})
afterEach(() => {
  for (const one of open.splice(0)) one.leave()
})
afterAll(() => app?.stop())

const bearer = ({ key }: Pick<Shop, 'key'>) => ({ authorization: `Bearer ${key}` })

async function follow(
  who: Pick<Shop, 'key'>,
  {
    query = '',
    url = app.url,
    headers = {},
  }: Partial<Record<'query' | 'url', string>> & {
    headers?: Record<string, string>
  } = {},
): Promise<Following> {
  const following = await followEvents(url, { ...bearer(who), ...headers }, query)
  open.push(following)
  return following
}

async function ready(...args: Parameters<typeof follow>): Promise<Following> {
  const following = await follow(...args)
  await following.heard(({ event }) => event === 'ready')
  return following
}

const memberOf = ({ merchant_id }: Shop, role: 'OWNER' | 'VIEWER' = 'OWNER') =>
  app.member({ merchant_id, role })
const placeOf = ({ merchant_id }: SignedInCaller) => ({ 'x-merchant': merchant_id })

const isSuccessOf = (id: string) => (message: Following['messages'][number]) =>
  message.data.event === 'transaction.success' && message.data.id === id

async function paid(by = shop): Promise<string> {
  const { data } = await by.pay({ customer: newPayer() })
  await by.becomes(data.id, 'SUCCESS')
  return data.id
}

/** Until when a session or key that has ended may still hear: the recheck and a turn. */
const bound_ms = sized(30_000, 15_000)

describe('a stream', () => {
  it('tells a member and a key of a success within two seconds, by its id alone', async () => {
    const viewer = await memberOf(shop, 'VIEWER')
    const streams = await Promise.all([ready(viewer, { headers: placeOf(viewer) }), ready(shop)])
    const id = await paid()
    const [event] = await app.owner<{ at_ms: number; seq: string }[]>`
      select extract(epoch from created_at) * 1000 as at_ms, seq::text as seq from events
       where transaction_id = ${id} and type = 'transaction.success'`
    const made = Number(event?.seq)
    for (const stream of streams) {
      const hint = await stream.heard(isSuccessOf(id))
      expect(hint.at_ms - Number(event?.at_ms)).toBeLessThan(sized(5_000, 2_000))
      expect(hint).toMatchObject({ event: 'hint', id: String(made) })
      const { data } = hint
      expect(data).toEqual({
        sequence: made,
        event: 'transaction.success',
        kind: 'transaction',
        id,
      })
      expect(stream.headers.get('x-accel-buffering')).toBe('no')
      expect(stream.headers.get('content-encoding')).toBeNull()
      const created = stream.messages.find((one) => one.data.event === 'transaction.created')
      expect(created?.data).toMatchObject({ kind: 'transaction', id, sequence: made - 1 })
    }
  })

  it('tells nobody of another merchant, or of the other environment', async () => {
    const [stranger, live] = await Promise.all([
      app.shop(),
      app.shop({ environment: 'LIVE', live: true }),
    ])
    const owner = await app.member({ merchant_id: live.merchant_id })
    const streams = await Promise.all([
      ready(stranger),
      ready(live),
      ready(owner, { headers: placeOf(owner) }),
    ])
    const own = await ready(shop)
    await own.heard(isSuccessOf(await paid()))
    await sleep(1_500)
    for (const { messages } of streams)
      expect(messages.map(({ event }) => event)).toEqual(['ready'])
  })

  it('resumes after a break without a gap, by header or address, and says when it is too far', async () => {
    const first = await ready(shop)
    const known = first.messages[0]?.id ?? ''
    first.leave()
    const id = await paid()
    const [byHeader, byQuery] = await Promise.all([
      ready(shop, { headers: { 'last-event-id': known } }),
      ready(shop, { query: `?after=${known}` }),
    ])
    for (const stream of [byHeader, byQuery]) {
      await stream.heard(isSuccessOf(id))
      expect(stream.messages[0]).toMatchObject({ event: 'ready', id: known })
      const sequences = stream.messages.slice(1).map(({ data }) => data.sequence)
      expect(sequences).toEqual([Number(known) + 1, Number(known) + 2])
    }
    const [{ last_seq = 0n } = {}] = await app.owner<{ last_seq: bigint }[]>`
      select last_seq from event_feeds where merchant_id = ${shop.merchant_id}`
    const lost = await ready(shop, { query: `?after=${Number(last_seq) + 500}` })
    await lost.heard(({ event, id }) => event === 'resync' && id === String(last_seq))
  })

  it('is told by one process what was paid at another', async () => {
    const other = await app.another()
    try {
      const there = await ready(shop, { url: other.public_url })
      await there.heard(isSuccessOf(await paid()))
    } finally {
      await other.stop()
    }
  })
})

describe('a stream ends', () => {
  it('with its session, with another role, with its key', { timeout: 90_000 }, async () => {
    const [leaving, changed, staying] = await Promise.all([
      memberOf(shop),
      memberOf(shop),
      memberOf(shop),
    ])
    const third = await app.shop()
    const streams = await Promise.all([
      ready(leaving, { headers: placeOf(leaving) }),
      ready(changed, { headers: placeOf(changed) }),
      ready(third),
    ])
    const stays = await ready(staying, { headers: placeOf(staying) })
    await leaving.post('/auth/logout/')
    await app.owner`
      update memberships set role = 'VIEWER' where person_id = ${changed.person_id}`
    await app.owner`
      update api_keys set revoked_at = now() where merchant_id = ${third.merchant_id}`
    const began = Date.now()
    await Promise.all(streams.map(({ ended }) => ended))
    expect(Date.now() - began).toBeLessThan(bound_ms)
    await stays.heard(isSuccessOf(await paid()))
    for (const { messages } of streams)
      expect(messages.map(({ event }) => event)).toEqual(['ready'])
    const again = await follow(leaving, { headers: placeOf(leaving) })
    expect(again).toMatchObject({ status: 401, error: { code: 'session_expired' } })
  })

  it('at once when its process stops, which nobody’s stream holds up', async () => {
    const other = await app.another()
    const owner = await memberOf(shop)
    const stream = await ready(owner, { headers: placeOf(owner), url: other.public_url })
    const began = Date.now()
    await other.stop()
    await stream.ended
    expect(Date.now() - began).toBeLessThan(sized(8_000, 4_000))
  })
})

describe('too many streams', () => {
  it('of one session are refused in the envelope, counted, and free again when one leaves', async () => {
    const owner = await memberOf(shop)
    const mine = { headers: placeOf(owner) }
    const streams = await Promise.all(Array.from({ length: 6 }, () => follow(owner, mine)))
    expect(streams.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(await readMetric(app.url, 'pirogue_event_streams')).toBeGreaterThanOrEqual(6)
    const refused = await follow(owner, mine)
    expect(refused).toMatchObject({ status: 429, error: { code: 'rate_limited' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const colleague = await memberOf(shop)
    expect((await follow(colleague, { headers: placeOf(colleague) })).status).toBe(200)
    streams[0]?.leave()
    await expect.poll(async () => (await follow(owner, mine)).status).toBe(200)
  })
})

// A tab that is closed is no fault of ours: the log of errors would be full of them.
it('one that its reader leaves half-way is no error', async () => {
  const before = (await readMetric(app.url, 'pirogue_event_streams')) ?? 0
  const stream = await ready(shop)
  stream.leave()
  await expect.poll(() => readMetric(app.url, 'pirogue_event_streams')).toBeLessThanOrEqual(before)
  expect(errors).toEqual([])
})

// One merchant's webhooks among very many merchants': a look over all feeds for what has news takes
// long then, so it is made seldom, and news that is told of waits for none.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually, newPayer, startApp, type TestApp } from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { startReceiver } from '../setup/webhook-receiver.ts'

const feeds = 100_000
const payments = 6
/** Numbered by the statement that makes a payment, and by the one that ends it. */
const events = ['transaction.created', 'transaction.success']
/** A look over so many takes 50 ms and more, and then rests twenty times as long. */
const looks_a_second_max = 2

let app: TestApp
const ends = createEnds()
beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await ends.all()
  await app?.stop()
})

/** How many marks the sequencers have read so far. A backend tells when it is idle. */
async function marksRead(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const [row] = await app.owner<{ read: number }[]>`
    select (coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as read
      from pg_stat_user_tables where relname = 'delivery_marks'`
  return row?.read ?? 0
}

it('is sent as soon as among few, and all feeds are not read for it', async () => {
  await app.owner`
    insert into event_feeds (merchant_id, environment, last_seq)
    select gen_random_uuid(), 'LIVE', 3 from generate_series(1, ${feeds})`
  await app.owner`
    insert into delivery_marks (merchant_id, environment, seq)
    select merchant_id, environment, last_seq from event_feeds
    on conflict (merchant_id, environment) do nothing`
  await app.owner`vacuum analyze event_feeds, delivery_marks`
  const shop = await app.shop()
  const receiver = await ends.keep(startReceiver())
  await shop.post('/merchant-webhooks/', { url: receiver.url, events })
  const [before, began] = [await marksRead(), performance.now()]
  for (let at = 0; at < payments; at += 1) {
    const { data } = await shop.pay({ customer: newPayer() })
    await shop.becomes(data.id, 'SUCCESS')
    await eventually(async () => expect(receiver.received).toHaveLength(2 * (at + 1)))
  }
  const looks = ((await marksRead()) - before) / feeds
  expect(looks / ((performance.now() - began) / 1000)).toBeLessThan(looks_a_second_max)
  for (const event of events) {
    const sent = receiver.received.filter(({ body }) => body.event === event)
    const late = sent.map(({ at_ms, body }) => at_ms - Date.parse(body.created_at))
    expect(late).toHaveLength(payments)
    // Half of what waited for the next look would wait for more than a second.
    expect(late.toSorted((a, b) => a - b)[payments / 2]).toBeLessThan(1_000)
  }
}, 90_000)

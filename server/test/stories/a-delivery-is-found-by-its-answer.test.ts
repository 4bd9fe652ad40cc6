// A developer whose shop answered wrongly finds what it answered so, in the time when it did, takes
// the list away as a file, and has just that time sent again.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCsv } from '../../src/app/read-csv.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

/** What each endpoint does with the one delivery that it gets. */
const answers = { '2xx': 204, '3xx': 308, '4xx': 404, '5xx': 503, none: 0 } as const
type Answer = keyof typeof answers

let app: TestApp
let shop: Shop
/** The same, whose answers may be files. */
let bare: Shop
let payment: Json
const ends = createEnds()
const hooks = new Map<Answer, Json>()
const receivers = new Map<Answer, Receiver>()

const events = ['transaction.success']

beforeAll(async () => {
  app = await startApp()
  bare = await app.shop()
  shop = await heldToPublished(bare)
  for (const answer of Object.keys(answers) as Answer[]) {
    const receiver = await ends.keep(startReceiver())
    receiver.answerWith((response) => response.writeHead(answers[answer] || 200).end())
    const { data } = await shop.post('/merchant-webhooks/', { url: receiver.url, events })
    hooks.set(answer, data)
    receivers.set(answer, receiver)
  }
  await receivers.get('none')?.close()
  const made = await shop.pay({ customer: newPayer() })
  payment = await shop.becomes(made.data.id, 'SUCCESS')
  await eventually(async () => {
    const { data } = await shop.get('/webhook-logs/')
    expect(data.results.filter((one: Json) => one.sent_at !== null)).toHaveLength(5)
  })
})
afterAll(async () => {
  await ends.all()
  await app?.stop()
})

const found = async (query: string): Promise<string[]> => {
  const { status, data } = await shop.get(`/webhook-logs/?${query}`)
  expect([query, status]).toEqual([query, 200])
  return data.results.map((one: Json) => one.webhook)
}
const idOf = (answer: Answer): string => hooks.get(answer)?.id

describe('a delivery', () => {
  it.each(Object.keys(answers) as Answer[])('is found by its answer: %s', async (answer) => {
    const webhook = idOf(answer)
    expect(await found(`answer=${answer}`)).toEqual([webhook])
    expect(await found(`answer=${answer}&webhook=${webhook}`)).toEqual([webhook])
    expect(await found(`answer=${answer}&event_type=transaction.success`)).toEqual([webhook])
    expect(await found(`answer=${answer}&transaction=${payment.id}`)).toEqual([webhook])
    expect(await found(`answer=${answer}&event_type=transaction.failed`)).toEqual([])
    const status = answer === '2xx' ? 'SUCCESS' : 'FAILED'
    expect(await found(`answer=${answer}&status=${status}`)).toEqual([webhook])
    expect(await found(`answer=${answer}&status=PENDING`)).toEqual([])
  })

  it('that was never sent is not one that nobody answered', async () => {
    await app.owner`
      update deliveries set status = 'EXHAUSTED', due_at = null, sent_at = null,
             exhausted_at = now() - interval '1 second'
       where webhook_id = ${idOf('none')}`
    expect(await found('answer=none')).toEqual([])
    await app.owner`
      update deliveries set sent_at = now() - interval '1 second'
       where webhook_id = ${idOf('none')}`
    expect(await found('answer=none&status=EXHAUSTED')).toEqual([idOf('none')])
  })

  it('is found in its time, both ends included, page after page', async () => {
    const { data } = await shop.get('/webhook-logs/')
    const times: string[] = data.results.map((one: Json) => one.created_at)
    const [last = ''] = times
    const early = new Date(Date.parse(last) - 3_600_000).toISOString()
    expect(await found(`created_at__gte=${early}&created_at__lte=${last}`)).toHaveLength(5)
    expect(await found(`created_at__lte=${early}`)).toEqual([])
    expect(await found(`created_at__lte=${early}&transaction=${payment.id}`)).toEqual([])
    expect(await found(`created_at__gte=${early}&answer=4xx`)).toEqual([idOf('4xx')])
    const first = await shop.get(`/webhook-logs/?created_at__gte=${early}&page_size=3`)
    const address = first.data.next.slice(first.data.next.indexOf('/webhook-logs/'))
    const second = await shop.get(address)
    const ids = [...first.data.results, ...second.data.results].map(({ id }: Json) => id)
    expect(new Set(ids).size).toBe(5)
  })

  it('is asked for by what there is', async () => {
    const wrong = await shop.get('/webhook-logs/?answer=200&created_at__gte=soon')
    expect(wrong.status).toBe(400)
    expect(Object.keys(wrong.error).sort()).toEqual(['answer', 'created_at__gte'])
  })
})

describe('the file of deliveries', () => {
  it.each(['', '?answer=4xx', '?status=SUCCESS', '?created_at__lte=2020-01-01'])(
    'has the rows and values of the list: %s',
    async (query) => {
      const file = await bare.call('GET', `/webhook-logs/export/${query}`)
      expect(file.status).toBe(200)
      expect(file.headers.get('content-disposition')).toBe('attachment; filename="deliveries.csv"')
      const { data } = await shop.get(`/webhook-logs/${query}`)
      const rows = readCsv(file.body)
      expect(rows).toHaveLength(data.results.length)
      for (const [at, log] of data.results.entries()) {
        const { data: detail } = await shop.get(`/webhook-logs/${log.id}/`)
        const names = String(file.body).split('\n')[0]?.split(',') ?? []
        const shown = names.map((name) => [name, rows[at]?.text(name)])
        expect(shown).toEqual(names.map((name) => [name, String(detail[name] ?? '')]))
      }
    },
  )

  it('has the columns that are asked for, and those alone', async () => {
    const file = await bare.call('GET', '/webhook-logs/export/?columns=event_type,id')
    const { data } = await shop.get('/webhook-logs/')
    const rows = data.results.map(({ event_type, id }: Json) => `${event_type},${id}`)
    expect(rows).toHaveLength(5)
    expect(String(file.body).trimEnd().split('\n')).toEqual(['event_type,id', ...rows])
  })
})

describe('a replay until a moment', () => {
  const replay = (body: object) => shop.post(`/merchant-webhooks/${idOf('2xx')}/replay/`, body)
  const ended = () =>
    eventually(async () => {
      const { data } = await shop.get(`/merchant-webhooks/${idOf('2xx')}/replay/`)
      expect(data.status).toBe('DONE')
      return data
    })

  it('sends what happened until then, and nothing later', async () => {
    const { data: feed } = await shop.get('/events/?event_type=transaction.success')
    const [event] = feed.results
    const since = new Date(Date.parse(event.created_at) - 60_000).toISOString()
    const just_before = new Date(Date.parse(event.created_at) - 1).toISOString()
    const early = await replay({ since, until: just_before })
    expect(early).toMatchObject({ status: 201, data: { events_total: 0, until: just_before } })
    await ended()
    const got = receivers.get('2xx')?.received.length ?? 0
    const until = new Date(Date.parse(event.created_at) + 1).toISOString()
    expect((await replay({ since, until })).data).toMatchObject({ events_total: 1, until })
    expect(await ended()).toMatchObject({ events_queued: 1, since, until })
    expect(receivers.get('2xx')?.received).toHaveLength(got + 1)
    expect((await replay({ since, until: null })).data).toMatchObject({ until: null })
    await ended()
  })

  it('is refused on its fields where it would end before it begins, or at no moment', async () => {
    const since = new Date(Date.now() - 60_000).toISOString()
    const before = new Date(Date.now() - 120_000).toISOString()
    for (const until of [before, 'soon', '2026-02-30', '']) {
      const { status, error } = await replay({ since, until })
      expect([until, status, Object.keys(error)]).toEqual([until, 400, ['until']])
    }
    const both = await replay({ since: 'x', until: 'y' })
    expect(Object.keys(both.error).sort()).toEqual(['since', 'until'])
  })
})

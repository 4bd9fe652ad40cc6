// Anybody may see which networks work just now, without a credential: closed by staff it is shown at
// once to whoever asks a fresh process, and a network that is broken is shown as such.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Json, startApp, type TestApp } from '../harness.ts'
import { readPublished } from '../published.ts'

let app: TestApp
const published = await readPublished()
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

const ask = (query = '?environment=SANDBOX', headers: Record<string, string> = {}) =>
  fetch(`${app.url}/api/v1/availability/${query}`, { headers })

const networkIn = (rows: readonly Json[], code: string, direction: string): Json =>
  rows.find((one) => one.network_code === code && one.direction === direction)

it('shows each network and direction, to be kept for a quarter of a minute', async () => {
  const answer = await ask()
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('public, max-age=15')
  const body = (await answer.json()) as Json
  expect(networkIn(body.data, 'mtn_bj', 'COLLECT')).toMatchObject({
    ...{ country_code: 'BJ', status: 'OPERATIONAL', success_rate: null, sample: 0 },
    message: { en: expect.any(String), fr: expect.any(String) },
  })
  const operation = published.operations.find(({ name }) => name === 'GET /availability/')
  if (operation === undefined) throw new Error('it is not published')
  const reply = { status: 200, headers: answer.headers, body, data: body.data, error: undefined }
  expect(published.faultsOf(operation, reply)).toEqual([])
  const etag = answer.headers.get('etag') ?? ''
  const again = await ask('?environment=SANDBOX', { 'if-none-match': `W/"x", ${etag}` })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const live = (await (await ask('')).json()) as Json
  expect(live.data).toEqual([])
  expect((await ask('?environment=MOON')).status).toBe(400)
})

it('shows what staff have closed, and what has been broken for two minutes', async () => {
  await app.owner`
    insert into gateway_closings (id, gateway_id, country, direction, from_at)
    select gen_random_uuid(), id, 'BJ', 'DISBURSE', now() from gateways where environment = 'SANDBOX'`
  await app.owner`
    insert into route_health (route_id, turned_at, broken_since, skip_until)
    select r.id, now(), now() - interval '2 minutes', now()
      from routes r join networks n on n.id = r.network_id
     where n.code = 'moov_bj' and r.direction = 'COLLECT'`
  await app.owner`update routes set breaker = true`
  // A process that has read nothing yet.
  const second = await app.another()
  const answer = await fetch(`${second.public_url}/api/v1/availability/?environment=SANDBOX`)
  const { data } = (await answer.json()) as Json
  expect(networkIn(data, 'mtn_bj', 'DISBURSE')).toMatchObject({
    ...{ status: 'CLOSED', source: 'STAFF' },
  })
  expect(networkIn(data, 'mtn_bj', 'COLLECT').status).toBe('OPERATIONAL')
  expect(networkIn(data, 'moov_bj', 'COLLECT')).toMatchObject({
    ...{ status: 'CLOSED', source: 'OBSERVED', since: expect.any(String) },
  })
})

// The sandbox operator is for the sandbox alone: where it cannot start, the service does, LIVE
// notices nothing, and a payment of the sandbox is refused as where no operator takes any.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Service, startService } from '../../src/app/start.ts'
import { connectionTo, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let dir: string
let alone: Service
beforeAll(async () => {
  app = await startApp()
  dir = await mkdtemp(path.join(tmpdir(), 'pirogue-alone-'))
  await writeFile(path.join(dir, 'simulator.jsonl'), 'no order\n{}\n')
  const config = { ...app.config, simulator_url: null, data_dir: dir }
  const connection = connectionTo(app.database)
  alone = await startService(config, pino({ level: 'silent' }), { connection })
}, 60_000)
afterAll(async () => {
  await alone?.stop()
  await app?.stop()
  await rm(dir, { recursive: true, force: true })
})

const at = ({ merchant_id, key }: Shop) => shopWith(alone.public_url, merchant_id, key)

it('it serves, and LIVE with it', async () => {
  expect((await fetch(`${alone.public_url}/healthz`)).status).toBe(200)
  const live = at(await app.shop({ environment: 'LIVE', live: true }))
  expect((await live.get('/transactions/')).status).toBe(200)
  expect((await live.get('/merchant-balances/')).status).toBe(200)
})

it('a payment of the sandbox finds no route, and nothing is left open of it', async () => {
  const shop = at(await app.shop())
  const { status, error } = await shop.pay()
  expect([status, error?.code]).toEqual([422, 'no_route_available'])
  const { data } = await shop.get('/transactions/?status=PENDING')
  expect(data.results).toEqual([])
})

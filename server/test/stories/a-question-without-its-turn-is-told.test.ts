// An operator is asked only with a share of its pace. Where no share can be claimed nothing is
// asked, so whoever runs the service is told: by a line of the log and a count that rises.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWave, type Wave } from '../../../simulator/src/dialects/wave/start.ts'
import { metricsOn } from '../../src/app/metrics.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import { waveAdapter } from '../../src/gateways/wave-business-api/wave-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { makeLog } from '../../src/platform/log.ts'
import { eventually, type Json, payer, startApp, type TestApp } from '../harness.ts'
import { withWave } from '../setup/wave-account.ts'

const texts: string[] = []
const log = makeLog('info', { write: (text: string) => void texts.push(text) })
const code = 'wave_paced'
let app: TestApp
let wave: Wave

beforeAll(async () => {
  app = await startApp({ log })
  wave = await startWave({ port: 0, speed: 20, auto_pay: true })
})
afterAll(async () => {
  await app?.stop()
  await wave?.stop()
})

const faults = async (): Promise<number> => {
  const text = await metricsOn(app.service.db)()
  return Number(new RegExp(`pace_faults_total{gateway="${code}"} (\\d+)`).exec(text)?.[1] ?? 0)
}
const lines = (): Json[] => texts.map((text) => JSON.parse(text))

it('a share that cannot be claimed is logged and counted, and asked for again', async () => {
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { country, settings, secrets } = withWave(wave)
  const made = await addAccount(deps, waveAdapter, {
    ...{ code, name: 'Wave', environment: 'SANDBOX', country, settings, secrets },
  })
  await switchAccount(deps, made, { is_active: true, why: 'a story' })
  const staff = await app.staff({ role: 'OPERATIONS' })
  const route = { network: 'wave_sn', gateway: code, direction: 'COLLECT', priority: 9 }
  expect((await staff.post('/admin/routes/', route)).status).toBe(201)
  const shop = await app.shop()

  await app.owner`alter table gateway_pace rename to gateway_pace_away`
  const { data } = await shop.pay({
    ...{ country: 'SN', network: 'wave_sn', customer: payer('+221770000155') },
    preferred_gateway: code,
  })
  await eventually(async () => expect(await faults()).toBeGreaterThan(0), 30_000)
  const told = lines().find(({ msg }) => msg?.startsWith('no share of the operator’s pace'))
  expect(told).toMatchObject({ level: 40, gateway: code, err: { error_code: '42P01' } })

  await app.owner`alter table gateway_pace_away rename to gateway_pace`
  await shop.becomes(data.id, 'SUCCESS', 30_000)
})

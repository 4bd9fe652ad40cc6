// Whoever starts the embedded demo finds an administrator in credentials.json: they log in by their
// password alone and work in the sandbox, and LIVE is shut to them (contract 3.3, 7.3).

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handOverDemo } from '../../src/app/credentials.ts'
import { addGateways } from '../../src/gateways/gateways.ts'
import { newId } from '../../src/platform/ids.ts'
import { type Json, type Reply, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let dir: string
let credentials: Json
let admin: Shop
beforeAll(async () => {
  app = await startApp()
  dir = await mkdtemp(path.join(tmpdir(), 'pirogue-demo-'))
  // What an embedded start does with its own database.
  await handOverDemo(app.service.db, dir, { public_url: app.url, dashboard_url: app.url })
  credentials = JSON.parse(await readFile(path.join(dir, 'credentials.json'), 'utf8'))
  const login = await shopWith(app.url, '', '').post('/admin/auth/login/', credentials.admin)
  expect(login.status).toBe(200)
  expect(login.data.staff).toMatchObject({ role: 'SUPERADMIN', is_demo: true, totp_enabled: false })
  admin = shopWith(app.url, '', login.data.token)
})
afterAll(async () => {
  await app?.stop()
  await rm(dir, { recursive: true, force: true })
})

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const demoShop = () => shopWith(app.url, credentials.merchant.id, credentials.api_keys.BOTH)
const inLive = { 'x-environment': 'LIVE' }

describe('the demo’s administrator', () => {
  it('looks at everything of the sandbox and acts there', async () => {
    const { id } = credentials.merchant
    const funded = await demoShop().post('/sandbox/balances/', { country: 'SN', amount: '1000' })
    expect((await admin.get('/admin/merchants/')).data.count).toBeGreaterThan(0)
    expect((await admin.get('/admin/balances/')).data.results).toMatchObject([{ merchant: id }])
    const frozen = await admin.post(`/admin/balances/${funded.data.id}/freeze/`, { reason: 'x' })
    expect(frozen.data.is_frozen).toBe(true)
    await admin.post(`/admin/merchants/${id}/suspend/`, { reason: 'x' })
    expect(codeOf(await demoShop().pay())).toEqual([403, 'merchant_suspended'])
    await admin.post(`/admin/merchants/${id}/restore/`)
    expect((await demoShop().pay()).status).toBe(201)
  })

  it('is refused in LIVE, to look and to act, before anything else is looked at', async () => {
    const { id } = credentials.merchant
    const refused = [403, 'totp_required']
    const balance = (await admin.get('/admin/balances/')).data.results[0].id
    expect(codeOf(await admin.get('/admin/merchants/', inLive))).toEqual(refused)
    expect(codeOf(await admin.get(`/admin/merchants/${id}/`, inLive))).toEqual(refused)
    expect(codeOf(await admin.get('/admin/balances/', inLive))).toEqual(refused)
    expect(codeOf(await admin.get('/admin/staff/', inLive))).toEqual(refused)
    for (const act of [
      `/admin/merchants/${id}/approve/`,
      `/admin/merchants/${id}/suspend/`,
      `/admin/balances/${balance}/freeze/`,
      '/admin/staff/',
    ]) {
      expect(codeOf(await admin.post(act, {}, inLive))).toEqual(refused)
    }
    // Who they are they may always ask.
    expect((await admin.get('/admin/auth/me/', inLive)).data.second_factor).toBe('NONE')
  })

  it('finds no balance of LIVE in the sandbox', async () => {
    const { merchant_id } = await app.shop({ live: true })
    await app.owner`
      insert into balances (merchant_id, id, environment, country, currency)
      values (${merchant_id}, ${merchant_id}, 'LIVE', 'SN', 'XOF')`
    const { data } = await admin.get(`/admin/balances/?merchant=${merchant_id}`)
    expect(data.count).toBe(0)
    const path = `/admin/merchants/${merchant_id}/`
    expect((await admin.get(path)).data.balances).toEqual([])
    expect((await (await app.staff()).get(path)).data.balances).toHaveLength(1)
    const frozen = await admin.post(`/admin/balances/${merchant_id}/freeze/`, { reason: 'x' })
    expect(codeOf(frozen)).toEqual([404, 'not_found'])
  })

  it('is no second person for what gives rights, moves a price or is of LIVE', async () => {
    const gateway = { id: newId(), code: 'live_one', adapter: 'not_here', name: 'Operator' }
    await addGateways(app.owner, [{ ...gateway, environment: 'LIVE', is_active: false }])
    await app.owner`
      insert into gateway_checks (gateway_id, fingerprint, passed) values (${gateway.id}, '', true)`
    const boss = await app.staff()
    const json = { ...inLive, 'content-type': 'application/json' }
    const body = JSON.stringify({ is_active: true })
    const proposed = [
      await boss.call('PATCH', `/admin/gateways/${gateway.id}/`, { body, headers: json }),
      await boss.post('/admin/staff/', { email: 'ines@pirogue.example', role: 'SUPERADMIN' }),
      await boss.post('/admin/exchange-rates/', { base: 'EUR', quote: 'JPY', rate: '160' }),
    ]
    for (const { status, data } of proposed) {
      expect(status).toBe(202)
      for (const act of ['confirm', 'withdraw']) {
        const decided = await admin.post(`/admin/proposals/${data.id}/${act}/`)
        expect(codeOf(decided)).toEqual([403, 'totp_required'])
      }
      expect((await boss.get(`/admin/proposals/${data.id}/`)).data.status).toBe('PENDING')
    }
    // What is of LIVE they do not read either.
    const live = proposed[0]?.data
    const seen = await admin.get('/admin/proposals/')
    expect(seen.data.count).toBe(proposed.length - 1)
    expect(JSON.stringify(seen.data)).not.toContain(live.id)
    expect(codeOf(await admin.get(`/admin/proposals/${live.id}/`))).toEqual([404, 'not_found'])
    expect((await boss.get('/admin/proposals/')).data.count).toBe(proposed.length)
  })

  it('is nobody at the members’ door, and the demo’s owner nobody at theirs', async () => {
    const anyone = shopWith(app.url, '', '')
    const refused = [401, 'not_authenticated']
    expect(codeOf(await anyone.post('/auth/login/', credentials.admin))).toEqual(refused)
    const owner = credentials.dashboard
    expect(codeOf(await anyone.post('/admin/auth/login/', owner))).toEqual(refused)
    expect((await anyone.post('/auth/login/', owner)).status).toBe(200)
  })
})

describe('a demo that was restored into a real database', () => {
  it('lets nobody in: neither by its password nor by a session that came with it', async () => {
    // What only tells it apart is that the database is not our own embedded one.
    const real = await app.another({ DATABASE_URL: 'postgres://localhost/x' })
    const anyone = shopWith(real.public_url, '', '')
    const login = await anyone.post('/admin/auth/login/', credentials.admin)
    expect(codeOf(login)).toEqual([401, 'not_authenticated'])
    const signedIn = shopWith(real.public_url, '', admin.key)
    expect(codeOf(await signedIn.get('/admin/merchants/'))).toEqual([401, 'session_expired'])
    expect((await admin.get('/admin/merchants/')).status).toBe(200)
    await real.stop()
  })
})

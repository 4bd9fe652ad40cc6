// What one of the staff sets up for SANDBOX by the API is for play alone: it reaches no address
// that moves real money, and takes nothing from the imitations that all merchants there share.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import { addAccount, setNextSecrets } from '../../src/gateways/accounts.ts'
import type { AdapterModule } from '../../src/gateways/adapter.ts'
import { adapters, findAdapter } from '../../src/gateways/adapters.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import {
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'OPERATIONS' })
})
afterAll(() => app?.stop())

const live = { 'x-environment': 'LIVE' }
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]
const deps = () => ({ db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') })

function moduleOf(adapter: string): AdapterModule {
  const module = findAdapter(adapter)
  if (module === undefined) throw new Error(`no ${adapter}`)
  return module
}

/** By staff of an installation that reaches no private addresses; what is wrong, by field. */
const addedAt = (adapter: string, base_url: string | undefined) =>
  addAccount(deps(), moduleOf(adapter), {
    ...({ code: `own_${adapter}`, name: 'Own', environment: 'SANDBOX', country: 'BJ' } as const),
    ...{ settings: base_url === undefined ? {} : { base_url }, own_hosts: true },
  }).then(
    () => [],
    (error: { fields?: object }) => Object.keys(error.fields ?? { [String(error)]: [] }),
  )

const choose = (shop: Shop, dialect: string) =>
  shop.call('PUT', '/sandbox/dialects/', {
    body: JSON.stringify({ network_code: 'mtn_bj', direction: 'COLLECT', dialect }),
    headers: { 'content-type': 'application/json' },
  })

describe('an account of SANDBOX that one person adds', () => {
  const base = (adapter: string) =>
    moduleOf(adapter).settings.find(({ allowed_hosts }) => allowed_hosts !== undefined)
  const withOwnSandbox = ['mtn', 'pawapay', 'fedapay']

  it.each(withOwnSandbox)(
    '%s: reaches its sandbox, over TLS, and not what is live',
    async (one) => {
      const { standard, allowed_hosts = [] } = base(one) ?? {}
      const sandbox = standard?.SANDBOX ?? ''
      for (const host of allowed_hosts) {
        expect(await addedAt(one, `https://${host}`)).toEqual(['settings.base_url'])
      }
      const plain = sandbox.replace('https:', 'http:')
      expect(await addedAt(one, plain)).toEqual(['settings.base_url'])
      expect(await addedAt(one, `${sandbox}:8443`)).toEqual(['settings.base_url'])
    },
  )

  it('of an operator without a sandbox is not added: it would pay out real money', async () => {
    const without = adapters.filter(({ adapter }) => base(adapter)?.standard?.SANDBOX === undefined)
    expect(without.map(({ adapter }) => adapter)).toContain('wave')
    for (const { adapter } of without) {
      const [host] = base(adapter)?.allowed_hosts ?? []
      expect(await addedAt(adapter, `https://${host}`)).toEqual(['settings.base_url'])
    }
  })

  it('400: has an address that can be called, in LIVE too', async () => {
    for (const [headers, base_url] of [
      [{}, 'https://['],
      [live, 'https://['],
      [live, 'https://api.pawapay.io:99999'],
    ] as const) {
      const body = { adapter: 'pawapay', code: 'own_form', country: 'BJ', settings: { base_url } }
      const reply = await staff.post('/admin/gateways/', body, headers)
      expect(fieldsOf(reply), base_url).toEqual([400, ['settings.base_url']])
    }
  })
})

describe('an imitation', () => {
  it('cannot be kept from merchants by an account under its code', async () => {
    const settings = { base_url: app.url }
    for (const [code, headers] of [
      ['simulator_mtn', {}],
      ['simulator_wave', live],
      ['simulator_later', {}],
    ] as const) {
      const body = { adapter: 'mtn', code, country: 'BJ', settings }
      const reply = await staff.post('/admin/gateways/', body, headers)
      expect(fieldsOf(reply), code).toEqual([400, expect.arrayContaining(['code'])])
    }
    expect((await choose(await app.shop(), 'mtn')).status).toBe(200)
  })

  it('keeps its secrets, so that it can be mended: none of staff wait in their place', async () => {
    expect((await choose(await app.shop(), 'mtn')).status).toBe(200)
    const account = await findFoundGateway(app.service.db, 'simulator_mtn')
    if (account === undefined) throw new Error('no imitation')
    const keys = moduleOf('mtn').settings.filter(({ secret, required }) => secret && required)
    const secrets = Object.fromEntries(
      keys.map(({ key }) => [key, crypto.randomUUID().replaceAll('-', '')]),
    )
    const reply = await staff.post(`/admin/gateways/${account.id}/secrets/`, { secrets })
    const byCommand = async () => setNextSecrets(deps(), moduleOf('mtn'), { account, secrets })
    await expect(byCommand()).rejects.toMatchObject({ row: { code: 'gateway_without_settings' } })
    // The sandbox operator has another key now: what it opens with has to be written.
    await app.owner`
      update gateway_secrets set fingerprint = 'another'
       where gateway_id = ${account.id} and state = 'CURRENT'`
    expect((await choose(await app.shop(), 'mtn')).status).toBe(200)
    expect([reply.status, reply.error?.code]).toEqual([409, 'gateway_without_settings'])
    const { results } = (await staff.get(`/admin/gateways/${account.id}/secrets/`)).data
    expect(results.map(({ state }: Json) => state)).toEqual(['PREVIOUS', 'CURRENT'])
  })
})

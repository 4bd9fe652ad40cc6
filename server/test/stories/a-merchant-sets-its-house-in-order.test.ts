// A merchant's settings and branding: what is changed counts at the next call, what is not its to
// change stays as it was, and its logo is a picture and nothing else, to everybody.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Reply,
  type Shop,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { emailsIn } from '../mail-server.ts'
import { jpegOf, pngOf } from '../setup/pictures.ts'

let app: TestApp
let data_dir: string
beforeAll(async () => {
  data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-settings-'))
  app = await startApp({ env: { DATA_DIR: data_dir } })
})
afterAll(async () => {
  await app?.stop()
  await rm(data_dir, { recursive: true })
})

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]

const change = (by: Shop, body: unknown) =>
  by.call('PATCH', '/merchant/', {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

const acts = (merchant_id: string) => app.owner<Json[]>`
  select action, actor_id, before, after from audit_logs
   where merchant_id = ${merchant_id} and action like 'merchant.%' order by id`

describe('whom a merchant names for e-mails about money', () => {
  const emails = () => emailsIn(path.join(data_dir, 'outbox'))
  const subjectsTo = async (email: string) =>
    (await emails())
      .filter(({ headers }) => headers['to'] === email)
      .map(({ headers }) => headers['subject']?.replace(/^.*: /, ''))
  const method = (caller: Shop) =>
    caller.post('/merchant-payout-methods/', {
      ...{ country: 'BJ', type: 'MOBILE_MONEY', network: 'mtn_bj' },
      ...{ msisdn: newPayer().phone, account_name: 'Awa Diop' },
    })

  it('is told as the owners are, once, without a name; of other things the owners alone', async () => {
    const { merchant_id } = await app.shop({ live: true })
    const owner = await app.member({ merchant_id, second_factor: 'FRESH' })
    const till = `${newId()}@till.example`
    const named = await change(owner, { notification_emails: [till, owner.email] })
    expect(named.status).toBe(200)
    expect((await method(owner)).status).toBe(201)
    await eventually(async () => {
      expect(await subjectsTo(till)).toEqual(['A new payout method'])
      expect(await subjectsTo(owner.email)).toEqual(['A new payout method'])
    })
    const [first] = (await emails()).filter(({ headers }) => headers['to'] === till)
    expect(first?.text).toMatch(/^Hello,\n/)
    expect(first?.text).toContain('your address is named for e-mails about money')
    const viewer = await app.member({ merchant_id, role: 'VIEWER' })
    const raised = await owner.call('PATCH', `/merchant-members/${viewer.person_id}/`, {
      body: JSON.stringify({ role: 'ADMIN' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(raised.status).toBe(200)
    await eventually(async () =>
      expect(await subjectsTo(owner.email)).toContain('A new administrator in your account'),
    )
    expect(await subjectsTo(till)).toHaveLength(1)
  })

  it('is told, with the owners, that it is named no longer', async () => {
    const { merchant_id } = await app.shop({ live: true })
    const owner = await app.member({ merchant_id, second_factor: 'FRESH' })
    const [till, desk] = [`${newId()}@till.example`, `${newId()}@desk.example`]
    const name = (...notification_emails: string[]) => change(owner, { notification_emails })
    expect((await name(till, desk)).status).toBe(200)
    expect((await change(owner, { branding: { colour: '#0a7d4f' } })).status).toBe(200)
    expect((await name(desk, till)).status).toBe(200)
    expect((await name(desk, 'thief@x.example')).status).toBe(200)
    const told = 'Fewer addresses for e-mails about money'
    await eventually(async () => {
      for (const email of [till, desk, owner.email]) {
        expect(await subjectsTo(email)).toEqual([told])
      }
    })
    const [letter] = (await emails()).filter(({ headers }) => headers['to'] === till)
    expect(letter?.text).toContain(`E-mails about money no longer go to: ${till[0]}`)
    expect(letter?.text).not.toContain(desk)
    expect(await subjectsTo('thief@x.example')).toEqual([])
  })

  it('is told of nothing while there is no real money', async () => {
    const owner = await app.member()
    const till = `${newId()}@till.example`
    await change(owner, { notification_emails: [till] })
    await change(owner, { notification_emails: [] })
    await change(owner, { notification_emails: [till] })
    await change(owner, { cooling_off_hours: 48 })
    await change(owner, { cooling_off_hours: 2 })
    expect((await method(owner)).status).toBe(201)
    await eventually(async () => expect(await app.owner`select 1 from mail_outbox`).toHaveLength(0))
    expect(await subjectsTo(till)).toEqual([])
  })
})

describe('reading the merchant', () => {
  it('is for keys and sessions of any role, each in its environment', async () => {
    const { merchant_id } = await app.shop({ live: true, rate_limit: 5_000 })
    const key = await app.shop({ merchant_id, environment: 'LIVE', scope: 'PAYOUT' })
    const viewer = await app.member({ merchant_id, role: 'VIEWER' })
    const seen = await viewer.get('/merchant/')
    expect([seen.status, seen.data]).toEqual([
      200,
      {
        id: merchant_id,
        name: expect.stringMatching(/^Shop /),
        country: null,
        status: 'ACTIVE',
        environment: 'SANDBOX',
        live_enabled: true,
        kyc_status: 'NONE',
        kyc_note: '',
        rate_limit_per_minute: 5_000,
        fee_charge_mode_locked: null,
        allowed_countries: null,
        notification_emails: [],
        cooling_off_hours: null,
        cooling_off_change: null,
        time_zone: 'UTC',
        time_zone_change: null,
        tax: {
          ...{ legal_name: '', address: '', id_kind: '', id: '', rccm: '', vat_percent: '' },
          is_complete: false,
        },
        contact: { site_url: '', phone: '', whatsapp: '', email: '' },
        branding: { name: '', colour: '', logo_url: null },
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ])
    const live = await key.get('/merchant/')
    expect(live.data).toEqual({ ...seen.data, environment: 'LIVE' })
    const nobody = shopWith(app.url, '', '')
    expect(codeOf(await nobody.get('/merchant/'))).toEqual([401, 'not_authenticated'])
  })
})

describe('changing settings', () => {
  it('changes what is named, leaves the rest, and says what it was', async () => {
    const owner = await app.member()
    const first = await change(owner, {
      name: '  Boutique Awa ',
      fee_charge_mode_locked: 'DEDUCTED',
      allowed_countries: ['sn', 'BJ', 'SN'],
      notification_emails: ['Compta@Shop.example', 'compta@shop.example', 'a@shop.example'],
      cooling_off_hours: 48,
      branding: { name: ' Chez Awa ', colour: '#0A7D4F' },
    })
    const expected = {
      name: 'Boutique Awa',
      fee_charge_mode_locked: 'DEDUCTED',
      allowed_countries: ['BJ', 'SN'],
      notification_emails: ['a@shop.example', 'compta@shop.example'],
      cooling_off_hours: 48,
      branding: { name: 'Chez Awa', colour: '#0a7d4f', logo_url: null },
    }
    expect([first.status, first.data]).toMatchObject([200, expected])
    const second = await change(owner, { cooling_off_hours: null, branding: { colour: '' } })
    expect(second.data).toMatchObject({
      ...expected,
      cooling_off_hours: null,
      branding: { name: 'Chez Awa', colour: '' },
    })
    const third = await change(owner, { allowed_countries: null, fee_charge_mode_locked: null })
    expect(third.data).toMatchObject({ allowed_countries: null, fee_charge_mode_locked: null })
    // Nothing changed, nothing is told.
    expect((await change(owner, { name: 'Boutique Awa' })).status).toBe(200)
    expect((await change(owner, {})).data).toEqual(third.data)
    const log = await acts(owner.merchant_id)
    expect(log).toMatchObject([
      { action: 'merchant.settings_changed', actor_id: owner.person_id },
      {
        before: { cooling_off_hours: 48, brand_colour: '#0a7d4f' },
        after: { cooling_off_hours: null, brand_colour: '' },
      },
      {
        before: { allowed_countries: ['BJ', 'SN'], fee_charge_mode_locked: 'DEDUCTED' },
        after: { allowed_countries: null, fee_charge_mode_locked: null },
      },
    ])
    expect(Object.keys(log[1]?.after).sort()).toEqual(['brand_colour', 'cooling_off_hours'])
    expect(JSON.stringify(log)).not.toContain('compta@shop.example')
  })

  it('touches nothing that is staff’s, or that its body does not know', async () => {
    const owner = await app.member()
    const before = (await owner.get('/merchant/')).data
    const reply = await change(owner, {
      rate_limit_per_minute: 1,
      live_enabled: true,
      kyc_status: 'APPROVED',
      status: 'SUSPENDED',
      country: 'SN',
      id: newId(),
      brand_colour: 'red',
      brand_logo_key: 'kyc/somebody/else',
    })
    expect(reply.data).toEqual(before)
    expect(await acts(owner.merchant_id)).toEqual([])
  })

  it('names every field that is wrong', async () => {
    const owner = await app.member()
    const wrong = await change(owner, {
      name: '   ',
      fee_charge_mode_locked: 'FREE',
      allowed_countries: ['Senegal'],
      notification_emails: ['no address'],
      cooling_off_hours: 721,
      branding: { name: 'x'.repeat(61), colour: 'red' },
    })
    expect(fieldsOf(wrong)).toEqual([
      400,
      [
        'allowed_countries',
        'branding.colour',
        'branding.name',
        'cooling_off_hours',
        'fee_charge_mode_locked',
        'name',
        'notification_emails',
      ],
    ])
    const eleven = Array.from({ length: 11 }, (_, at) => `a${at}@shop.example`)
    for (const [field, value] of [
      ['name', ''],
      ['allowed_countries', []],
      ['notification_emails', eleven],
      ['cooling_off_hours', -1],
      ['cooling_off_hours', 1.5],
    ] as const) {
      expect(fieldsOf(await change(owner, { [field]: value }))).toEqual([400, [field]])
    }
    const unserved = await change(owner, { allowed_countries: ['SN', 'FR'] })
    expect(codeOf(unserved)).toEqual([422, 'invalid_country'])
    expect(unserved.error.message).toContain('FR')
    expect((await owner.get('/merchant/')).data.allowed_countries).toBeNull()
  })

  it('stays as it is where the body says null of what cannot be null', async () => {
    const { merchant_id } = await app.shop()
    const owner = await app.member({ merchant_id })
    await change(owner, { name: 'Chez Awa', branding: { colour: '#0a7d4f' } })
    const absent = { name: null, notification_emails: null, branding: null }
    const { status, data } = await change(owner, absent)
    expect([status, data.name, data.branding.colour]).toEqual([200, 'Chez Awa', '#0a7d4f'])
    expect((await change(owner, { branding: { colour: null } })).data.branding.colour).toBe(
      '#0a7d4f',
    )
  })

  it('is for the dashboard and the right role, with the second factor, unsuspended', async () => {
    const { merchant_id } = await app.shop({ live: true })
    const body = { cooling_off_hours: 100 }
    const owner = await app.member({ merchant_id, second_factor: 'FRESH' })
    const stale = await app.member({ merchant_id, second_factor: 'STALE' })
    const finance = await app.member({ merchant_id, role: 'FINANCE', second_factor: 'FRESH' })
    const key = await app.shop({ merchant_id })
    expect(codeOf(await change(key, body))).toEqual([403, 'dashboard_only'])
    expect(codeOf(await change(finance, body))).toEqual([403, 'permission_denied'])
    expect(codeOf(await change(stale, body))).toEqual([403, 'totp_required'])
    expect((await change(owner, body)).data.cooling_off_hours).toBe(100)
    await suspendMerchant(app.service.db, merchant_id, 'a test')
    expect(codeOf(await change(owner, body))).toEqual([403, 'merchant_suspended'])
    expect((await owner.get('/merchant/')).data.status).toBe('SUSPENDED')
  })
})

describe('the countries that a merchant keeps to', () => {
  it('hold at the next payment and retry, in every process, and for it alone', async () => {
    const shop = await app.shop()
    const other = await app.another({ ROLE: 'api' })
    const there = shopWith(other.public_url, shop.merchant_id, shop.key)
    const owner = await app.member({ merchant_id: shop.merchant_id })
    const failed = await there.pay({ customer: newPayer('03') })
    expect(failed.status).toBe(201)
    await shop.becomes(failed.data.id, 'FAILED')

    expect((await change(owner, { allowed_countries: ['SN'] })).status).toBe(200)
    const retry = () => there.post(`/payments/${failed.data.id}/retry/`)
    for (const refused of [
      await there.pay({ country: 'bj', customer: newPayer() }),
      await owner.pay({ customer: newPayer() }),
      await retry(),
    ]) {
      expect(codeOf(refused)).toEqual([422, 'invalid_country'])
      expect(refused.error.message).toContain('allowed_countries')
    }
    const neighbour = await app.shop()
    expect((await neighbour.pay({ customer: newPayer() })).status).toBe(201)

    expect((await change(owner, { allowed_countries: ['SN', 'BJ'] })).status).toBe(200)
    expect((await there.pay({ customer: newPayer() })).status).toBe(201)
    expect((await retry()).status).toBe(200)
    await other.stop()
  })

  it('are not asked of what is paid already: it is still found', async () => {
    const shop = await app.shop()
    const paid = await shop.pay({ customer: newPayer() })
    await shop.becomes(paid.data.id, 'SUCCESS')
    const owner = await app.member({ merchant_id: shop.merchant_id })
    await change(owner, { allowed_countries: ['SN'] })
    expect((await shop.get(`/payments/${paid.data.id}/verify/`)).data.status).toBe('SUCCESS')
  })
})

describe('the fee mode that a merchant locks', () => {
  it('is refused otherwise, and taken where nothing is said', async () => {
    const shop = await app.shop()
    const owner = await app.member({ merchant_id: shop.merchant_id })
    await change(owner, { fee_charge_mode_locked: 'DEDUCTED' })
    const other = await shop.pay({ fee_charge_mode: 'ADD_ON', customer: newPayer() })
    expect(codeOf(other)).toEqual([422, 'fee_charge_mode_locked'])
    const taken = await shop.pay({ customer: newPayer() })
    const { data } = await shop.get(`/transactions/${taken.data.id}/`)
    expect(data.fee_charge_mode).toBe('DEDUCTED')
  })
})

const png = pngOf()
const jpeg = jpegOf()

const putLogo = (by: Shop, bytes: Buffer | string, type = 'image/png') =>
  by.call('PUT', '/merchant/logo/', {
    body: typeof bytes === 'string' ? bytes : new Uint8Array(bytes),
    headers: { 'content-type': type },
  })

async function look(url: string) {
  const reply = await fetch(url)
  const bytes = Buffer.from(await reply.arrayBuffer())
  return { status: reply.status, headers: reply.headers, bytes }
}

const logoFiles = async (merchant_id: string): Promise<string[]> =>
  readdir(path.join(data_dir, 'storage', 'logos', merchant_id)).catch(() => [])

describe('a logo', () => {
  it('is shown to everybody as the picture it is, replaced, and taken down', async () => {
    const owner = await app.member()
    const put = await putLogo(owner, png)
    expect(put.status).toBe(200)
    const { logo_url } = put.data.branding
    const address = `${app.url}/api/v1/branding/${owner.merchant_id}/logo/`
    expect(logo_url).toMatch(new RegExp(`^${address.replace(/[.?]/g, '\\$&')}\\?v=[0-9a-f]{12}$`))
    const shown = await look(logo_url)
    expect([shown.status, shown.bytes]).toEqual([200, png])
    const header = (name: string) => shown.headers.get(name)
    expect(header('content-type')).toBe('image/png')
    expect(header('cache-control')).toBe('public, max-age=3600')
    expect(header('x-content-type-options')).toBe('nosniff')
    expect(header('content-security-policy')).toContain("default-src 'none'")
    expect(header('content-security-policy')).toContain('sandbox')
    expect(await logoFiles(owner.merchant_id)).toHaveLength(1)

    const again = await putLogo(owner, jpeg, 'image/jpeg')
    expect(again.data.branding.logo_url).not.toBe(logo_url)
    const replaced = await look(again.data.branding.logo_url)
    expect([replaced.bytes, replaced.headers.get('content-type')]).toEqual([jpeg, 'image/jpeg'])
    expect(await logoFiles(owner.merchant_id)).toHaveLength(1)

    expect((await owner.call('DELETE', '/merchant/logo/')).status).toBe(204)
    expect((await owner.call('DELETE', '/merchant/logo/')).status).toBe(204)
    expect((await look(address)).status).toBe(404)
    expect((await owner.get('/merchant/')).data.branding.logo_url).toBeNull()
    expect(await logoFiles(owner.merchant_id)).toEqual([])
    expect((await acts(owner.merchant_id)).map(({ action }) => action)).toEqual([
      'merchant.logo_changed',
      'merchant.logo_changed',
      'merchant.logo_removed',
    ])
  })

  it('is one of eight that come at once, and no file is left over', async () => {
    const owner = await app.member()
    // So few that none waits too long for its turn: it would leave its file until the sweep.
    const replies = await Promise.all(Array.from({ length: 8 }, () => putLogo(owner, png)))
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(await logoFiles(owner.merchant_id)).toHaveLength(1)
    const { logo_url } = (await owner.get('/merchant/')).data.branding
    expect((await look(logo_url)).bytes).toEqual(png)
  })

  it('is no SVG, no web page, nothing under a false name, and not too large', async () => {
    const owner = await app.member()
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
    const page = '<html><script>alert(1)</script></html>'
    const unsupported = [415, 'unsupported_media_type']
    expect(codeOf(await putLogo(owner, svg, 'image/svg+xml'))).toEqual(unsupported)
    expect(codeOf(await putLogo(owner, svg))).toEqual(unsupported)
    expect(codeOf(await putLogo(owner, page, 'image/webp'))).toEqual(unsupported)
    expect(codeOf(await putLogo(owner, png, 'image/jpeg'))).toEqual(unsupported)
    expect(codeOf(await putLogo(owner, '', 'image/png'))).toEqual(unsupported)
    expect(codeOf(await putLogo(owner, '{}', 'application/json'))).toEqual(unsupported)
    const fits = Buffer.alloc(512 * 1024)
    png.copy(fits)
    expect((await putLogo(owner, fits)).status).toBe(200)
    const over = Buffer.concat([fits, Buffer.alloc(1)])
    expect(codeOf(await putLogo(owner, over))).toEqual([413, 'payload_too_large'])
    expect(await logoFiles(owner.merchant_id)).toHaveLength(1)
  })

  it('is put up by whoever may, and not found where there is none', async () => {
    const { merchant_id } = await app.shop({ live: true })
    const stale = await app.member({ merchant_id, second_factor: 'STALE' })
    const finance = await app.member({ merchant_id, role: 'FINANCE', second_factor: 'FRESH' })
    const key = await app.shop({ merchant_id })
    const takeDown = (by: Shop) => by.call('DELETE', '/merchant/logo/')
    expect(codeOf(await putLogo(key, png))).toEqual([403, 'dashboard_only'])
    expect(codeOf(await takeDown(key))).toEqual([403, 'dashboard_only'])
    expect(codeOf(await putLogo(finance, png))).toEqual([403, 'permission_denied'])
    expect(codeOf(await takeDown(finance))).toEqual([403, 'permission_denied'])
    expect(codeOf(await putLogo(stale, png))).toEqual([403, 'totp_required'])
    expect(codeOf(await takeDown(stale))).toEqual([403, 'totp_required'])
    for (const id of [merchant_id, newId(), 'nobody', '..%2f..']) {
      const { status } = await look(`${app.url}/api/v1/branding/${id}/logo/`)
      expect([id, status]).toEqual([id, 404])
    }
  })

  it('is not asked for without end from one address', async () => {
    const slow = await app.another({ ROLE: 'api', LIMIT_PUBLIC_PER_IP_MINUTE: '1' })
    const refused = await eventually(async () => {
      const reply = await look(`${slow.public_url}/api/v1/branding/${newId()}/logo/`)
      if (reply.status !== 429) throw new Error(`answered ${reply.status}`)
      return reply
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await slow.stop()
  })
})

// A merchant may call itself what it likes in the sandbox. Where real payers look, its name is the
// one that staff have seen; a new one waits for them, and nobody becomes a bank by a change of
// name.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lapseNameReviews } from '../../src/merchants/settings/names.ts'
import { type Reply, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'
import { textOf } from '../setup/pdf-text.ts'
import { pngOf } from '../setup/pictures.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
})
afterAll(() => app?.stop())

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const png = pngOf()

const patch = (by: Shop, body: object) =>
  by.call('PATCH', '/merchant/', {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
const uploadLogo = (by: Shop) =>
  by.call('PUT', '/merchant/logo/', {
    body: new Uint8Array(png),
    headers: { 'content-type': 'image/png' },
  })

/** A merchant whom staff have approved under its name, with a payment link in each environment. */
async function approved() {
  const owner = await app.member({ second_factor: 'FRESH' })
  const { merchant_id } = owner
  expect((await patch(owner, { name: 'Awa SARL', branding: { name: 'Chez Awa' } })).status).toBe(
    200,
  )
  const staff = await app.staff()
  expect((await staff.post(`/admin/merchants/${merchant_id}/approve/`)).status).toBe(200)
  const link = async (environment: string) => {
    const body = { name: 'Shoes', amount: '5000', currency: 'XOF' }
    const made = await owner.post('/payment-links/', body, { 'x-environment': environment })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    return String(made.data.slug)
  }
  const [live, sandbox] = [await link('LIVE'), await link('SANDBOX')]
  const anyone = shopWith(app.url, '', '')
  const merchantOn = async (slug: string) =>
    (await anyone.get(`/payment-links/public/${slug}/`)).data.merchant
  const page = async (slug: string) => (await fetch(`${app.url}/pay/${slug}`)).text()
  const path = `/admin/merchants/${merchant_id}/`
  const since = async () => (await staff.get(path)).data.name_review_since
  const waiting = async () => {
    const list = await staff.get(`/admin/approvals/?kind=MERCHANT_NAME&merchant=${merchant_id}`)
    return list.data.results
  }
  return { owner, merchant_id, staff, live, sandbox, merchantOn, page, path, since, waiting }
}

describe('a name in LIVE', () => {
  it('is the approved one beside the brand, on page and JSON, whatever was written since', async () => {
    const shop = await approved()
    const { owner, live, sandbox, merchantOn, page } = shop
    expect((await merchantOn(live)).name).toBe('Chez Awa (Awa SARL)')
    expect(await shop.waiting()).toEqual([])
    const renamed = await patch(owner, { name: 'Best Shop', branding: { name: 'Trust Me' } })
    expect([renamed.status, renamed.data.name]).toEqual([200, 'Best Shop'])
    expect((await uploadLogo(owner)).status).toBe(200)
    expect(await merchantOn(live)).toMatchObject({ name: 'Chez Awa (Awa SARL)', logo_url: null })
    const shown = await page(live)
    expect(shown).toContain('Chez Awa (Awa SARL)')
    expect(shown).not.toMatch(/Trust Me|Best Shop/)
    expect((await merchantOn(sandbox)).name).toBe('Trust Me')
    expect((await merchantOn(sandbox)).logo_url).not.toBeNull()
    expect(await shop.waiting()).toMatchObject([
      { kind: 'MERCHANT_NAME', id: shop.merchant_id, path: shop.path, environment: null },
    ])
    const emails = (await emailsWaiting(app)).filter(({ to }) => to === owner.email)
    const waiting = emails.filter(({ subject }) => subject.includes('is awaiting review'))
    expect(waiting).toHaveLength(1)
  })

  it('has a logo whose address shows no later one', async () => {
    const owner = await app.member({ second_factor: 'FRESH' })
    const staff = await app.staff()
    const seen = String((await uploadLogo(owner)).data.branding.logo_url)
    const approve = `/admin/merchants/${owner.merchant_id}/approve/`
    expect((await staff.post(approve)).status).toBe(200)
    const status = async (url: string) => (await fetch(url)).status
    expect(await status(seen)).toBe(200)
    const unseen = String((await uploadLogo(owner)).data.branding.logo_url)
    expect([await status(seen), await status(unseen)]).toEqual([404, 200])
    expect(await status(unseen.replace(/\?.*/, ''))).toBe(200)
    expect(await status(unseen.replace(/.$/, ''))).toBe(404)
  })

  it('is none that was put there after staff looked, where they say which they have seen', async () => {
    const owner = await app.member({ second_factor: 'FRESH' })
    const staff = await app.staff()
    const path = `/admin/merchants/${owner.merchant_id}/`
    const approve = (body?: object) => staff.post(`${path}approve/`, body)
    const seen = async () => ({ updated_at: (await staff.get(path)).data.updated_at })
    expect((await patch(owner, { name: 'Awa SARL' })).status).toBe(200)
    const changes = [
      () => patch(owner, { name: 'Impots du Benin' }),
      () => patch(owner, { branding: { name: 'Trust Me' } }),
      () => patch(owner, { contact: { phone: '+2290166666666' } }),
      () => uploadLogo(owner),
    ]
    for (const change of changes) {
      const before = await seen()
      await new Promise((ok) => setTimeout(ok, 5))
      expect((await change()).status).toBe(200)
      expect(codeOf(await approve(before))).toEqual([409, 'merchant_changed'])
    }
    const none = { approved_at: null, reviewed_name: null, live_enabled: false }
    expect((await staff.get(path)).data).toMatchObject(none)
    const wrong = await approve({ updated_at: 'yesterday' })
    expect([wrong.status, Object.keys(wrong.error)]).toEqual([400, ['updated_at']])
    const agreed = await approve(await seen())
    expect([agreed.status, agreed.data]).toMatchObject([
      200,
      { reviewed_name: 'Impots du Benin', reviewed_brand_name: 'Trust Me', live_enabled: true },
    ])
    // Whoever says nothing approves what stands there, as ever; approved again, it changes nothing.
    expect((await approve()).status).toBe(200)
  })

  it('is the new one once staff agree to what they have seen', async () => {
    const { owner, staff, live, merchantOn, path, since, waiting } = await approved()
    await patch(owner, { branding: { name: 'Awa Plus' } })
    const seen = await since()
    // Changed again meanwhile: what they saw is not what stands there.
    await new Promise((ok) => setTimeout(ok, 5))
    await patch(owner, { branding: { name: 'Trust Me' } })
    const late = await staff.post(`${path}approve-name/`, { since: seen })
    expect(codeOf(late)).toEqual([409, 'name_not_waiting'])
    const agreed = await staff.post(`${path}approve-name/`, { since: await since() })
    expect([agreed.status, agreed.data]).toMatchObject([
      200,
      { reviewed_brand_name: 'Trust Me', name_review_since: null },
    ])
    expect((await merchantOn(live)).name).toBe('Trust Me (Awa SARL)')
    expect(await waiting()).toEqual([])
    const again = await staff.post(`${path}approve-name/`, { since: seen })
    expect(codeOf(again)).toEqual([409, 'name_not_waiting'])
  })

  it('of one merchant that cannot be restored keeps no other waiting', async () => {
    const [poisoned, other] = [await approved(), await approved()]
    for (const { owner, merchant_id } of [poisoned, other]) {
      await patch(owner, { branding: { name: 'Trust Me' } })
      await app.owner`
        update merchants set name_review_since = now() - interval '31 days'
         where id = ${merchant_id}`
    }
    await app.owner.unsafe(`
      create function poisoned() returns trigger language plpgsql
        as $$ begin raise exception 'poisoned'; end $$;
      create trigger poisoned before update on merchants for each row
        when (old.id = '${poisoned.merchant_id}') execute function poisoned()`)
    try {
      await expect(lapseNameReviews(app.service.db)).rejects.toThrow('poisoned')
    } finally {
      await app.owner.unsafe('drop trigger poisoned on merchants; drop function poisoned()')
    }
    expect(await other.since()).toBeNull()
    expect(await poisoned.since()).not.toBeNull()
  })

  it('is the old one again when staff refuse, when nobody looks for a month, and when it takes it back', async () => {
    const { owner, staff, live, sandbox, merchantOn, path, since, merchant_id } = await approved()
    const both = async () => [(await merchantOn(live)).name, (await merchantOn(sandbox)).name]
    await patch(owner, { name: 'Other SARL' })
    const refusal = { since: await since(), reason: 'No papers of this name.' }
    expect((await staff.post(`${path}reject-name/`, refusal)).data.name).toBe('Awa SARL')
    expect(await both()).toEqual(['Chez Awa (Awa SARL)', 'Chez Awa'])
    await patch(owner, { branding: { name: 'Trust Me' } })
    await app.owner`
      update merchants set name_review_since = now() - interval '31 days'
       where id = ${merchant_id}`
    await Promise.all([lapseNameReviews(app.service.db), lapseNameReviews(app.service.db)])
    expect(await both()).toEqual(['Chez Awa (Awa SARL)', 'Chez Awa'])
    await patch(owner, { branding: { name: 'Trust Me' } })
    expect(await since()).not.toBeNull()
    await patch(owner, { branding: { name: 'Chez Awa' } })
    expect(await since()).toBeNull()
    const acts = await app.owner`
      select action from audit_logs
       where merchant_id = ${merchant_id} and action like 'merchant.name_%' order by id`
    expect(acts.map(({ action }) => action)).toEqual([
      'merchant.name_rejected',
      'merchant.name_lapsed',
    ])
  })

  it('stands on a receipt as it does on the page', async () => {
    const shop = await approved()
    const key = await app.shop({ merchant_id: shop.merchant_id })
    const paid = await key.pay()
    await key.post(`/sandbox/transactions/${paid.data.id}/resolve/`, { status: 'SUCCESS' })
    await key.becomes(paid.data.id, 'SUCCESS')
    await patch(shop.owner, { branding: { name: 'Trust Me' } })
    const invoice = await fetch(`${app.url}/api/v1/transactions/${paid.data.id}/invoice/`, {
      headers: { authorization: `Bearer ${key.key}` },
    })
    const text = textOf(Buffer.from(await invoice.arrayBuffer()))
    const token = /receipts\/([\w-]{22})/.exec(text)?.[1]
    const read = async () =>
      (await shopWith(app.url, '', '').get(`/receipts/${token}/`)).data.merchant
    expect(await read()).toBe('Trust Me')
    await app.owner`update transactions set environment = 'LIVE' where id = ${paid.data.id}`
    expect(await read()).toBe('Chez Awa (Awa SARL)')
  })
})

describe('a name of somebody else', () => {
  it.each([
    ['name', { name: 'MTN Bénin' }],
    ['name', { name: 'Boutique Ecobank' }],
    ['branding.name', { branding: { name: 'ORANGE-MONEY service' } }],
    ['branding.name', { branding: { name: 'Société Générale' } }],
    ['branding.name', { branding: { name: 'Celtiis Cash' } }],
  ])('is refused in %s: %j', async (field, body) => {
    const owner = await app.member()
    const reply = await patch(owner, body)
    expect([reply.status, Object.keys(reply.error)]).toEqual([400, [field]])
    const { name } = (await owner.get('/merchant/')).data
    expect(name).toMatch(/^Shop /)
  })

  it('is given by staff, and what only sounds like one is taken', async () => {
    const owner = await app.member()
    for (const name of ['Orange Boutique', 'Waves of Cotonou', 'Boaventura', 'Free Style']) {
      const reply = await patch(owner, { branding: { name } })
      expect(reply.status, name).toBe(200)
    }
    const staff = await app.staff()
    const given = await staff.call('PATCH', `/admin/merchants/${owner.merchant_id}/`, {
      body: JSON.stringify({ name: 'MTN Bénin' }),
      headers: { 'content-type': 'application/json' },
    })
    expect([given.status, given.data.name]).toEqual([200, 'MTN Bénin'])
    // It is theirs now: another change leaves it alone.
    expect((await patch(owner, { branding: { colour: '#0a7d4f' } })).status).toBe(200)
  })
})

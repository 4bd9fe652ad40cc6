// Whoever changes the name and the colour of their payment page sees the page before saving, as a
// payer would, in light and in dark, and reads whether the colour can be read; nothing in it runs,
// and nothing is made by looking.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import { fieldsOf } from '../setup/membership.ts'

let app: TestApp
let owner: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  owner = await heldToPublished(await app.member())
  await app.owner`update merchants set country = 'BJ' where id = ${owner.merchant_id}`
})
afterAll(() => app?.stop())

const path = '/merchant/branding/preview/'
const queryOf = (query: Record<string, string>) => `?${new URLSearchParams(query)}`

const legibility = async (query: Record<string, string> = {}): Promise<Json> => {
  const { status, data } = await owner.get(path + queryOf(query))
  expect(status).toBe(200)
  return data
}

/** As a frame fetches it: by a ticket, with no header. */
async function pageOf(by: SignedInCaller, query: Record<string, string>) {
  const { data } = await by.post('/downloads/', {
    path: path + queryOf({ format: 'html', ...query }),
  })
  const reply = await fetch(data.url)
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

describe('the colour', () => {
  it('is told how well it can be read, and what it is moved to', async () => {
    expect(await legibility({ colour: '#FFE600' })).toEqual({
      ...{ colour: '#ffe600', text: '#000000', text_contrast: '16.57' },
      light: {
        ...{ ground: '#ffffff', colour: '#807300', contrast: '4.80' },
        ...{ own_contrast: '1.26', is_moved: true },
      },
      dark: {
        ...{ ground: '#14171a', colour: '#ffe600', contrast: '14.19' },
        ...{ own_contrast: '14.19', is_moved: false },
      },
    })
  })

  it('is ours where none is sent, or an empty one', async () => {
    for (const query of [{}, { colour: '' }]) {
      expect(await legibility(query)).toMatchObject({ colour: '#0b6b4f', text: '#ffffff' })
    }
  })

  it('that is none is refused at its field', async () => {
    const reply = await owner.get(path + queryOf({ colour: 'red;} body{' }))
    expect(fieldsOf(reply)).toEqual([400, ['colour']])
    const long = await owner.get(path + queryOf({ name: 'n'.repeat(61), theme: 'blue' }))
    expect(fieldsOf(long)).toEqual([400, ['name', 'theme']])
  })
})

describe('the page', () => {
  it('is the payer’s, with what is not saved, in either theme and language', async () => {
    const light = await pageOf(owner, { name: 'Chez Awa', colour: '#ffe600' })
    expect([light.status, light.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect(light.text).toContain('<b>Chez Awa</b>')
    expect(light.text).toContain('--b:#ffe600;--o:#000000;--a:#807300')
    expect(light.text).toContain('color-scheme:light;')
    expect(light.text).toContain('id="phone"')
    expect(light.text).toContain('mtn_bj')
    const dark = await pageOf(owner, { colour: '#ffe600', theme: 'dark' })
    expect(dark.text).toContain('--a:#ffe600')
    expect(dark.text).toContain('color-scheme:dark;')
    expect(dark.text).not.toContain('prefers-color-scheme')
  })

  it('runs nothing and sends nothing, and only our own pages frame it', async () => {
    const hostile = '"><script>alert(1)</script>'
    const { text, headers } = await pageOf(owner, { name: hostile })
    expect(text).not.toContain('<script')
    expect(text).toContain('&lt;script&gt;')
    expect(text).toContain(' inert>')
    const policy = headers.get('content-security-policy')?.split('; ') ?? []
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "form-action 'none'", 'sandbox']),
    )
    expect(policy).toContain("frame-ancestors 'self'")
    expect(policy.join()).not.toMatch(/script-src|unsafe/)
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('makes nothing and leaves what is saved', async () => {
    const rows = () => app.owner`
      select (select count(*)::int from checkout_sessions) as sessions,
             (select brand_name || brand_colour from merchants where id = ${owner.merchant_id})
               as brand`
    const before = [...(await rows())]
    await pageOf(owner, { name: 'Another', colour: '#123456' })
    expect([...(await rows())]).toEqual(before)
  })

  it('is seen by whoever reads the settings, suspended or without a country too', async () => {
    const viewer = await app.member({ merchant_id: owner.merchant_id, role: 'VIEWER' })
    expect((await pageOf(viewer, {})).status).toBe(200)
    const nowhere = await app.member()
    await app.owner`update merchants set status = 'SUSPENDED' where id = ${nowhere.merchant_id}`
    const { status, text } = await pageOf(nowhere, { name: 'Anywhere' })
    expect([status, text.includes('<b>Anywhere</b>')]).toEqual([200, true])
  })
})

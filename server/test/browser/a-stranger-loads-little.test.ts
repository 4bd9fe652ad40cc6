// Whoever is not signed in loads what signs them in; the dashboard itself comes while they type, and
// to a browser that has a session at once, named by the page, as are the words of its language.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
beforeAll(async () => {
  fixture = await startFixture()
}, 180_000)
afterAll(() => fixture?.stop())

/** The files that the page asks for from now on, by their names without what tells versions apart. */
function filesOf(page: Page): string[] {
  const files: string[] = []
  page.on('request', (request) => {
    const file = /\/assets\/([a-z-]+?)-[\w-]{8}\.(?:js|css)$/.exec(request.url())?.[1]
    if (file !== undefined) files.push(file)
  })
  return files
}

it('the dashboard comes while somebody types to sign in, and at once to who is signed in', () =>
  fixture.visit({ width: 360 }, async (page) => {
    const { app, shop } = fixture
    const owner = await app.member({ merchant_id: shop.merchant_id })
    const files = filesOf(page)
    await page.goto(`${app.url}/dashboard`, { waitUntil: 'networkidle' })
    const email = page.locator('input[name=email]')
    await email.waitFor()
    expect(files).not.toContain('dashboard')
    await email.pressSequentially(owner.email.slice(0, 1))
    await expect.poll(() => files).toContain('dashboard')
    await signInAs(page, owner)

    const again = await page.goto(`${app.url}/dashboard`)
    expect(await again?.text()).toMatch(/modulepreload[^>]*\/dashboard-[^>]*data-for="member"/)
  }))

/** What the page names, by its files' names without what tells versions apart. */
async function namedIn(path: string, headers: Record<string, string>): Promise<string[]> {
  const page = await (await fetch(`${fixture.app.url}/dashboard${path}`, { headers })).text()
  return [...page.matchAll(/\/assets\/([a-z-]+?)-[\w-]{8}\.js/g)].map(([, name = '']) => name)
}

it('the page names the words of its reader, and the screen that they open', async () => {
  const { app, shop } = fixture
  const owner = await app.member({ merchant_id: shop.merchant_id })
  const login = await fetch(`${app.url}/api/v1/auth/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: owner.email, password: owner.password, cookie: true }),
  })
  const cookie = login.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const french = { cookie, 'accept-language': 'fr-BJ, en;q=0.5' }
  const english = { cookie, 'accept-language': 'en-GB' }
  const home = `/${shop.merchant_id}/test`
  expect(await namedIn(home, french)).toEqual(expect.arrayContaining(['fr', 'fr-frame', 'home']))
  expect(await namedIn(`${home}/?from=link`, english)).toEqual(
    expect.arrayContaining(['en', 'en-frame', 'home']),
  )
  for (const path of ['', '/', home]) {
    const names = await namedIn(path, french)
    expect(names, path).toContain('home')
    expect(names.filter((name) => name.startsWith('en'))).toEqual([])
  }
  expect(await namedIn(`${home}/payments`, french)).not.toContain('home')
  const outside = await namedIn(home, { 'accept-language': 'en' })
  expect(outside).toContain('en')
  expect(outside).not.toContain('en-frame')
  expect(outside).not.toContain('home')
})

it('each of its forms has an ETag of its own, and says what it goes by', async () => {
  const get = (headers: Record<string, string>) =>
    fetch(`${fixture.app.url}/dashboard`, { headers })
  const french = await get({ 'accept-language': 'fr' })
  const english = await get({ 'accept-language': 'en' })
  expect(french.headers.get('vary')).toBe('Accept-Encoding, Accept-Language, Cookie')
  const etag = french.headers.get('etag') ?? ''
  expect(etag).not.toBe(english.headers.get('etag'))
  const again = await get({ 'accept-language': 'fr', 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const other = await get({ 'accept-language': 'en', 'if-none-match': etag })
  expect(other.status).toBe(200)
})

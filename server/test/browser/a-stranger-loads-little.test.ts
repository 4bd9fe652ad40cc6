// Whoever is not signed in loads what signs them in; the dashboard itself comes while they type, and
// to a browser that has a session at once, named by the page.

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

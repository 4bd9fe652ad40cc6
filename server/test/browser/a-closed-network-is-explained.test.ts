// A payer with a small phone (360 pixels), without scripts too, sees beside each network that takes
// nothing now why, and until when: legible, whole, and before anything is pressed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { cutTexts, overflowOf, runAxe } from './measure.ts'

let fixture: BrowserFixture
beforeAll(async () => {
  fixture = await startFixture()
  const staff = await fixture.app.staff({ role: 'OPERATIONS' })
  const ends_at = new Date(Date.now() + 26 * 3_600_000).toISOString()
  const closing = { gateway: 'simulator_a', country: 'bj', direction: 'COLLECT', note: 'a test' }
  expect((await staff.post('/admin/gateway-closings/', { ...closing, ends_at })).status).toBe(201)
  // MTN is reached by that account alone, and the others by another one too.
  await fixture.app.owner`
    update routes r set is_active = false
      from networks n, gateways g
     where n.id = r.network_id and n.code = 'mtn_bj' and g.id = r.gateway_id
       and r.direction = 'COLLECT' and g.code = 'simulator_b'`
  await fixture.app.owner`update catalogue_version set version = version + 1`
})
afterAll(() => fixture?.stop())

const patience_ms = 90_000

describe('a network that is closed', () => {
  it.each([
    [true, 'fr', /Fermé jusqu’au \d+\s[^ ]+ à \d\d:\d\d/],
    [false, 'fr', /Fermé jusqu’au \d+\s[^ ]+ à \d\d:\d\d/],
    [false, 'en', /Closed until \d+\s[^ ]+, \d\d:\d\d/],
  ] as const)(
    'says until when (scripts %s, %s)',
    async (scripts, language, form) => {
      const session = await fixture.open({ country: 'BJ' })
      await fixture.visit({ scripts, language }, async (page) => {
        await page.goto(session.checkout_url)
        const mtn = page.locator('label[for=network-mtn_bj]')
        await expect.poll(() => mtn.innerText()).toMatch(form)
        expect(await page.locator('#network-mtn_bj').isDisabled()).toBe(true)
        await expect.poll(() => page.locator('#clocks').innerText()).toContain('Porto-Novo, UTC+1')
        expect(await overflowOf(page)).toBeLessThanOrEqual(0)
        expect(await cutTexts(page)).toEqual([])
        if (scripts) expect(await runAxe(page)).toEqual([])
      })
    },
    patience_ms,
  )
})

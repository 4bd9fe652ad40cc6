// A session ends when nobody has used the dashboard for 12 hours (contract 3.3), also where a screen
// was left open that asks every minute; and who sits there is told before it ends, and may keep it.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
}, patience_ms)
afterAll(() => fixture?.stop())

const newMember = () => fixture.app.member({ merchant_id: fixture.shop.merchant_id })
const open = (page: Page, path: string) =>
  openFor(page, fixture.app.url, fixture.shop.merchant_id, path)

/** The sessions of a person, as if so much time had passed over them. */
const age = ({ person_id }: SignedInCaller, by: string) => fixture.app.owner`
  update sessions set last_seen_at = last_seen_at - ${by}::text::interval
   where person_id = ${person_id}`

/** Minutes since any session of the person was used. */
async function idleMinutes({ person_id }: SignedInCaller): Promise<number> {
  const [row] = await fixture.app.owner<{ minutes: number }[]>`
    select round(extract(epoch from now() - max(last_seen_at)) / 60)::int as minutes
      from sessions where person_id = ${person_id} and ended_at is null`
  return row?.minutes ?? -1
}

/** How much the ground behind an open dialog hides. */
const coverOf = `getComputedStyle(document.querySelector('dialog[open]'), '::backdrop').opacity`

const overviewIsRead = (page: Page) =>
  page.waitForResponse((answer) => answer.url().includes('/api/v1/overview/'))

describe('a session', () => {
  it(
    'is used by whoever sits there, and not by a screen that asks every minute',
    async () => {
      const member = await newMember()
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await page.clock.install()
        // What a page asks for by itself a few seconds after it was opened counts as a use.
        const by_itself = [
          page.waitForResponse((one) => one.url().includes('/payouts/counts/')),
          page.waitForRequest(/\/events\/stream\//),
        ]
        await open(page, '')
        await signInAs(page, member)
        await comesToRest(page)
        await Promise.all(by_itself)
        // What was answered may still be being noted as a use.
        await sleep(1_000)
        await age(member, '3 hours')
        const asked = overviewIsRead(page)
        await page.clock.fastForward('06:00')
        expect((await asked).request().headers()['x-background']).toBe('1')
        expect(await idleMinutes(member)).toBe(180)

        await page.getByRole('button', { name: 'Menu' }).click()
        await page.getByRole('link', { name: 'Customers' }).click()
        await expect.poll(() => idleMinutes(member)).toBe(0)
      })
    },
    patience_ms,
  )

  wholeIt(
    'that is about to end says so, and is kept by a press',
    async () => {
      const member = await newMember()
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.clock.install()
        await open(page, '/customers')
        await signInAs(page, member)
        await comesToRest(page)
        await age(member, '11 hours 58 minutes 30 seconds')
        await page.clock.fastForward('11:58:30')
        const dialog = page.getByRole('dialog', { name: 'Votre session va se terminer' })
        await dialog.getByText(/^Il reste \d\d s\.$/).waitFor()
        expect(await idleMinutes(member)).toBeGreaterThanOrEqual(718)
        await expectSound(page)
        await page.route('**/api/v1/auth/logout/', (route) =>
          route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Indisponible.' } }),
        )
        await press(page, 'Se déconnecter')
        await dialog.getByRole('alert').getByText('vous êtes encore connecté').waitFor()
        await expectSound(page)
        await press(page, 'Prolonger la session')
        await dialog.waitFor({ state: 'detached' })
        expect(await idleMinutes(member)).toBe(0)
      })
    },
    patience_ms,
  )

  wholeIt(
    'that nobody keeps hides what was shown, and asks to sign in',
    async () => {
      const member = await newMember()
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.clock.install()
        await open(page, '/links/new')
        await signInAs(page, member)
        await page.locator('input[name=name]').fill('Melons')
        await comesToRest(page)
        await age(member, '11 hours 58 minutes 30 seconds')
        await page.clock.fastForward('11:58:30')
        await page.getByRole('dialog', { name: 'Your session is about to end' }).waitFor()
        await age(member, '2 minutes')
        await page.clock.fastForward('02:00')
        const over = page.getByRole('dialog', { name: 'Your session has ended' })
        await over.waitFor()
        await page.getByRole('dialog', { name: 'about to end' }).waitFor({ state: 'detached' })
        expect(await page.evaluate(coverOf)).toBe('1')
        await expectSound(page)
        await over.locator('input[name=email]').fill(member.email)
        await over.locator('input[name=password]').fill(member.password)
        await over.locator('button[type=submit]').click()
        await over.waitFor({ state: 'detached' })
        await expect.poll(() => page.locator('input[name=name]').inputValue()).toBe('Melons')
      })
    },
    patience_ms,
  )

  it(
    'that is over is signed in to over the page, whatever the browser closes by itself',
    async () => {
      const member = await newMember()
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/customers')
        await signInAs(page, member)
        await comesToRest(page)
        await fixture.app.owner`delete from sessions where person_id = ${member.person_id}`
        await page.getByRole('button', { name: 'Menu' }).click()
        await page.getByRole('link', { name: 'Équipe' }).click()
        const over = page.getByRole('dialog')
        await over.waitFor()
        for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape')
        await comesToRest(page)
        expect(await page.evaluate(coverOf)).toBe('1')
        // As a browser does that knows no `closedby`, and from the second Esc on asks nobody.
        await page.evaluate(`document.querySelector('dialog.over').close()`)
        await expect.poll(() => page.evaluate(coverOf).catch(() => '')).toBe('1')
        await expectSound(page)
        await over.locator('input[name=email]').fill(member.email)
        await over.locator('input[name=password]').fill(member.password)
        await over.locator('button[type=submit]').click()
        await over.waitFor({ state: 'detached' })
      })
    },
    patience_ms,
  )

  wholeIt(
    'that ends after its 7 days is told, and cannot be kept',
    async () => {
      const member = await newMember()
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await page.clock.install()
        await open(page, '/customers')
        await signInAs(page, member)
        await comesToRest(page)
        await fixture.app.owner`
          update sessions set ends_at = now() + interval '100 seconds'
           where person_id = ${member.person_id}`
        await page.clock.fastForward('11:58:30')
        const dialog = page.getByRole('dialog', { name: 'Your session is about to end' })
        await dialog.getByText('at least every 7 days').waitFor()
        await expectSound(page)
        await press(page, 'Continue')
        await dialog.waitFor({ state: 'detached' })
        await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor()
      })
    },
    patience_ms,
  )
})

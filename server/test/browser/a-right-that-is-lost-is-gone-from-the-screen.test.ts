// What somebody may see and do ends under their hands: they are taken out of the team, given a
// narrower role, their shop is suspended, they sign out in another tab. The next call is refused,
// and the screen offers and shows no more than that, without a reload.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs, until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await shop.pay({ amount: '4200', description: 'Commande 1042' })
}, patience_ms)
afterAll(() => fixture?.stop())

const join = (role: 'ADMIN' | 'FINANCE') =>
  fixture.app.member({ merchant_id: fixture.shop.merchant_id, role })

const toLinks = (page: Page) => page.getByRole('link', { name: 'Links', exact: true }).click()

async function openPayments(page: Page, who: SignedInCaller): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, '/payments')
  await signInAs(page, who)
  await page.getByText('Commande 1042').first().waitFor()
}

describe('whoever is taken out of the team', () => {
  it(
    'sees nothing of it from the next call on, nor by the button Back, in any tab',
    async () => {
      const gone = await join('FINANCE')
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        // No hint: a tab learns of it by its own next call.
        await page.context().route('**/events/stream/**', (route) => route.fulfill({ status: 502 }))
        await openPayments(page, gone)
        const second = await page.context().newPage()
        await openFor(second, fixture.app.url, owner.merchant_id, '/balances')
        const out = await owner.call('DELETE', `/merchant-members/${gone.person_id}/`)
        expect(out.status).toBe(204)
        for (const tab of [page, second]) {
          await toLinks(tab)
          await tab.getByText('Your account belongs to no merchant').waitFor()
          expect(await tab.locator('nav.menu, .shell').count()).toBe(0)
        }
        await expectSound(page)
        await page.goBack()
        await page.getByText('Your account belongs to no merchant').waitFor()
        expect(await page.getByText('Commande 1042').count()).toBe(0)
      })
    },
    patience_ms,
  )

  it(
    'still has their own account, and signs out',
    async () => {
      const gone = await join('FINANCE')
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openPayments(page, gone)
        await owner.call('DELETE', `/merchant-members/${gone.person_id}/`)
        await page.goto(`${fixture.app.url}/dashboard/`)
        await page.getByText('Your account belongs to no merchant').waitFor()
        await expectSound(page)
        await page.locator('main a[href$="/me"]').click()
        await page.locator('input[name=first_name]').waitFor()
        await page.goBack()
        await page.route('**/auth/logout/', (route) => route.abort())
        await press(page, 'Sign out')
        await page.getByText('you are still signed in').waitFor()
        await page.unroute('**/auth/logout/')
        await press(page, 'Sign out')
        await page.locator('input[name=password]').waitFor()
        const { value } = (await page.context().cookies()).find(({ name }) =>
          name.includes('pirogue'),
        ) ?? { value: '' }
        expect(value).toBe('')
      })
    },
    patience_ms,
  )
})

describe('whoever may do less', () => {
  wholeIt(
    'is shown who may, in the place of the form that was refused',
    async () => {
      const lowered = await join('ADMIN')
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '/links/new')
        await signInAs(page, lowered)
        await page.getByLabel('What for?').fill('Rice')
        await page.getByLabel('How much?').fill('1000')
        const body = JSON.stringify({ role: 'VIEWER' })
        const headers = { 'content-type': 'application/json' }
        const path = `/merchant-members/${lowered.person_id}/`
        expect((await owner.call('PATCH', path, { headers, body })).status).toBe(200)
        await press(page, 'Create the link')
        await page.getByText(/Your role does not allow this\. Who may: Owner/).waitFor()
        expect(await page.locator('main form').count()).toBe(0)
        await expectSound(page)
        await toLinks(page)
        await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
        expect(await page.getByRole('link', { name: 'New link' }).count()).toBe(0)
      })
    },
    patience_ms,
  )

  wholeIt(
    'because the shop was suspended reads why over the screen that was refused',
    async () => {
      const { app } = fixture
      const { merchant_id } = await app.shop()
      const member = await app.member({ merchant_id })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, app.url, merchant_id, '/links/new')
        await signInAs(page, member)
        await page.getByLabel('What for?').fill('Rice')
        await page.getByLabel('How much?').fill('1000')
        await app.owner`
          update merchants set status = 'SUSPENDED', suspended_reason = 'Papers missing',
                               suspended_at = now() - interval '1 second'
           where id = ${merchant_id}`
        await press(page, 'Create the link')
        await page.locator('.stop-band').getByText('Papers missing').waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

describe('a page that is left because another tab signed out', () => {
  wholeIt(
    'is empty where the browser keeps it for the button Back, and is loaded anew when it is shown',
    async () => {
      const member = await join('FINANCE')
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openPayments(page, member)
        // An answer without a page: the browser stays where it was, as if it had kept it.
        const front = `${fixture.app.url}/dashboard/`
        await page.route(front, (route) => route.fulfill({ status: 204 }))
        const second = await page.context().newPage()
        await openFor(second, fixture.app.url, owner.merchant_id, '/payments')
        await second.locator('.person summary').click()
        await second.getByRole('button', { name: 'Sign out' }).click()
        await second.locator('input[name=password]').waitFor()
        await until(page, 'document.body.hidden')
        expect(
          await page.locator('main, nav, header, dialog').filter({ visible: true }).count(),
        ).toBe(0)
        await page.evaluate('dispatchEvent(new Event("pageshow"))')
        await page.locator('input[name=password]').waitFor()
        expect(await page.getByText('Commande 1042').count()).toBe(0)
      })
    },
    patience_ms,
  )
})

describe('a page that the browser kept, and to which no other tab could say anything', () => {
  /** As a browser does that keeps the page, and shows it again. */
  const turn = (kind: 'pagehide' | 'pageshow') =>
    `dispatchEvent(new PageTransitionEvent('${kind}', { persisted: true }))`
  /** Nothing reaches it meanwhile. */
  const deafWhileKept = `(() => {
    const { set } = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, 'onmessage')
    Object.defineProperty(BroadcastChannel.prototype, 'onmessage', {
      set(act) { set.call(this, (event) => globalThis.isKept || act(event)) },
    })
  })()`
  const stateAfter = { 'signed out': 'visible', 'signed in as somebody else': 'detached' } as const
  const seen = (page: Page) => page.locator('main, nav, header, dialog').filter({ visible: true })

  it(
    'shows nothing until it is known whose it is: the same again to whoever still is signed in',
    async () => {
      const member = await join('FINANCE')
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openPayments(page, member)
        await page.locator('main .heading > a.act').click()
        await page.locator('input[name=msisdn]').fill('0197000010')
        await page.evaluate(turn('pagehide'))
        expect(await seen(page).count()).toBe(0)
        const answers = page.waitForResponse((response) => response.url().endsWith('/auth/me/'))
        await page.evaluate(turn('pageshow'))
        await answers
        await page.locator('input[name=msisdn]').waitFor()
        await expect.poll(() => page.locator('input[name=msisdn]').inputValue()).toContain('97')
      })
    },
    patience_ms,
  )

  /** No answer ever comes, as on a network that has not yet noticed that it is gone. */
  const silence = (page: Page) => page.route('**/auth/me/', () => new Promise(() => undefined))

  it(
    'is not empty for long where no answer comes, and nobody else has signed in',
    async () => {
      const member = await join('FINANCE')
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openPayments(page, member)
        await silence(page)
        await page.evaluate(turn('pagehide'))
        await page.evaluate(turn('pageshow'))
        expect(await seen(page).count()).toBe(0)
        await page.locator('main').waitFor({ timeout: 15_000 })
        await page.getByText('Commande 1042').first().waitFor()
      })
    },
    patience_ms,
  )

  it.each(['signed out', 'signed in as somebody else'] as const)(
    'is empty, and loaded anew, where meanwhile somebody %s in this browser',
    async (how) => {
      const [member, other] = [await join('FINANCE'), await join('FINANCE')]
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.addInitScript(deafWhileKept)
        await openPayments(page, member)
        await page.evaluate(turn('pagehide'))
        await page.evaluate('isKept = true')
        const second = await page.context().newPage()
        await openFor(second, fixture.app.url, owner.merchant_id, '/payments')
        await second.locator('.person summary').click()
        await second.getByRole('button', { name: 'Sign out' }).click()
        if (how !== 'signed out') await signInAs(second, other)
        await second.locator('input[name=email]').waitFor({ state: stateAfter[how] })
        // An answer without a page: the browser stays where it was.
        const front = `${fixture.app.url}/dashboard/`
        await page.route(front, (route) => route.fulfill({ status: 204 }))
        expect(await page.evaluate('document.body.hidden')).toBe(false)
        if (how !== 'signed out') await silence(page)
        await page.evaluate(turn('pageshow'))
        await until(page, 'document.body.hidden')
        expect(await seen(page).count()).toBe(0)
        expect(await page.getByText('Commande 1042').filter({ visible: true }).count()).toBe(0)
      })
    },
    patience_ms,
  )
})

// What stands between a reader and their dashboard, in a real browser: no network, asked to wait, a
// newer version, a session that ends, a mode that is not open, an account that is suspended.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { enrol } from '../setup/authenticator.ts'
import { newEmail } from '../setup/membership.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, signInAs, until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)
const submitOf = (page: Page) => page.locator('main form button[type=submit]')

async function linkNames(): Promise<string[]> {
  const { data } = await owner.get('/payment-links/?page_size=100')
  return data.results.map(({ name }: { name: string }) => name)
}

describe('without a network', () => {
  it(
    'what is shown says of when it is, nothing is sent or kept to be sent, and the form stays',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/links/new')
        await signInAs(page, owner)
        await page.locator('input[name=name]').fill('Mangoes')
        await page.locator('input[name=amount]').fill('1500')
        await page.context().setOffline(true)
        await page.getByText(/^No connection: nothing is sent\. What you see is from/).waitFor()
        expect(await submitOf(page).getAttribute('aria-disabled')).toBe('true')
        await expectSound(page)
        await page.locator('input[name=name]').press('Enter')
        await page.getByText('No connection: nothing was sent.').waitFor()
        await page.context().setOffline(false)
        await page.getByText('No connection: nothing is sent.').waitFor({ state: 'detached' })
        expect(await submitOf(page).getAttribute('aria-disabled')).toBeNull()
        await comesToRest(page)
        expect(await linkNames()).toEqual([])
        await submitOf(page).click()
        await heading(page, 'Mangoes')
      })
      expect(await linkNames()).toEqual(['Mangoes'])
    },
    patience_ms,
  )
})

describe('asked to wait', () => {
  wholeIt(
    'says for how long, and reads nothing until then',
    async () => {
      await fixture.visit({ language: 'fr', width: 360, hostile: true }, async (page) => {
        await open(page, '/team')
        await signInAs(page, owner)
        await heading(page, 'Équipe')
        await comesToRest(page)
        const asked: { path: string; at_ms: number }[] = []
        const refused = { at_ms: 0 }
        page.on('request', (request) => {
          const { pathname } = new URL(request.url())
          if (refused.at_ms === 0 || !pathname.includes('/api/v1/')) return
          asked.push({ path: pathname, at_ms: Date.now() })
        })
        await page.route('**/api/v1/audit-logs/**', async (route) => {
          if (refused.at_ms > 0) return route.continue()
          await route.fulfill({
            status: 429,
            headers: { 'Retry-After': String(wait_s) },
            json: { code: 'rate_limited', message: 'Trop de requêtes.', retryable: true },
          })
          refused.at_ms = Date.now()
        })
        await page.getByRole('button', { name: 'Menu' }).click()
        await page.getByRole('link', { name: 'Journal des actions' }).click()
        await page
          .getByRole('timer')
          .getByText(/reprise dans \d s/)
          .waitFor()
        await page.getByRole('button', { name: 'Menu' }).click()
        await page.getByRole('link', { name: 'Clients' }).click()
        await heading(page, 'Clients')
        await page.getByRole('timer').waitFor({ state: 'detached' })
        await comesToRest(page)
        expect(asked.length).toBeGreaterThan(0)
        for (const { at_ms } of asked) {
          expect(at_ms - refused.at_ms).toBeGreaterThan(wait_s * 1_000 - clocks_apart_ms)
        }
      })
    },
    patience_ms,
  )
})

describe('asked to wait for longer than a minute', () => {
  wholeIt(
    'goes on reading all else: a phone that was asked too often holds up no screen',
    async () => {
      await fixture.visit({ language: 'fr', width: 360, hostile: true }, async (page) => {
        await open(page, '/team')
        await signInAs(page, owner)
        await heading(page, 'Équipe')
        await comesToRest(page)
        await page.route('**/api/v1/audit-logs/**', (route) =>
          route.fulfill({
            status: 429,
            headers: { 'Retry-After': '86400' },
            json: { code: 'rate_limited', message: 'Trop de requêtes.', retryable: true },
          }),
        )
        await page.getByRole('button', { name: 'Menu' }).click()
        const refused = page.waitForResponse((one) => one.status() === 429)
        await page.getByRole('link', { name: 'Journal des actions' }).click()
        await refused
        await page.getByRole('button', { name: 'Menu' }).click()
        const read = page.waitForResponse((one) => one.url().includes('/api/v1/customers/'))
        await page.getByRole('link', { name: 'Clients' }).click()
        expect((await read).status()).toBe(200)
        expect(await page.getByRole('timer').count()).toBe(0)
      })
    },
    patience_ms,
  )
})

const wait_s = 6
/** The refusal reaches the page before we note that we gave it. */
const clocks_apart_ms = 1_000

describe('a newer version', () => {
  wholeIt(
    'is told, and comes with the next change of screen, not before',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, '/links/new')
        await signInAs(page, owner)
        await page.locator('input[name=name]').fill('Begun')
        await page.route(
          (url) => url.pathname === '/dashboard/',
          (route) => route.fulfill({ body: '<script src="/dashboard/assets/index-other.js">' }),
        )
        await page.evaluate('globalThis.isFirst = true')
        await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
        await page.getByText('A new version is ready.').waitFor()
        await expect.poll(() => page.locator('input[name=name]').inputValue()).toBe('Begun')
        await expectSound(page)
        expect(await page.evaluate('globalThis.isFirst')).toBe(true)
        await page.getByRole('link', { name: 'Customers' }).click()
        // What was begun is left on purpose.
        await page.getByRole('button', { name: 'Leave anyway' }).click()
        await until(page, 'globalThis.isFirst === undefined')
        await heading(page, 'Customers')
        expect(page.url()).toContain('/customers')
        expect(await page.getByText('A new version is ready.').count()).toBe(0)
      })
    },
    patience_ms,
  )
})

const endSessions = ({ person_id }: SignedInCaller) =>
  fixture.app.owner`delete from sessions where person_id = ${person_id}`

/** In the dialog over the page. */
async function signInOver(page: Page, { email, password }: SignedInCaller): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.locator('input[name=email]').fill(email)
  await dialog.locator('input[name=password]').fill(password)
  await dialog.locator('button[type=submit]').click()
}

describe('a session that ends', () => {
  it(
    'leaves the begun form to the same person',
    async () => {
      const member = await fixture.app.member({ merchant_id: owner.merchant_id })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/links/new')
        await signInAs(page, member)
        await page.locator('input[name=name]').fill('Pineapples')
        await page.locator('input[name=amount]').fill('900')
        await endSessions(member)
        await submitOf(page).click()
        await page.getByRole('dialog').waitFor()
        await expectSound(page)
        await signInOver(page, member)
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await expect.poll(() => page.locator('input[name=name]').inputValue()).toBe('Pineapples')
        await submitOf(page).click()
        await heading(page, 'Pineapples')
      })
    },
    patience_ms,
  )

  it.each([
    ['once: it is asked for again', 1],
    ['each time: that is what is said, not that the browser kept nothing', 9],
  ])(
    'and whose proof is taken while the answer to who it is is lost %s',
    async (_, losses) => {
      const member = await fixture.app.member({ merchant_id: owner.merchant_id })
      await fixture.visit({ language: 'en', width: 360, hostile: true }, async (page) => {
        await open(page, '/links/new')
        await signInAs(page, member)
        await page.locator('input[name=name]').fill('Guavas')
        await page.locator('input[name=amount]').fill('900')
        await endSessions(member)
        await submitOf(page).click()
        const dialog = page.getByRole('dialog')
        await dialog.waitFor()
        let lost = 0
        await page.route('**/auth/me/', (route) => {
          lost += 1
          return lost > losses ? route.continue() : route.abort()
        })
        await signInOver(page, member)
        if (losses > 1) {
          await dialog.getByRole('alert').waitFor()
          expect(await dialog.innerText()).not.toContain('https')
          await page.unroute('**/auth/me/')
          await dialog.locator('button[type=submit]').click()
        }
        await dialog.waitFor({ state: 'detached' })
        expect(await page.locator('input[name=name]').inputValue()).toBe('Guavas')
      })
    },
    patience_ms,
  )

  wholeIt(
    'leaves nothing of it to somebody else',
    async () => {
      const [member, other] = [
        await fixture.app.member({ merchant_id: owner.merchant_id }),
        await fixture.app.member({ merchant_id: owner.merchant_id, role: 'FINANCE' }),
      ]
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/links/new')
        await signInAs(page, member)
        await page.locator('input[name=name]').fill('For nobody else')
        await page.locator('input[name=amount]').fill('900')
        await endSessions(member)
        await submitOf(page).click()
        await page.getByRole('dialog').waitFor()
        await page.evaluate('globalThis.isFirst = true')
        await signInOver(page, other)
        await until(page, 'globalThis.isFirst === undefined')
        await heading(page, 'Home')
        expect(await page.content()).not.toContain('For nobody else')
      })
    },
    patience_ms,
  )
})

it(
  'a shop is made once, though the answer to who signed up is lost',
  async () => {
    await fixture.visit({ language: 'en', width: 360, hostile: true }, async (page) => {
      let made = 0
      page.on('request', (one) => {
        if (one.url().endsWith('/auth/register/')) made += 1
      })
      await page.route('**/auth/me/', (route) => route.abort())
      await page.goto(`${fixture.app.url}/dashboard/register`)
      for (const [name, text] of [
        ...[['merchant_name', 'Awa’s shop'] as const, ['first_name', 'Awa'] as const],
        ...[['last_name', 'Diop'] as const, ['email', newEmail()] as const],
        ['password', 'a long pass phrase'] as const,
      ]) {
        await page.locator(`input[name=${name}]`).fill(text)
      }
      await submitOf(page).click()
      await page.getByRole('alert').first().waitFor()
      await page.unroute('**/auth/me/')
      await submitOf(page).click()
      await page.locator('nav.menu').waitFor()
      expect(made).toBe(1)
    })
  },
  patience_ms,
)

describe('signing out', () => {
  it(
    'is not said to be done while the service refuses it',
    async () => {
      const member = await fixture.app.member({ merchant_id: owner.merchant_id })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/customers')
        await signInAs(page, member)
        const out = page.getByRole('button', { name: 'Se déconnecter' })
        await page.locator('.person summary').click()
        for (const status of [429, 503]) {
          await page.route('**/api/v1/auth/logout/', (route) =>
            route.fulfill({ status, json: { code: 'rate_limited', message: 'Plus tard.' } }),
          )
          const refused = page.waitForResponse((one) => one.status() === status)
          await out.click()
          await refused
          await page.getByRole('alert').getByText('vous êtes encore connecté').waitFor()
          await expectSound(page)
          await page.unroute('**/api/v1/auth/logout/')
        }
        await out.click()
        await page.locator('input[name=password]').waitFor()
        expect((await page.context().cookies()).map(({ name }) => name)).toEqual([])
      })
    },
    patience_ms,
  )
})

describe('a mode', () => {
  wholeIt(
    'that is not open yet says what is left to do, and where',
    async () => {
      const { app } = fixture
      const member = await app.member({ merchant_id: owner.merchant_id })
      await app.owner`update people set email_verified_at = null where id = ${member.person_id}`
      await fixture.visit({ language: 'fr', width: 320 }, async (page) => {
        await page.goto(`${app.url}/dashboard/${owner.merchant_id}/live/payments`)
        await signInAs(page, member)
        await page.getByRole('heading', { name: 'Pour encaisser de l’argent réel' }).waitFor()
        expect(page.url()).toContain(`/${owner.merchant_id}/test`)
        await expectSound(page)
        await page.getByRole('link', { name: 'Envoyer des documents' }).click()
        await heading(page, 'Vérification')
      })
    },
    patience_ms,
  )

  wholeIt(
    'that is the other one may have what is not here',
    async () => {
      const { app } = fixture
      const shop = await app.shop({ live: true })
      const member = await app.member({ merchant_id: shop.merchant_id, environment: 'LIVE' })
      const authenticator = await enrol(app, member)
      const id = crypto.randomUUID()
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await page.goto(`${app.url}/dashboard/${shop.merchant_id}/live/payments/${id}`)
        await signInAs(page, member, { code: authenticator.code() })
        await page.getByText(/^Not found here/).waitFor()
        await expectSound(page)
        await page.getByRole('link', { name: 'Look in test mode' }).click()
        await page.getByRole('link', { name: 'Look in live mode' }).waitFor()
        expect(page.url()).toBe(`${app.url}/dashboard/${shop.merchant_id}/test/payments/${id}`)
      })
    },
    patience_ms,
  )
})

describe('what is not allowed', () => {
  wholeIt(
    'names whom to ask, by name',
    async () => {
      const { app } = fixture
      const viewer = await app.member({ merchant_id: owner.merchant_id, role: 'VIEWER' })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, '/links/new')
        await signInAs(page, viewer)
        await page.getByText('Who can do this?').click()
        const names = page.locator('main details li')
        await names.first().waitFor()
        await expectSound(page)
        expect(await names.filter({ hasText: '(Owner)' }).count()).toBeGreaterThan(0)
        expect(await names.filter({ hasText: /Viewer|Finance/ }).count()).toBe(0)
      })
    },
    patience_ms,
  )

  it(
    'names them in place of every form and beside a button, by one call, when somebody asks',
    async () => {
      const { app, shop } = fixture
      const { data } = await shop.pay({ amount: '10000' })
      await shop.becomes(data.id, 'SUCCESS')
      const viewer = await app.member({ merchant_id: owner.merchant_id, role: 'VIEWER' })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        let calls = 0
        page.on('request', (one) => {
          if (one.url().includes('/merchant-members/')) calls += 1
        })
        await open(page, '/payouts/limits')
        await signInAs(page, viewer)
        const asked = page.getByText('Who can do this?')
        for (const path of [
          ...['/payouts/limits', '/payouts/new', '/settlements/new', '/settlements/methods'],
          ...['/settlements/methods/new', '/transfers/new', '/balances/top-up', '/payments/new'],
          ...['/checkouts/new', `/payments/${data.id}/refund`, `/payments/${data.id}`],
        ]) {
          await open(page, path)
          await asked.first().waitFor()
        }
        expect(calls).toBe(0)
        // Beside the button that gives the payment back.
        const beside = page.locator('.guarded', { hasText: 'Who can do this?' })
        await expectSound(page)
        await beside.first().getByText('Who can do this?').click()
        await beside.first().locator('li', { hasText: '(Owner)' }).first().waitFor()
        await page.getByRole('link', { name: 'Payments', exact: true }).first().click()
        await page.locator('main h1', { hasText: 'Payments' }).waitFor()
        await page.goBack()
        await beside.first().getByText('Who can do this?').click()
        await beside.first().locator('li', { hasText: '(Owner)' }).first().waitFor()
        expect(calls).toBe(1)
      })
    },
    patience_ms,
  )

  wholeIt(
    'in a suspended account is said over every screen, which can still be read',
    async () => {
      const { app } = fixture
      const { merchant_id } = await app.shop()
      const member = await app.member({ merchant_id })
      await app.owner`
        update merchants set status = 'SUSPENDED', suspended_reason = 'Papers missing',
                             suspended_at = now() - interval '1 second'
         where id = ${merchant_id}`
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, app.url, merchant_id, '/links')
        await signInAs(page, member)
        await page
          .locator('.stop-band')
          .getByText(/Account suspended.*Since .*Reason: Papers missing/)
          .waitFor()
        expect(await page.getByRole('link', { name: 'New link' }).count()).toBe(0)
        await expectSound(page)
        await openFor(page, app.url, merchant_id, '/payouts/new')
        await page.locator('.stop-band').waitFor()
        expect(await page.locator('main form').count()).toBe(0)
      })
    },
    patience_ms,
  )
})

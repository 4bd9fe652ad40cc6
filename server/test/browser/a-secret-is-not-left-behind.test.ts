// A secret that is shown once is not lost by a slip: whoever goes away without having said that it
// is kept is asked, by whichever way they go. And what a screen does, a program can do: the call is
// there to copy, and works.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { authenticatorOf } from '../setup/authenticator.ts'
import { inAnotherShop } from '../setup/membership.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'
import { comesToRest } from './rest.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000
const runFile = promisify(execFile)

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const dialogOf = (page: Page) => page.getByRole('dialog')

async function makeKey(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'New key' }).first().click()
  await page.getByLabel('Name').fill('Site')
  await press(page, 'Create the key')
  await page.getByText('shown only once').waitFor()
}

describe('a secret shown once', () => {
  it(
    'is asked about before a link, the button Back or a reload takes it away',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '/developers/keys')
        await signInAs(page, owner)
        await makeKey(page)
        await page.getByRole('link', { name: 'All keys' }).click()
        await dialogOf(page).getByText('Nobody can show it again').waitFor()
        await expectSound(page)
        await press(page, 'Stay here')
        await page.getByText('shown only once').waitFor()
        await page.goBack()
        await dialogOf(page).waitFor()
        await page.keyboard.press('Escape')
        await dialogOf(page).waitFor({ state: 'detached' })
        await page.getByText('shown only once').waitFor()
        const asked = page.waitForEvent('dialog')
        await page.evaluate('void setTimeout(() => location.reload())')
        const question = await asked
        expect(question.type()).toBe('beforeunload')
        await question.dismiss()
        await page.getByText('shown only once').waitFor()
        await page.getByRole('link', { name: 'All keys' }).click()
        await press(page, 'Leave without it')
        await heading(page, 'API keys')
        expect(await page.getByText('shown only once').count()).toBe(0)
      })
    },
    patience_ms,
  )

  wholeIt(
    'is asked about before another shop is chosen, whose list stays at the shop that is here',
    async () => {
      const { app } = fixture
      const member = await app.member({ merchant_id: fixture.shop.merchant_id })
      const other = await inAnotherShop(app, member)
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, app.url, member.merchant_id, '/developers/keys')
        await signInAs(page, member)
        await makeKey(page)
        const shops = page.locator('select.merchant')
        await shops.focus()
        await shops.selectOption(other.merchant_id)
        await dialogOf(page).getByText('Nobody can show it again').waitFor()
        await expectSound(page)
        await press(page, 'Stay here')
        await page.getByText('shown only once').waitFor()
        await expect.poll(() => shops.inputValue()).toBe(member.merchant_id)
        await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('SELECT')
        await shops.selectOption(other.merchant_id)
        await press(page, 'Leave without it')
        await page.waitForURL(`**/${other.merchant_id}/test/developers/keys`)
        await expect.poll(() => shops.inputValue()).toBe(other.merchant_id)
        // The other shop's Back leads to the list, and to no secret.
        await page.goBack()
        await page.locator('main h1').waitFor()
        expect(await page.getByText('shown only once').count()).toBe(0)
      })
    },
    patience_ms,
  )

  wholeIt(
    'that is kept is left without a question, and Back does not lead to its empty form',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '/developers/keys')
        await signInAs(page, owner)
        await makeKey(page)
        await page.getByLabel('It is kept in a safe place').check()
        await press(page, 'Continue')
        await heading(page, 'Site')
        await page.goBack()
        await heading(page, 'API keys')
        expect(await dialogOf(page).count()).toBe(0)
      })
    },
    patience_ms,
  )
})

/** What stands under the fold of that call, run by the shell with the shop's key. */
async function runCurl(page: Page): Promise<{ success: boolean; code: number }> {
  const fold = page.locator('details.curl').first()
  await fold.locator('summary').click()
  const text = await fold.locator('pre').innerText()
  expect(text).toMatch(/^curl /)
  expect(text).not.toContain('sk_test_')
  const { stdout } = await runFile('sh', ['-c', text], {
    env: { ...process.env, KEY: fixture.shop.key },
  })
  return JSON.parse(stdout)
}

describe('a new secret of a webhook', () => {
  it(
    'is there before its list is read anew, and stays when the window gets narrower',
    async () => {
      const { data } = await owner.post('/merchant-webhooks/', {
        url: 'https://shop.example.com/rotated',
      })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '/developers/webhooks')
        await signInAs(page, owner)
        await page.getByRole('table', { name: 'Webhooks' }).waitFor()
        await press(page, 'New secret')
        // An answer that is never there holds nothing back.
        await page.route(/\/merchant-webhooks\/\?/, () => undefined)
        await dialogOf(page).getByRole('button', { name: 'New secret', exact: true }).click()
        await dialogOf(page).getByText('shown only once').waitFor()
        await page.setViewportSize({ width: 360, height: 700 })
        await page.locator('main ul.cards').waitFor()
        await dialogOf(page).getByText('shown only once').waitFor()
        await press(page, 'Show')
        expect(await page.locator('.secret code').innerText()).toMatch(/^whsec_/)
        await page.getByLabel('It is kept in a safe place').check()
        await press(page, 'Continue')
        await dialogOf(page).waitFor({ state: 'detached' })
      })
      await owner.call('DELETE', `/merchant-webhooks/${data.id}/`)
    },
    patience_ms,
  )

  it(
    'is asked about before Back, a reload or any number of Esc takes it away, and another is shown',
    async () => {
      const { data } = await owner.post('/merchant-webhooks/', {
        url: 'https://shop.example.com/left',
      })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, `/developers/webhooks/${data.id}`)
        await signInAs(page, owner)
        const secret = page.getByRole('dialog', { name: 'Secret de signature' })
        const question = page.getByRole('dialog', { name: 'Quitter sans le garder' })
        const rotate = async () => {
          await press(page, 'Nouveau secret')
          await dialogOf(page).getByRole('button', { name: 'Nouveau secret', exact: true }).click()
          await secret.getByText('affichage unique').waitFor()
        }
        await rotate()
        await page.goBack()
        await question.waitFor()
        await expectSound(page)
        await press(page, 'Rester ici')
        await secret.getByText('affichage unique').waitFor()
        const asked = page.waitForEvent('dialog')
        await page.evaluate('void setTimeout(() => location.reload())')
        await (await asked).dismiss()
        // From the second on the browser lets nobody prevent it, until somebody does something else:
        // whoever looks at the page by a script meanwhile has done so.
        for (let times = 0; times < 5; times += 1) {
          await page.keyboard.press('Escape')
          await page.waitForTimeout(300)
        }
        if (!(await question.isVisible())) await page.keyboard.press('Escape')
        await question.waitFor()
        await press(page, 'Rester ici')
        await secret.getByText('affichage unique').waitFor()
        await page.keyboard.press('Escape')
        await press(page, 'Quitter sans le garder')
        await secret.waitFor({ state: 'detached' })
        await rotate()
        await page.getByLabel('C’est gardé en lieu sûr').check()
        await press(page, 'Continuer')
        await secret.waitFor({ state: 'detached' })
        await page.getByRole('link', { name: 'Tous les webhooks' }).click()
        await heading(page, 'Webhooks')
      })
      await owner.call('DELETE', `/merchant-webhooks/${data.id}/`)
    },
    patience_ms,
  )
})

describe('recovery codes', () => {
  it(
    'stay until they are kept, though just then the service does not say who is signed in',
    async () => {
      const { app } = fixture
      const member = await app.member({ merchant_id: fixture.shop.merchant_id })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, app.url, member.merchant_id, '/team')
        await signInAs(page, member)
        await page.goto(`${app.url}/dashboard/me/security`)
        await page.getByLabel('Mot de passe', { exact: true }).first().fill(member.password)
        await press(page, 'Activer le second facteur')
        const secret = await page.locator('form code').innerText()
        const phone = authenticatorOf(app, member, { secret, recovery_codes: [] })
        await page.route('**/api/v1/auth/me/', (route) =>
          route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Indisponible.' } }),
        )
        const refused = page.waitForResponse((one) => one.status() === 503)
        await page.getByLabel('Code de sécurité', { exact: true }).fill(phone.code())
        await press(page, 'Confirmer')
        await refused
        await comesToRest(page)
        expect(await page.locator('.recovery code').count()).toBeGreaterThan(5)
        await expectSound(page)
        await page.unroute('**/api/v1/auth/me/')
        await page.getByLabel('Ils sont imprimés ou gardés en lieu sûr').check()
        await press(page, 'Continuer')
        await page.getByText('Activé', { exact: true }).waitFor()
      })
    },
    patience_ms,
  )
})

describe('a call to copy', () => {
  wholeIt(
    'stands where there is nothing yet, beside the first act, and works',
    async () => {
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, '/links')
        await signInAs(page, owner)
        for (const [path, first] of [
          ['/links', 'New link'],
          ['/checkouts', 'New checkout'],
          ['/customers', undefined],
          ['/developers/webhooks', 'New webhook'],
        ] as const) {
          await openFor(page, fixture.app.url, owner.merchant_id, path)
          const empty = page.locator('main .empty')
          await empty.waitFor()
          if (first !== undefined) await empty.getByRole('link', { name: first }).waitFor()
          expect(await runCurl(page), path).toMatchObject({ success: true, code: 201 })
          await expectSound(page)
        }
      })
    },
    patience_ms,
  )

  wholeIt(
    'stands beside the acts of a webhook, and works',
    async () => {
      const { data } = await owner.post('/merchant-webhooks/', {
        url: 'https://shop.example.com/h',
      })
      await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
        await openFor(page, fixture.app.url, owner.merchant_id, `/developers/webhooks/${data.id}`)
        await signInAs(page, owner)
        expect((await runCurl(page)).success).toBe(true)
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

// The same sources built on React proper (docs/decisions/0044): journeys that read, move money and
// approve it, by the policy that the service sends. So Preact's runtime can still be left.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let built = ''
const patience_ms = 480_000
const root = path.resolve(import.meta.dirname, '../../..')

beforeAll(async () => {
  built = await mkdtemp(path.join(tmpdir(), 'pirogue-on-react-'))
  const vite = path.join(root, 'node_modules/vite/bin/vite.js')
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', 'dashboard', '--outDir', built, '--emptyOutDir', '--logLevel', 'error'],
    { cwd: root, env: { ...process.env, NODE_ENV: 'production', VDOM: 'react' } },
  )
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
  const { status } = await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  expect(status).toBe(201)
}, patience_ms)
afterAll(async () => {
  await fixture?.stop()
  if (built !== '') await rm(built, { recursive: true, force: true })
})

/** The service's answers with the other build's files in them; each header stays the service's. */
async function onReact(page: Page): Promise<void> {
  const index = await readFile(path.join(built, 'index.html'), 'utf8')
  const body = index.replaceAll('"./assets/', '"/dashboard/assets/')
  const own = `${fixture.app.url}/dashboard`
  await page.route(`${own}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    const [, file] = /\/dashboard\/assets\/([\w.-]+)$/.exec(pathname) ?? []
    if (file === undefined) {
      const response = await route.fetch()
      return route.fulfill({ status: response.status(), headers: headersOf(response), body })
    }
    return route.fulfill({
      path: path.join(built, 'assets', file),
      contentType: file.endsWith('.css') ? 'text/css' : 'text/javascript',
    })
  })
}

/** Of a body that is another one. */
const headersOf = (response: { headers(): Record<string, string> }): Record<string, string> =>
  Object.fromEntries(
    Object.entries(response.headers()).filter(
      ([name]) => !/^(content-(length|encoding)|etag)$/.test(name),
    ),
  )

const isReact = `Object.keys(document.getElementById('app')).some((key) => /^__react/.test(key))`

async function enter(page: Page, at: string, by = owner): Promise<void> {
  await onReact(page)
  await openFor(page, fixture.app.url, fixture.shop.merchant_id, at)
  await signInAs(page, by)
  expect(await page.evaluate(isReact)).toBe(true)
}

it(
  'a payment is found and read',
  async () => {
    const { shop } = fixture
    const { data } = await shop.pay({ amount: '12500' })
    await shop.becomes(data.id, 'SUCCESS')
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await enter(page, '/payments')
      await page.locator('main .cards a').first().click()
      await heading(page, 'Payment')
      await page.getByText('FCFA\u00a012,500').first().waitFor()
      await expectSound(page)
      await page.goBack()
      await heading(page, 'Payments')
    })
  },
  patience_ms,
)

wholeIt(
  'a payout is asked for by one and approved by another',
  async () => {
    const { app, shop } = fixture
    const limits = { country: 'BJ', approval_above: '10000' }
    expect((await owner.post('/merchant-payout-limits/', limits)).status).toBe(201)
    const finance = await app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await enter(page, '/payouts/new', finance)
      await page.locator('main [name=msisdn]').fill('+2290197000010')
      await page.keyboard.press('Tab')
      await page.getByText('Guessed from the number').waitFor()
      await page.locator('main [name=amount]').fill('20000')
      await press(page, 'Continue')
      await press(page, 'Pay out FCFA\u00a020,000')
      await page.waitForURL(/\/payouts\/[0-9a-f-]{36}$/)
    })
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await enter(page, '/payouts/approvals')
      await page.locator('.confirm button[type=submit]').click()
      await page.locator('.confirm').waitFor({ state: 'detached' })
    })
    const { data } = await owner.get('/transactions/?transaction_type=RETRAIT')
    expect(data.results).toMatchObject([{ approval: 'APPROVED' }])
  },
  patience_ms,
)

wholeIt(
  'a form says its faults, keeps what was typed and shows the page that is not saved',
  async () => {
    await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
      await enter(page, '/settings')
      await page.getByLabel('Adresses à prévenir').fill('nobody')
      await page.getByRole('form', { name: 'La boutique' }).getByRole('button').click()
      await page.getByRole('alert').waitFor()
      await expect.poll(() => page.getByLabel('Adresses à prévenir').inputValue()).toBe('nobody')
      await page.getByRole('button', { name: 'Afficher l’aperçu' }).click()
      await page.getByLabel('Couleur', { exact: true }).fill('#ffe600')
      await page.getByLabel('Nom montré à vos clients').focus()
      await page.getByText(/fond blanc, #807300 la remplace/).waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

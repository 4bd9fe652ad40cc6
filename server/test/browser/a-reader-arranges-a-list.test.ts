// A list as its reader wants it: sorted by a column's head, of as many rows a page as they like,
// without the columns that they do not need, with rows that stand close; and by one press without
// payers' numbers, for whoever shows their screen. What is chosen is there again another day.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectNotKept, expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let reference: string
const patience_ms = 180_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  for (const [name, amount] of [
    ['Riz', '12500'],
    ['Attiéké', '4000'],
    ['Mil', '9000'],
  ]) {
    const { status } = await owner.post('/payment-links/', { name, amount, currency: 'XOF' })
    expect(status).toBe(201)
  }
  for (let nth = 1; nth <= 27; nth++) {
    const label = `Caisse ${nth}`
    await owner.post('/merchant-ip-whitelist/', { ip_address: `203.0.113.${nth}`, label })
  }
  const phone = '+2290197000010'
  const customer = { first_name: 'Awa', last_name: 'Diop', email: '', phone }
  reference = (await shop.pay({ customer })).data.reference
}, patience_ms)
afterAll(() => fixture?.stop())

async function open(page: Page, path: string): Promise<void> {
  await openFor(page, fixture.app.url, owner.merchant_id, path)
  await signInAs(page, owner)
}

const heads = (page: Page) => page.locator('main thead th').allInnerTexts()
const firsts = (page: Page) => page.locator('main tbody th').allInnerTexts()
const number = /01\s97\s00\s00\s10/
const hidden = /\+229\s01\s97\s••\s••\s10/

it(
  'sorted by a head that the address holds, without a column and with rows that stand close',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/links')
      await expect.poll(() => firsts(page)).toEqual(['Mil', 'Attiéké', 'Riz'])
      const made = page.getByRole('columnheader', { name: 'Created' })
      expect(await made.getAttribute('aria-sort')).toBe('descending')
      await page.getByRole('button', { name: 'Name', exact: true }).click()
      await expect.poll(() => firsts(page)).toEqual(['Attiéké', 'Mil', 'Riz'])
      await page.getByRole('button', { name: 'Name', exact: true }).click()
      await expect.poll(() => firsts(page)).toEqual(['Riz', 'Mil', 'Attiéké'])
      expect(page.url()).toMatch(/\?order=-name$/)
      await expectSound(page)
      const before = await page.locator('tbody tr').first().boundingBox()
      await press(page, 'Layout')
      const dialog = page.getByRole('dialog')
      await expectSound(page)
      await dialog.getByLabel('Paid', { exact: true }).uncheck()
      await dialog.getByLabel('Compact rows').check()
      await page.keyboard.press('Escape')
      expect(await heads(page)).not.toContain('Paid')
      const after = await page.locator('tbody tr').first().boundingBox()
      expect(after?.height).toBeLessThan(before?.height ?? 0)
      await expectSound(page)
      await page.reload()
      await expect.poll(() => firsts(page)).toEqual(['Riz', 'Mil', 'Attiéké'])
      expect(await heads(page)).toContain('Status')
      expect(await heads(page)).not.toContain('Paid')
    })
  },
  patience_ms,
)

it(
  'payers’ numbers are hidden by one press on every screen, and stay so',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/payments')
      await page.locator('main').getByText(number).waitFor()
      await press(page, 'Masquer les numéros')
      await page.locator('main').getByText(hidden).waitFor()
      expect(await page.locator('main').getByText(number).count()).toBe(0)
      await expectSound(page)
      await page.reload()
      await page.locator('main').getByText(hidden).waitFor()
      await page.locator('ul.cards > li > a').first().click()
      await page.getByText('Copier la référence').waitFor()
      await page.locator('dl').getByText(hidden).waitFor()
      expect(await page.locator('main').innerText()).not.toMatch(number)
      await page.locator('dl').getByText(hidden).click()
      await page.locator('h1').filter({ hasText: 'Awa Diop' }).waitFor()
      expect(await page.locator('main').innerText()).not.toMatch(number)
      await openFor(page, fixture.app.url, owner.merchant_id, '/search?q=Awa')
      await page.locator('main ul.cards').first().waitFor()
      expect(await page.locator('main').innerText()).not.toMatch(number)
      // References are read out whole.
      const found = page.locator('main').getByText(reference)
      await found.waitFor()
      await expectNotKept(page, /0197000010/)
      await openFor(page, fixture.app.url, owner.merchant_id, '/customers')
      await press(page, 'Masquer les numéros')
      await page.locator('main').getByText(number).waitFor()
    })
  },
  patience_ms,
)

it(
  'with its columns in another order, put so by keys alone',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/links')
      await page.locator('tbody tr').first().waitFor()
      const before = await heads(page)
      expect(before.slice(0, 4)).toEqual(['Name', 'Status', 'Created', 'Paid'])
      await page.getByRole('button', { name: 'Layout' }).focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog')
      const up = (name: string) => dialog.getByRole('button', { name: `Move “${name}” up` })
      await up('Paid').focus()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Enter')
      // At the end of its way the focus is where the way back begins.
      const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')")
      await expect.poll(focused).toBe('Move “Paid” down')
      await expectSound(page)
      await page.keyboard.press('Escape')
      const now = ['Name', 'Paid', 'Status', 'Created', ...before.slice(4)]
      expect(await heads(page)).toEqual(now)
      const cells = await page.locator('tbody tr').first().locator('th, td').allInnerTexts()
      expect(cells[0]).toBe('Mil')
      expect(cells[now.indexOf('Amount')]).toContain('9,000')
      await page.reload()
      await expect.poll(() => heads(page)).toEqual(now)
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'whose last row leaves a page shows the page before; a page that is not there is the first',
  async () => {
    const { app } = fixture
    const keeper = await app.member()
    for (let nth = 1; nth <= 26; nth++) {
      await keeper.post('/merchant-ip-whitelist/', { ip_address: `203.0.113.${nth}` })
    }
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      const cards = page.locator('main .cards > li')
      const openPage = (query: string) =>
        openFor(page, app.url, keeper.merchant_id, `/developers/addresses?${query}`)
      await openPage('order=ip_address&page=2')
      await signInAs(page, keeper)
      await expect.poll(() => cards.count()).toBe(1)
      await press(page, 'Retirer')
      await page.getByRole('dialog').getByRole('button', { name: 'Retirer' }).click()
      await expect.poll(() => cards.count()).toBe(25)
      expect(page.url()).toMatch(/\?order=ip_address&page=1$/)
      expect(await page.getByRole('alert').count()).toBe(0)
      await expectSound(page)
      await openPage('page=7&size=50')
      await expect.poll(() => cards.count()).toBe(25)
      expect(page.url()).toMatch(/\?size=50$/)
      expect(await page.getByRole('alert').count()).toBe(0)
    })
  },
  patience_ms,
)

it(
  'by cursor, a page that its last row has left is the one before; a cursor of nothing the first',
  async () => {
    const { app } = fixture
    const keeper = await app.member()
    for (let nth = 1; nth <= 26; nth++) {
      const link = { name: `Lien ${nth}`, amount_type: 'FIXED', amount: '500', currency: 'XOF' }
      expect((await keeper.post('/payment-links/', link)).status).toBe(201)
    }
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      const cards = page.locator('main .cards > li')
      await openFor(page, app.url, keeper.merchant_id, '/links')
      await signInAs(page, keeper)
      await expect.poll(() => cards.count()).toBe(25)
      await page.getByText('26 en tout').waitFor()
      await press(page, 'Plus anciens')
      await cards.getByText('Lien 1', { exact: true }).waitFor()
      expect(await cards.count()).toBe(1)
      expect(await page.getByText('Tout n’a pas encore été parcouru').count()).toBe(0)
      await expectSound(page)
      await app.owner`
        update payment_links set deleted_at = now()
         where merchant_id = ${keeper.merchant_id} and name = 'Lien 1'`
      await page.reload()
      await expect.poll(() => cards.count()).toBe(25)
      expect(await page.getByText('Aucun lien').count()).toBe(0)
      await openFor(page, app.url, keeper.merchant_id, '/links?cursor=abc')
      await expect.poll(() => cards.count()).toBe(25)
      expect(page.url()).not.toContain('cursor')
      expect(await page.getByRole('alert').count()).toBe(0)
    })
  },
  patience_ms,
)

wholeIt(
  'addresses, keys, webhooks and members too have pages of 25, 50 and 100, and heads that sort',
  async () => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, '/developers/addresses')
      await expect.poll(() => firsts(page)).toHaveLength(25)
      await page.getByRole('button', { name: 'Name', exact: true }).click()
      await expect.poll(async () => (await firsts(page))[0]).toBe('203.0.113.1')
      await page.getByLabel('Rows per page').selectOption('50')
      await expect.poll(() => firsts(page)).toHaveLength(27)
      expect(page.url()).toMatch(/order=label&size=50$/)
      await expectSound(page)
      for (const [path, head] of [
        ['/developers/keys', 'Name'],
        ['/developers/webhooks', 'Address'],
        ['/team', 'Role'],
      ] as const) {
        await openFor(page, fixture.app.url, owner.merchant_id, `${path}?size=50`)
        await page.locator('main .heading').waitFor()
        if (path === '/developers/webhooks') continue
        await page.getByRole('button', { name: head, exact: true }).click()
        await expect.poll(() => page.url()).toMatch(/size=50&order=/)
        await expect.poll(() => page.getByLabel('Rows per page').inputValue()).toBe('50')
        await expectSound(page)
      }
    })
  },
  patience_ms,
)

wholeIt(
  'a moment and a sum say the rest in a tip, and in the open on a page of their own',
  async () => {
    const [{ id, created_at }] = (await owner.get('/transactions/')).data.results
    for (const width of [360, 1280] as const) {
      await fixture.visit({ language: 'en', width }, async (page) => {
        await open(page, '/payments')
        const when = page.locator('main time').first()
        expect(await when.getAttribute('title')).toBe(created_at)
        expect(await when.getAttribute('datetime')).toBe(created_at)
        await page.locator('main [title=XOF]').first().waitFor()
        await openFor(page, fixture.app.url, owner.merchant_id, `/payments/${id}`)
        await page.locator('dl').getByText(created_at).waitFor()
        await page.locator('dl').getByText('FCFA (XOF)').waitFor()
        await expectSound(page)
      })
    }
  },
  patience_ms,
)

wholeIt.each(['/customers', '/settlements', '/transfers', '/checkouts', '/payments/refunds'])(
  'an order that its list has is asked for, and no other: %s',
  async (path) => {
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await open(page, `${path}?order=created_at`)
      await page.locator('main .heading').waitFor()
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      for (const order of ['created_at', '-created_at', 'password', 'created_at,id']) {
        asked.length = 0
        await openFor(page, fixture.app.url, owner.merchant_id, `${path}?order=${order}`)
        await page.locator('.empty, tbody tr').first().waitFor()
        // The newest come first without being asked to, by cursor.
        const isSorted = order === 'created_at'
        expect(asked.some((url) => url.includes('ordering='))).toBe(isSorted)
        expect(asked.some((url) => url.includes('pagination=cursor'))).toBe(!isSorted)
        expect(await page.locator('[role=alert]').count()).toBe(0)
      }
    })
  },
  patience_ms,
)
